"""Stops and dry friction of passive joints: the same motion in other coordinates, and energy."""

import re
from pathlib import Path

import numpy as np
import pytest
import yaml

import robot_dynamics as rd
from robot_dynamics.simulation.live.live_robot import LiveRobot
from robot_dynamics.simulation.simulate import METHODS
from robot_dynamics.simulation.stepping import Stepping

URDF = Path(__file__).parents[2] / 'urdf'
CLOSE = {'semi_implicit_euler': 1e-2, 'RK45': 1e-4, 'LSODA': 1e-4, 'ABM': 1e-4, 'Radau': 1e-4}


def changed(folder, name, limits=None, friction=None, **entries):
    """Return a shipped mechanism with limits {joint: (lower, upper)} and friction {joint: F}."""
    def edit(match):
        joint = re.search('name="(.*?)"', match[0])[1]
        text = match[0]
        if joint in (limits or {}):
            lower, upper = limits[joint]
            text = text.replace('"continuous"', '"revolute"').replace(
                '<limit ', f'<limit lower="{lower}" upper="{upper}" ')
        if joint in (friction or {}):
            text = text.replace('</joint>', f'<dynamics friction="{friction[joint]}"/></joint>')
        return text
    text = (URDF / f'{name}.urdf').read_text()
    (folder / 'tree.urdf').write_text(re.sub(r'<joint.*?</joint>', edit, text, flags=re.DOTALL))
    document = yaml.safe_load((URDF / f'{name}.yaml').read_text())
    (folder / 'file.yaml').write_text(yaml.safe_dump({**document, 'robot': 'tree.urdf',
                                                      **entries}))
    return rd.load_mechanism(folder / 'file.yaml')


def started(mechanism, crank):
    """Return the start of a file that has the crank there."""
    return dict(zip(mechanism.tree_joint_names, mechanism.assemble([crank]).tolist(),
                    strict=True))


@pytest.fixture(scope='module')
def four_bar():
    return rd.load_mechanism(URDF / 'four_bar.yaml')


@pytest.mark.parametrize('method', METHODS)
def test_a_stop_of_a_passive_joint_is_one_of_the_crank(method, four_bar, tmp_path):
    at = four_bar.assemble([0.6])[1]  # joint_2 rises as the crank falls from 1.0
    passive = changed(tmp_path, 'four_bar', {'joint_2': (-10, at)}, start=started(four_bar, 1.0))
    crank = changed(tmp_path, 'four_bar', {'joint_1': (0.6, 6)})
    t = np.linspace(0, 0.6, 7)
    for restitution in (0.0, 0.5):
        found, expected = (
            rd.simulate(one, [1.0], [0.0], None, t, method=method, restitution=restitution)
            for one in (passive, crank))
        np.testing.assert_allclose(found.q, expected.q, rtol=0, atol=1e-8)
        assert np.abs(four_bar.closure_error(found.q_tree)).max() < 1e-12
        assert found.q.min() > 0.6 - 1e-9
    assert abs(found.q[-1, 0] - 0.6) < 0.4


@pytest.mark.parametrize('method', METHODS)
def test_friction_of_passive_joints_holds_up_to_its_torque(method, four_bar, tmp_path):
    """At rest the crank feels |N| F of each joint: just enough holds, a little less does not."""
    N, gravity = four_bar.passive_rates([1.0], [1.0]), four_bar.gravity_torque([1.0])
    F = float(abs(gravity[0]) / np.abs(N[1:]).sum())
    for part, held in ((1.01, True), (0.99, False)):
        rubbing = changed(tmp_path, 'four_bar', friction={'joint_2': part * F,
                                                          'joint_3': part * F})
        motion = rd.simulate(rubbing, [1.0], [0.0], None, 0.02, method=method)
        assert (motion.q == 1.0).all() == held
        assert held or motion.q[-1, 0] < 1.0 - 1e-6


def test_friction_of_all_joints_takes_the_energy_it_should(four_bar, tmp_path):
    """Through dead points of the rocker and turning points, until all rests."""
    F = {'joint_1': 0.3, 'joint_2': 0.5, 'joint_3': 0.2}
    rubbing = changed(tmp_path, 'four_bar', friction=F)
    motion = rd.simulate(rubbing, [1.0], [0.0], None, np.linspace(0, 1.2, 2401), method='DOP853',
                         rtol=1e-9, atol=1e-11)
    rates = four_bar.passive_rates(motion.q, motion.qd, near=motion.q_tree)
    lost = np.trapezoid(np.abs(rates) @ list(F.values()), motion.t)
    assert motion.energy[0] - motion.energy[-1] == pytest.approx(lost, rel=1e-6)
    steps = rd.simulate(rubbing, [1.0], [0.0], None, np.linspace(0, 1.2, 25), method='rk4')
    np.testing.assert_allclose(steps.q, motion.q[::100], rtol=0, atol=1e-6)
    still = rd.simulate(rubbing, [1.0], [0.0], None, np.linspace(0, 20, 21))
    assert (still.qd[-3:] == 0.0).all() and (still.q[-3:] == still.q[-1]).all()


