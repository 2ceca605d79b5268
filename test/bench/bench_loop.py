"""Closed loop over DDS, simulator and computed torque in processes of their own.

Prints tracking error, cycles lost and real-time factor for both arms at 500 Hz and 1 kHz:

    python test/bench/bench_loop.py [--robot puma560] [--rate 500] [--duration 10] [--wait 60]
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

from robot_dynamics.nodes.shared.discovery import find_each_other_quickly  # noqa: E402


def measure(robot, rate, duration, patience):
    """Run one loop; return a row of the table."""
    os.environ['ROS_DOMAIN_ID'] = str(free_domain())
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    find_each_other_quickly()
    rclpy.init(args=[])
    peer = Peer()
    # A deep queue outlasts a pause of the machine without loss; a controller that must not act on
    # old states at a millisecond's cycle takes the newest and lets the others go.
    loop = Loop(peer, robot, rate=rate, depth=8 if rate <= 500 else 1)
    try:
        loop.begin('simulator')
        loop.begin('inverse_dynamics')
        peer.until(loop.ready, patience)
        peer.spin(2.5)
        before = {key: float(value) for key, value in loop.simulation().items()
                  if key not in ('paused',)}
        loop.move(duration)
        peer.spin(duration + 1.5)
        after = {key: float(value) for key, value in loop.simulation().items()
                 if key not in ('paused',)}
        counted = {key: after[key] - before[key] for key in after}
        error = np.abs(loop.errors()).max()
        return (robot, rate, counted['cycles'], counted['cycles skipped'],
                counted['joint states'] - counted['commands'], counted['time lost [s]'],
                after['real-time factor'], error)
    finally:
        loop.end_all()
        peer.close()
        rclpy.try_shutdown()


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--robot', choices=ROBOTS, action='append')
    parser.add_argument('--rate', type=float, action='append')
    parser.add_argument('--duration', type=float, default=10.0)
    parser.add_argument('--wait', type=float, default=60.0, help='for the nodes to start [s]')
    options = parser.parse_args()
    print(f'{"robot":12} {"rate":>6} {"cycles":>7} {"late":>6} {"late %":>7} {"unanswered":>10} '
          f'{"%":>6} {"lost s":>7} {"factor":>7} {"error rad":>10}')
    for robot in options.robot or ROBOTS:
        for rate in options.rate or (500.0, 1000.0):
            name, rate, cycles, late, missed, lost, factor, error = measure(
                robot, rate, options.duration, options.wait)
            print(f'{name:12} {rate:6.0f} {cycles:7.0f} {late:6.0f} {100 * late / cycles:7.2f} '
                  f'{missed:10.0f} {100 * missed / cycles:6.2f} {lost:7.3f} {factor:7.3f} '
                  f'{error:10.2e}', flush=True)


if __name__ == '__main__':
    main()
