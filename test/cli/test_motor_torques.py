"""Torques of mechanisms whose motors are not where their freedoms are, on the command line."""

import json
from pathlib import Path

import numpy as np
import pytest

import robot_dynamics as rd
from robot_dynamics.cli.main import main
from robot_dynamics.cli.motor_torques import motors_motion

LINKAGE = Path(__file__).parents[1] / 'data' / 'mechanisms' / 'stephenson.yaml'
MOTION = ['--from', '1.0', '--to', '0.95', '--duration', '1']


def test_a_state_has_what_freedoms_need_and_what_motors_give(capsys):
    assert main(['torque', str(LINKAGE), '--q', '1.0', '--json']) == 0
    report, linkage = json.loads(capsys.readouterr().out), rd.load(LINKAGE)
    assert report['joints'] == ['A'] and report['motors'] == ['A', 'C', 'D']
    np.testing.assert_allclose(report['force'], linkage.gravity_torque([1.0]))
    np.testing.assert_allclose(report['torque'], linkage.inverse_dynamics([1.0], [0.0], [0.0]))
    assert main(['torque', str(LINKAGE), '--q', '1.0']) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[-3:]] == ['A', 'C', 'D']
    np.testing.assert_allclose(float(lines[-2].split()[1]), report['torque'][1], rtol=1e-5)


def test_a_motion_has_a_row_for_each_motor(capsys, tmp_path):
    file = tmp_path / 'motion.csv'
    assert main(['torque', str(LINKAGE), *MOTION, '--json', '--output', str(file)]) == 0
    joints = json.loads(capsys.readouterr().out)['joints']
    assert [joint['joint'] for joint in joints] == ['A', 'C', 'D']
    motion, linkage = rd.Trajectory.load(file), rd.load(LINKAGE)
    tau = linkage.inverse_dynamics(motion.q, motion.qd, motion.qdd)
    np.testing.assert_allclose([joint['peak'] for joint in joints], np.abs(tau).max(axis=0),
                               rtol=1e-6)
    rates = np.einsum('kmn,kn->km', linkage.actuation_matrix(motion.q), motion.qd)
    np.testing.assert_allclose([joint['peak_power'] for joint in joints],
                               np.abs(tau * rates).max(axis=0), rtol=1e-6)
    assert file.read_text().splitlines()[0].split(',') == [
        't', 'q.A', 'qd.A', 'qdd.A', 'tau.A', 'kinetic', 'potential']
    force = linkage.generalized_force(linkage.assemble(motion.q), tau)
    np.testing.assert_allclose(motion.tau, force, rtol=1e-6, atol=1e-9)


def test_every_command_takes_what_a_mechanism_file_leaves_open(capsys, tmp_path):
    """Motors, freedoms and start; other files are refused with them."""
    closed = ['four_bar', '--actuated', 'joint_1', '--independent', 'joint_3']
    assert main(['torque', *closed, '--json']) == 0
    report = json.loads(capsys.readouterr().out)
    assert report['joints'] == ['joint_3'] and report['motors'] == ['joint_1']
    bars = rd.load('four_bar')
    for name, value in zip(bars.tree_joint_names, bars.start, strict=True):
        closed += ['--start', f'{name}={value}']
    for command in ('dh', 'ops', 'info'):
        assert main([command, *closed, '--json']) == 0, command
    capsys.readouterr()
    assert main(['simulate', *closed, '--duration', '0.01', '--json']) == 0
    assert 'joint_3' in capsys.readouterr().out
    assert main(['torque', 'rp', '--actuated', 'joint_1']) == 1
    assert 'expected' in capsys.readouterr().err
    assert main(['dh', 'four_bar', '--start', 'joint_1=fast']) == 1
    assert '--start joint_1=fast: expected a number' in capsys.readouterr().err


