"""Trajectories on disk: CSV for people and spreadsheets, NPZ exact and small, MCAP for ROS 2."""

import csv
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.simulation.trajectory import Stopped, Trajectory

PER_JOINT = ('q', 'qd', 'qdd', 'tau')
ENERGIES = ('kinetic', 'potential')


def save(trajectory: Trajectory, file: Path) -> None:
    """Write a trajectory in the format that the file's ending names."""
    writer = _of_ending(WRITERS, file)
    if trajectory.batch and file.suffix.lower() != '.npz':
        raise InputError(f'{file}: a batch is saved as .npz; .robot(k) is one of its robots')
    try:
        writer(trajectory, file)
    except OSError as error:
        raise InputError(f'{file}: cannot be written: {error.strerror or error}') from None


def load(file: Path) -> Trajectory:
    """Read a trajectory."""
    reader = _of_ending(READERS, file)
    try:
        return reader(file)
    except OSError as error:
        raise InputError(f'{file}: cannot be read: {error.strerror or error}') from None


def _of_ending(formats: dict[str, Any], file: Path) -> Any:
    ending = file.suffix.lower()
    if ending not in formats:
        raise InputError(f'{file}: the name must end in {", ".join(filter(None, formats))}')
    return formats[ending]


def save_csv(trajectory: Trajectory, file: Path) -> None:
    """Write a column per joint and quantity: t, q.<joint>, ..., kinetic, potential."""
    parts = [trajectory.t[:, None], *(getattr(trajectory, key) for key in PER_JOINT),
             *(getattr(trajectory, key)[:, None] for key in ENERGIES)]
    heads = ['t', *(f'{key}.{name}' for key in PER_JOINT for name in trajectory.joint_names),
             *ENERGIES]
    with file.open('w', newline='', encoding='utf-8') as stream:
        table = csv.writer(stream)
        table.writerow(heads)
        for row in np.concatenate(parts, axis=1):
            table.writerow([repr(float(x)) for x in row])


def load_csv(file: Path) -> Trajectory:
    """Read what save_csv wrote; columns of q at least, what is missing is nan."""
    heads, values = read_table(file)
    names = tuple(head[2:] for head in heads if head.startswith('q.'))
    if 't' not in heads or not names:
        raise InputError(f'{file}: expected columns t and q.<joint>, found {", ".join(heads[:8])}')
    column = {head: k for k, head in enumerate(heads)}

    def take(keys: list[str]) -> Any:
        nothing = np.full(len(values), np.nan)
        return np.stack([values[:, column[key]] if key in column else nothing for key in keys], 1)
    parts = [take([f'{key}.{name}' for name in names]) for key in PER_JOINT]
    return Trajectory(names, take(['t'])[:, 0], *parts, *(take([key])[:, 0] for key in ENERGIES))


def read_table(file: Path) -> tuple[list[str], Any]:
    """Return the heads and the numbers (K, columns) of a CSV file."""
    with file.open(newline='', encoding='utf-8') as stream:
        rows = [row for row in csv.reader(stream) if row]
    if len(rows) < 2:
        raise InputError(f'{file}: expected a line of names and lines of numbers')
    heads = [head.strip() for head in rows[0]]
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(heads):
            raise InputError(f'{file}: line {number} has {len(row)} values: expected {len(heads)}')
    try:
        return heads, np.array(rows[1:], float)
    except ValueError as error:
        raise InputError(f'{file}: {error}') from None


def save_npz(trajectory: Trajectory, file: Path) -> None:
    """Write all arrays, exact."""
    ends = trajectory.stopped
    np.savez_compressed(
        file, joint_names=np.array(trajectory.joint_names), t=trajectory.t,
        **{key: getattr(trajectory, key) for key in (*PER_JOINT, *ENERGIES)},
        stopped_time=np.array([end.time for end in ends]),
        stopped_text=np.array([(end.reason, end.joint) for end in ends], str).reshape(-1, 2),
        stopped_robot=np.array([end.robot for end in ends], int))


def load_npz(file: Path) -> Trajectory:
    """Read what save_npz wrote."""
    try:
        with np.load(file, allow_pickle=False) as data:
            ends = zip(data['stopped_time'], data['stopped_text'], data['stopped_robot'],
                       strict=True)
            arrays: Any = [data[key] for key in (*PER_JOINT, *ENERGIES)]
            return Trajectory(  # type: ignore[misc]  # mypy cannot count *arrays
                tuple(str(name) for name in data['joint_names']), data['t'], *arrays,
                stopped=tuple(Stopped(float(t), str(text[0]), str(text[1]), int(k))
                              for t, text, k in ends))
    except KeyError as error:
        raise InputError(f'{file}: is not a saved trajectory: {error.args[0]}') from None
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error):
        raise InputError(f'{file}: is not a saved trajectory, or it is damaged') from None


def save_mcap(trajectory: Trajectory, file: Path) -> None:
    """Write a rosbag2 in MCAP; see bags.py."""
    from robot_dynamics.simulation.bags import save_bag
    save_bag(trajectory, file)


def load_mcap(file: Path) -> Trajectory:
    """Read a rosbag2."""
    from robot_dynamics.simulation.bags import load_bag
    return load_bag(file)


WRITERS = {'.csv': save_csv, '.npz': save_npz, '.mcap': save_mcap, '': save_mcap}
READERS = {'.csv': load_csv, '.npz': load_npz, '.mcap': load_mcap, '': load_mcap}
