"""DH tables: published ones, round trips, trees, rows that are wrong."""

import dataclasses
import warnings

import numpy as np
import pytest
from model.robot_table import load
from oracle import REAL_URDFS
from urdf_text import joint, link, robot

import robot_dynamics as rd
from robot_dynamics.algorithms import FORWARD
from robot_dynamics.studies.arms import ARMS

RIGHT = np.pi / 2


def canonical(rows):
    """Return |a|, b and |alpha| of rows: what the free directions of X_i leave alone.

    The convention lets X_{i+1} be turned by pi (a and alpha change sign, theta moves by pi),
    and Z_i by the choice of the joint's sense (b, alpha and a change sign).
    """
    return np.array([[abs(row[0]), abs(row[1]), min(abs(row[2]), np.pi - abs(row[2]))]
                     for row in rows])


def test_ur5_is_the_published_one():
    """Universal Robots publish d 89.159, 109.15, 94.65, 82.3 and a -425, -392.25 mm.

    Free choices that differ: a > 0 here with theta moved by pi; the last row ends at the URDF's
    ee_link, which is the published flange.
    """
    published = [(0, 0.089159, RIGHT), (-0.425, 0, 0), (-0.39225, 0, 0), (0, 0.10915, RIGHT),
                 (0, 0.09465, -RIGHT), (0, 0.0823, 0)]
    ours = load('ur_description/urdf/ur5_robot.urdf')
    rows = [(row.a, row.b, row.alpha) for row in ours.dh.rows]
    assert np.abs(canonical(rows) - canonical(published)).max() < 1e-9


def test_puma_560_is_the_papers():
    """MohanSaha2007 Table 2, after a trip through URDF, where its frames are forgotten.

    Free choices that differ: at crossing axes alpha is positive here, X turned by pi.
    """
    published = [(0, 0.2, -RIGHT), (0.432, 0.149, 0), (0.02, 0, RIGHT), (0, 0.432, -RIGHT),
                 (0, 0, RIGHT), (0, 0.056, 0)]
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', rd.RobotDynamicsWarning)
        ours = rd.load(ARMS['puma560']().to_urdf())
    rows = canonical([(row.a, row.b, row.alpha) for row in ours.dh.rows])
    expected = canonical(published)
    # joints 2 and 3 are parallel: the offset along both may stand at either; ours takes b_2 = 0
    assert rows[1, 1] + rows[2, 1] == pytest.approx(expected[1, 1] + expected[2, 1])
    rows[1:3, 1] = expected[1:3, 1]
    assert np.abs(rows - expected).max() < 1e-12


@pytest.mark.parametrize('name', REAL_URDFS[::4])
def test_yaml_round_trips_bit_for_bit(name, tmp_path):
    if 'psyonic' in name:
        return
    ours = load(name)
    text = ours.dh.to_yaml()
    table = rd.DHTable.from_yaml(text)
    assert table == ours.dh
    assert table.to_yaml() == text
    path = tmp_path / 'robot.yaml'
    path.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', rd.RobotDynamicsWarning)
        again = rd.load(path, missing_inertia='zero', friction=False)
    assert again.joint_names == ours.joint_names
    assert again.link_names == ours.link_names
    for a, b in zip(arrays(again.model), arrays(ours.model), strict=True):
        assert np.array_equal(a, b)


def arrays(model):
    *links, base = model.inertials
    return [*model.geometry, *links, *base]


def test_printed_tables_have_names_units_and_branches():
    ours = load('panda_description/urdf/panda.urdf')
    for text in (str(ours.dh), ours.dh.to_markdown()):
        for word in ('panda_joint7', 'panda_link7', 'a [m]', 'alpha [rad]', 'mass [kg]', '1.46552',
                     'gamma [rad]', '> panda_finger_joint2', '= 1 panda_finger_joint1'):
            assert word in text
    assert str(ours.dh).splitlines()[2].split()[:2] == ['joint', 'link']


