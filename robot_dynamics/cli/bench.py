"""`robot-dynamics bench [FILE ...]`: our speed beside Pinocchio's and MuJoCo's, in one run."""

import argparse
import json
import platform
import resource
import sys
from typing import Any

import numpy as np

from robot_dynamics.cli.benchmark.chains import CHAINS, chain, general_recursion
from robot_dynamics.cli.benchmark.robots import FUNCTIONS, measure, start_up
from robot_dynamics.cli.benchmark.verbs import FUNCTIONS as COMPARED
from robot_dynamics.cli.benchmark.verbs import PUBLISHED, VERBS
from robot_dynamics.cli.options import check_files, check_plot, path, refuse
from robot_dynamics.cli.table import align
from robot_dynamics.description.named_robots import example_folder
from robot_dynamics.engine.running.calls import cores
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import duplicates
from robot_dynamics.loading import load
from robot_dynamics.words import counted

STANDARD = {  # of example-robot-data: file, joints to lock
    'UR5': ('ur_description/urdf/ur5_robot.urdf', ()),
    'Panda (arm)': ('panda_description/urdf/panda.urdf', ('panda_finger_joint1',)),
    'HyQ (12 joints)': ('hyq_description/robots/hyq_no_sensors.urdf', ()),
    'G1 (29 joints)': ('g1_description/urdf/g1_29dof_rev_1_0.urdf', ()),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument('files', nargs='*', metavar='FILE',
                        help='URDF, xacro or DH file (default: UR5, Panda, HyQ and a humanoid of '
                             'example-robot-data, and chains)')
    parser.add_argument('--repetitions', type=int, default=101, metavar='N',
                        help='interleaved slices of each contestant (default: %(default)s)')
    parser.add_argument('--chains', action=argparse.BooleanOptionalAction, default=None,
                        help='chains of 5 to 1,000 links (default: without FILE)')
    parser.add_argument('--longest', type=int, metavar='N',
                        help=f'longest chain (default: {max(CHAINS)})')
    parser.add_argument('--json', action='store_true', help='print JSON, for programs')
    parser.add_argument('--save', type=path, metavar='FILE', help='write JSON here')
    parser.add_argument('--plot', type=path, metavar='FILE',
                        help='draw the cost of chains against n here, or of robots without chains')


def run(args: argparse.Namespace) -> int:
    """Measure, print, save, draw."""
    chains = args.chains if args.chains is not None else not args.files
    check(args, chains)
    report: dict[str, Any] = {'machine': machine(), 'robots': {}, 'chains': {}, 'general': {}}
    for name, robot in robots(args.files).items():
        progress(f'{name}: {counted(robot.n, "joint")}')
        report['robots'][name] = {'joints': robot.n, 'start_up': start_up(robot, FUNCTIONS),
                                  'functions': measure(robot, VERBS, args.repetitions)}
    if chains:
        lengths = [n for n in CHAINS if n <= (args.longest or max(CHAINS))]
        for n in lengths:
            progress(f'chain of {n}')
            report['chains'][n] = measure(chain(n), FUNCTIONS[:2], args.repetitions)
        progress('general recursion')
        if long := [n for n in lengths if n >= 20]:
            report['general'] = general_recursion(long, args.repetitions)
    report['memory'] = {
        'peak_mb': resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}
    if args.save:
        args.save.write_text(json.dumps(report, indent=2), encoding='utf-8')
    if args.plot:
        from robot_dynamics.cli.benchmark.plot import draw
        draw(report, args.plot)
    print(json.dumps(report, indent=2) if args.json else '\n'.join(text(report)))
    return 0


def check(args: argparse.Namespace, chains: bool) -> None:
    """Refuse what cannot be measured or written before minutes have gone by."""
    if args.repetitions < 1:
        raise InputError(f'--repetitions: {args.repetitions} found, at least 1 expected')
    if twice := duplicates(args.files):
        raise InputError(f'given twice: {twice}')
    if not chains:
        refuse(args, 'is for chains, and none are measured: give --chains', 'longest')
        if not args.files and example_folder() is None:
            raise InputError('nothing to measure: give FILE, or install example-robot-data')
    elif args.longest is not None and args.longest < min(CHAINS):
        raise InputError(f'--longest {args.longest}: expected {min(CHAINS)} or more')
    check_files(args.save)
    check_plot(args.plot)


def robots(files: list[str]) -> dict[str, Any]:
    """Return the robots to measure by name, without friction, which the peers do not count."""
    if files:
        found = [load(file, friction=False) for file in files]
        for file, robot in zip(files, found, strict=True):
            if not robot.n:
                raise InputError(f'{file}: has no joints that could move')
        names = [f'{robot.name} ({robot.n})' for robot in found]
        return {f'{name}, {file}' if names.count(name) > 1 else name: robot
                for name, file, robot in zip(names, files, found, strict=True)}
    folder = example_folder()
    if folder is None:
        progress('example-robot-data is not installed: chains only')
        return {}
    return {name: load(str(folder / file), friction=False, locked={joint: 0.0 for joint in locked})
            for name, (file, locked) in STANDARD.items()}


def machine() -> dict[str, Any]:
    """Return what the numbers were measured on."""
    return {'python': platform.python_version(), 'numpy': np.__version__,
            'processor': platform.processor() or platform.machine(), 'threads': cores()}


def progress(message: str) -> None:
    """Say what is going on."""
    print(f'bench: {message} ...', file=sys.stderr, flush=True)


def text(report: dict[str, Any]) -> list[str]:
    """Return the report as tables."""
    lines: list[str] = []
    for name, robot in report['robots'].items():
        lines += ['', name, *times_table(robot['functions']), '', *start_table(robot['start_up'])]
    for n, functions in report['chains'].items():
        lines += ['', f'chain of {n}', *times_table(functions)]
    lines += published_table(report['robots'])
    if report['general']:
        rows = [['general recursion', *[f'n = {n}' for n in report['general']['per_link_us']]],
                ['us per link', *[f'{x:.3f}' for x in report['general']['per_link_us'].values()]]]
        lines += ['', *align(rows, right=range(1, len(rows[0]))),
                  f'spread over n: {report["general"]["spread"]:.0%}']
    memory = report['memory']['peak_mb']
    return [*lines, '', f'peak memory of this process, peers included: {memory:.0f} MB',
            'times: median of interleaved slices (first to third quarter of them); ratios: to '
            "Pinocchio's own Python call"]


def times_table(functions: list[dict[str, Any]]) -> list[str]:
    """Return microseconds per evaluation, and ratios, of each contestant."""
    rows = [['function', 'contestant', 'us', 'spread', 'times faster']]
    for entry in functions:
        for name, time in entry['times'].items():
            ratio = entry['ratios'].get(name)
            rows.append([
                entry['function'], name, f'{time["median_us"]:.3f}',
                f'{time["low_us"]:.3f} to {time["high_us"]:.3f}',
                '' if ratio is None else f'{ratio:.1f}'])
    return align(rows, right=(2, 3, 4))


def published_table(robots: dict[str, Any]) -> list[str]:
    """Return our compiled loops beside the published figures of generated C++ code."""
    rows = [['function', 'our robot', 'us', 'theirs', 'us, published']]
    for name, (theirs, times) in PUBLISHED.items():
        found = {entry['function']: entry['times'] for entry in robots.get(name, {}).get(
            'functions', [])}
        for function, time in zip(COMPARED, times, strict=True):
            if 'compiled loop' in found.get(function, {}):
                loop = found[function]['compiled loop']['median_us']
                rows.append([function, name, f'{loop:.2f}', theirs, f'{time}'])
    if len(rows) == 1:
        return []
    return ['', *align(rows, right=(2, 4)),
            'published: C++ code generated by Pinocchio, one computation, from GRiD (Plancher and '
            'others, ICRA 2022), on an i7-10700K at 3.8 GHz; another machine, the nearest robots']


def start_table(start: dict[str, dict[str, float]]) -> list[str]:
    """Return the times of starting up."""
    rows = [['start-up', 'first answer ms', 'compiled s', 'cached ms', 'code kB']]
    for name, entry in start.items():
        rows.append([name, f'{entry["first_answer_s"] * 1e3:.1f}',
                     f'{entry["kernel_cold_s"]:.2f}', f'{entry["kernel_cached_s"] * 1e3:.1f}',
                     f'{entry["code_bytes"] / 1024:.0f}'])
    return align(rows, right=(1, 2, 3, 4))
