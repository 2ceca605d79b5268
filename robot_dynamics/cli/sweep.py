"""robot-dynamics sweep FILE: a function over a grid, samples or a file of states, to a folder."""

import argparse
import json
from typing import Any

import numpy as np

from robot_dynamics.cli.options import path, refuse
from robot_dynamics.cli.robot_arguments import add_robot_arguments, load_robot, pairs
from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.placement import rows_of
from robot_dynamics.sweeps.running import Sweep, sweep
from robot_dynamics.sweeps.sampling import LatinHypercube, Sobol
from robot_dynamics.sweeps.space import Grid, Space
from robot_dynamics.sweeps.states import states
from robot_dynamics.sweeps.variables import STATE, names_of, place_of

METHODS = {'sobol': Sobol, 'latin': LatinHypercube}
LIMITS = {'q': ('lower', 'upper'), 'qd': ('velocity',), 'tau': ('effort',)}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_robot_arguments(parser)
    parser.add_argument('--function', required=True, metavar='VERB',
                        help='inverse_dynamics, inertia_matrix, pose, ...')
    parser.add_argument('--output', required=True, type=path, metavar='FOLDER',
                        help='.zarr or .parquet; a sweep that was begun there goes on')
    parser.add_argument('--grid', action='append', default=[], metavar='NAME=LOW:HIGH:STEPS',
                        help='values of q, qd, qdd, tau, or of a column of the DH table (mass, a, '
                        '...), of each joint or of one (q.joint_2=...); or NAME=1,2,5 (may be '
                        'repeated: all combinations)')
    parser.add_argument('--range', action='append', default=[], metavar='NAME=LOW:HIGH',
                        help="to draw samples from (may be repeated); 80%%:120%% of what the "
                        "robot has, or 'limits' for q, qd and tau")
    parser.add_argument('--samples', type=int, metavar='N', help='how many points of the ranges')
    parser.add_argument('--method', choices=METHODS,
                        help="of samples: Sobol's sequence (default) or a Latin hypercube")
    parser.add_argument('--seed', type=int, metavar='N', help='of samples (default: 0)')
    parser.add_argument('--states', type=path, metavar='FILE',
                        help='points instead: .csv, .npz, .parquet or .zarr')
    parser.add_argument('--set', action='append', default=[], metavar='NAME=VALUE',
                        help='an argument that all points share: qd=0, link=tool0 (may be '
                        'repeated)')
    parser.add_argument('--workers', type=int, metavar='N',
                        help='processes of this machine (default: one for each processor)')
    parser.add_argument('--scheduler', metavar='ADDRESS', help='of a Dask cluster instead')
    parser.add_argument('--chunk', type=int, metavar='N', help='points that are written at once')
    parser.add_argument('--inputs', action='store_true', help='write the points too')
    parser.add_argument('--errors', choices=('raise', 'nan'), default='raise',
                        help='what points without a result do (default: %(default)s)')
    parser.add_argument('--json', action='store_true', help='print JSON, for programs')


def run(args: argparse.Namespace) -> int:
    """Sweep, and say what was done."""
    if args.scheduler is not None:
        refuse(args, 'is for this machine, not for --scheduler', 'workers')
    robot = load_robot(args)
    done = sweep(args.function, make_space(robot, args), args.output, robot=robot,
                 scheduler=args.scheduler, chunk=args.chunk, workers=args.workers,
                 inputs=args.inputs, errors=args.errors,
                 **{name: constant(robot, name, text) for name, text in pairs('--set', args.set)})
    report = {'output': str(done.output), 'points': done.points, 'chunks': done.chunks,
              'computed': done.computed, 'seconds': done.seconds}
    print(json.dumps(report, indent=2) if args.json else said(done))
    return 0


def said(done: Sweep) -> str:
    """Return what was done, for people."""
    before = done.chunks - done.computed
    there = f', {before} of them there already' if before else ''
    chunks = f'{done.chunks} chunk{"s" if done.chunks != 1 else ""}'
    return f'{done.points} points in {chunks}{there}; {done.seconds:.3g} s'


