"""Mechanisms that are wrong, damaged or malicious: each gets one clear DescriptionError."""

import json
from pathlib import Path

import pytest
import yaml
from urdf_text import joint, link, robot

import robot_dynamics as rd
from robot_dynamics.description.mechanism import read_mechanism
from robot_dynamics.errors import DescriptionError

TREE = (link('base', None), link('a'), link('b'), link('c', 0.1),
        joint('ja', 'base', 'a'), joint('jb', 'base', 'b'),
        joint('weld', 'b', 'c', type='fixed'))
GOOD = {'robot': 'tree.urdf', 'actuated': ['ja'], 'start': {'ja': 0.1},
        'loops': [{'name': 'tip', 'joint': 'spherical', 'between': ['a', 'b'],
                   'at': [{'xyz': [0.1, 0, 0]}, {'xyz': [0.2, 0, 0], 'rpy': [0, 0, 1]}]}]}


def loop(**changes):
    return {'loops': [{**GOOD['loops'][0], **changes}]}


FILES = {
    'no such link': (loop(between=['a', 'x']), "'tip': there is no link 'x'; the tree has base"),
    'a link and itself': (loop(between=['a', 'a']), "'tip': is between 'a' and itself"),
    'one body': (loop(between=['b', 'c']), "'b' and 'c' move as one body"),
    'the root and the world': (loop(between=['base', 'world']), 'move as one body'),
    'three links': (loop(between=['a', 'b', 'c']), "'tip': between=.*expected two links"),
    'unknown cut joint': (loop(joint='sliding'), "'tip': joint='sliding': expected one of fixed"),
    'no cut joint': (loop(joint=None), "'tip': joint='None': expected one of"),
    'unknown key in a loop': (loop(axis=[0, 0, 1]), "'tip': unknown keys.*axis.*expected name"),
    'nan': (loop(at=[{'xyz': [float('nan'), 0, 0]}, {}]), "frame in 'a': xyz=nan: expected a fin"),
    'inf': (loop(at=[{}, {'rpy': [0, float('inf'), 0]}]), "frame in 'b': rpy=inf: expected a fin"),
    'two numbers': (loop(at=[{'xyz': [0, 0]}, {}]), "frame in 'a': xyz=.*expected three numbers"),
    'words': (loop(at=[{'xyz': ['up', 0, 0]}, {}]), 'xyz=up: expected a finite number'),
    'millimetres': (loop(at=[{'xyz': [1e9, 0, 0]}, {}]), 'absurdly large'),
    'one frame': (loop(at=[{}]), "'tip': at: expected two frames"),
    'a number for a frame': (loop(at=[1, 2]), "frame in 'a': found 1; expected"),
    'unknown key in a frame': (loop(at=[{'quat': [1, 0, 0, 0]}, {}]), 'unknown keys.*quat'),
    'a name twice': ({'loops': [*GOOD['loops'], *loop()['loops']]}, 'names come twice: tip'),
    'no loops': ({'loops': []}, 'loops: is empty'),
    'loops are a mapping': ({'loops': {'a': 1}}, 'loops: expected a list'),
    'a loop is a word': ({'loops': ['tip']}, 'loop 1: expected a mapping'),
    'actuated twice': ({'actuated': ['ja', 'ja']}, 'actuated: named twice: ja'),
    'independent twice': ({'independent': ['jb', 'jb']}, 'independent: named twice: jb'),
    'no such actuated joint': ({'actuated': ['jx']}, "actuated: there is no joint 'jx' that"),
    'a fixed joint actuated': ({'actuated': ['weld']}, "no joint 'weld' that moves; the tree"),
    'no such independent joint': ({'independent': ['jx']}, "independent: there is no joint 'jx'"),
    'no such joint at the start': ({'start': {'jx': 1}}, "start: there is no joint 'jx'"),
    'nan at the start': ({'start': {'ja': float('nan')}}, 'start: ja=nan: expected a finite'),
    'start is a list': ({'start': [1, 2]}, 'start=.*expected a mapping'),
    'actuated is a word': ({'actuated': 'ja'}, 'actuated=ja: expected a list of joints'),
    'unknown key': ({'gravitation': 1}, 'unknown keys.*gravitation.*expected name, robot'),
    'gravity of two': ({'gravity': [0, 0]}, 'gravity=.*expected three numbers'),
    'friction is a word': ({'friction': 'yes'}, "friction='yes': expected true or false"),
    'no robot': ({'robot': None}, "robot='None': expected the path"),
    'robot is not there': ({'robot': 'other.urdf'}, r"m.yaml: robot: 'other.urdf' cannot be read: "
                           'there is no such file in /'),
    'robot is near': ({'robot': 'pluss.urdf'}, r'no such file in /.*: plus.urdf\?'),
    'a key is near': ({'gravty': [0, 0, 0]}, r'unknown keys .*\(gravty: gravity\?\)'),
    'robot is itself': ({'robot': 'm.yaml'}, 'robot: .*m.yaml is this file itself'),
    'robot is a mechanism': ({'robot': 'other.yaml'}, 'robot: .*other.yaml is a mechanism too'),
    'robot has loops': ({'robot': 'plus.urdf'}, 'robot: .*plus.urdf has <loop> of its own'),
    'a coupling of one': ({'couplings': [{'joints': {'ja': 1}}]},
                          "'coupling_1': joins 1 joint; expected"),
    'a coupling of nothing': ({'couplings': [{'joints': {'ja': 1, 'jb': 0}}]},
                              "'coupling_1': joint 'jb' has the factor 0"),
    'a name that is a list': ({'name': [1]}, r'name=\[1\]: expected a text'),
    "a loop's name that is a mapping": (loop(name={'a': 1}), 'loop 1: name=.*expected a text'),
    'a coupling of none': ({'couplings': [{'joints': {'ja': 1, 'jx': 1}}]}, "no joint 'jx'"),
}


