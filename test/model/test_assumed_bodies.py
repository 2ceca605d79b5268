"""Links without inertials get bodies: rods, shapes, balls; the list says which."""

import struct

import numpy as np
import pytest
from urdf_text import joint, link, robot

import robot_dynamics as rd
from robot_dynamics.cli.main import main

RODS = {'missing_inertia': 'slender_rod'}
quiet = pytest.mark.filterwarnings('ignore::robot_dynamics.RobotDynamicsWarning')


def drawn(name: str, *shapes: str, tag: str = 'collision', origin: str = '') -> str:
    """Return a link without inertials, drawn with shapes."""
    parts = ''.join(f'<{tag}>{origin}<geometry>{shape}</geometry></{tag}>' for shape in shapes)
    return f'<link name="{name}">{parts}</link>'


def turning(*links: str, **options) -> str:
    """Return a robot whose joint has no offset: one link called a, on the z axis."""
    return robot(link('base', None), *links, joint('j', 'base', 'a', xyz='0 0 0', **options))


# An arm with a spherical wrist, as makers publish it: lengths and limits, nothing else.
WRIST = robot(
    link('base', None), *(link(f'l{k}', None) for k in range(1, 7)),
    joint('j1', 'base', 'l1', xyz='0 0 0.45'),
    joint('j2', 'l1', 'l2', axis='0 1 0', xyz='0.1 0 0'),
    joint('j3', 'l2', 'l3', axis='0 -1 0', xyz='0 0 0.6'),
    joint('j4', 'l3', 'l4', axis='-1 0 0', xyz='0.64 0 0.1'),
    joint('j5', 'l4', 'l5', axis='0 -1 0', xyz='0 0 0'),
    joint('j6', 'l5', 'l6', axis='-1 0 0', xyz='0 0 0'),
    link('tool', None), joint('flange', 'l6', 'tool', type='fixed', xyz='0.08 0 0'))


@quiet
def test_an_arm_with_a_spherical_wrist_is_regular():
    arm = rd.load(WRIST, **RODS)
    assert [body.link for body in arm.assumed] == list(arm.link_names[1:7])
    assert {body.what for body in arm.assumed} == {'slender rod', 'ball as large as the next link'}
    assert sum(body.mass for body in arm.assumed) == pytest.approx(arm.total_mass)
    generator = np.random.default_rng(5)
    for _ in range(20):
        q, qd, qdd = generator.uniform(-2, 2, (3, 6))
        principal = np.linalg.eigvalsh(arm.inertia_matrix(q))
        assert principal[0] > 1e-7 * principal[-1]
        tau = arm.inverse_dynamics(q, qd, qdd)
        assert np.allclose(arm.forward_dynamics(q, qd, tau), qdd, atol=1e-7)


@quiet
def test_a_rod_along_its_own_axis_has_a_thickness():
    """A shaft of 0.5 m about its own axis: a cylinder of radius 0.1 x 0.5 m, m r^2 / 2."""
    rest = link('tip', None), joint('f', 'a', 'tip', type='fixed', xyz='0 0 0.5')
    shaft = rd.load(turning(link('a', None), *rest), **RODS, rod_density=2.0)
    assert shaft.total_mass == pytest.approx(1.0)
    assert shaft.inertia_matrix([0.0])[0, 0] == pytest.approx(0.5 * 1.0 * 0.05**2)
    drum = drawn('a', '<cylinder radius="0.15" length="0.5"/>')  # its shape knows better
    shaft = rd.load(turning(drum, *rest), **RODS, rod_density=2.0)
    assert shaft.assumed[0].what == 'shapes of its own'
    assert shaft.inertia_matrix([0.0])[0, 0] == pytest.approx(0.5 * 1.0 * 0.15**2)


SOLIDS = {  # shape, longest extent [m], inertia about z over the mass
    'box': ('<box size="0.2 0.1 0.4"/>', 0.4, (0.2**2 + 0.1**2) / 12),
    'cylinder': ('<cylinder radius="0.15" length="0.2"/>', 0.3, 0.15**2 / 2),
    'sphere': ('<sphere radius="0.1"/>', 0.2, 0.4 * 0.1**2),
}


