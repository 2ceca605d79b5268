"""What people's files have and others read over: read the same way, and said where it matters."""

import numpy as np
import pinocchio as pin
import pytest
from urdf_text import INERTIAL, TWO_JOINTS, chain, joint, link, robot

import robot_dynamics as rd

PLAIN = TWO_JOINTS.replace('"l2"', '"l2 é"')
DECLARATIONS = {
    'version 0.0': '<?xml version="0.0"?>',
    'no version': '<?xml encoding="utf-8"?>',
    'a blank line': '\n \n<?xml version="1.0"?>',
    'a comment': '<!-- made by hand --> <!-- twice -->\n<?xml version="1.0" ?>',
    'a byte order mark': '\ufeff<?xml version="1.0"?>',
    'an encoding that it has not': '<?xml version="1.0" encoding="utf-16"?>',
    'several lines': '<?xml\n version="1.0"\n?>',
}


@pytest.mark.parametrize('before', DECLARATIONS.values(), ids=DECLARATIONS.keys())
def test_path_bytes_and_text_are_one(tmp_path, before):
    path = tmp_path / 'robot.urdf'
    path.write_text(before + PLAIN, encoding='utf-8')
    expected = rd.load(PLAIN).dh
    for source in (path, path.read_bytes(), before + PLAIN):
        assert rd.load(source).dh == expected


@pytest.mark.parametrize('encoding', [
    'utf-8', 'utf-8-sig', 'utf-16', 'utf-16-le', 'utf-32', 'iso-8859-1', 'cp1252'])
def test_encodings_are_one(tmp_path, encoding):
    declared = encoding.removesuffix('-sig').removesuffix('-le')
    data = f'<?xml version="1.0" encoding="{declared}"?>\n{PLAIN}'.encode(encoding)
    path = tmp_path / 'robot.urdf'
    path.write_bytes(data)
    for source in (path, data):
        assert rd.load(source).dh == rd.load(PLAIN).dh


@pytest.mark.parametrize('encoding', ['klingon', 'utf-7', 'punycode', 'unicode_escape', 'rot13'])
def test_encodings_that_are_none_are_refused(encoding):
    with pytest.raises(rd.DescriptionError, match='well-formed XML: unknown encoding'):
        rd.load(f'<?xml version="1.0" encoding="{encoding}"?>{TWO_JOINTS}'.encode())


def test_lines_keep_their_numbers():
    text = '\n<!-- a\n comment -->\n<?xml\nversion="0.0"?>\n' + chain({'xyz': '1 2'})
    with pytest.raises(rd.DescriptionError, match=":6: joint 'j1'"):
        rd.load(text)


@pytest.mark.parametrize('namespace', [
    'xmlns="http://www.ros.org"', 'xmlns:xacro="http://www.ros.org/wiki/xacro"',
    'xmlns="http://drake.mit.edu" xmlns:g="http://gazebosim.org"'])
def test_a_namespace_does_not_lose_the_robot(namespace):
    text = TWO_JOINTS.replace('<robot', f'<robot {namespace}')
    assert rd.load(text).dh == rd.load(TWO_JOINTS).dh


def test_a_prefixed_robot_is_one():
    text = TWO_JOINTS.replace('</', '</u:').replace('<', '<u:').replace('<u:/u:', '</u:')
    text = text.replace('<u:robot', '<u:robot xmlns:u="urn:urdf"')
    assert rd.load(text).dh == rd.load(TWO_JOINTS).dh


def test_other_namespaces_stay_extensions():
    text = TWO_JOINTS.replace('<robot', '<robot xmlns:x="urn:x"').replace(
        '</robot>', '<x:link name="none"/></robot>')
    assert 'none' not in rd.load(text).link_names


def test_undeclared_prefixes_are_said_and_survived():
    text = TWO_JOINTS.replace('</robot>', '<gazebo><sensor:camera name="c"><sensor:image/>'
                              '</sensor:camera></gazebo></robot>')
    with pytest.warns(rd.RobotDynamicsWarning, match="prefix 'sensor' stands for no namespace"):
        ours = rd.load(text)
    assert ours.dh == rd.load(TWO_JOINTS).dh
    with pytest.raises(rd.DescriptionError, match='well-formed'):  # other faults still count
        rd.load(text.replace('</gazebo>', ''))


