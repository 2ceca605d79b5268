"""Sweeps beside what they are made of, in one run: computing alone, writing alone, one by one.

All contestants take turns, round after round, since other programs use the machine too; ratios are
of one round, and their median is printed with the least and the largest.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

import robot_dynamics as rd
from robot_dynamics.cli.bench import STANDARD
from robot_dynamics.description.named_robots import example_folder
from robot_dynamics.engine.running.calls import at_most
from robot_dynamics.sweeps import local
from robot_dynamics.sweeps.cluster import dumps
from robot_dynamics.sweeps.function import BLOCK, Function
from robot_dynamics.sweeps.job import Job
from robot_dynamics.sweeps.output import ZarrOutput
from robot_dynamics.sweeps.running import manifest

URDF = Path(__file__).parents[2] / 'urdf'


WORK = local.work


def work_apart(*arguments):
    """Work in a session of its own: Linux shares busy processors among sessions."""
    os.setsid()
    WORK(*arguments)


class Memory(threading.Thread):
    """The largest memory that this process and its children have had together [MB]."""

    def __init__(self):
        super().__init__(daemon=True)
        self.peak, self.over = 0.0, False
        self.start()

    def run(self):
        while not self.over:
            children = Path(f'/proc/self/task/{os.getpid()}/children').read_text().split()
            self.peak = max(self.peak, sum(resident(p) for p in ('self', *children)))
            time.sleep(0.01)


def resident(process):
    """Return the memory of a process [MB]."""
    try:
        lines = Path(f'/proc/{process}/status').read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith('VmRSS')) / 1e3


def timed(function):
    """Return how long a call takes [s]."""
    return both_times(function)[0]


def both_times(function, patience=0.0):
    """Return how long a call takes, its processor time [s], and processors that others used.

    patience: how long to wait for the others to be quiet [s]
    """
    until = time.monotonic() + patience
    while time.monotonic() < until and others(lambda: time.sleep(0.5))[2] > 0.2:
        pass
    return others(function)


def others(function):
    """Return the time of a call, its processor time [s], and how many processors others used."""
    own, all_, began = sum(os.times()[:4]), busy(), time.perf_counter()
    function()
    seconds, own = time.perf_counter() - began, sum(os.times()[:4]) - own
    return seconds, own, max(0.0, busy() - all_ - own) / seconds


def busy():
    """Return the time that all processors have worked [s]."""
    fields = [int(x) for x in Path('/proc/stat').read_text().split('\n')[0].split()[1:]]
    return (sum(fields[:3]) + sum(fields[5:8])) / os.sysconf('SC_CLK_TCK')


def spread(values, digits=2):
    """Return median, least and largest, for people."""
    return (f'{np.median(values):.{digits}f} ({np.min(values):.{digits}f} to '
            f'{np.max(values):.{digits}f})')


def panda():
    """Return the Panda's arm."""
    file, locked = STANDARD['Panda (arm)']
    return rd.load(str(example_folder() / file), friction=False, locked=dict.fromkeys(locked, 0.0))