@quiet
@pytest.mark.parametrize('tag', ['collision', 'visual'])
@pytest.mark.parametrize(('shape', 'longest', 'moment'), SOLIDS.values(), ids=SOLIDS.keys())
def test_shapes_are_filled_evenly(shape, longest, moment, tag):
    ours = rd.load(turning(drawn('a', shape, tag=tag)), **RODS, rod_density=3.0)
    assert ours.assumed[0].what == 'shapes of its own'
    assert ours.assumed[0].size == pytest.approx(longest)
    assert ours.total_mass == pytest.approx(3.0 * longest)
    assert ours.inertia_matrix([0.0])[0, 0] == pytest.approx(3.0 * longest * moment)


@quiet
def test_shapes_off_the_axis_and_turned():
    """A box 0.3 m aside, on its side: z sees its x and y extents swapped with z's."""
    origin = '<origin xyz="0.3 0 0" rpy="1.5707963267948966 0 0"/>'
    ours = rd.load(turning(drawn('a', '<box size="0.2 0.1 0.4"/>', origin=origin)), **RODS)
    assert ours.inertia_matrix([0.0])[0, 0] == pytest.approx(
        0.4 * ((0.2**2 + 0.4**2) / 12 + 0.3**2))


@quiet
def test_shapes_of_welded_links_make_one_body():
    """Two equal balls, 0.4 m apart, on links that move as one; the box around is 0.5 m long."""
    ball = '<sphere radius="0.05"/>'
    text = turning(drawn('a', ball), drawn('b', ball),
                   joint('weld', 'a', 'b', type='fixed', xyz='0 0 0'))
    text = text.replace('<link name="b"><collision>',
                        '<link name="b"><collision><origin xyz="0.4 0 0"/>')
    ours = rd.load(text, **RODS)
    assert ours.total_mass == pytest.approx(0.5)
    assert ours.inertia_matrix([0.0])[0, 0] == pytest.approx(
        0.5 * 0.4 * 0.05**2 + 0.25 * 0.4**2)


@quiet
def test_what_is_no_shape_is_passed_over():
    bad = ['<box size="nan 1 1"/>', '<box size="1 1"/>', '<sphere/>', '<cylinder radius="x"/>',
           '<torus radius="1"/>', '', '<sphere radius="0"/>', '<box size="1e9 1 1"/>', '<mesh/>']
    ours = rd.load(turning(drawn('a', *bad)), **RODS)
    assert ours.assumed[0].what == 'ball of rod_length'
    ours = rd.load(turning(drawn('a', *bad, '<sphere radius="0.1"/>')), **RODS)
    assert ours.assumed[0].what == 'shapes of its own'


def write_stl(path, low, high) -> None:
    """Write a binary STL of two triangles that span a box."""
    corners = [low, high, (low[0], high[1], low[2]), low, high, (high[0], low[1], high[2])]
    triangles = b''.join(struct.pack('<12fH', 0, 0, 0, *np.ravel(corners[k:k + 3]), 0)
                         for k in (0, 3))
    path.write_bytes(b' ' * 80 + struct.pack('<I', 2) + triangles)


@quiet
def test_a_mesh_counts_as_the_box_around_it(tmp_path):
    """In millimetres, beside the file; text may come from anywhere and opens no file."""
    write_stl(tmp_path / 'hull.stl', (-100.0, -50.0, 0.0), (100.0, 50.0, 400.0))
    text = turning(drawn('a', '<mesh filename="hull.stl" scale="0.001 0.001 0.001"/>'))
    path = tmp_path / 'arm.urdf'
    path.write_text(text)
    ours = rd.load(path, **RODS)
    assert ours.assumed[0].size == pytest.approx(0.4)
    assert ours.inertia_matrix([0.0])[0, 0] == pytest.approx(0.4 * (0.2**2 + 0.1**2) / 12)
    assert rd.load(text, **RODS).assumed[0].what == 'ball of rod_length'
    (tmp_path / 'hull.stl').write_bytes(b'no mesh at all')
    assert rd.load(path, **RODS).assumed[0].what == 'ball of rod_length'


