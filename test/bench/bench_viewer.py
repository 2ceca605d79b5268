"""What the page costs: updates a second at websocket clients, their age, the server's core.

A browser's software graphics would take the cores, so clients of the websocket stand for browsers:
they count the poses of the last link that arrive, and how old they are. Run: make bench-viewer
"""

import argparse
import asyncio
import multiprocessing
import resource
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # page_client.py
URDF = Path(__file__).parents[2] / 'urdf'
INERTIAL = ('<inertial><mass value="1"/><origin xyz="0 0 -0.05"/><inertia ixx="0.01" iyy="0.01" '
            'izz="0.005" ixy="0" ixz="0" iyz="0"/></inertial>')
WANTED = {'arm': 30, 'humanoid': 20}  # updates a second


def make_robot(name):
    """Return an arm of 7 joints, or a humanoid of 48: four limbs on a trunk that floats."""
    import robot_dynamics as rd
    if name == 'arm':
        return rd.load(URDF / 'panda_like.urdf.xacro')
    text = [f'<link name="trunk">{INERTIAL}</link>']
    for limb, place in enumerate(('0 0.2 0', '0 -0.2 0', '0.1 0.1 0', '0.1 -0.1 0')):
        parent = 'trunk'
        for k in range(12):
            link = f'limb_{limb}_{k}'
            text.append(
                f'<link name="{link}">{INERTIAL}<visual><geometry><cylinder radius="0.03" '
                f'length="0.1"/></geometry></visual></link><joint name="{link}_joint" '
                f'type="revolute"><parent link="{parent}"/><child link="{link}"/><origin '
                f'xyz="{place if k == 0 else "0 0 -0.1"}"/><axis '
                f'xyz="{("1 0 0", "0 1 0", "0 0 1")[k % 3]}"/><limit lower="-2" upper="2" '
                'effort="100" velocity="5"/></joint>')
            parent = link
    return rd.load(f'<robot name="humanoid">{"".join(text)}</robot>', base='floating')


def watch(address, node, seconds, answers):
    """Put (arrival, position) of a scene node's poses that a client sees in some seconds."""
    from page_client import PageClient
    seen = []

    def take(message, now):
        if message['type'] == 'SetPositionMessage' and message['name'] == node:
            seen.append((now, message['position']))

    async def run():
        client = PageClient(take)
        await client.open(address)
        await client.listen(time.monotonic() + 2.0)  # the scene itself comes first
        seen.clear()
        await client.listen(time.monotonic() + seconds)
        await client.close()
    asyncio.run(run())
    answers.put(seen)


def measure(name, seconds, clients):
    """Return a row: updates a second, the ages of poses, the server's core and memory."""
    from robot_dynamics.drawing.places import body_poses
    from robot_dynamics.viewer.page import Page
    page, robot = Page(port=0), make_robot(name)
    shown = page.add_robot(robot, name)
    last = len(robot.model.body_names) - 1
    sent, stop = [], threading.Event()

    def feed():  # joint_states at 100 Hz
        start = time.monotonic()
        while not stop.is_set():
            t = time.monotonic() - start
            q = shown.start.copy()
            moved = len(q) - 7 if name == 'humanoid' else len(q)
            q[-moved:] += 0.2 * np.sin(t * (1 + np.arange(moved) / 7))
            page.show(name, q, 0.2 * np.cos(t) * np.ones(robot.nv))
            sent.append((time.monotonic(), q))
            time.sleep(max(0.0, 0.01 - (time.monotonic() - start - t)))
    context = multiprocessing.get_context('spawn')
    answers = context.Queue()
    watchers = [context.Process(target=watch, args=(
        page.address, shown.node(last), seconds, answers)) for _ in range(clients)]
    for process in watchers:
        process.start()
    feeder = threading.Thread(target=feed, daemon=True)
    feeder.start()
    time.sleep(4.0)
    memory = resident()
    cpu, wall = time.process_time(), time.monotonic()
    time.sleep(max(1.0, seconds - 4.0))
    share = (time.process_time() - cpu) / (time.monotonic() - wall)
    grown = resident() - memory
    results = [answers.get(timeout=seconds + 60) for _ in watchers]
    stop.set()
    feeder.join()
    page.close()
    times = np.array([t for t, _ in sent])
    places = np.array([body_poses(robot.model, q)[last, :3, 3] for _, q in sent])
    rows = []
    for seen in results:
        ages = [now - times[np.argmin(np.abs(places[times <= now] - p).sum(axis=1))]
                for now, p in seen]
        rows.append((len(seen) / seconds, np.median(ages), np.max(ages)))
    return {'robot': name, 'joints': robot.n, 'share': share, 'grown': grown, 'clients': rows}


def resident():
    """Return the memory that this process has now [MB]."""
    pages = int(Path('/proc/self/statm').read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def main():
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seconds', type=float, default=20.0)
    parser.add_argument('--clients', type=int, default=2)
    parser.add_argument('--robots', nargs='+', choices=WANTED, default=list(WANTED))
    args = parser.parse_args()
    warnings.simplefilter('ignore')
    for name in args.robots:
        row = measure(name, args.seconds, args.clients)
        print(f'{name}, {row["joints"]} joints, states at 100 Hz, {args.clients} clients: the '
              f'server takes {row["share"]:.0%} of a core, memory grows by '
              f'{row["grown"]:.1f} MB in {args.seconds - 4:.0f} s')
        for rate, middle, most in row['clients']:
            print(f'    {rate:.1f} updates/s (wanted {WANTED[name]}), age {middle * 1e3:.0f} ms, '
                  f'at most {most * 1e3:.0f} ms')


if __name__ == '__main__':
    main()