def inverse_dynamics(folder, points, rounds, patience):
    """Sweep inverse dynamics of a Panda over a grid and over samples, on one and two workers."""
    robot = panda()
    steps = round(points ** (1 / 7))
    axes = {f'q.{k}': np.linspace(-1, 1, steps) for k in range(7)}
    ones = -np.ones(7), np.ones(7)
    spaces = {'grid of q': (rd.Grid(axes), {'qd': 0.5 * np.ones(7), 'qdd': np.ones(7)}),
              'Sobol points of q, qd, qdd': (rd.Sobol(dict.fromkeys(('q', 'qd', 'qdd'), ones),
                                                      steps ** 7), {})}
    for name, (space, constants) in spaces.items():
        q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, BLOCK, 7))
        function = Function('inverse_dynamics', robot, space, constants)
        chunk = manifest(function, False, None, None)['chunk']
        block = np.zeros((chunk, 7))

        def compute(q=q, qd=qd, qdd=qdd, space=space):
            with at_most(1):
                for _ in range(0, len(space), BLOCK):
                    robot.inverse_dynamics(q, qd, qdd)

        def generate(space=space):
            for _ in space.blocks(BLOCK):
                pass

        def write(block=block, space=space, chunk=chunk):
            (folder / 'alone').mkdir()
            for k in range(0, len(space), chunk):
                with (folder / 'alone' / str(k)).open('wb') as file:
                    file.write(block.data)

        def sweep(workers, space=space, constants=constants):
            rd.sweep('inverse_dynamics', space, folder / 'x.zarr', robot=robot, workers=workers,
                     **constants)
        contestants = {'compute': compute, 'generate': generate, 'write': write,
                       'one': lambda: sweep(1), 'two': lambda: sweep(2)}
        function.settle()
        times, memory = {key: [] for key in contestants}, Memory()
        for _ in range(rounds):
            for key, contestant in contestants.items():
                for rest in folder.iterdir():
                    shutil.rmtree(rest)
                times[key].append(both_times(contestant, patience))
        memory.over = True
        t = {key: np.array(values)[:, 0] for key, values in times.items()}
        cpu = {key: np.array(values)[:, 1] for key, values in times.items()}
        N = len(space)
        print(f'\nInverse dynamics of a Panda, {N} points, {name}, {rounds} rounds, '
              f'{len(space) // chunk + 1} chunks of {chunk * 56 / 1e6:.1f} MB')
        for key, label in (('compute', 'computing alone'), ('generate', 'points alone'),
                           ('write', 'writing alone'), ('one', 'sweep, one worker'),
                           ('two', 'sweep, two workers')):
            print(f'  {label:20} {spread(1e9 * t[key] / N, 0)} ns a point, processor time '
                  f'{spread(1e9 * cpu[key] / N, 0)}, others had '
                  f'{spread(np.array(times[key])[:, 2], 1)} processors')
        print(f'  computing and writing alone / one worker         '
              f'{spread((t["compute"] + t["write"]) / t["one"])}')
        print(f'  the same, processor time                         '
              f'{spread((cpu["compute"] + cpu["write"]) / cpu["one"])}')
        print(f'  computing, points, writing alone / one worker    '
              f'{spread((t["compute"] + t["generate"] + t["write"]) / t["one"])}')
        print(f'  one worker / two workers                         {spread(t["one"] / t["two"])}')
        print(f'  time per chunk, one worker                       '
              f'{spread(1e3 * t["one"] * chunk / N, 1)} ms')
        print(f'  memory of all processes                          {memory.peak:.0f} MB')


def variants(folder, points, rounds):
    """Sweep masses and lengths of a PUMA, beside loading each and asking it."""
    robot = rd.load(URDF / 'puma560.urdf')
    rows = robot.dh.rows
    mass, a = (np.array([getattr(row, name) for row in rows]) for name in ('mass', 'a'))
    space = rd.LatinHypercube({'mass': (0.8 * mass, 1.2 * mass),
                               'a': (np.minimum(0.8 * a, 1.2 * a), np.maximum(0.8 * a, 1.2 * a))},
                              points)
    state = {'q': np.full(6, 0.3), 'qd': np.full(6, 0.2), 'qdd': np.full(6, 0.1)}
    some = space.block(0, 20)
    texts = [one.to_urdf() for one in robot.variants(**some)]
    Function('inverse_dynamics', robot, space, state).settle()
    rates, memory = [], Memory()
    for _ in range(rounds):
        for rest in folder.iterdir():
            shutil.rmtree(rest)
        each = timed(lambda: [rd.load(text).inverse_dynamics(**state) for text in texts]) / 20
        seconds = timed(lambda: rd.sweep('inverse_dynamics', space, folder / 'x.zarr', robot=robot,
                                         **state))
        rates.append((each, seconds / points))
    memory.over = True
    each, swept = np.array(rates).T
    print(f'\n{points} variants of a PUMA 560, other masses and lengths, {rounds} rounds')
    print(f'  loaded and asked one by one   {spread(1e3 * each)} ms each')
    print(f'  swept, all processors         {spread(1e6 * swept)} us each')
    print(f'  ratio                         {spread(each / swept, 0)}')
    print(f'  memory of all processes       {memory.peak:.0f} MB')