SECOND = {
    'inertial': ('</inertial>', '</inertial>' + INERTIAL.format(mass=9, com='1 1 1')),
    'axis': ('<limit', '<axis xyz="1 0 0"/><limit'),
    'origin': ('<limit', '<origin xyz="3 0 0"/><limit'),
    'parent': ('<limit', '<parent link="l9"/><limit'),
    'limit': ('<limit', '<limit lower="-1" upper="2" effort="10" velocity="3"/><limit'),
    'mass': ('<mass', '<mass value="1.0"/><mass'),
    'inertia': ('</inertial>', '<inertia ixx="9" ixy="0" ixz="0" iyy="9" iyz="0" izz="9"/>'
                '</inertial>'),
    'dynamics': ('</joint>', '<dynamics damping="0"/><dynamics damping="5"/></joint>'),
}


@pytest.mark.parametrize(('tag', 'change'), SECOND.items(), ids=SECOND.keys())
def test_of_two_elements_the_first_counts(tag, change):
    text = TWO_JOINTS.replace(*change)
    with pytest.warns(rd.RobotDynamicsWarning, match=f'has 2 <{tag}> elements; the first counts'):
        ours = rd.load(text)
    model = pin.buildModelFromXML(text)
    q, qd, qdd = np.random.default_rng(3).uniform(-1, 1, (3, 2))
    expected = pin.rnea(model, model.createData(), q, qd, qdd)
    assert np.allclose(ours.inverse_dynamics(q, qd, qdd), expected, rtol=1e-12)
    assert np.allclose(ours.limits.lower, model.lowerPositionLimit)


def test_of_two_mimics_the_first_counts():
    mimics = '<mimic joint="j1" multiplier="2"/><mimic joint="j1" multiplier="3"/>'
    with pytest.warns(rd.RobotDynamicsWarning, match='has 2 <mimic> elements'):
        ours = rd.load(chain({}, {'extra': mimics}))
    assert ours.dh.rows[1].mimic.multiplier == 2


def test_inertials_with_parts_missing():
    inertial = '<inertial><mass value="2"/><origin xyz="0.3 0 0"/>{}</inertial>'
    body = '<inertia ixx="1" iyy="2" izz="3"/>'
    for given, izz, words in ((inertial.format(''), 0, 'no <inertia>; its mass is taken as a po'),
                              (inertial.format(body), 3, 'no ixy, ixz, iyz: taken as 0')):
        text = robot(link('a'), f'<link name="b">{given}</link>', joint('j', 'a', 'b'))
        with pytest.warns(rd.RobotDynamicsWarning, match=words):
            assert rd.load(text).inertia_matrix([0]) == pytest.approx(2 * 0.09 + izz)
    massless = robot(link('a'), '<link name="b"><inertial><density value="7"/></inertial></link>',
                     joint('j', 'a', 'b'))
    with pytest.warns(rd.RobotDynamicsWarning, match='no <mass>; the link counts as massless'):
        rd.load(massless, missing_inertia='zero')
    with pytest.raises(rd.DescriptionError, match='neither mass nor inertia'):
        rd.load(massless)


LOOPS = {
    'loop': '<loop name="closes" type="continuous"><predecessor link="l1"/></loop>',
    'coupling': '<coupling name="closes"><ratio value="2"/></coupling>',
    'constraint': '<constraint name="closes" type="spherical_joint"/>',
    'joint': '<gazebo><joint name="closes" type="revolute"><parent>l1</parent></joint></gazebo>',
    'ball_constraint': '<drake:ball_constraint name="closes"/>',
}


@pytest.mark.parametrize(('tag', 'element'), LOOPS.items(), ids=LOOPS.keys())
def test_loops_that_are_left_out_are_named(tag, element):
    text = TWO_JOINTS.replace('<robot', '<robot xmlns:drake="http://drake.mit.edu"').replace(
        '</robot>', element + '</robot>')
    with pytest.warns(rd.RobotDynamicsWarning, match=f"<{tag}> 'closes': is left out"):
        assert rd.load(text).dh == rd.load(TWO_JOINTS).dh