def write(folder, document):
    (folder / 'tree.urdf').write_text(robot(*TREE))
    (folder / 'plus.urdf').write_text(robot(*TREE, PLUS))
    (folder / 'other.yaml').write_text(yaml.safe_dump(GOOD))
    path = folder / 'm.yaml'
    if not isinstance(document, str):
        document = json.dumps(document).replace('NaN', '.nan').replace('Infinity', '.inf')
    path.write_text(document)
    return path


PLUS = ('<loop name="tip" type="revolute"><predecessor link="a"/><successor link="b"/>'
        '<axis xyz="0 0 1"/></loop>')


@pytest.mark.parametrize('case', FILES)
def test_mechanism_files(case, tmp_path):
    changes, message = FILES[case]
    path = write(tmp_path, {**GOOD, **changes})
    with pytest.raises(DescriptionError, match=f'(?s){message}') as caught:
        read_mechanism(path)
    assert str(path) in str(caught.value) or 'other.urdf' in str(caught.value)
    assert read_mechanism(write(tmp_path, GOOD)).actuated == ('ja',)  # nothing is lost


TEXTS = {
    'an alias': ('robot: &a tree.urdf\nloops: *a\n', 'YAML alias'),
    'a key twice': ('robot: tree.urdf\nloops: []\nstart: {ja: 1, ja: 2}\n', "'ja' comes twice"),
    'deep': ('loops: ' + '[' * 200 + ']' * 200, 'nested more than'),
    'an object': ('loops: !!python/object/apply:os.system [ls]\n', 'is not YAML'),
    'not YAML': ('loops: [', 'is not YAML'),
    'empty': (' \n', 'is empty'),
    'a list': ('- 1\n- 2\n', 'is no mechanism'),
    'another file': ('name: robot\nrate: 100\n', 'is no mechanism: it says nothing of closed'),
    'a DH file': ('robot: r\nrows: []\n', 'is no mechanism'),
    'type is short': ('closed_loop: [[a, b]]\ntype: []\n', 'closed_loop has 1 entries and type 0'),
    'an unknown type': ("closed_loop: [[a, b]]\ntype: ['4d']\n", "type='4d': expected one of 3d"),
    'an end that is not there': ("closed_loop: [[a, x]]\ntype: ['6d']\n", "no link 'x'"),
    'three ends': ("closed_loop: [[a, b, c]]\ntype: ['6d']\n", 'expected two names'),
    'an unknown joint type': ("closed_loop: [[a, b]]\ntype: ['6d']\njoint_name: [ja]\n"
                              "joint_type: [HELICAL]\n", "joint_type='HELICAL'"),
    'a joint that is not there': ("closed_loop: [[a, b]]\ntype: ['6d']\njoint_name: [jx]\n"
                                  "joint_type: [SPHERICAL]\n", "no joint 'jx'"),
    'a motor that is not there': ("closed_loop: [[a, b]]\ntype: ['6d']\nname_mot: [jx]\n",
                                  "no joint 'jx'"),
    'a motor in a ball': ("closed_loop: [[a, b]]\ntype: ['6d']\njoint_name: [ja]\n"
                          "joint_type: [SPHERICAL]\nname_mot: [ja]\n",
                          "'ja' is a chain here; expected ja/x, ja/y, ja/z"),
}


