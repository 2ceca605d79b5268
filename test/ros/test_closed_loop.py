"""Simulator, controller and diagnostics as processes of two robots, for one minute.

One robot moves and runs on undisturbed: its tracking, memory and losses are judged. The other one
moves too, and then its nodes are killed one by one. No limit here is one of wall-clock time, since
the machine may be busy; test/bench/bench_loop.py and test/ros/soak.py print the sharp numbers.
"""

import time

import numpy as np
import pytest
from ros_loop import Loop

SOAK = 60.0  # [s]
RATE = 100.0  # [Hz] and
GAIN = 8.0  # [1/s]: a loop that outlasts pauses of a tenth of a second on a busy machine
TRACKED = 0.02  # [rad] at this rate and gain
DURATION = 10.0  # [s] of the motion
STARTED = 90.0  # [s] patience


@pytest.fixture(scope='module')
def loops(peer):
    loops = [Loop(peer, robot, rate=RATE, gain=GAIN) for robot in ('puma560', 'panda_like')]
    try:
        for loop in loops:
            loop.begin('simulator')
            loop.begin('inverse_dynamics')
        loops[0].begin('gim_diagnostics')
        for loop in loops:
            peer.until(loop.ready, STARTED)
        loops[1].began = time.monotonic()
        loops[1].first_memory = loops[1].memory()
        yield loops
    finally:
        for loop in loops:
            loop.end_all()


def test_both_arms_follow_a_cycloid(loops, peer):
    before = [float(loop.simulation()['cycles skipped']) for loop in loops]
    for loop in loops:
        loop.move(DURATION)
    peer.spin(DURATION + 1.5)
    for loop, late in zip(loops, before, strict=True):
        loop.keep = False
        late = float(loop.simulation()['cycles skipped']) - late
        error = np.abs(loop.errors()).max()
        print(f'{loop.robot}: {len(loop.states)} states, {late:.0f} cycles late, '
              f'tracking error {error:.2e} rad')
        assert len(loop.states) > 100
        if late < 1e-3 * RATE * DURATION:  # a busy machine's pauses are no error of ours
            assert error < TRACKED
    for loop in loops:
        peer.until(lambda loop=loop: loop.last is not None and np.abs(
            np.array(loop.last.position) - loop.end).max() < TRACKED, STARTED)


def until_level(loop, name, levels, since):
    loop.peer.until(lambda: loop.level(name, since) in levels, STARTED)
    return time.monotonic()


@pytest.mark.parametrize(('victim', 'witness', 'level'), [
    ('inverse_dynamics', 'simulator: simulation', 1),
    ('simulator', 'inverse_dynamics: input', 2),
    ('gim_diagnostics', 'simulator: simulation', 0),
])
def test_a_killed_node_is_noticed_and_comes_back(loops, peer, victim, witness, level):
    loop = loops[0]
    others = {name: process for name, process in loop.processes.items() if name != victim}
    loop.kill(victim)
    since = time.monotonic()
    noticed = until_level(loop, witness, [level], since + 0.2) - since
    loop.begin(victim)
    restarted = time.monotonic()
    if victim == 'gim_diagnostics':
        until_level(loop, 'gim_diagnostics: input', [0, 1], restarted)
    else:
        until_level(loop, 'simulator: simulation', [0], restarted)
        until_level(loop, 'inverse_dynamics: input', [0, 1], restarted)
    well = time.monotonic() - restarted
    print(f'{victim}: noticed after {noticed:.1f} s, all well {well:.1f} s '
          'after its process was started again')
    assert all(process.poll() is None for process in others.values())


@pytest.mark.slow
def test_after_a_minute_memory_is_flat_and_the_loop_closed(loops, peer):
    loop = loops[1]
    settled = loop.memory()
    peer.spin(max(5.0, SOAK - (time.monotonic() - loop.began)))
    growth = {name: size - settled[name] for name, size in loop.memory().items()}
    counts = loop.simulation()
    lost = float(counts['states without a command']) / float(counts['joint states'])
    print(f'{loop.robot}: {counts["joint states"]} states, {100 * lost:.2f} % without a command, '
          f'real-time factor {counts["real-time factor"]}, growth {growth} MB')
    assert max(growth.values()) < 8
    assert lost < 0.5
    assert all(process.poll() is None for process in loop.processes.values())
