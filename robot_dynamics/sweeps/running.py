"""sweep: a function over a space, chunk by chunk, its results on disk."""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.inputs import flag
from robot_dynamics.robot import Robot
from robot_dynamics.sweeps.function import Function
from robot_dynamics.sweeps.job import Job
from robot_dynamics.sweeps.local import count_workers, run_here, run_local
from robot_dynamics.sweeps.output import alone, begun, create, format_of
from robot_dynamics.sweeps.progress import Bar
from robot_dynamics.sweeps.space import Space, count
from robot_dynamics.sweeps.states import states

FORMAT = 1  # of the manifest
LARGEST = 16e6  # bytes of results in a chunk, unless it is said
FEWEST, MANY = 1024, 64  # points of a chunk, chunks of a sweep, where that is not too large
KINDS = {'function': 'another function or other arguments', 'robot': 'another robot',
         'space': 'another space', 'version': 'another version of robot_dynamics',
         'inputs': 'inputs', 'chunk': 'another size of chunks'}


@dataclass(frozen=True)
class Sweep:
    """What a sweep has done: where the results are, points, chunks, those computed now."""

    output: Path
    points: int
    chunks: int
    computed: int
    seconds: float


def sweep(function: Any, space: Any, output: Any, *, robot: Robot | None = None,
          scheduler: str | None = None, chunk: int | None = None, workers: int | None = None,
          inputs: bool = False, errors: str = 'raise', **arguments: Any) -> Sweep:
    """Compute a function at all points of a space, into a folder; go on where one is begun.

    function: the name of a verb of `robot`; a method of a robot; or a function that takes the
        space's variables by name, (N, ...) each (before them the robot, if one is given: a `Stack`
        where the space has columns of its DH table), and returns arrays (N, ...): one, or a dict
    space: a `Grid`, a `LatinHypercube`, a `Sobol`; the name of a file of states (.csv, .npz,
        .parquet, .zarr); or {variable: array (N, ...)}. Variables are arguments of the verb and
        columns of the DH table (mass, a, com, ...), whole or by element: 'q.joint_2', 'mass.3'
    output: folder of the results, .zarr or .parquet
    scheduler: address of a Dask cluster whose workers share the output's folder; else
        `workers` processes of this machine, as many as there are processors unless given
    chunk: points of a chunk, which is computed and written as a whole
    inputs: whether the points are written beside the results
    errors: 'raise', or 'nan' for points that have no result
    arguments: of the function, the same for all points: q=..., link=..., algorithm=...
    `InputError`: what does not fit; an output of another sweep; a disk that is full, a scheduler
        that cannot be reached: finished chunks stay, and the same call goes on with the others.

    >>> space = rd.Grid({'q.joint_1': np.linspace(0, 1, 50), 'q.joint_2': [0, 1]})
    >>> done = rd.sweep('gravity_torque', space, folder / 'torques.zarr', robot=arm)
    >>> done.points, done.chunks, done.computed
    (100, 1, 1)
    >>> rd.sweep(arm.gravity_torque, space, folder / 'torques.zarr').computed
    0
    """
    began = time.perf_counter()
    folder, kind = format_of(output)
    size = count_workers(workers)
    found = begun(folder, kind)
    points = space if isinstance(space, Space) else states(space)
    asked = Function(function, robot, points, arguments, errors)
    wanted = manifest(asked, flag('inputs', inputs), chunk, found)
    if found is None:
        results = create(folder, kind, wanted)
    else:
        compare(folder, found, wanted)
        results = kind(folder, found)
    with alone(results) as held:
        job, finished = Job(asked, results), results.finished()
        left = np.flatnonzero(~finished).tolist()
        compute(job, left, scheduler, size, held)
    return Sweep(folder, points.points, results.chunks, len(left), time.perf_counter() - began)


def compute(job: Job, chunks: list[int], scheduler: str | None, workers: int,
            held: Any) -> None:
    """Compute chunks, wherever; say what is finished if it does not come to its end."""
    output = job.output
    bar = Bar(output.points, output.points - sum(np.subtract(*output.bounds(k)[::-1])
                                                 for k in chunks))

    def report(chunk: int) -> None:
        start, stop = output.bounds(chunk)
        bar.add(stop - start)
    try:
        if scheduler is not None:
            from robot_dynamics.sweeps.cluster import run_cluster
            run_cluster(job, chunks, scheduler, report)
        elif chunks:
            job.function.settle()
            if workers == 1 or len(chunks) == 1:
                run_here(job, chunks, report)
            else:
                run_local(job, chunks, workers, report, held)
    except RobotDynamicsError as error:
        done = int(output.finished().sum())
        raise type(error)(f'{error}; {done} of {output.chunks} chunks of {output.folder} are '
                          'finished and stay') from None
    finally:
        bar.close()


def manifest(function: Function, inputs: bool, chunk: int | None,
             found: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return all that a sweep follows from; chunk: as found unless it is given."""
    space = function.space
    arrays: list[tuple[str, list[int], str]] = [
        (name, list(shape), kind.newbyteorder('<').str)
        for name, (shape, kind) in function.shapes.items()]
    if inputs:
        if twice := set(space.shapes) & set(function.shapes):
            raise InputError(f'inputs: {", ".join(twice)}: is a result too')
        arrays += [(name, list(shape), '<f8') for name, shape in space.shapes.items()]
    size = sum(np.dtype(kind).itemsize * math.prod(shape) for _, shape, kind in arrays)
    if chunk is not None:
        chunk = count('chunk', chunk)
    elif found is not None:
        chunk = found['chunk']
    else:
        chunk = min(space.points, max(1, int(LARGEST / max(1, size))),
                    max(FEWEST, -(-space.points // MANY)))
    return {'format': FORMAT, 'version': package_version(), **function.digests(),
            'points': space.points, 'chunk': chunk, 'inputs': inputs,
            'arrays': [list(array) for array in arrays], 'labels': function.labels(),
            'about': f'{function.name} over {space!r}'}


def compare(folder: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Raise `InputError` where an output is of another sweep."""
    others = [what for key, what in KINDS.items() if found.get(key) != wanted[key]]
    if others or found.get('arrays') != wanted['arrays']:
        raise InputError(
            f'{folder}: was begun with {" and ".join(others) or "other results"} '
            f'({found.get("about")}, in chunks of {found.get("chunk")}; now {wanted["about"]}, in '
            f'chunks of {wanted["chunk"]}): give another output, or remove this one')


def package_version() -> str:
    """Return the version of this package."""
    try:
        return version('robot_dynamics')
    except PackageNotFoundError:
        return ''
