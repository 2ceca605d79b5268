"""Files that are wrong, damaged or malicious: each gets one clear DescriptionError."""

import os

import pytest
from urdf_text import TWO_JOINTS, chain, joint, link, robot

import robot_dynamics as rd

BOMB = ('<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">'
        + ''.join(f'<!ENTITY {chr(98 + k)} "{f"&{chr(97 + k)};" * 10}">' for k in range(9))
        + ']><robot name="&j;"><link name="a"/></robot>')
NESTING = '<robot name="deep">' + '<x>' * 200_000 + '</x>' * 200_000 + '</robot>'

CASES = {
    'entity bomb': (BOMB, 'document type'),
    'external entity': ('<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
                        '<robot name="r"><link name="&x;"/></robot>', 'document type'),
    'lower-case doctype': ('<!doctype r><robot name="r"/>', 'document type|well-formed'),
    'a megabyte of nesting': (NESTING, 'well-formed'),
    'not closed': ('<robot name="r"><link name="a">', 'well-formed'),
    'not xml': ('<<<>>>', 'well-formed'),
    'another root': ('<sdf version="1.7"/>', '<sdf>'),
    'html': ('<html><body/></html>', '<html>'),
    'link without name': (robot('<link/>'), 'has no name'),
    'joint without name': (robot(link('a'), link('b'), joint('', 'a', 'b')), 'has no name'),
    'duplicate link': (robot(link('a'), link('a')), "link 'a'.*already"),
    'duplicate joint': (robot(link('a'), link('b'), link('c'), joint('j', 'a', 'b'),
                              joint('j', 'b', 'c')), "joint 'j'.*already"),
    'dangling parent': (robot(link('a'), link('b'), joint('j', 'x', 'b')),
                        "parent link 'x' does not exist"),
    'dangling child': (robot(link('a'), joint('j', 'a', 'x')), "child link 'x' does not exist"),
    'no parent': (robot(link('a'), '<joint name="j" type="fixed"><child link="a"/></joint>'),
                  '<parent'),
    'self': (robot(link('a'), link('b'), joint('j', 'b', 'b')), 'to itself'),
    'cycle': (robot(link('a'), link('b'), joint('j', 'a', 'b'), joint('k', 'b', 'a')), 'cycle'),
    'cycle beside a root': (
        robot(link('r'), link('a'), link('b'), joint('j', 'a', 'b'), joint('k', 'b', 'a')),
        "cycle: 'j', 'k'"),
    'loop': (robot(link('a'), link('b'), link('c'), joint('j', 'a', 'b'), joint('k', 'a', 'c'),
                   joint('l', 'b', 'c')), 'closed loop.*cut it at one joint'),
    'a name that a floating joint takes': (robot(
        link('a'), link('b'), link('c'), joint('f', 'a', 'b', type='floating'),
        joint('f/x', 'b', 'c')), 'two joints become f/x'),
    'several roots': (robot(link('a'), link('b'), link('c'), joint('j', 'a', 'b')), "'a', 'c'"),
    'unknown type': (chain({'type': 'ball'}), "type='ball'"),
    'zero axis': (chain({'axis': '0 0 0'}), 'axis.*direction'),
    'two numbers': (chain({'xyz': '0 0'}), 'origin xyz.*3 numbers'),
    'words': (chain({'xyz': '0 0 up'}), 'finite numbers'),
    'nan': (chain({'xyz': '0 nan 0'}), 'finite numbers'),
    'inf': (chain({'rpy': 'inf 0 0'}), 'finite numbers'),
    'nan mass': (robot(link('a', float('nan'))), 'mass value.*finite'),
    'infinite limit': (chain({'extra': '<dynamics damping="inf"/>'}), 'dynamics damping.*finite'),
    'millimetres': (chain({'xyz': '3e8 0 0'}), 'absurdly large.*SI units'),
    'mass of a mountain': (robot(link('a', 1e12)), 'absurdly large'),
    'inertia lacks a number': (
        robot('<link name="a"><inertial><mass value="1"/><inertia ixx="1"/></inertial></link>'),
        'inertia iyy'),
    'mass lacks its number': (
        robot('<link name="a"><inertial><mass/><inertia ixx="1"/></inertial></link>'),
        'mass value=None'),
    'mimics nobody': (chain({'extra': '<mimic joint="ghost"/>'}), "mimics 'ghost'"),
    'mimics itself': (chain({'extra': '<mimic joint="j1"/>'}), 'circle'),
    'mimic circle': (chain({'extra': '<mimic joint="j2"/>'}, {'extra': '<mimic joint="j1"/>'}),
                     'circle: j1 -> j2 -> j1'),
    'mimic of a floating joint': (chain({'type': 'floating'}, {'extra': '<mimic joint="j1"/>'}),
                                  'several values'),
}


