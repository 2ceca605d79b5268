"""Names that URDF does not have are said where they look mistyped; extensions are left alone."""

import re
import warnings

import numpy as np
import pytest
from oracle import ROBOTS
from urdf_text import TWO_JOINTS, chain, joint, link, robot

import robot_dynamics as rd

TYPOS = {
    'frction': ('<limit', '<dynamics damping="0.2" frction="0.1"/><limit',
                '<dynamics> has the attribute frction, .* not read: friction\\?'),
    'Damping': ('<limit', '<dynamics Damping="0.2"/><limit', 'Damping, .*: damping\\?'),
    'no near name': ('<limit', '<dynamics armature="0.2"/><limit',
                     'armature, which URDF does not have; it is not read$'),
    'loewr': ('lower=', 'loewr=', '<limit> has the attribute loewr, .*: lower\\?'),
    'a limit that we lose': ('velocity=', 'speed=', 'speed, which URDF does not have'),
    'multipler': ('<limit', '<mimic joint="j1" multipler="2"/><limit', 'multipler.*multiplier\\?'),
    'rpy': ('rpy=', 'ryp=', '<origin> has the attribute ryp, .*: rpy\\?'),
    'a quaternion': ('rpy="0 0 0"', 'quat_xyzw="0 0 0 1"', 'quat_xyzw, which URDF does not have'),
    'XYZ': ('<axis xyz=', '<axis XYZ=', '<axis> has the attribute XYZ, .*: xyz\\?'),
    'izzz': ('ixz="0"', 'ixzz="0"', "link 'l2': <inertia> has the attribute ixzz, .*: ixz\\?"),
    'limits': ('<limit', '<limits', "joint 'j2': has the element <limits>, .*: limit\\?"),
    'orgin': ('<origin xyz="0.2', '<orgin xyz="0.2', 'has the element <orgin>, .*: origin\\?'),
    'no inertial': ('inertial>', 'intertial>', "link 'l2': has the element <intertial>"),
    'independant': ('<joint', '<joint independant="false"', 'independant, .*: independent\\?'),
}
EXTENSIONS = {
    'prefixed': ('<limit', '<dynamics x:frction="1" damping="1" friction="0"/><limit'),
    'a prefix that nobody declared': ('<limit', '<limit y:lowr="1"'),
    'Franka': ('<limit', '<dynamics D="1" K="7000" damping="0.003" friction="0" mu_coulomb="0" '
               'mu_viscous="16"/><limit'),
    'ANYmal': ('<limit', '<limit command_effort="1" current="10" gear_velocity="10"'),
    'URDF 1.2': ('<limit', '<limit acceleration="1" deceleration="2" jerk="10"'),
    'MuJoCo': ('<joint', '<joint dont_collapse="true"'),
    'a kind of link': ('<link', '<link type="laser"'),
    'other elements': ('<limit', '<physics/><hardwareInterface/><axis2/><limit'),
    'URDF+': ('<joint', '<joint independent="true"'),
    'all of URDF': ('<limit', '<calibration rising="0.1" falling="0" reference_position="0"/>'
                    '<safety_controller soft_lower_limit="0" soft_upper_limit="1" k_position="1" '
                    'k_velocity="1"/><limit'),
}


def said(old, new):
    """Return what is said of the second link and joint with something replaced in them."""
    head, found, tail = TWO_JOINTS.partition('<link name="l2"')
    text = (head + (found + tail).replace(old, new)).replace('<robot', '<robot xmlns:x="urn:x"')
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return [note for note in rd.load(text, missing_inertia='zero').warnings.full
                if 'URDF does not have' in note]


@pytest.mark.parametrize(('old', 'new', 'expected'), TYPOS.values(), ids=TYPOS.keys())
def test_typos_are_said(old, new, expected):
    sentence, = said(old, new)
    assert re.search(expected, sentence)
    assert sentence.startswith('the URDF text:1: ')


@pytest.mark.parametrize(('old', 'new'), EXTENSIONS.values(), ids=EXTENSIONS.keys())
def test_extensions_are_not(old, new):
    assert not said(old, new)


def test_the_line_is_that_of_the_element():
    text = chain({'extra': '\n\n<dynamics frction="1"/>'})
    with pytest.warns(rd.RobotDynamicsWarning, match="URDF text:3: joint 'j1': <dynamics> has"):
        rd.load(text)


def test_one_sentence_for_all_of_a_kind_and_few_for_one_element():
    wrong = '<dynamics frction="1"/>'
    with pytest.warns(rd.RobotDynamicsWarning, match=r"frction.*\(3 of this kind: 'j2', 'j3'\)"):
        rd.load(chain(*[{'extra': wrong}] * 3))
    many = ' '.join(f'a{k}="1"' for k in range(5000))
    assert len(said('<limit', f'<dynamics {many}/><limit')) == 4


def test_real_robots_have_no_typos():
    for path in sorted(ROBOTS.rglob('*.urdf')):
        notes = rd.description.read_description(path).warnings
        assert not [note for note in notes if 'URDF does not have' in note], path


def test_inertia_without_mass_is_said():
    text = robot(link('base', None), link('a', 0.0), link('b'), joint('j', 'base', 'a'),
                 joint('k', 'a', 'b'))
    with pytest.warns(rd.RobotDynamicsWarning, match="link 'a': has inertia but no mass"):
        rd.load(text)
    with pytest.raises(rd.DescriptionError, match="link 'a': has inertia but no mass"):
        rd.load(text, strict=True)
    nothing = text.replace('ixx="0.02" ixy="0.001"', 'ixx="0" ixy="0"').replace(
        'iyy="0.03"', 'iyy="0"').replace('izz="0.025"', 'izz="0"')
    assert not [note for note in rd.load(nothing).warnings if 'no mass' in note]
    row = rd.DHRow(a=1.0, b=0.0, alpha=0.0, theta=0.0, mass=0.0, com=(0, 0, 0), inertia=np.eye(3))
    with pytest.warns(rd.RobotDynamicsWarning, match='has inertia but no mass'):
        rd.Robot.from_dh([row])