@pytest.mark.parametrize('name', ARMS)
@pytest.mark.filterwarnings('ignore::robot_dynamics.RobotDynamicsWarning')
def test_urdf_of_an_arm_is_the_same_arm(name):
    arm = ARMS[name]()
    again = rd.load(arm.to_urdf())
    state = np.random.default_rng(4).uniform(-1, 1, (3, arm.n))
    assert again.joint_names == arm.joint_names
    assert np.allclose(again.inverse_dynamics(*state), arm.inverse_dynamics(*state), rtol=1e-12,
                       atol=1e-13)
    assert np.allclose(again.pose(state[0]), arm.pose(state[0]), atol=1e-14)


def test_shipped_urdfs_are_the_arms(request):
    folder = request.config.rootpath / 'urdf'
    for name, arm in ARMS.items():
        assert (folder / f'{name}.urdf').read_text() == arm().to_urdf()


@pytest.mark.parametrize('name', ['panda_description/urdf/panda.urdf',
                                  'romeo_description/urdf/romeo.urdf',
                                  'baxter_description/urdf/baxter.urdf',
                                  'tiago_pro_description/robots/tiago_pro.urdf'])
def test_urdf_of_a_real_tree_is_the_same_tree(name):
    ours = load(name)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', rd.RobotDynamicsWarning)
        again = rd.load(ours.to_urdf(), missing_inertia='zero', friction=False)
    state = np.random.default_rng(4).uniform(-1, 1, (3, ours.n))
    tau = ours.inverse_dynamics(*state)
    assert np.abs(again.inverse_dynamics(*state) - tau).max() < 1e-11 * np.abs(tau).max()
    for link_name in ours.link_names:
        assert np.abs(again.pose(state[0], link_name)
                      - ours.pose(state[0], link_name)).max() < 1e-12


def test_branches_share_the_joint_value():
    text = robot(link('base', None), link('a'), link('b'), link('c'), joint('j', 'base', 'a'),
                 joint('k', 'a', 'b', axis='0 1 0', xyz='0.2 0 0.4'),
                 joint('l', 'a', 'c', axis='1 0 0', xyz='0 0.3 0.1'))
    ours = rd.load(text)
    assert [row.branch is None for row in ours.dh.rows] == [True, True, False]
    by_hand = rd.Robot.from_dh(
        [dataclasses.replace(row, parent=row.parent) for row in ours.dh.rows])
    state = np.random.default_rng(4).uniform(-1, 1, (3, 3))
    assert np.allclose(by_hand.inverse_dynamics(*state), ours.inverse_dynamics(*state))


def test_sign_turns_the_joint_around():
    rows = [rd.DHRow(0.3, 0.1, RIGHT, 0.2, mass=1, com=(-0.1, 0, 0), inertia=np.eye(3) * 0.01),
            rd.DHRow(0.2, None, 0.4, 0.1, 'prismatic', mass=2, inertia=np.eye(3) * 0.02)]
    plain = rd.Robot.from_dh(rows)
    turned = rd.Robot.from_dh([dataclasses.replace(row, sign=-1) for row in rows])
    state = np.random.default_rng(4).uniform(-1, 1, (3, 2))
    assert np.allclose(turned.inverse_dynamics(*-state), -plain.inverse_dynamics(*state))
    assert np.allclose(turned.pose(-state[0]), plain.pose(state[0]))
    tau = plain.inverse_dynamics(*state)
    assert np.allclose(turned.forward_dynamics(-state[0], -state[1], -tau), -state[2])


def test_dh_pose_is_the_product_of_the_rows():
    """Rz(theta) Tz(b) Tx(a) Rx(alpha), row by row."""
    generator = np.random.default_rng(8)
    rows = [rd.DHRow(*generator.uniform(-1, 1, 4), mass=1) for _ in range(5)]
    q = generator.uniform(-1, 1, 5)
    T = np.eye(4)
    for row, value in zip(rows, q, strict=True):
        c, s = np.cos(row.theta + value), np.sin(row.theta + value)
        ca, sa = np.cos(row.alpha), np.sin(row.alpha)
        T = T @ np.array([[c, -s * ca, s * sa, row.a * c], [s, c * ca, -c * sa, row.a * s],
                          [0, sa, ca, row.b], [0, 0, 0, 1]])
    assert np.allclose(rd.Robot.from_dh(rows).pose(q), T, atol=1e-14)