def cluster(folder, points):
    """Sweep on a Dask cluster of one and of two workers; what a task costs its scheduler."""
    robot = panda()
    ones = -np.ones(7), np.ones(7)
    space = rd.Sobol(dict.fromkeys(('q', 'qd', 'qdd'), ones), points)
    function = Function('inverse_dynamics', robot, space, {})
    function.settle()
    job = Job(function, ZarrOutput(folder / 'x.zarr', manifest(function, False, None, None)))
    job.take_kernels()
    print(f'\nDask: the job has {len(dumps(job)) / 1e3:.0f} kB, of which '
          f'{sum(map(len, job.kernels.values())) / 1e3:.0f} kB are compiled kernels')
    command = [sys.executable, '-m']
    options = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL, 'cwd': folder.parent}
    where = folder.parent / 'address.json'
    processes = [subprocess.Popen([*command, 'distributed.cli.dask_scheduler', '--host',
                                   '127.0.0.1', '--port', '0', '--no-dashboard',
                                   '--scheduler-file', str(where)], **options)]
    try:
        while not where.exists() or not where.read_text():
            time.sleep(0.1)
        address = json.loads(where.read_text())['address']
        times = {}
        for workers in (1, 2):
            processes.append(subprocess.Popen(
                [*command, 'distributed.cli.dask_worker', address, '--nthreads', '1',
                 '--no-dashboard', '--no-nanny'], **options))
            from distributed import Client
            with Client(address, set_as_default=False) as client:
                client.wait_for_workers(workers)
            seconds = []
            for k in range(4):
                shutil.rmtree(folder / 'x.zarr', ignore_errors=True)
                found = timed(lambda: rd.sweep('inverse_dynamics', space, folder / 'x.zarr',
                                               robot=robot, scheduler=address))
                seconds += [found] if k else []  # the first time workers import what they need
            times[workers] = np.array(seconds)
            print(f'  {points} points, {workers} workers   {spread(seconds)} s')
        print(f'  one / two workers             {spread(times[1] / times[2])}')
        tasks(address, processes[0].pid)
    finally:
        for process in processes:
            process.kill()
            process.wait()


def tasks(address, scheduler, count=4000):
    """Print what the scheduler's process does for a task that does nothing."""
    from distributed import Client
    with Client(address, set_as_default=False) as client:
        before = processor_time(scheduler)
        began = time.perf_counter()
        client.gather(client.map(lambda k: ([k], 0.0, None), range(count), pure=False))
        seconds = time.perf_counter() - began
        print(f'  empty tasks: {count / seconds:.0f} a second; the scheduler computes '
              f'{1e3 * (processor_time(scheduler) - before) / count:.2f} ms for each')


def processor_time(process):
    """Return the processor time of a process [s]."""
    fields = Path(f'/proc/{process}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--points', type=float, default=1e7)
    parser.add_argument('--variants', type=float, default=1e6)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--patience', type=float, default=0.0, metavar='S',
                        help='wait so long for other programs to be quiet, each time')
    parser.add_argument('--folder', help='on the disk to write to (default: for temporary files)')
    parser.add_argument('--only', choices=('states', 'variants', 'cluster'))
    args = parser.parse_args()
    local.work = work_apart
    with tempfile.TemporaryDirectory(dir=args.folder) as made:
        folder = Path(made) / 'results'
        folder.mkdir()
        if args.only in (None, 'states'):
            inverse_dynamics(folder, args.points, args.rounds, args.patience)
        if args.only in (None, 'variants'):
            variants(folder, int(args.variants), args.rounds)
        if args.only in (None, 'cluster'):
            cluster(folder, int(args.points))


if __name__ == '__main__':
    main()
