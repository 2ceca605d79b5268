"""The parts of the nodes by themselves: references, filters, judgements."""

import contextlib
import itertools
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='needs ROS 2: make test brings it')

import urdf_text as urdf
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import WrenchStamped
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from visualization_msgs.msg import Marker

import robot_dynamics as rd
from robot_dynamics.drawing.arcs import ARC
from robot_dynamics.nodes.gim_diagnostics.health import strongest_coupling
from robot_dynamics.nodes.gim_diagnostics.markers import make_markers
from robot_dynamics.nodes.inverse_dynamics.efforts import MODES, Efforts
from robot_dynamics.nodes.inverse_dynamics.services import dh_rows
from robot_dynamics.nodes.inverse_dynamics.trajectories import follow
from robot_dynamics.nodes.inverse_dynamics.wrenches import Wrenches
from robot_dynamics.nodes.shared.conversion import pose_message
from robot_dynamics.nodes.shared.diagnostics import ERROR, OK, WARN, level_above, level_below
from robot_dynamics.nodes.shared.inertia import inertia_message
from robot_dynamics.nodes.simulator.stamps import JUMP, SLEW, SURE, Offset
from robot_dynamics.simulation.online.bodies import Body
from robot_dynamics.simulation.online.following import hold

PUMA = Path(__file__).parents[2] / 'urdf' / 'puma560.urdf'
RANDOM = np.random.default_rng(5)


@pytest.fixture(scope='module')
def puma():
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return rd.load(PUMA)


# References

def trajectory(times, *fields, names=('a', 'b')):
    keys = ('positions', 'velocities', 'accelerations')
    return JointTrajectory(joint_names=list(names), points=[
        JointTrajectoryPoint(
            time_from_start=Duration(sec=int(t), nanosec=round(t % 1 * 1e9)),
            **{key: list(map(float, field[k])) for key, field
               in zip(keys, fields, strict=False)})
        for k, t in enumerate(times)])


@pytest.mark.parametrize('given', [1, 2, 3])
def test_polynomials_of_fitting_order_are_met_exactly(given):
    order = (1, 3, 5)[given - 1]
    coefficients = [np.polynomial.Polynomial(RANDOM.normal(size=order + 1)) for _ in 'ab']
    times = np.array([0.0, 0.4, 0.9, 2.0])
    fields = [np.stack([p.deriv(k)(times) for p in coefficients], 1) if k else
              np.stack([p(times) for p in coefficients], 1) for k in range(given)]
    motion = follow(trajectory(times, *fields), ('a', 'b'), 5.0, 5.0, None, most=10)
    for t in (0.0, 0.1, 0.4, 1.5, 1.999):
        for k, value in enumerate(motion(5.0 + t)):
            expected = [(p.deriv(k) if k else p)(t) for p in coefficients]
            np.testing.assert_allclose(value, expected, atol=1e-9)


def test_a_reference_rests_at_its_ends():
    motion = follow(trajectory([0, 1], [[1, 2], [3, 4]], [[1, 1], [1, 1]]), ('b', 'a'), 0, 0,
                    None, most=10)
    q, qd, qdd = motion(1.5)
    assert q.tolist() == [4, 3] and not qd.any() and not qdd.any()
    assert motion(-1.0)[0].tolist() == [2, 1]
    assert hold(0.0, np.array([7.0]))(3.0)[0].tolist() == [7.0]


def test_a_reference_begins_where_the_robot_is():
    present = (np.array([1.0, 2.0]), np.array([0.5, 0.0]))
    motion = follow(trajectory([2.0], [[3, 4]], [[0, 0]]), ('a', 'b'), 10.0, 10.0, present,
                    most=10)
    q, qd, _ = motion(10.0)
    np.testing.assert_allclose([q, qd], present)
    assert motion(12.0)[0].tolist() == [3, 4]


