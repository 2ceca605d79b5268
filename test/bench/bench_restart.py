"""Nodes killed (kill -9) and started again, over DDS: how soon all is well.

Prints for each kill when another node's diagnostics said so, when the node was up again after its
process was started (Python and imports), and when all nodes were well:

    python test/bench/bench_restart.py [--rate 100] [--times 5] [--pause 0] [--bare]
        [--range LOCALHOST]
"""

import argparse
import os
import re
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

import rclpy  # noqa: E402
from ros_loop import Loop  # noqa: E402
from ros_peer import Peer, free_domain  # noqa: E402

from robot_dynamics.nodes.shared.discovery import find_each_other_quickly  # noqa: E402

WITNESSES = {  # of whom another node's diagnostic speaks, at which level
    'inverse_dynamics': ('simulator: simulation', 1),
    'simulator': ('inverse_dynamics: input', 2),
    'gim_diagnostics': (None, None),  # nobody depends on it
}
WELL = {'simulator: simulation': [0], 'inverse_dynamics: input': [0, 1],
        'gim_diagnostics: input': [0, 1]}
PATIENCE = 60.0  # [s]
LAST_WORDS = 0.2  # [s] of the killed, still under way


def kill_and_start(loop, victim, pause):
    """Return seconds: noticed after the kill, up and all well after the start."""
    witness, level = WITNESSES[victim]
    loop.kill(victim)
    killed = time.monotonic()
    noticed = float('nan')
    loop.peer.spin(LAST_WORDS)
    if witness:
        loop.peer.until(lambda: loop.level(witness, killed + LAST_WORDS) == level, PATIENCE)
        noticed = time.monotonic() - killed
    loop.peer.spin(pause)
    started, clock = time.monotonic(), time.time()
    with tempfile.TemporaryFile('w+') as log:
        loop.begin(victim, stderr=log)
        loop.peer.until(lambda: all(
            loop.level(name, started) in levels for name, levels in WELL.items()), PATIENCE)
        well = time.monotonic() - started
        log.seek(0)
        up = float(re.search(r'\[(\d+\.\d+)\].*model with joints', log.read())[1]) - clock
    return noticed, up, well


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--rate', type=float, default=100.0)
    parser.add_argument('--times', type=int, default=5)
    parser.add_argument('--pause', type=float, default=0.0, help='before the start [s]')
    parser.add_argument('--range', choices=('LOCALHOST', 'SUBNET'), default='LOCALHOST')
    parser.add_argument('--bare', action='store_true',
                        help='this process watches with the settings that Fast DDS has by default')
    options = parser.parse_args()
    os.environ['ROS_DOMAIN_ID'] = str(free_domain())
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = options.range
    if not options.bare:
        find_each_other_quickly()
    rclpy.init(args=[])
    loop = Loop(Peer(), 'puma560', rate=options.rate, gain=8.0)
    print(f'{"killed":18} {"noticed s":>9} {"up s":>6} {"all well s":>10} {"well after up s":>15}')
    try:
        for name in WITNESSES:
            loop.begin(name)
        loop.peer.until(lambda: all(
            loop.level(name) in levels for name, levels in WELL.items()), PATIENCE)
        for _ in range(options.times):
            for victim in WITNESSES:
                loop.peer.spin(2.0)
                noticed, up, well = kill_and_start(loop, victim, options.pause)
                print(f'{victim:18} {noticed:9.2f} {up:6.2f} {well:10.2f} {well - up:15.2f}',
                      flush=True)
    finally:
        loop.end_all()
        loop.peer.close()
        rclpy.try_shutdown()


if __name__ == '__main__':
    main()