@quiet
def test_a_mesh_of_a_package_is_found_beside_the_file(tmp_path):
    """As in every ros-industrial arm: no ROS, the package's own checkout."""
    package = tmp_path / 'arm_support'
    (package / 'urdf').mkdir(parents=True)
    (package / 'meshes').mkdir()
    (package / 'package.xml').write_text('<package><name>arm_support</name></package>')
    write_stl(package / 'meshes/wrist.stl', (-0.1, -0.05, 0.0), (0.1, 0.05, 0.15))
    path = package / 'urdf/arm.urdf'
    mesh = '<mesh filename="package://{}/meshes/wrist.stl"/>'
    path.write_text(turning(drawn('a', mesh.format('arm_support'))))
    assert rd.load(path, **RODS).assumed[0].size == pytest.approx(0.2)
    path.write_text(turning(drawn('a', mesh.format('elsewhere'))))
    assert rd.load(path, **RODS).assumed[0].what == 'ball of rod_length'


def test_info_lists_what_was_assumed(tmp_path, capsys):
    path = tmp_path / 'arm.urdf'
    path.write_text(WRIST)
    assert main(['info', str(path), '--missing-inertia', 'slender_rod', '--rod-density', '2']) == 0
    text = capsys.readouterr().out
    assert text.count('slender rod, ') == 5
    assert "'l5' (joint 'j5'): ball as large as the next link, 0.08 m, 0.16 kg" in text


@quiet
def test_a_ball_of_the_given_size_is_the_last_resort():
    ours = rd.load(turning(link('a', None)), **RODS, rod_density=2.0, rod_length=0.3)
    assert str(ours.assumed[0]) == "'a' (joint 'j'): ball of rod_length, 0.3 m, 0.6 kg"
    assert ours.inertia_matrix([0.0])[0, 0] == pytest.approx(0.4 * 0.6 * 0.15**2)


@quiet
def test_dh_rows_without_length_too():
    rows = [rd.DHRow(0, 0, np.pi / 2, 0), rd.DHRow(0, 0, -np.pi / 2, 0), rd.DHRow(0, 0, 0, 0)]
    ours = rd.Robot.from_dh(rows, **RODS)
    assert len(ours.assumed) == 3
    assert np.linalg.cond(ours.inertia_matrix([0.3, 0.5, 0.7])) < 100
    assert not rd.Robot.from_dh([rd.DHRow(0.1, 0, 0, 0, mass=1)]).assumed


def test_one_warning_with_a_count():
    n = 40
    text = robot(link('base', None), *(link(f'l{k}', None) for k in range(n)), *(
        joint(f'j{k}', f'l{k - 1}' if k else 'base', f'l{k}', axis='0 1 0') for k in range(n)))
    with pytest.warns(rd.RobotDynamicsWarning) as caught:
        ours = rd.load(text, **RODS)
    (message,) = [str(warning.message) for warning in caught]
    assert '40 moving links have no inertials' in message
    assert 'and 32 more' in message
    assert 'slender rod: 39, ball of rod_length: 1' in message
    assert len(ours.assumed) == n


def test_links_that_stay_massless_are_said():
    """An arm without inertials that carries a gripper with them needs no body to be regular."""
    text = robot(link('base', None), link('a', None), link('b'), joint('j', 'base', 'a'),
                 joint('k', 'a', 'b', axis='0 1 0'))
    with pytest.warns(rd.RobotDynamicsWarning,
                      match="1 moving link has no inertial and stays without, since what it "
                            "carries has: 'j'"):
        assert not rd.load(text, **RODS).assumed


GRIPPER = robot(link('base', None), link('arm'), link('hand', None), joint('j', 'base', 'arm'),
                joint('finger', 'arm', 'hand', type='prismatic', axis='0 1 0').replace(
                    'lower="-2"', 'lower="0.01"'))


def test_the_error_names_every_way_out():
    ways = '<inertial>.*"slender_rod" .*"zero"'
    with pytest.raises(rd.DescriptionError, match=ways + r".*locked=\{'finger': 0.01\}"):
        rd.load(GRIPPER)
    assert rd.load(GRIPPER, locked={'finger': 0.01}).n == 1
    with pytest.raises(rd.DescriptionError, match=ways) as caught:
        rd.load(WRIST)  # nothing would be left
    assert 'locked' not in str(caught.value)
    with pytest.raises(rd.DescriptionError, match=ways) as caught:  # six values, no lock
        rd.load(robot(link('base', None), link('a'), link('b', None), joint('j', 'base', 'a'),
                      joint('k', 'a', 'b', type='floating')))
    assert 'locked' not in str(caught.value)