@pytest.mark.parametrize(('message', 'reason'), [
    (trajectory([1, 1], [[0, 0], [1, 1]]), 'increase'),
    (trajectory([-1, 1], [[0, 0], [1, 1]]), 'positive'),
    (trajectory([0, 1], [[0, 0], [1, np.nan]]), 'finite'),
    (trajectory([0], [[0]], names=['a']), 'not given: b'),
    (trajectory([0], [[0, 0]], names=['a', 'B']), r'b \(given besides: B'),
    (trajectory([0, 1, 2], [[0, 0]] * 3), 'at most 2'),
    (trajectory([0, 1], [[0, 0]] * 2, [[0, 0], []]), '0 values'),
    (trajectory([0, 1], [[0, 0]] * 2, [[], []], [[0, 0]] * 2), 'without velocities'),
])
def test_a_trajectory_that_is_none_is_refused(message, reason):
    with pytest.raises(rd.InputError, match=reason):
        follow(message, ('a', 'b'), 0.0, 0.0, None, most=2)


def test_a_trajectory_that_is_over_is_refused():
    with pytest.raises(rd.InputError, match='ended 3'):
        follow(trajectory([0, 1], [[0, 0], [1, 1]]), ('a', 'b'), 9.0, 5.0, None, most=9)


# Accelerations

@pytest.mark.parametrize('mode', MODES)
def test_efforts_recover_from_huge_states(puma, mode):
    settings = SimpleNamespace(mode=mode, filter_cutoff=30.0, wrench_timeout=1.0, gain=20.0,
                               observer_gain=50.0, gain_delay_limit=0.3)
    clock = itertools.count()
    laws = Efforts(Body(puma), settings, lambda state: 1e-3 * next(clock))
    good, huge = (JointState(name=list(puma.joint_names), position=[x] * 6, velocity=[x] * 6,
                             effort=[x] * 6) for x in (0.5, 1e308))
    laws.at(good)
    with np.errstate(all='ignore'):
        for law in (laws.at, laws.external):
            with contextlib.suppress(rd.InputError):  # refused, or else answered in numbers
                assert np.isfinite(law(huge)).all()
    for _ in range(5):
        tau, external = laws.at(good), laws.external(good)
    assert np.isfinite(tau).all() and np.isfinite(external).all()


# Wrenches, energies, judgements, markers

def test_a_wrench_is_turned_to_root_axes_and_grows_old(puma):
    q, wrenches, message = RANDOM.uniform(-2, 2, 6), Wrenches(), WrenchStamped()
    message.header.frame_id = link = puma.tip_names[0]
    w = RANDOM.normal(size=6)
    t, f = message.wrench.torque, message.wrench.force
    t.x, t.y, t.z, f.x, f.y, f.z = w.tolist()
    wrenches.put(message, puma, 1.0)
    R = puma.pose(q, link)[:3, :3]
    tau = puma.inverse_dynamics(q, q, q)
    pushed = puma.inverse_dynamics(q, q, q, external={link: [*(R @ w[:3]), *(R @ w[3:])]})
    np.testing.assert_allclose(tau - wrenches.torque(puma, q, 1.1, 0.2), pushed, atol=1e-10)
    assert not wrenches.torque(puma, q, 1.3, 0.2).any()
    assert not wrenches
    message.header.frame_id = 'nowhere'
    with pytest.raises(rd.InputError, match='nowhere'):
        wrenches.put(message, puma, 1.0)


def test_levels():
    assert [level_above(x, 1, 2) for x in (0.5, 1.5, 3, np.nan)] == [OK, WARN, ERROR, OK]
    assert [level_below(x, 2, 1) for x in (3, 1.5, 0.5, np.nan)] == [OK, WARN, ERROR, OK]


def test_the_strongest_coupling_is_found():
    pair, value = strongest_coupling(np.array([[4.0, 0.1, 1.8], [0.1, 1, 0], [1.8, 0, 1]]))
    assert set(pair) == {0, 2}
    assert value == pytest.approx(0.9)


def test_the_inertia_message_agrees_with_the_robot(puma):
    q, qd, tau = RANDOM.uniform(-1, 1, (3, 6))
    message = inertia_message(puma, q, qd, tau)
    I = np.reshape(message.inertia, (6, 6))
    U, D = np.reshape(message.u, (6, 6)), np.diag(message.d)
    np.testing.assert_allclose(U @ D @ U.T, I, atol=1e-10)
    assert message.condition_number == pytest.approx(np.linalg.cond(I))
    assert message.kinetic_energy == pytest.approx(qd @ I @ qd / 2)
    assert message.power == pytest.approx(tau @ qd)
    assert np.isnan(inertia_message(puma, q, None, None).power)