@pytest.mark.parametrize('case', TEXTS)
def test_hostile_yaml(case, tmp_path):
    text, message = TEXTS[case]
    path = write(tmp_path, text)
    (tmp_path / 'm.urdf').write_text(robot(*TREE))  # Gepetto's beside m.yaml
    with pytest.raises(DescriptionError, match=message):
        read_mechanism(path)


def plus(text):
    return robot(*TREE, text)


def mjcf(equality, tree='', before=''):
    return (f'<mujoco>{before}<worldbody><body name="a"><joint name="ja"/><geom size="0.1"/>{tree}'
            '</body><body name="b"><joint name="jb"/><geom size="0.1"/></body></worldbody>'
            f'<equality>{equality}</equality></mujoco>')


CONNECT = '<connect body1="a" body2="b" anchor="0 0 1"/>'
ENDS = '<predecessor link="a"/><successor link="b"/>'
BOTH = '<parent link="a"/><child link="b"/>'
XML = {
    'a tree': (robot(*TREE), 'is no mechanism: it says nothing'),
    'a bomb': ('<!DOCTYPE r [<!ENTITY a "a">]><robot name="&a;"/>', 'document type'),
    'SDF': ('<sdf version="1.7"/>', 'is no mechanism'),
    'no successor': (plus('<loop name="l" type="fixed"><predecessor link="a"/></loop>'),
                     '<successor link'),
    'no axis': (plus(f'<loop name="l" type="revolute">{ENDS}</loop>'), 'needs <axis'),
    'no direction': (plus(f'<loop name="l" type="revolute">{ENDS}<axis xyz="0 0 0"/></loop>'),
                     'expected a direction'),
    'an unknown loop': (plus(f'<loop name="l" type="screw">{ENDS}<axis xyz="0 0 1"/></loop>'),
                        "joint='screw': expected one of"),
    'one axis of two': (plus(f'<loop name="l" type="universal">{ENDS}<axis xyz="0 0 1"/></loop>'),
                        'does not say both axes'),
    'a loop without name': (plus(f'<loop type="fixed">{ENDS}</loop>'), '<loop>: has no name'),
    'nan in an origin': (plus('<loop name="l" type="fixed"><predecessor link="a">'
                              '<origin xyz="nan 0 0"/></predecessor><successor link="b"/></loop>'),
                         'expected finite numbers'),
    'a loop of one link': (plus('<loop name="l" type="fixed"><predecessor link="a"/>'
                                '<successor link="a"/></loop>'), "between 'a' and itself"),
    'no ratio': (plus(f'<coupling name="c">{ENDS}</coupling>'), 'has no <ratio'),
    'coupled to nothing': (plus('<coupling name="c"><predecessor link="a"/><successor link="x"/>'
                                '<ratio value="1"/></coupling>'), "no link 'x'"),
    'maybe independent': (robot(*TREE[:4], joint('ja', 'base', 'a').replace(
        'type=', 'independent="maybe" type=', 1), *TREE[5:], PLUS), "independent='maybe'"),
    'two ways': (plus(f'{PLUS}<constraint name="c" type="fixed">{BOTH}</constraint>'),
                 'expected one way to close loops'),
    'an unknown constraint': (plus(f'<constraint name="c" type="gear">{BOTH}<axis xyz="1 0 0"/>'
                                   '</constraint>'), "joint='gear'"),
    'a constraint of one': (plus('<constraint name="c" type="spherical_joint"><parent link="a"/>'
                                 '</constraint>'), '<child link'),
    'three numbers': (plus(f'<constraint name="c" type="fixed">{BOTH}<child_origin xyz="1 2"/>'
                           '</constraint>'), 'child_origin: xyz=.*3 numbers'),
    'half a pair of frames': (plus(link('closing_x_1', None) + joint(
        'f', 'a', 'closing_x_1', type='fixed')), 'no link closing_x_2'),
    'no equality': (mjcf(''), 'closes no loop'),
    'an include': (mjcf(CONNECT, before='<include file="m.xml"/>'), '<include> is not read'),
    'a free joint with others': (mjcf(CONNECT, '<freejoint/>'), 'expected that of a body in'),
    'an unknown joint': (mjcf(CONNECT, '<joint type="knee"/>'), "type='knee': expected hinge"),
    'angles of nothing': (mjcf(CONNECT, before='<compiler eulerseq="xya"/>'), 'eulerseq=.xya'),
    'a frame': (mjcf(CONNECT, '<frame/>'), '<frame> is not read'),
    'a mesh': (mjcf(CONNECT, '<body name="c"><joint/><geom type="mesh" mesh="m"/></body>'),
               'the mass of a mesh is not known here'),
    'a class that is not there': (mjcf(CONNECT, '<geom class="x" size="1"/>'), "class='x'"),
    'global coordinates': (mjcf(CONNECT, before='<compiler coordinate="global"/>'), 'coordinate='),
    'a total mass': (mjcf(CONNECT, before='<compiler settotalmass="3"/>'), 'settotalmass'),
    'a body that is not there': (mjcf('<connect body1="a" body2="x" anchor="0 0 0"/>'), "'x'"),
    'no anchor': (mjcf('<connect body1="a" body2="b"/>'), 'anchor'),
    'a parabola': (mjcf('<joint joint1="ja" joint2="jb" polycoef="0 1 1"/>'), 'of first order'),
    'a tendon': (mjcf('<tendon tendon1="t"/>'), 'expected one of connect'),
    'a joint that is not there in MJCF': (mjcf('<joint joint1="jx" joint2="jb"/>'), "'jx'"),
    'a body twice': (mjcf(CONNECT, '<body name="a"/>'), 'already used'),
}