SLIDER = {'crank.urdf': """<robot name="crank"><link name="base"/>
  <link name="crank"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
    <inertia ixx="0.001" iyy="0.005" izz="0.005" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="rod"><inertial><origin xyz="0.3 0 0"/><mass value="0.5"/>
    <inertia ixx="0.001" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="block"><inertial><mass value="2"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="crank" type="continuous"><parent link="base"/><child link="crank"/>
    <axis xyz="0 0 1"/></joint>
  <joint name="pin" type="continuous"><parent link="crank"/><child link="rod"/>
    <origin xyz="0.2 0 0"/><axis xyz="0 0 1"/></joint>
  <joint name="slide" type="prismatic"><parent link="base"/><child link="block"/>
    <axis xyz="1 0 0"/><limit lower="-5" upper="5" effort="300" velocity="9"/></joint>
</robot>""", 'crank.yaml': """robot: crank.urdf
gravity: [0, -9.81, 0]
loops:
  - {joint: revolute, between: [rod, block], at: [{xyz: [0.6, 0, 0]}, {xyz: [0, 0, 0]}]}
actuated: [slide]
independent: [crank]
start: {crank: 1.0, pin: -1.3, slide: 0.69}
"""}


@pytest.fixture
def slider(tmp_path):
    """Return a slider-crank whose motor is on the slider, its freedom the crank's."""
    for name, text in SLIDER.items():
        (tmp_path / name).write_text(text)
    return tmp_path / 'crank.yaml'


def test_gravity_holds_by_the_motor(slider, capsys):
    assert main(['simulate', str(slider), '--torque', 'gravity', '--duration', '0.2',
                 '--json']) == 0
    report, crank = json.loads(capsys.readouterr().out), rd.load(slider)
    np.testing.assert_allclose(report['q'], crank.neutral, atol=1e-5)
    assert main(['simulate', str(slider), '--torque', 'gravity', '--duration', '0.01']) == 0
    assert 'tau: what the motors (slide) do to these joints' in capsys.readouterr().out
    assert rd.simulate(crank, crank.neutral, [0], [0], 0.01).joints.bounds('tau', 0) is None
    assert main(['simulate', 'quadruped', '--torque', 'gravity', '--duration', '0.01']) == 0


def test_torques_of_a_file_are_given_by_the_motor(slider, tmp_path, capsys):
    file = tmp_path / 'motion.csv'
    assert main(['torque', str(slider), '--from', '1.0', '--to', '1.4', '--duration', '0.5',
                 '--output', str(file), '--plot', str(tmp_path / 'motion.png')]) == 0
    assert main(['simulate', str(slider), '--q0', '1.0', '--torque', str(file), '--duration',
                 '0.5', '--json']) == 0
    report = json.loads(capsys.readouterr().out.partition('\n{')[2].join(['{', '']))
    np.testing.assert_allclose(report['q'], [1.4], atol=5e-3)


def test_a_plot_draws_the_motors(slider):
    crank = rd.load(slider)
    t = np.linspace(0, 0.5, 11)
    q, qd, qdd = rd.cycloidal([1.0], [1.4], 0.5)(t)
    tau = crank.inverse_dynamics(q, qd, qdd)
    run = rd.Trajectory(crank.joint_names, t, q, qd, qdd, crank.generalized_force(
        crank.assemble(q), tau), crank.kinetic_energy(q, qd), crank.potential_energy(q))
    drawn = motors_motion(crank, run)
    assert drawn.joint_names == ('slide',) and drawn.joints.bounds('tau', 0) == (-300, 300)
    np.testing.assert_allclose(drawn.tau, tau, rtol=1e-9)
    np.testing.assert_allclose(drawn.q[:, 0], crank.assemble(q)[:, 2])
    power = (drawn.tau * drawn.qd).sum(axis=1)
    np.testing.assert_allclose(power, (run.tau * qd).sum(axis=1), atol=1e-9)


def test_at_a_dead_centre_a_motor_moves_nothing(slider):
    crank = rd.load(slider)
    with pytest.raises(rd.SingularityError, match='slide: at a dead centre: .* act on crank'):
        crank.inverse_dynamics([0.0], [0.0], [0.0], near=[0.0, 0.0, 0.8])
    with pytest.raises(rd.SingularityError, match=r'dead centre \(state 1\)'):
        crank.motor_torques([[1.0], [0.0]], [[1.0], [1.0]],
                            near=[[1.0, -1.28, 0.68], [0.0, 0.0, 0.8]])
    legs = rd.load('quadruped')  # twelve motors on six freedoms: no dead centre
    assert np.isfinite(legs.inverse_dynamics(legs.neutral, np.zeros(6), np.zeros(6))).all()
