"""Tables of joints: units, what has no value, stops that were struck, joints that are too fast."""

import json

import pytest

from robot_dynamics.cli.main import main

LINK = """<link name="{}"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
<inertia ixx="0.01" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
ARM = f"""<robot name="arm">{LINK.format('base')}{LINK.format('upper')}{LINK.format('fore')}
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1.2" velocity="2" effort="30"/></joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="fore"/>
<origin xyz="1 0 0"/><axis xyz="0 1 0"/></joint></robot>"""


@pytest.fixture
def arm(tmp_path):
    file = tmp_path / 'arm.urdf'
    file.write_text(ARM)
    return str(file)


def rows(text):
    return {line.split()[0]: line.split() for line in text.splitlines() if line.strip()}


def test_a_base_has_no_values_beside_its_rates(arm, capsys):
    assert main(['simulate', arm, '--base', 'floating', '--duration', '1']) == 0
    said = rows(capsys.readouterr().out)
    assert said['base/vz'][1:4] == ['-', '-9.81', '9.81']
    assert said['shoulder'][1] == '0'
    assert 'z -4.905,' in ' '.join(said['base:'])
    assert main(['torque', arm, '--base', 'floating', '--q', '0.1']) == 0
    said = rows(capsys.readouterr().out)
    assert said['base/wx'][1] == '-' and said['elbow'][1] == '0.1'


def test_stops_that_were_struck_and_joints_that_are_too_fast(arm, capsys):
    assert main(['simulate', arm, '--duration', '1']) == 0
    said = capsys.readouterr().out
    assert 'struck their stops, first at: shoulder (0.5311 s)' in said
    assert 'faster than their limits [rad/s, m/s]: shoulder (3.215 of 2)' in said
    assert main(['simulate', arm, '--duration', '1', '--samples', '2', '--json']) == 0
    found = json.loads(capsys.readouterr().out)
    assert found['struck'] == {'shoulder': pytest.approx(0.53106, abs=1e-4)}
    assert found['rate_limit'] == [2.0, None]
    assert main(['simulate', arm, '--duration', '0.01']) == 0
    said = capsys.readouterr().out
    assert 'struck' not in said and 'faster' not in said


def test_heads_have_units_and_joints_their_types(arm, capsys):
    assert main(['info', arm]) == 0
    said = capsys.readouterr().out
    head = next(line for line in said.splitlines() if '[kg]' in line)
    assert head.split()[-2:] == ['[N', 'm]'] and '[N m s/rad]' in head and '[rad]' in head
    assert rows(said)['elbow'][1] == 'continuous' and rows(said)['shoulder'][1] == 'revolute'
    assert main(['torque', 'stanford', '--q', '0']) == 0
    said = capsys.readouterr().out.splitlines()[1]
    assert '[rad, m]' in said and '[rad/s², m/s²]' in said and '[N m, N]' in said
    assert main(['torque', 'puma560', '--q', '0']) == 0
    assert '[rad, m]' not in capsys.readouterr().out


def test_a_loop_that_cannot_close_is_told_by_its_time(tmp_path, capsys):
    assert main(['torque', 'five_bar', '--from', '0.5,0.5', '--to=3.0,-3.0', '--duration',
                 '2']) == 1
    said = capsys.readouterr().err
    assert ' at t = ' in said and 'state' not in said