@pytest.mark.parametrize('case', XML)
def test_xml(case):
    text, message = XML[case]
    with pytest.raises(DescriptionError, match=message):
        read_mechanism(text)


def test_trees_without_end(tmp_path):
    for one, other in (('a', 'b'), ('b', 'a')):
        (tmp_path / f'{one}.xacro').write_text(
            '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
            f'<xacro:include filename="{other}.xacro"/></robot>')
        (tmp_path / f'{one}.yaml').write_text(yaml.safe_dump({**GOOD, 'robot': f'{other}.yaml'}))
    (tmp_path / 'm.yaml').write_text(yaml.safe_dump({**GOOD, 'robot': 'a.xacro'}))
    with pytest.raises(DescriptionError, match='files that include each other'):
        read_mechanism(tmp_path / 'm.yaml')
    with pytest.raises(DescriptionError, match='is a mechanism too'):
        read_mechanism(tmp_path / 'a.yaml')


def test_mimic_joints_are_led(tmp_path):
    mimic = '<mimic joint="ja" multiplier="2" offset="0.1"/>'
    (tmp_path / 'tree.urdf').write_text(robot(*TREE[:4], joint('ja', 'base', 'a'),
                                              joint('jb', 'base', 'b', extra=mimic), TREE[6]))
    path = tmp_path / 'm.yaml'
    path.write_text(yaml.safe_dump(GOOD))
    with pytest.raises(DescriptionError, match="actuated: joint 'jb' mimics 'ja': name that one"):
        read_mechanism(path, actuated=['jb'])
    with pytest.raises(DescriptionError, match="start: joint 'jb' is 1, but it mimics 'ja'"):
        read_mechanism(path, start={'jb': 1})
    assert read_mechanism(path, start={'ja': 1, 'jb': 2.1}).start['jb'] == 2.1


@pytest.mark.parametrize(('source', 'said'), [
    (Path('nowhere.yaml'), "'nowhere.yaml': cannot be read: No such file"),
    ('nowhere.urdf', "'nowhere.urdf': cannot be read: No such file"),
    ('/', 'this is no file, but a folder'), (3, 'not from int'), ('', 'is empty')])
def test_sources_that_are_none(source, said):
    with pytest.raises(DescriptionError, match=said):
        read_mechanism(source)


@pytest.mark.parametrize('key', ['loop', 'Loops', 'looops', 'coupling'])
def test_a_misspelt_key_of_loops(key, tmp_path):
    path = tmp_path / 'm.yaml'
    document = {**GOOD, key: GOOD['loops']}
    del document['loops']
    path.write_text(yaml.safe_dump(document))
    (tmp_path / 'open.urdf').write_text(robot(*TREE))
    with pytest.raises(DescriptionError, match=rf'm.yaml: unknown keys .* \({key}: \w+s\?\)'):
        rd.load(path)


def test_a_mechanism_without_loops(tmp_path):
    path = tmp_path / 'm.yaml'
    path.write_text(yaml.safe_dump({'robot': GOOD['robot'], 'actuated': ['ja']}))
    (tmp_path / GOOD['robot']).write_text(robot(*TREE))
    with pytest.raises(DescriptionError, match='loops: is missing; expected the loops'):
        rd.load(path)