def make_space(robot: Dynamics, args: argparse.Namespace) -> Space:
    """Return the points that the arguments ask for."""
    if (args.states is not None) + bool(args.grid) + bool(args.range) != 1:
        raise InputError('--grid, --range, --states: expected one of them')
    if not args.range:
        refuse(args, 'is for --range', 'samples', 'method', 'seed')
    if args.states is not None:
        return states(args.states)
    if args.grid:
        axes: dict[str, Array] = {}
        for name, text in pairs('--grid', args.grid):
            width = width_of(robot, name)
            axis = steps(f'--grid {name}={text}', text)
            axes.update({name: axis} if width is None else
                        {f'{name}.{k}': axis for k in range(width)})
        return Grid(axes)
    if args.samples is None:
        raise InputError('--range: give --samples too')
    ranges = {name: ends(robot, name, text) for name, text in pairs('--range', args.range)}
    return METHODS[args.method or 'sobol'](ranges, args.samples, args.seed or 0)


def width_of(robot: Dynamics, name: str) -> int | None:
    """Return how many numbers a variable has; None: it is an element."""
    rows = rows_of(robot.dh)._asdict()
    head, dot, key = name.partition('.')
    if head not in STATE and head not in rows or np.ndim(rows.get(head, [])) > 1:
        flat = [column for column, values in rows.items() if values.ndim == 1]
        raise InputError(f'{name}: expected one of {", ".join([*STATE, *flat])}')
    names = names_of(robot, head, rows)
    if dot:
        place_of(name, key, names)
        return None
    return len(names[0])


def steps(option: str, text: str) -> Array:
    """Return the values of an axis: LOW:HIGH:STEPS, or one after the other."""
    try:
        if ':' not in text:
            return np.array([float(word) for word in text.split(',')])
        low, high, count = text.split(':')
        return np.linspace(float(low), float(high), int(count))
    except ValueError:
        raise InputError(f'{option}: expected LOW:HIGH:STEPS, or values as 1,2,5') from None


def ends(robot: Dynamics, name: str, text: str) -> tuple[Any, Any]:
    """Return the ends of a range, of one number or of as many as the variable has."""
    width, head = width_of(robot, name), name.partition('.')[0]
    rows = rows_of(robot.dh)._asdict()
    shape = () if width is None else (width,)
    own: Any = None
    if head in rows:
        own = rows[head] if width is not None else rows[head][
            place_of(name, name.partition('.')[2], names_of(robot, head, rows))]
    if text == 'limits':
        return limits(robot, name, head, width)
    try:
        found = []
        for word in text.split(':'):
            if word.endswith('%') and own is not None:
                found.append(float(word[:-1]) / 100 * own)
            else:
                found.append(np.full(shape, float(word)))
        low, high = found
    except ValueError:
        raise InputError(f'--range {name}={text}: expected LOW:HIGH'
                         + (', or of what the robot has 80%:120%' if own is not None else '')
                         ) from None
    return np.minimum(low, high) if '%' in text else low, (
        np.maximum(low, high) if '%' in text else high)


def limits(robot: Dynamics, name: str, head: str, width: int | None) -> tuple[Any, Any]:
    """Return a range between the robot's limits."""
    if head not in LIMITS:
        raise InputError(f'--range {name}=limits: expected one of {", ".join(LIMITS)}')
    found = [getattr(robot.limits, key) for key in LIMITS[head]]
    low, high = (-found[0], found[0]) if len(found) == 1 else found
    if width is None:
        k = place_of(name, name.partition('.')[2], names_of(robot, head, {}))
        low, high = low[k], high[k]
    if not np.isfinite([low, high]).all():
        raise InputError(f'--range {name}=limits: some joints have none')
    return low, high


def constant(robot: Dynamics, name: str, text: str) -> Any:
    """Return an argument that all points share: numbers, or a word."""
    try:
        numbers = [float(word) for word in text.split(',')]
    except ValueError:
        return text
    if name not in STATE:
        return numbers[0] if len(numbers) == 1 else numbers
    width = width_of(robot, name)
    if len(numbers) not in (1, width):
        raise InputError(f'--set {name}={text}: {len(numbers)} values: expected {width}, or one '
                         'for all')
    return np.broadcast_to(np.array(numbers), (width or 1,)).copy()