def test_joints_that_slide_step_in_machine_code(tmp_path, monkeypatch):
    """Python takes the steps alone in which a joint turns round; damping acts as well."""
    rubbing = changed(tmp_path, 'five_bar', friction={'left_elbow': 0.02, 'right_elbow': 0.03,
                                                      'left_shoulder': 0.01})
    text = (tmp_path / 'tree.urdf').read_text()
    (tmp_path / 'tree.urdf').write_text(text.replace('friction="0.03"',
                                                     'friction="0.03" damping="0.05"'))
    rubbing, q, qd = rd.load_mechanism(tmp_path / 'file.yaml'), np.radians([80, 70]), [1.0, -0.5]
    slow, real = [], Stepping.slow
    monkeypatch.setattr(Stepping, 'slow', lambda self, *state: slow.append(state[1]) or real(
        self, *state))
    t = np.linspace(0, 0.6, 7)
    steps = rd.simulate(rubbing, q, qd, None, t, method='rk4', step=1e-3)
    motion = rd.simulate(rubbing, q, qd, None, t, method='DOP853', rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(steps.q_tree, motion.q_tree, rtol=0, atol=1e-7)
    np.testing.assert_allclose(steps.qd, motion.qd, rtol=0, atol=1e-6)
    rates = rubbing.passive_rates(motion.q, motion.qd, near=motion.q_tree)
    assert (np.sign(rates[0]) != np.sign(rates[-1])).any()  # one did turn round
    assert 0 < len(slow) < 20


def test_other_independent_joints_have_the_same_stops_and_friction(tmp_path):
    """The elbow is passive, or a freedom of its own: the motion is one."""
    q = np.radians([80, 70])
    limits, friction = {'left_elbow': (-20, -1.7227)}, {'right_elbow': 0.15,
                                                        'left_shoulder': 0.05}
    plain = rd.load_mechanism(URDF / 'five_bar.yaml')
    tree = plain.assemble(q)
    start = dict(zip(plain.tree_joint_names, tree.tolist(), strict=True))
    shoulders = changed(tmp_path, 'five_bar', limits, friction, start=start)
    elbows = changed(tmp_path, 'five_bar', limits, friction, start=start,
                     independent=['left_elbow', 'right_elbow'])
    t = np.linspace(0, 0.6, 13)
    for method, options in (('DOP853', {'rtol': 1e-9, 'atol': 1e-11}), ('rk4', {})):
        one = rd.simulate(shoulders, q, [0, 0], [0, 0], t, method=method, restitution=0.6,
                          **options)
        two = rd.simulate(elbows, tree[[1, 3]], [0, 0], [0, 0], t, method=method,
                          restitution=0.6, near=tree, **options)
        np.testing.assert_allclose(one.q_tree, two.q_tree, rtol=0, atol=1e-6)
    assert one.q_tree[:, 1].max() < -1.7227 and one.q_tree[6:, 1].max() > -1.9


def test_limits_that_cannot_be_meant_are_said_and_left_out(tmp_path):
    for limits in ((1.0, 2.0), (0.0, 0.0)):
        with pytest.warns(rd.RobotDynamicsWarning, match=r"'joint_2'.*it has none now"):
            mechanism = changed(tmp_path, 'four_bar', {'joint_2': limits})
        assert np.isinf(mechanism.tree_limits.lower).all()
    turned = changed(tmp_path, 'four_bar', {'joint_2': (-0.3 + 2 * np.pi, 0.4 + 2 * np.pi)})
    motion = rd.simulate(turned, [0.6], [0.0], None, 0.5)
    assert motion.q_tree[:, 1].max() == pytest.approx(0.4, abs=1e-8)


def test_a_start_beyond_a_passive_stop_is_an_error(tmp_path):
    mechanism = changed(tmp_path, 'four_bar', {'joint_2': (-10, 0.3)})
    with pytest.raises(rd.InputError, match="q0: joint 'joint_2' is at .* outside its limits"):
        rd.simulate(mechanism, [0.2], [0.0], None, 1.0)
    rd.simulate(mechanism, [0.2], [0.0], None, 0.1, limits=False)


def test_the_live_robot_stops_and_rubs_too(four_bar, tmp_path):
    at = four_bar.assemble([0.6])[1]
    live = LiveRobot(changed(tmp_path, 'four_bar', {'joint_2': (-10, at)}, {'joint_3': 0.05},
                             start=started(four_bar, 1.0)))
    assert live.q[0] == 1.0
    live.advance(np.zeros(1), 1e-3, 600)
    assert live.values[1] == pytest.approx(at, abs=1e-8) and abs(live.qd[0]) < 1e-9
    live.advance(np.array([20.0]), 1e-3, 20)
    assert live.q[0] > 0.6 + 1e-4


def test_each_motor_keeps_its_own_limit(tmp_path):
    """Where motors are not the freedoms, the law is cut at the motors, not at the freedoms."""
    tree = rd.load_mechanism(URDF / 'five_bar.yaml').start
    elbows = changed(tmp_path, 'five_bar', independent=['left_elbow', 'right_elbow'])
    limit = elbows.motor_limits
    with pytest.warns(rd.RobotDynamicsWarning, match="cut at the effort limits of joint 'left"):
        cut = rd.simulate(elbows, tree[[1, 3]], [0, 0], lambda t, q, qd: [1e4, 0.0], 0.01)
    same = rd.simulate(elbows, tree[[1, 3]], [0, 0], [limit[0], 0.0], 0.01)
    np.testing.assert_allclose(cut.q[-1], same.q[-1], rtol=0, atol=1e-9)