ROW = {'a': 0.1, 'b': 0.2, 'alpha': 0.3, 'theta': 0.0, 'mass': 1.0}


@pytest.mark.parametrize(('change', 'message'), [
    ({'joint': 'ball'}, 'expected revolute or prismatic'), ({'sign': 0}, 'expected 1 or -1'),
    ({'a': float('nan')}, 'a=nan'), ({'mass': 'heavy'}, 'mass=heavy'),
    ({'com': (1, 2)}, r'com: .*shape \(3,\)'), ({'inertia': [[1, 2], [3, 4]]}, 'inertia'),
    ({'inertia': [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}, 'symmetric'),
    ({'parent': 'ghost'}, "parent 'ghost'"), ({'base': [[1]]}, 'base'),
    ({'base': np.diag([1, 1, 2, 1])}, 'rotation'),
    ({'branch': rd.Branch(gamma=float('inf'))}, 'on the root'), ({'name': ['a']}, 'name='),
    ({'branch': (0, 0, 0, 0)}, 'expected a Branch'), ({'mimic': 'joint_1'}, 'expected a Mimic'),
    ({'lower': 1.0, 'upper': -1.0}, 'above upper'), ({'a': 10**400}, 'a=1000')])
def test_wrong_rows(change, message):
    with pytest.raises(rd.DescriptionError, match=message):
        rd.Robot.from_dh([rd.DHRow(**{**ROW, **change})])


BOMB = 'x0: &x0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n' + ''.join(
    f'x{k + 1}: &x{k + 1} [{", ".join([f"*x{k}"] * 9)}]\n' for k in range(9))


@pytest.mark.parametrize('rows', [None, 3, [None], rd.DHRow(0, 0, 0, 0, mass=1)])
def test_what_is_no_list_of_rows(rows):
    with pytest.raises(rd.DescriptionError, match='DHRow'):
        rd.Robot.from_dh(rows)


@pytest.mark.parametrize(('text', 'message'), [
    (BOMB + 'rows: [{com: *x9}]', 'YAML alias'), ('rows: ' + '[' * 5000, 'nested|not YAML'),
    ('rows: [{mass: 1, name: [x]}]', 'name='), ('rows: [{mass: 1, parent: {x: 1}}]', 'parent='),
    ('rows: [{mass: 1, mimic: {leader: [x]}}]', 'mimic|leader'),
    (f'rows: [{{mass: 1, a: 0x{"f" * 400}}}]', 'a='), ('rows: [{mass: 1, name: 7}]', 'name='),
    ('rows: 3', 'list called rows'), ('a: [', 'not YAML'), ('rows: [{a: 1, q: 2}]', "'q'"),
    ('rows: [1]', 'row 1'), ('{rows: [], color: red}', "'color'"),
    ('rows: [{mass: 1, branch: {x: 1}}]', 'branch'), ('rows: [{mass: 1, a: .nan}]', 'a=nan'),
    ('{rows: [{mass: 1}], frames: {x: {row: 7, pose: 1}}}', 'row=7'),
    ('{rows: [{mass: 1}], frames: {x: {row: 0, pose: 1}}}', 'pose')])
def test_wrong_yaml(tmp_path, text, message):
    path = tmp_path / 'arm.yaml'
    path.write_text(text)
    with pytest.raises(rd.DescriptionError, match=message):
        rd.load(path)


@pytest.mark.parametrize('name', ['a\u2028b', 'a\x85b', 'a\x7fb', 'a: #b', 'é', '- x', '7'])
def test_odd_names_round_trip(name):
    rows = [rd.DHRow(0.5, 0.1, 0.2, 0.3, mass=1, name=f'{name} joint', link=f'{name} link')]
    table = rd.Robot.from_dh(rows, name=name, root=f'{name} root').dh
    assert rd.DHTable.from_yaml(table.to_yaml()) == table


def test_mimics_of_mimics_in_rows():
    rows = [rd.DHRow(0.5, 0, 0, 0, mass=1), rd.DHRow(0.4, 0, 0, 0, mass=1, mimic=rd.Mimic(
        'joint_1', 2.0, 0.1)), rd.DHRow(0.3, 0, 0, 0, mass=1, mimic=rd.Mimic('joint_2', -1.0))]
    ours = rd.Robot.from_dh(rows)
    assert ours.model.coordinates.G.ravel().tolist() == [1, 2, -2]
    assert ours.model.coordinates.q0.tolist() == [0, 0.1, -0.1]
    circle = [rd.DHRow(0.5, 0, 0, 0, mass=1, mimic=rd.Mimic('joint_2')),
              rd.DHRow(0.4, 0, 0, 0, mass=1, mimic=rd.Mimic('joint_1'))]
    with pytest.raises(rd.ModelError, match='follows it in turn'):
        rd.Robot.from_dh(circle)


def test_urdf_keeps_the_names_of_dh_frames():
    rows = [rd.DHRow(0.5, 0.1, 0.2, 0.3, mass=1, com=(-0.1, 0, 0), inertia=np.eye(3) * 0.01,
                     link='link_1'),
            rd.DHRow(0.4, 0, 1.0, 0, mass=1, inertia=np.eye(3) * 0.01, link='link_1_body'),
            rd.DHRow(0.4, 0, 0, 0, mass=1e-16, inertia=np.eye(3) * 0.01, name='link_1_fixed')]
    ours = rd.Robot.from_dh(rows)
    again = rd.load(ours.to_urdf())
    q = np.array([0.3, -0.4, 0.5])
    for name in ours.link_names:
        assert np.allclose(again.pose(q, name), ours.pose(q, name), atol=1e-14)
    assert again.moving_mass == pytest.approx(ours.moving_mass, rel=1e-15)
    geared = rd.Robot.from_dh([dataclasses.replace(row, armature=1.0) for row in rows])
    with pytest.warns(rd.RobotDynamicsWarning, match='armature'):
        geared.to_urdf()


def test_yaml_by_hand(tmp_path):
    path = tmp_path / 'arm.yaml'
    path.write_text('rows:\n- {a: 0.5, mass: 1.0, com: [-0.25, 0, 0]}\n'
                    '- {joint: prismatic, alpha: 1.5707963267948966, mass: 2}\n')
    ours = rd.load(path)
    assert ours.joint_names == ('joint_1', 'joint_2')
    assert np.allclose(ours.pose([0, 0.3])[:3, 3], [0.5, 0, 0.3])


def test_from_dh_external_wrench_acts_at_the_rows_end():
    ours = rd.Robot.from_dh([rd.DHRow(0.5, 0, 0, 0, mass=1)], gravity=(0, 0, 0))
    tau = ours.inverse_dynamics([0.0], [0.0], [0.0], external={'link_1': [0, 0, 0, 0, 2.0, 0]})
    assert tau[0] == pytest.approx(-0.5 * 2.0)




def test_rows_need_not_be_depth_first():
    """Two branches, their rows interleaved: every method gives the same."""
    def row(name, parent, branch=None):
        return rd.DHRow(0.3, 0.1, 0.7, 0.2, mass=1, com=(-0.1, 0, 0.05), name=name, parent=parent,
                        inertia=np.eye(3) * 0.01, branch=branch)
    ours = rd.Robot.from_dh([
        row('root', None), row('a1', 'root'), row('b1', 'root', rd.Branch(1.0, 0.1, 0.2, -0.5)),
        row('a2', 'a1'), row('b2', 'b1')])
    q, qd, qdd = np.random.default_rng(4).uniform(-1, 1, (3, 5))
    gim = ours.inertia_matrix(q, algorithm='composite_body')
    assert np.allclose(ours.inertia_matrix(q, algorithm='denoc'), gim, rtol=1e-12)
    assert gim[1, 2] == gim[1, 4] == gim[3, 4] == 0
    tau = ours.inverse_dynamics(q, qd, qdd, algorithm='newton_euler')
    for method in FORWARD:
        assert np.allclose(ours.forward_dynamics(q, qd, tau, algorithm=method), qdd, rtol=1e-9)
