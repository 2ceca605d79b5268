"""All robots of example-robot-data in the simulator node, held and let go: a table.

Each robot runs in a process of its own, in the node as it is, faster than real time. Held (no
command, on_timeout hold) it has to stand for a minute; let go (on_timeout zero) it has to fall as
a passive robot does: its energy never grows. What cannot be simulated still stands, and is said.

    python test/ros/simulator_robots.py [PART OF A NAME ...] [--held 60] [--falling 3] [--jobs 2]
"""

import argparse
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

import numpy as np  # noqa: E402

STILL = 1e-6  # [rad or m] that a robot which stands may move
GROWTH = 1e-4  # of its energy, beside all that a fall has turned over
SPEED, RATE = 50.0, 100.0  # simulated over real time; states per second
PATIENCE = 900.0  # [s] for one robot


def one(file, held, falling):
    """Run one robot; return a row of the table."""
    import rclpy
    from rclpy.parameter import Parameter
    from ros_peer import free_domain

    from robot_dynamics.nodes.shared.executor import StreamExecutor
    from robot_dynamics.nodes.simulator.node import SimulatorNode
    os.environ['ROS_DOMAIN_ID'] = str(free_domain())
    rclpy.init(args=[])
    values = {'robot_description_file': str(file), 'rate': RATE, 'real_time_factor': SPEED,
              'catch_up': 0.0}
    began = time.monotonic()
    for missing in ('error', 'zero'):  # a hand without mass does not keep a robot from standing
        values['missing_inertia'] = missing
        node = SimulatorNode(parameter_overrides=[
            Parameter(name, value=value) for name, value in values.items()])
        node.trigger_configure()
        if node.robot is not None:
            break
    executor = StreamExecutor()
    executor.add_node(node)
    node.trigger_activate()
    row = {'robot': Path(file).stem, 'n': node.robot.n if node.robot else 0}
    if node.robot is None:
        return {**row, 'held': f'no model: {reason(node, file)}'}

    def spin(done):
        while not done() and time.monotonic() < began + PATIENCE:
            executor.spin_stream()

    spin(lambda: node.counts.states)
    row['first'] = time.monotonic() - began
    spin(lambda: node.mock.live is not None or node.mock.failure)
    row['moves'] = time.monotonic() - began
    if node.mock.live is None:
        count = node.counts.states
        spin(lambda: node.counts.states > count + 10)
        return {**row, 'held': 'stands', 'fell': node.mock.failure}
    row |= watch_held(node, spin, held)
    if row['held'] == 'stands':
        row |= watch_fall(node, spin, falling)
    return row


def reason(node, file):
    """Return why the node has no model of a file."""
    from robot_dynamics import RobotDynamicsError
    try:
        node.load_model(Path(file))
    except RobotDynamicsError as error:
        return str(error).removeprefix(f'{file}: ')


def watch_held(node, spin, held):
    """Leave the robot without commands."""
    live, pace = node.mock.live, node.mock.pace
    start, far, fast, begin = live.q.copy(), [0.0], [0.0], time.monotonic()

    def done():
        far[0] = max(far[0], np.abs(live.q - start).max())
        fast[0] = max(fast[0], np.abs(live.qd).max())
        return pace.time >= held or node.paused
    spin(done)
    stands = far[0] < STILL and not node.paused and pace.time >= held
    return {'held': 'stands' if stands else node.mock.failure or (
                'moves' if far[0] >= STILL else 'too slow'), 'moved': far[0], 'rate': fast[0],
            'speed': pace.time / (time.monotonic() - begin)}


def watch_fall(node, spin, falling):
    """Let the robot go."""
    from rclpy.parameter import Parameter
    mock, live, robot = node.mock, node.mock.live, node.robot
    node.set_parameters([Parameter('on_timeout', value='zero'),
                         Parameter('real_time_factor', value=1.0)])
    energies, kinetic, end = [], [], mock.pace.time + falling
    start = live.q.copy()

    def done():
        kinetic.append(float(robot.kinetic_energy(live.q, live.qd)))
        energies.append(kinetic[-1] + float(robot.potential_energy(live.q)))
        return mock.pace.time >= end or node.paused
    spin(done)
    moved, peak = np.abs(live.q - start).max(), max(kinetic)
    growth = max(0.0, max(energies) - energies[0]) / max(peak, 1e-6)
    fine = not node.paused and mock.pace.time >= end and growth < GROWTH
    return {'fell': 'plausibly' if fine else node.mock.failure or (
                'gains energy' if growth >= GROWTH else 'too slow'),
            'fallen': moved, 'peak': peak, 'growth': growth}


def run(file, options):
    """Run one robot in a process of its own."""
    command = [sys.executable, __file__, '--one', str(file), '--held', str(options.held),
               '--falling', str(options.falling)]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE + 60)
        return json.loads(found.stdout.strip().splitlines()[-1])
    except (subprocess.TimeoutExpired, IndexError, ValueError) as error:
        return {'robot': file.stem, 'n': 0, 'held': f'{type(error).__name__}: {error}'[:120]}


def line(row):
    """Return a row as text."""
    def number(key, form):
        return format(row[key], form) if row.get(key) is not None else '-'
    return (f'{row["robot"][:28]:28} {row["n"]:3} {number("first", ".1f"):>6} '
            f'{number("moves", ".1f"):>6} {number("moved", ".1e"):>8} {number("speed", ".1f"):>6} '
            f'{number("fallen", ".2f"):>7} {number("growth", ".1e"):>8}  '
            f'{row["held"]}; {row.get("fell", "-")}')


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('names', nargs='*')
    parser.add_argument('--one', help=argparse.SUPPRESS)
    parser.add_argument('--held', type=float, default=60.0)
    parser.add_argument('--falling', type=float, default=3.0)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one(options.one, options.held, options.falling)))
        sys.stdout.flush()
        os._exit(0)  # no waiting for a thread that compiles
    from oracle import REAL_URDFS, ROBOTS
    files = [ROBOTS / name for name in REAL_URDFS
             if not options.names or any(part in name for part in options.names)]
    print(f'{"robot":28} {"n":>3} {"first":>6} {"moves":>6} {"moved":>8} {"speed":>6} '
          f'{"fallen":>7} {"growth":>8}  held; let go')
    print(f'{"":28} {"":3} {"s":>6} {"s":>6} {"rad, m":>8} {"":6} {"rad, m":>7}', flush=True)
    bad = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for row in pool.map(lambda file: run(file, options), files):
            print(line(row), flush=True)
            if row['n'] and (row['held'] != 'stands' or not (
                    row['fell'] == 'plausibly' or 'cannot be simulated' in row['fell'])):
                bad.append(row['robot'])
    print(f'{len(files)} robots, {len(bad)} not as they should: {", ".join(bad) or "none"}')
    sys.exit(bool(bad))


if __name__ == '__main__':
    main()
