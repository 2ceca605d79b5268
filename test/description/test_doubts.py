"""What a description may mean otherwise than it says: bodies without mass, degrees, no limits."""

import json
import warnings

import pytest
from oracle import REAL_URDFS, ROBOTS
from urdf_text import TWO_JOINTS, joint, link, robot

import robot_dynamics as rd
from robot_dynamics.cli.main import main

SOLID = '<visual><geometry><box size="0.1 0.1 0.3"/></geometry></visual>'
FRAME = robot(link('base', None), link('upper'), link('fore', None), link('hand'),
              joint('shoulder', 'base', 'upper'), joint('elbow', 'upper', 'fore', axis='0 1 0'),
              joint('wrist', 'fore', 'hand', axis='1 0 0'))
BODY = FRAME.replace('<link name="fore"></link>', f'<link name="fore">{SOLID}</link>')
LIMIT = '<limit lower="-2" upper="2" effort="10" velocity="3"/>'
DOUBTS = 'no <inertial>|has no <limit>|many turns'


def warned(source, **options):
    """Return what loading warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        rd.load(source, **options)
    return [str(warning.message) for warning in caught]


def test_a_body_without_inertial_in_the_middle_of_a_chain():
    with pytest.warns(rd.RobotDynamicsWarning,
                      match="link 'fore' moves with joint 'elbow' and has a shape, but no "
                            '<inertial>: it counts as massless'):
        rd.load(BODY)
    assert warned(BODY.replace('visual', 'collision'))
    assert warned(FRAME) == warned(BODY.replace(SOLID, '')) == []
    assert 'inertial' not in ''.join(warned(BODY, root='fore'))  # the root does not move
    fixed = BODY.replace('</robot>', link('plate') + joint('glue', 'fore', 'plate', type='fixed')
                         + '</robot>')
    assert warned(fixed) == []


def test_bodies_without_inertials_are_counted():
    six = BODY.replace('</robot>', robot(
        link('fore2', None), link('hand2'), joint('elbow2', 'hand', 'fore2'),
        joint('wrist2', 'fore2', 'hand2'))[len('<robot name="test">'):])
    said = warned(six.replace('<link name="fore2"></link>', f'<link name="fore2">{SOLID}</link>'))
    assert len(said) == 1
    assert said[0].endswith("(2 of this kind: 'fore2')")


@pytest.mark.parametrize(('text', 'said'), [
    (FRAME, "link 'fore' moves with joint 'elbow', but has no mass: right for a frame"),
    (BODY, "link 'fore' moves with joint 'elbow' and has a shape, but no <inertial>")])
def test_info_says_who_has_no_mass(text, said, tmp_path, capsys):
    file = tmp_path / 'robot.urdf'
    file.write_text(text)
    assert main(['info', str(file)]) == 0
    assert said in capsys.readouterr().out
    assert main(['info', str(file), '--json']) == 0
    warnings_ = json.loads(capsys.readouterr().out)['warnings']
    assert [said in text for text in warnings_] == [True]


@pytest.mark.parametrize('type_', ['revolute', 'prismatic'])
def test_a_joint_without_limit_is_said(type_):
    text = robot(link('base', None), link('arm'), joint('j', 'base', 'arm', type=type_))
    assert warned(text) == []
    with pytest.warns(rd.RobotDynamicsWarning,
                      match=f"joint 'j': has no <limit>, which URDF asks of {type_} joints"):
        rd.load(text.replace(LIMIT, ''))
    assert warned(text.replace(LIMIT, '').replace(type_, 'continuous')) == []


@pytest.mark.parametrize(('limit', 'doubtful'), [
    (2, False), (12.5664, False), (90, True), (360, True), (1000, False), (1e16, False)])
def test_limits_in_degrees(limit, doubtful):
    text = TWO_JOINTS.replace('lower="-2" upper="2"', f'lower="{-limit}" upper="{limit}"')
    said = ' '.join(warned(text))
    assert ("joint 'j1': limits -90 to 90 are many turns (radians are expected: degrees given for "
            'radians?) (2 of this kind' in said) == (limit == 90)
    assert ('degrees given' in said) == doubtful
    assert warned(text.replace('revolute', 'prismatic')) == []


def test_locked_in_degrees():
    with pytest.warns(rd.RobotDynamicsWarning,
                      match=r"locked: joint 'j1' is at 90, outside its limits -2 to 2 .*degrees"):
        rd.load(TWO_JOINTS, locked={'j1': 90.0})
    assert warned(TWO_JOINTS, locked={'j1': 1.5}) == []


def test_public_robots_are_not_doubted():
    doubted = []
    for name in REAL_URDFS:
        try:
            said = warned(ROBOTS / name, missing_inertia='zero')
        except rd.DescriptionError:  # one mimics a joint that it has not
            continue
        doubted += [name for text in said for word in DOUBTS.split('|') if word in text]
    assert not doubted


@pytest.mark.parametrize('name', [name for name, package in rd.robots().items()
                                  if package == 'robot_dynamics'])
def test_shipped_robots_are_not_doubted(name):
    said = ' '.join(warned(name))
    assert not any(word in said for word in DOUBTS.split('|')), said


def test_one_is_not_several(tmp_path):
    with pytest.warns(rd.RobotDynamicsWarning, match='1 link with 0 kg is cut off: base'):
        rd.load(FRAME, root='upper')
    with pytest.warns(rd.RobotDynamicsWarning, match='1 moving link has no inertial; slender'):
        rd.load(robot(link('base', None), link('arm', None), joint('j', 'base', 'arm')),
                missing_inertia='slender_rod')
    file = tmp_path / 'one.csv'
    file.write_text('t,q.j\n0,0\n')
    with pytest.raises(rd.InputError, match='has 1 sample: expected 2'):
        rd.from_file(file, ['j'])
    assert '1 sample of 1 joint' in repr(rd.Trajectory.load(file))