@pytest.mark.parametrize(('text', 'message'), CASES.values(), ids=CASES.keys())
def test_one_clear_error(text, message):
    with pytest.raises(rd.DescriptionError, match=message):
        rd.load(text)


@pytest.mark.parametrize('data', [
    b'', b'  \n ', b'\x00\x01\x02\xff' * 40, '<robot name="\u00e9"/>'.encode('latin-1'),
    b'<?xml version="1.0" encoding="klingon"?><robot name="r"/>', b'\xff\xfe<\x00'],
    ids=['empty', 'blank', 'binary', 'latin-1', 'unknown encoding', 'cut utf-16'])
def test_bytes_that_are_no_urdf(tmp_path, data):
    for source in (data, tmp_path / 'robot.urdf'):
        if source is not data:
            source.write_bytes(data)
        with pytest.raises(rd.DescriptionError, match='empty|well-formed'):
            rd.load(source)


def test_utf16_bomb_is_seen():
    with pytest.raises(rd.DescriptionError, match='document type'):
        rd.load(BOMB.encode('utf-16'))


@pytest.mark.parametrize('data', [
    b'<?x <!-- ?><!DOCTYPE robot [<!ENTITY e "hello">]><!-- --><robot name="&e;"/>',
    b'<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE robot [+ADwAIQ-ENTITY e "x">]>'
    b'<robot name="&e;"/>'])
def test_document_types_cannot_hide(data):
    with pytest.raises(rd.DescriptionError, match='document type|well-formed'):
        rd.load(data)


def test_text_is_text_whatever_it_declares():
    for encoding in ('ISO-8859-1', 'utf-16'):
        text = f'<?xml version="1.0" encoding="{encoding}"?>' + TWO_JOINTS.replace('"l2"', '"é"')
        assert 'é' in rd.load(text).link_names


def test_devices_are_not_read(tmp_path):
    pipe = tmp_path / 'pipe.urdf'
    os.mkfifo(pipe)
    with pytest.raises(rd.DescriptionError, match='no file'):
        rd.load(pipe)


def test_endless_names_do_not_come_back():
    with pytest.raises(rd.DescriptionError, match='longer than') as caught:
        rd.load(robot(link('x' * 1_000_000)))
    assert len(str(caught.value)) < 1000


def test_other_encodings_are_read():
    for encoding in ('utf-16', 'utf-8-sig'):
        assert rd.load(TWO_JOINTS.encode(encoding)).n == 2


@pytest.mark.parametrize(('source', 'message'), [
    ('', 'empty'), ('no/such/file.urdf', 'cannot be read'), (42, 'not from int'), ('.', 'no file'),
    ('a\0b', 'well-formed|cannot')])
def test_sources_that_are_nothing(source, message):
    with pytest.raises(rd.DescriptionError, match=message):
        rd.load(source)


def test_errors_name_file_line_and_element(tmp_path):
    path = tmp_path / 'arm.urdf'
    path.write_text('<robot name="r">\n<link name="a"/>\n<link name="b"/>\n'
                    '<joint name="elbow" type="revolute"><parent link="a"/><child link="b"/>'
                    '<origin xyz="1 2"/></joint>\n</robot>')
    with pytest.raises(rd.DescriptionError, match=r"arm\.urdf:4: joint 'elbow': origin xyz='1 2'"):
        rd.load(path)


def test_long_chain_loads():
    """Depth of the robot is not depth of the file: a thousand joints are no hostility."""
    assert rd.load(chain(*[{} for _ in range(300)])).n == 300
