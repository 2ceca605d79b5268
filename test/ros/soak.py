"""Ten minutes of closed loop at 500 Hz: memory stays flat, and how many cycles are lost.

    python test/ros/soak.py [--minutes 10] [--robot panda_like] [--rate 500]

Prints a line every ten seconds; ends with 1 when memory grows, when 0.1 % of the cycles are lost
or when a joint state of a mechanism (five_bar) leaves its loops open.
"""

import argparse
import os
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

import numpy as np  # noqa: E402
import rclpy  # noqa: E402
from ros_loop import ROBOTS, Loop  # noqa: E402
from ros_peer import Peer, free_domain  # noqa: E402

from robot_dynamics import load_mechanism  # noqa: E402
from robot_dynamics.nodes.shared.discovery import find_each_other_quickly  # noqa: E402
from robot_dynamics.simulation.online.bodies import loop_gap  # noqa: E402

GROWTH = 5.0  # [MB] that a node may grow by after its first half minute
LOST = 1e-3  # part of the cycles
PERIOD = 10.0  # [s] between lines
CLOSED = 1e-10  # [m] within which loops close


def numbers(loop):
    """Return the simulator's counts."""
    return {key: float(value) for key, value in loop.simulation().items() if key != 'paused'}


def tree_values(mechanism, states):
    """Return the values of all joints of joint states, (K, L)."""
    order = [states[0].name.index(name) for name in mechanism.tree_joint_names]
    return np.array([state.position for state in states])[:, order]


def soak(loop, minutes):
    """Move to and fro; print a line now and then; return growth [MB], losses and open loops."""
    peer = loop.peer
    loop.begin('simulator')
    loop.begin('inverse_dynamics')
    loop.begin('gim_diagnostics')
    peer.until(loop.ready, 60)
    peer.spin(3)
    first, memory, gap = numbers(loop), {}, 0.0
    mechanism = load_mechanism(loop.urdf) if loop.urdf.suffix == '.yaml' else None
    print('  minute  states  late  unanswered  lost s  factor  memory MB', flush=True)
    for k in range(max(1, round(minutes * 60 / PERIOD))):
        loop.move(PERIOD - 1)
        loop.keep = mechanism is not None
        peer.spin(PERIOD)
        if mechanism is not None:
            gap = max(gap, loop_gap(mechanism, tree_values(mechanism, loop.states)))
        error = np.abs(loop.errors()).max() if loop.states else 0.0
        loop.states.clear()
        loop.start, loop.end = loop.end, loop.start
        now = {key: value - first[key] for key, value in numbers(loop).items()}
        sizes = loop.memory()
        if k < 3:
            memory = sizes
        late, missed = now['cycles skipped'], now['joint states'] - now['commands']
        factor = numbers(loop)['real-time factor']
        print(f'{(k + 1) * PERIOD / 60:8.2f} {now["joint states"]:7.0f} {late:5.0f} '
              f'{missed:11.0f} {now["time lost [s]"]:7.3f} {factor:7.3f}  '
              + '  '.join(f'{name} {size:.1f}' for name, size in sizes.items())
              + (f'  error {error:.1e} rad, open by {gap:.1e}' if mechanism else ''), flush=True)
    growth = {name: size - memory[name] for name, size in sizes.items()}
    return growth, max(0.0, missed) / now['joint states'], gap


def main():
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--minutes', type=float, default=10.0)
    parser.add_argument('--robot', choices=ROBOTS, default='panda_like')
    parser.add_argument('--rate', type=float, default=500.0)
    options = parser.parse_args()
    os.environ['ROS_DOMAIN_ID'] = str(free_domain())
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    find_each_other_quickly()
    rclpy.init(args=[])
    peer = Peer()
    loop = Loop(peer, options.robot, rate=options.rate)
    try:
        growth, lost, gap = soak(loop, options.minutes)
    finally:
        loop.end_all()
        peer.close()
        rclpy.try_shutdown()
    print('growth [MB]: ' + ', '.join(f'{name} {size:+.1f}' for name, size in growth.items()))
    print(f'lost: {100 * lost:.3f} % of the cycles')
    print(f'loops open by {gap:.1e} at most')
    sys.exit(int(max(growth.values()) > GROWTH or lost > LOST or gap > CLOSED))


if __name__ == '__main__':
    main()
