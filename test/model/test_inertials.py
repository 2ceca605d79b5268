"""Missing and impossible inertials, payloads, gravity."""

import numpy as np
import pytest
from urdf_text import chain, joint, link, robot

import robot_dynamics as rd

BARE = robot(link('base', None), link('a', None), link('b', None),
             joint('j', 'base', 'a', xyz='0 0 0.3'),
             joint('k', 'a', 'b', axis='0 1 0', xyz='0.2 0 0.4'),
             link('tool', None), joint('f', 'b', 'tool', type='fixed', xyz='0.25 0 0'))


def test_missing_inertials_name_every_joint():
    with pytest.raises(rd.DescriptionError, match=r"'j' \(link 'a'\), 'k' \(link 'b'\)"):
        rd.load(BARE)


def test_a_joint_that_carries_mass_farther_out_is_fine():
    text = robot(link('base', None), link('a', None), link('b'), joint('j', 'base', 'a'),
                 joint('k', 'a', 'b', axis='0 1 0'))
    assert rd.load(text).n == 2


@pytest.mark.filterwarnings('ignore:.*triangle inequality')
def test_inertia_counts_about_the_joints_own_axis():
    """Two rods without mass: only inertia that some pose turns towards the axis loads it."""
    along_x = np.diag([1.0, 0.0, 0.0])
    with pytest.raises(rd.DescriptionError, match="'joint_1'"):  # it turns about x, never about z
        rd.Robot.from_dh([rd.DHRow(0, 0, np.pi / 2, np.pi / 2),
                          rd.DHRow(0, 0, 0, 0, hub_inertia=1.0)])
    tilted = rd.Robot.from_dh([rd.DHRow(0, 0, 0.4, 0), rd.DHRow(0, 0, 0, 0, hub_inertia=1.0,
                                                                armature=0.1)])
    assert tilted.n == 2
    loaded = rd.Robot.from_dh([rd.DHRow(0, 0, np.pi / 2, 0),
                               rd.DHRow(0, 0, 0, 0, inertia=along_x, armature=1.0)])
    assert loaded.n == 2
    with pytest.raises(rd.DescriptionError, match="'joint_1'"):  # a slide moves mass, not inertia
        rd.Robot.from_dh([rd.DHRow(0, 0, 0, 0, 'prismatic', inertia=np.eye(3))])


@pytest.mark.parametrize('rotor', [{'hub_inertia': -1.0}, {'armature': -5.0}])
def test_negative_rotors_are_said(rotor):
    with pytest.warns(rd.RobotDynamicsWarning, match='is negative'):
        rd.Robot.from_dh([rd.DHRow(0.5, 0, 0, 0, mass=1, **rotor)])


def test_zero_accepts_and_forward_dynamics_says_singular():
    ours = rd.load(BARE, missing_inertia='zero')
    assert np.allclose(ours.inverse_dynamics([0, 0], [1, 1], [1, 1]), 0)
    with pytest.raises(rd.SingularityError, match=r"joint 'k'.*pivot\) is 0"):
        ours.forward_dynamics([0, 0], [0, 0], [1, 1])


def test_slender_rods_stand_in():
    """Rods of 2 kg/m along b and a of each row; the total is what their lengths weigh."""
    with pytest.warns(rd.RobotDynamicsWarning, match=r"slender rods of 2 kg/m .*'j'.*'k'"):
        ours = rd.load(BARE, missing_inertia='slender_rod', rod_density=2.0)
    lengths = [abs(row.a) + abs(row.b) for row in ours.dh.rows]
    assert ours.total_mass == pytest.approx(2.0 * sum(lengths))
    row = ours.dh.rows[1]  # no b, a straight rod from the joint to the tool
    assert (row.b, row.a) == (0, pytest.approx(0.25))
    assert np.allclose(row.com, [-0.125, 0, 0])
    thin = 0.5 * 0.25**2 / 12
    assert np.allclose(row.inertia, np.diag([0, thin, thin]))


