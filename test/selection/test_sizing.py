"""Sizing: torques, powers and bearings by hand; the largest payload by bisection."""

import numpy as np
import pytest
import yaml
from selection import arms

import robot_dynamics as rd
from robot_dynamics.errors import InputError
from robot_dynamics.selection.sizing import size
from robot_dynamics.selection.tasks import read_tasks

LIMITS = {'effort': 200.0, 'velocity': 5.0}
SWING = {'name': 'swing', 'from': [0.1, -0.4], 'to': [1.3, 0.9], 'duration': 0.8, 'step': 0.01,
         'payloads': [{'mass': 0.0}, {'mass': 1.5, 'com': [0.1, 0.0, 0.02]}]}


def robot():
    return arms.arm('arm', arms.row(1.0, **LIMITS), arms.row(0.6, **{**LIMITS, 'effort': 80.0}),
                    gravity=(0, -9.81, 0))


def motion():
    t = np.linspace(0, 0.8, 81)
    return t, *rd.cycloidal([0.1, -0.4], [1.3, 0.9], 0.8)(t)


def test_a_load_by_hand():
    found = size(arms.family(robot()), read_tasks(SWING)).loads[1]
    t, q, qd, qdd = motion()
    arm = robot().with_payload('link_2', 1.5, (0.1, 0.0, 0.02))
    tau = arm.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(found.peak_torque[0], np.abs(tau).max(axis=0))
    np.testing.assert_allclose(found.rms_torque[0],
                               np.sqrt(np.trapezoid(tau ** 2, t, axis=0) / 0.8))
    np.testing.assert_allclose(found.peak_speed[0], np.abs(qd).max(axis=0))
    np.testing.assert_allclose(found.peak_power[0], np.abs(tau * qd).max(axis=0))
    np.testing.assert_allclose(found.energy[0],
                               np.trapezoid(np.maximum(tau * qd, 0), t, axis=0))
    np.testing.assert_allclose(found.margin[0], 1 - found.peak_torque[0] / [200.0, 80.0])
    np.testing.assert_allclose(found.speed_margin[0], 1 - found.peak_speed[0] / 5.0)


def test_bearings_of_a_hanging_link():
    # at rest: the first bearing carries all weight; the shift of a payload along the axis bends it
    arm = arms.arm('one', arms.row(1.0), gravity=(0, -9.81, 0)).with_payload(
        'link_1', 2.0, (0, 0, 0.3))
    still = {'to': 0.0, 'from': 0.0, 'duration': 1.0}
    load = size(arms.family(arm), read_tasks(still)).loads[0]
    assert load.bearing_force[0, 0] == pytest.approx(3.0 * 9.81)
    assert load.bearing_moment[0, 0] == pytest.approx(2.0 * 9.81 * 0.3)
    assert load.peak_torque[0, 0] == pytest.approx((0.5 + 2.0) * 9.81)
    assert np.isnan(load.margin[0, 0]) and load.largest_payload[0] == np.inf


def test_a_slide_bears_what_is_across_it():
    arm = arms.arm('slide', arms.slide(1.0), gravity=(0, -9.81, 0))
    load = size(arms.family(arm), read_tasks({'to': 0.5, 'duration': 1.0})).loads[0]
    t = np.linspace(0, 1, 101)
    force = rd.cycloidal([0], [0.5], 1.0)(t)[2][:, 0]
    assert load.peak_torque[0, 0] == pytest.approx(np.abs(force).max())
    assert load.bearing_force[0, 0] == pytest.approx(9.81)


def within(arm, mass):
    _, q, qd, qdd = motion()
    tau = arm.with_payload('link_2', mass, (0.1, 0.0, 0.02)).inverse_dynamics(q, qd, qdd)
    return bool((np.abs(tau) <= [200.0, 80.0]).all())


def test_the_largest_payload_by_bisection():
    found = size(arms.family(robot()), read_tasks(SWING)).loads[1].largest_payload[0]
    low, high = 0.0, 100.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if within(robot(), middle) else (low, middle)
    assert 0 < found < 100 and found == pytest.approx(low, rel=1e-9)


def test_an_arm_too_weak_for_itself_is_not_chosen():
    weak = arms.arm('weak', arms.row(1.0, effort=5.0), arms.row(0.6, effort=5.0),
                    gravity=(0, -9.81, 0))
    found = rd.select([weak, robot()], task=SWING, criteria=['gim_operations', 'margin',
                                                             'payload', 'energy'])
    assert found.chosen == 'arm' and found.columns['margin'][0] < 0
    assert found.table['weak']['payload'] is None
    assert 'cannot do the tasks' in found.carries('weak')


def test_all_variants_of_a_template_at_once():
    template = {'base': robot(), 'name': 'v', 'bodies': 'scaled', 'samples': 8,
                'ranges': {'a.joint_1': [0.5, 1.5], 'mass.joint_2': [0.5, 2.0]}}
    found = rd.select(template, task=SWING, criteria=['payload', 'energy', 'peak_power'])
    stack = found.cases[0].family.arms
    for i in range(8):
        alone = size(arms.family(stack[i]), read_tasks(SWING))
        assert found.columns['payload'][i] == pytest.approx(alone.largest_payload[0], rel=1e-9)
        assert found.columns['energy'][i] == pytest.approx(alone.total_energy[0], rel=1e-9)


def test_task_files(tmp_path):
    trajectory = rd.simulate(robot(), [0, 0], [0, 0], None, 0.3)
    trajectory.save(tmp_path / 'fall.csv')
    (tmp_path / 'task.yaml').write_text(yaml.safe_dump({'motion': 'fall.csv', 'payloads': [1.0]}))
    found = rd.select(robot(), task=[tmp_path / 'fall.csv', tmp_path / 'task.yaml', SWING],
                      criteria=['energy', 'payload'])
    loads = found.cases[0].sizing.loads
    assert [(load.task, load.payload.mass) for load in loads] == [
        ('fall', 0.0), ('task', 1.0), ('swing', 0.0), ('swing', 1.5)]
    assert loads[0].peak_torque.max() < 1e-6 < loads[1].peak_torque.min()  # it fell by itself


@pytest.mark.parametrize(('task', 'word'), [
    ('gone.csv', 'no such file'), ({'duration': 1}, 'motion or to'), ({'too': 1}, 'unknown keys'),
    ({'to': 1, 'payloads': [{'kg': 1}]}, 'unknown keys'), ({'to': 1, 'payloads': [-1]}, '0 or'),
    ({'to': 1, 'payloads': 3}, 'expected a list')])
def test_wrong_tasks(task, word):
    with pytest.raises(InputError, match=word):
        rd.select(robot(), task=task, criteria=['energy'])


@pytest.mark.parametrize(('task', 'word'), [
    ({'to': [1, 2, 3]}, 'shape'), ({'to': {'joint_9': 1}}, 'joint_1'), ({'to': 1, 'step': 0}, 'pos'
                                                                         )])
def test_tasks_that_are_not_for_an_arm_are_said(task, word):
    found = rd.select(robot(), task=task, criteria=['energy', 'condition'])
    assert np.isnan(found.columns['energy'][0])
    assert any(word in note for note in found.cases[0].notes)