def test_markers_have_the_masses_and_efforts_of_the_robot(puma):
    q, tau = RANDOM.uniform(-1, 1, 6), np.linspace(-1, 1, 6) * 1e6
    stamp = JointState().header.stamp
    markers = make_markers(puma, q, tau, stamp, link=None, radius=0.1, scale=1.0,
                           lifetime=0.5).markers
    assert {m.lifetime.nanosec for m in markers} == {500_000_000}
    assert {m.header.frame_id for m in markers} == {puma.dh.root}
    assert len({(m.ns, m.id) for m in markers}) == len(markers)
    by = {space: [m for m in markers if m.ns == space]
          for space in ('inertia', 'effort', 'manipulability', 'mass_centre')}
    sizes = by['manipulability'][0].scale
    assert sizes.x * sizes.y * sizes.z / 8 == pytest.approx(puma.manipulability(q), rel=1e-6)
    last = by['effort'][-1].points[-1]
    assert np.arctan2(last.y, last.x) % (2 * np.pi) == pytest.approx(ARC % (2 * np.pi))
    assert by['inertia'] and all(m.type == Marker.SPHERE for m in by['inertia'])
    # Gravity's torque is the slope of the energy m g z of the mass centre.
    z = by['mass_centre'][0].pose.position.z
    assert puma.potential_energy(q) == pytest.approx(puma.moving_mass * 9.81 * z)


def test_the_dh_table_places_every_arm():
    table = rd.load(urdf.robot(
        *map(urdf.link, ('trunk', 'left', 'right')),
        urdf.joint('l', 'trunk', 'left', xyz='0.2 0 1', rpy='0.3 0 0'),
        urdf.joint('r', 'trunk', 'right', xyz='-0.2 0 1', rpy='0 0.4 0'))).dh
    for row, message in zip(table.rows, dh_rows(table), strict=True):
        assert message.base == pose_message(np.asarray(row.base))
    assert dh_rows(table)[0].base != dh_rows(table)[1].base


def test_the_dh_table_has_a_row_for_each_joint(puma):
    rows = dh_rows(puma.dh)
    assert [row.joint_name for row in rows] == list(puma.joint_names)
    assert rows[0].parent_link_name == puma.dh.root
    assert sum(row.mass for row in rows) == pytest.approx(puma.moving_mass)


# Stamps of the simulator

class Hand:
    """A clock that is set by hand; late: what passes before it is read [ns]."""

    def __init__(self, time):
        self.time, self.late = time, 0

    def now(self):
        self.time += self.late
        return SimpleNamespace(nanoseconds=self.time)


def passes(steady, clock, nanoseconds, rate=1.0):
    steady.time += nanoseconds
    clock.time += round(rate * nanoseconds)


def test_stamps_follow_a_clock_that_runs_faster_than_steady_time():
    steady, clock = Hand(5), Hand(1000)
    offset, cycle = Offset(steady, clock), 2_000_000
    for _ in range(1000):
        passes(steady, clock, cycle, 1.005)
        assert abs(steady.time + offset.follow() - clock.time) <= 1


def test_stamps_follow_a_clock_that_is_set_at_once_and_small_errors_slowly():
    steady, clock = Hand(5), Hand(1000)
    offset, cycle = Offset(steady, clock), 2_000_000
    for step in (10**10, -10**10, 2 * JUMP):
        clock.time += step
        passes(steady, clock, cycle)
        assert steady.time + offset.follow() == clock.time
    before = offset.value
    clock.time += JUMP
    passes(steady, clock, cycle)
    assert offset.follow() - before == SLEW * cycle


def test_a_look_at_the_clock_that_took_long_does_not_count():
    steady, clock = Hand(5), Hand(1000)
    offset, before = Offset(steady, clock), clock.time - steady.time
    steady.late = SURE + 1
    clock.time += 10**10
    assert offset.follow() == before
    steady.late = 0
    assert offset.follow() == clock.time - steady.time
