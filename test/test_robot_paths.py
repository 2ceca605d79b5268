"""Every path to an answer gives the same: before its kernel is ready, without one, with one."""

import copy
import gc
import pickle
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest
from test_robot import EVERY
from urdf_text import TWO_JOINTS, chain, joint, link, robot

import robot_dynamics as rd
from robot_dynamics.engine.running import background, store
from robot_dynamics.simulation.compiled import Runner, loops

DATA = Path(__file__).parent / 'data'
LINK = {'pose': 1, 'jacobian': 1, 'jacobian_rate': 2}
VERBS = {**EVERY, **LINK}
MIMIC = '<mimic joint="j1" multiplier="-0.5" offset="0.1"/>'
FRICTION = '<dynamics damping="0.3" friction="0.2"/>'
SOURCES = {
    'arm': chain({'extra': FRICTION}, {'axis': '0 1 0'}, {'axis': '1 0 0', 'type': 'prismatic'}),
    'floating': robot(link('w', None), link('b'), joint('root', 'w', 'b', type='floating')),
    'planar': robot(link('w', None), link('b'), joint('root', 'w', 'b', type='planar'),
                    link('l'), joint('j', 'b', 'l', axis='1 0 0')),
    'mimic': chain({}, {'axis': '0 1 0'}, {'axis': '1 1 0', 'extra': MIMIC}),
    'massless': robot(link('base', None), link('l1', None), link('l2'),
                      joint('j1', 'base', 'l1', axis='0 1 0'), joint('j2', 'l1', 'l2')),
}


def answers(source, states):
    """Return what every verb says of single states and of a batch, and the robot."""
    robot = rd.load(source, missing_inertia='zero')
    found = {}
    for verb, count in VERBS.items():
        options = {'link': robot.tip_names[0]} if verb in LINK else {}
        for size in (1, len(states[0])):
            for k in range(0, len(states[0]), size):
                of_verb = states[1:2] if verb == 'friction_torque' else states[:count]
                given = [x[k] if size == 1 else x for x in of_verb]
                found[verb, size, k] = getattr(robot, verb)(*given, **options)
    return found, robot


@pytest.fixture
def alone(monkeypatch, tmp_path):
    """Give the test an empty cache and kernels of its own."""
    monkeypatch.setenv('ROBOT_DYNAMICS_CACHE', str(tmp_path))
    monkeypatch.setattr(background, 'BACKGROUND', background.Background())
    monkeypatch.setattr(store, 'STORES', type(store.STORES)())
    monkeypatch.setattr('robot_dynamics.engine.bound.PATIENCE', 0)
    return monkeypatch


@pytest.mark.filterwarnings('ignore::robot_dynamics.RobotDynamicsWarning')
@pytest.mark.parametrize('name', SOURCES)
def test_pending_failed_and_ready_agree(name, alone):
    loaded, rng = rd.load(SOURCES[name], missing_inertia='zero'), np.random.default_rng(5)
    states = [rng.uniform(-1, 1, (9, size)) for size in (loaded.nq, loaded.n, loaded.n)]
    gate = threading.Event()
    with alone.context() as patch:
        patch.setattr(store, 'STORES', type(store.STORES)())
        patch.setattr(background.Lane, 'ask', lambda lane, task: gate.wait(60) and (
            background.Reply('not now')))
        pending, robot = answers(SOURCES[name], states)
        gate.set()
        assert rd.wait_for_kernels(60)
        failed = answers(SOURCES[name], states)[0]
        assert {slot.state for slot in robot.kernels._store.slots.values()} == {'failed'}
    alone.setattr(store, 'STORES', type(store.STORES)())
    robot = answers(SOURCES[name], states)[1]  # held, or its kernels are not wanted any more
    assert rd.wait_for_kernels(120)
    ready, robot = answers(SOURCES[name], states)
    assert {slot.state for slot in robot.kernels._store.slots.values()} == {'ready'}
    for key, expected in ready.items():
        for found in (pending[key], failed[key]):
            for a, b in zip(*(x if isinstance(x, tuple) else (x,) for x in (expected, found)),
                            strict=True):
                np.testing.assert_allclose(
                    a, b, rtol=0, atol=1e-12 * max(1, np.abs(b).max()), err_msg=str(key))


OTHER = """
import pickle, sys
robot, q, tau = pickle.load(sys.stdin.buffer)
assert (robot.inverse_dynamics(q, q, q) == tau).all() or abs(
    robot.inverse_dynamics(q, q, q) - tau).max() < 1e-12
robot.pose(q), robot.jacobian(q)
"""


def test_robots_go_elsewhere_after_any_call():
    """Pickles, copies and other processes take a robot whatever was asked of it before."""
    robot = rd.load(TWO_JOINTS)
    q = np.array([0.3, 0.1])
    for _ in range(2):  # the second time by compiled kernels
        for verb, count in VERBS.items():
            getattr(robot, verb)(*[q] * count)
        robot.manipulability(q, rows=[3, 4])
        rd.simulate(robot, q, q, None, 0.01, method='rk4')
        assert rd.wait_for_kernels(120)
    content = pickle.dumps(robot)
    for again in (pickle.loads(content), copy.deepcopy(robot), copy.copy(robot)):
        for verb, count in VERBS.items():
            np.testing.assert_equal(getattr(again, verb)(*[q] * count),
                                    getattr(robot, verb)(*[q] * count))
        assert again.joint_names == robot.joint_names
        links, base = again.inertials[:-1], again.inertials.base
        for array in (*again.model.geometry, *links, *base, again.limits.lower):
            assert not array.flags.writeable
    subprocess.run([sys.executable, '-c', OTHER], check=True, timeout=120, input=pickle.dumps(
        (robot, q, robot.inverse_dynamics(q, q, q))))


@pytest.mark.parametrize('method', ['RK45', 'Radau', 'LSODA', 'ABM', 'rk4'])
def test_motions_go_elsewhere(method):
    robot = rd.load(TWO_JOINTS)
    found = rd.simulate(robot, [0.3, 0.1], [0.0, 0.0], None, 0.1, method=method,
                        dense=method != 'rk4')
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.at(0.0345), found.at(0.0345))


def test_compiled_steps_live_as_long_as_who_runs_them():
    robot = rd.load(TWO_JOINTS)
    runner = Runner(*robot.kernels.compiled('forward_dynamics'), 'rk4', robot.n)
    code = weakref.ref(runner.loops)
    loops.cache_clear()
    gc.collect()
    assert code() is not None
    del runner
    gc.collect()
    assert code() is None


@pytest.mark.parametrize('batch', [False, True])
@pytest.mark.parametrize('argument', range(3))
def test_a_result_over_an_argument_of_a_singular_state(argument, batch):
    robot = rd.load(DATA / 'floating.urdf', floating='chain')
    n = robot.n
    state = [np.zeros(n), np.zeros(n), np.ones(n)]
    state[0][4] = np.pi / 2  # gimbal lock
    if batch:
        state = [np.array([np.zeros(n), x]) for x in state]
    for _ in range(2):
        given = [x.copy() for x in state]
        with pytest.raises(rd.SingularityError, match='free/yaw'):
            robot.forward_dynamics(*given, out=given[argument])
        rd.wait_for_kernels(120)
