"""Control laws where values and rates differ: floating bases, motors that are not the freedoms."""

import numpy as np
import pytest

import robot_dynamics as rd
from robot_dynamics import InputError
from robot_dynamics.simulation.layout import Layout

LAMBDA = 8.0


@pytest.fixture(scope='module')
def free_arm():
    """An arm that flies, without gravity."""
    return rd.load('panda_like', base='floating').with_gravity((0, 0, 0))


def bent(robot):
    """Return values within the limits."""
    q = robot.neutral
    q[robot.value_names.index('joint_4')] = -1.0
    return q


def screw(robot):
    """Return a motion along a screw: rates in the base's axes do not change."""
    start, rates = bent(robot), 0.3 * np.cos(np.arange(robot.n))
    layout = Layout(robot.value_names)
    return lambda t: (layout.integrate(start, t * rates), rates, np.zeros(robot.n))


@pytest.mark.parametrize('method', ['rk4', 'DOP853'])
@pytest.mark.parametrize('make', [
    lambda robot, motion: rd.ComputedTorque(robot, motion, LAMBDA),
    lambda robot, motion: rd.PDGravity(robot, motion, 50.0, 20.0),
    rd.FeedForward])
def test_laws_hold_a_floating_base_at_rest(free_arm, make, method):
    """At its reference every law leaves the robot where it is, and says what it follows."""
    rest = np.zeros(free_arm.n)
    for reference in (bent(free_arm), lambda t: (bent(free_arm), rest, rest)):
        found = rd.simulate(free_arm, bent(free_arm), rest, make(free_arm, reference), 0.05,
                            method=method, limits=False)
        assert not found.stopped
        assert np.abs(found.q - bent(free_arm)).max() < 1e-12
        assert np.array_equal(found.reference, np.tile(bent(free_arm), (len(found.t), 1)))


def test_computed_torque_follows_a_screw(free_arm):
    """What is right at first stays so, and small errors decay as those of an oscillator."""
    motion, layout = screw(free_arm), Layout(free_arm.value_names)
    law, t = rd.ComputedTorque(free_arm, motion, LAMBDA), np.linspace(0, 0.5, 6)
    decay = ((1 + LAMBDA * t) * np.exp(-LAMBDA * t))[:, None]
    for size, bound in ((0.0, 1e-8), (1e-3, 1e-5)):
        off = size * np.sin(1 + np.arange(free_arm.n))
        near = [layout.integrate(motion(x)[0], off) for x in (-1e-4, 0.0, 1e-4)]
        rates = layout.difference(near[0], near[2]) / 2e-4  # at which the error stays as it is
        found = rd.simulate(free_arm, near[1], rates, law, t, method='DOP853', rtol=1e-10,
                            atol=1e-12, limits=False, saturate=False)
        wanted = np.array([motion(x)[0] for x in t])
        assert np.abs(layout.difference(wanted, found.q) - off * decay).max() < bound


def test_pd_pulls_a_floating_base_to_its_pose(free_arm):
    """From a quarter turn away the base comes to its reference, however q's sign is given."""
    goal = bent(free_arm)
    goal[:7] = 0.3, -0.2, 0.1, 0.0, 0.0, -np.sqrt(0.5), -np.sqrt(0.5)
    law = rd.PDGravity(free_arm, goal, 400.0, 200.0)
    found = rd.simulate(free_arm, bent(free_arm), np.zeros(free_arm.n), law, 6.0,
                        method='Radau', limits=False, saturate=False)
    assert np.abs(Layout(free_arm.value_names).difference(found.q[-1], goal)).max() < 0.01
    assert np.abs(found.q[-1] - found.reference[-1]).max() < 0.01


def test_references_of_other_shapes_are_refused(free_arm):
    """A straight line of quaternions has no twists: that is said before the motion begins."""
    straight = rd.cycloidal(bent(free_arm), bent(free_arm), 1.0)
    expected = rf'reference: .*expected q \({free_arm.nq},\), qd \({free_arm.n},\)'
    for reference in (straight, lambda t: bent(free_arm), lambda t: 3, lambda t: ('a', 'b', 'c')):
        law = rd.ComputedTorque(free_arm, reference, LAMBDA)
        with pytest.raises(InputError, match=expected):
            rd.simulate(free_arm, bent(free_arm), np.zeros(free_arm.n), law, 0.1, limits=False)
    nowhere = bent(free_arm) * np.array([1, 1, 1, 0, 0, 0, 0] + [1] * (free_arm.nq - 7))
    with pytest.raises(InputError, match='reference'), np.errstate(all='ignore'):
        rd.FeedForward(free_arm, nowhere)


def test_quadruped_is_controlled_by_its_motors():
    """A mechanism over a floating base: twelve motors for six freedoms."""
    robot = rd.load_mechanism('quadruped')
    rest = np.zeros(robot.n)
    for law in (rd.ComputedTorque(robot, robot.neutral, LAMBDA),
                rd.PDGravity(robot, robot.neutral, 100.0, 10.0)):
        assert law(0.0, robot.neutral, rest).shape == (12,)
        found = rd.simulate(robot, robot.neutral, rest, law, 0.02, method='rk4', limits=False)
        assert np.abs(found.q - robot.neutral).max() < 1e-9
        assert found.reference.shape == found.q.shape


def test_pd_gives_torques_of_motors_elsewhere():
    """The crank's motor holds the rocker's joint, and brings it to where it should be."""
    bars = rd.load_mechanism('four_bar', actuated=['joint_1'], independent=['joint_3'])
    q, rest = bars.neutral, np.zeros(1)
    law = rd.PDGravity(bars, q, 200.0, 20.0)
    assert np.allclose(law(0.0, q, rest), bars.inverse_dynamics(q, rest, rest))
    off = bars.generalized_force(bars.assemble(q + 0.1), law(0.0, q + 0.1, rest))
    assert np.allclose(off, bars.gravity_torque(q + 0.1) - 20.0)
    found = rd.simulate(bars, q + 0.05, rest, law, 3.0, method='DOP853', limits=False,
                        saturate=False)
    assert np.abs(found.q[-1] - q).max() < 1e-3


def test_laws_of_robots_with_other_values_stay_out_of_machine_code():
    """A five-bar's law drives two bare joints as Python says, not by kernels that take four."""
    bars = rd.load_mechanism('five_bar')
    arm = rd.load('pr')
    law = rd.PDGravity(bars, bars.neutral, 10.0, 1.0)
    given = lambda t, q, qd: law(t, q, qd)  # noqa: E731
    motions = [rd.simulate(arm, bars.neutral, np.zeros(2), torque, 0.02, method='rk4',
                           limits=False, saturate=False).q for torque in (law, given)]
    assert np.array_equal(*motions)
