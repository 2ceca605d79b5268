"""Bringups on a machine whose cores are all busy: none may run away.

Starts simulator, controller (computed torque) and diagnostics again and again, as
bringup.launch.py does, beside as many processes that do nothing but count as there are cores. Each
time the robot holds, moves and holds again. Prints a line for each launch; ends with 1 when one
ran away.

    python test/bench/bench_launches.py [--launches 40] [--robot puma560] [--limit 0.3]
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

import numpy as np  # noqa: E402
import rclpy  # noqa: E402
from ros_loop import ROBOTS, Loop  # noqa: E402
from ros_peer import Peer, free_domain  # noqa: E402

from robot_dynamics.nodes.shared.discovery import find_each_other_quickly  # noqa: E402

CONFIG = Path(__file__).parents[2] / 'config'
COUNTING = 'import os, time\nend = time.monotonic() + {}\nwhile time.monotonic() < end: pass'
LONGEST = 120.0  # [s] that a launch may take; what keeps the cores busy ends then by itself
STARTED = 60.0  # [s] patience
FAST = 20.0  # [rad/s] a robot has run away, whatever it says
DURATION, REST = 4.0, 3.0  # [s] of the motion, and of holding before and after it


def launch(robot, limit, burners):
    """Bring a robot up, move it; return how it went."""
    os.environ['ROS_DOMAIN_ID'] = str(free_domain())
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    find_each_other_quickly()
    rclpy.init(args=[])
    peer = Peer()
    loop = Loop(peer, robot, config=CONFIG / f'{robot}.yaml', parameters=[
        f'gain_delay_limit:={limit}', 'restart_after_runaway:=0.0'])
    busy = [subprocess.Popen([sys.executable, '-c', COUNTING.format(LONGEST)])
            for _ in range(burners)]
    try:
        for name in ('simulator', 'inverse_dynamics', 'gim_diagnostics'):
            loop.begin(name)
        peer.until(lambda: loop.last is not None and 'inverse_dynamics: input' in loop.diagnostics
                   and loop.level('simulator: simulation') in (0, 2), STARTED)
        loop.keep = True
        peer.spin(REST)
        held = deviation(loop)
        loop.move(DURATION)
        peer.spin(DURATION + REST)
        status = loop.diagnostics['simulator: simulation']
        control = loop.diagnostics['inverse_dynamics: input'][3]
        error = np.abs(loop.errors()[-1]).max()
        rate = max(np.abs(s.velocity).max() for s in loop.states)
        return {'held': held, 'error': error, 'rate': rate, 'says': status[2],
                'away': bool(status[1] == 2 or status[3]['paused'] == 'True' or rate > FAST),
                'gain': float(control['gain [1/s]']), 'delay': float(control['loop delay [s]'])}
    finally:
        for process in busy:
            process.kill()
            process.wait()
        loop.end_all()
        peer.close()
        rclpy.try_shutdown()


def deviation(loop):
    """Return how far the robot went while it was to hold [rad]."""
    return max((np.abs(np.array(s.position) - loop.start).max() for s in loop.states), default=0.0)


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--launches', type=int, default=40)
    parser.add_argument('--robot', choices=ROBOTS, default='puma560')
    parser.add_argument('--limit', type=float, default=0.3, help='of gain times delay; 0: none')
    parser.add_argument('--busy', type=int, default=os.cpu_count(), help='processes that count')
    options = parser.parse_args()
    print('launch   held rad  ended rad  rate rad/s  gain 1/s  delay ms  the simulator says',
          flush=True)
    away, failed = 0, 0
    for k in range(options.launches):
        try:
            found = launch(options.robot, options.limit, options.busy)
        except AssertionError as error:  # nothing came: too busy even to start
            failed += 1
            print(f'{k + 1:6}  not judged: {error}', flush=True)
            continue
        away += found['away']
        print(f'{k + 1:6} {found["held"]:10.2e} {found["error"]:10.2e} {found["rate"]:11.2f} '
              f'{found["gain"]:9.1f} {1e3 * found["delay"]:9.1f}  '
              f'{"RAN AWAY: " * found["away"]}{found["says"]}',
              flush=True)
    print(f'{away} of {options.launches} ran away, {failed} could not be judged')
    sys.exit(int(away > 0 or failed > 0))


if __name__ == '__main__':
    main()