@pytest.mark.parametrize('options', [{'missing_inertia': 'guess'},
                                     {'missing_inertia': 'slender_rod', 'rod_density': 0.0},
                                     {'missing_inertia': 'slender_rod', 'rod_length': -1.0}])
def test_wrong_options(options):
    with pytest.raises(rd.InputError, match='missing_inertia|rod_density|rod_length'):
        rd.load(BARE, **options)


IMPOSSIBLE = {
    'negative mass': ('-1', '1 0 0 1 0 1', 'mass -1 kg is negative'),
    'not positive': ('1', '-0.1 0 0 0.1 0 0.1', 'not positive semi-definite'),
    'indefinite by products': ('1', '0.1 0.5 0 0.1 0 0.1', 'not positive semi-definite'),
    'triangle': ('1', '0.1 0 0 0.1 0 0.5', 'triangle inequality'),
}


@pytest.mark.parametrize(('mass', 'inertia', 'message'), IMPOSSIBLE.values(),
                         ids=IMPOSSIBLE.keys())
def test_impossible_inertials_warn_and_strict_refuses(mass, inertia, message):
    moments = ' '.join(f'{key}="{value}"' for key, value in zip(
        ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'), inertia.split(), strict=True))
    text = robot(link('base', None), joint('j', 'base', 'odd'),
                 f'<link name="odd"><inertial><mass value="{mass}"/><inertia {moments}/>'
                 '</inertial></link>')
    with pytest.warns(rd.RobotDynamicsWarning, match=f"link 'odd': .*{message}"):
        rd.load(text)
    with pytest.raises(rd.DescriptionError, match=f"link 'odd': .*{message}"):
        rd.load(text, strict=True)


def test_payload_is_a_link_welded_on():
    text = chain({}, {'axis': '0 1 0', 'xyz': '0.2 0 0.3'})
    welded = text.replace('</robot>', link('load', 2.0) + joint(
        'weld', 'l2', 'load', type='fixed', xyz='0.1 0.2 0.3', rpy='0.3 0.1 0.2') + '</robot>')
    expected = rd.load(welded)
    T = np.linalg.solve(expected.pose([0, 0], 'l2'), expected.pose([0, 0], 'load'))
    R, p = T[:3, :3], T[:3, 3]
    inertia = np.array([[0.02, 0.001, 0], [0.001, 0.03, 0], [0, 0, 0.025]])
    ours = rd.load(text).with_payload('l2', 2.0, R @ [0.1, 0, 0.05] + p, R @ inertia @ R.T)
    state = np.random.default_rng(2).uniform(-1, 1, (3, 2))
    assert np.allclose(ours.inverse_dynamics(*state), expected.inverse_dynamics(*state),
                       rtol=1e-12)
    assert ours.total_mass == expected.total_mass == 4


def test_gravity_of_any_direction():
    ours = rd.load(chain({'axis': '1 0 0'}, {'axis': '0 1 0'}))
    q = np.array([0.3, -0.7])
    assert np.allclose(ours.with_gravity([0, 0, 0]).gravity_torque(q), 0)
    g = np.array([1.0, -2.0, 3.0])
    step = 1e-6
    for k in range(2):
        e = np.eye(2)[k] * step
        turned = ours.with_gravity(g)
        slope = (turned.potential_energy(q + e) - turned.potential_energy(q - e)) / (2 * step)
        assert turned.gravity_torque(q)[k] == pytest.approx(slope, rel=1e-7)
    assert np.allclose(rd.load(chain({'axis': '1 0 0'}, {'axis': '0 1 0'}), gravity=g)
                       .gravity_torque(q), ours.with_gravity(g).gravity_torque(q))


def test_base_acceleration_is_gravity():
    ours = rd.load(chain({'axis': '1 0 0'}, {'axis': '0 1 0'}))
    q = np.array([0.3, -0.7])
    lifted = ours.with_gravity([0, 0, 0]).with_base_motion(linear_acceleration=[0, 0, 9.81])
    assert np.allclose(lifted.gravity_torque(q), ours.gravity_torque(q))
