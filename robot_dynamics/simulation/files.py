"""Trajectories on disk: CSV for people and spreadsheets, NPZ exact and small, rosbag2 for ROS."""

import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.inputs import user_path
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.csv_files import load_csv, save_csv
from robot_dynamics.simulation.recorded import ENERGIES, PER_JOINT, Recorded, unnamed
from robot_dynamics.simulation.trajectory import Stopped, Trajectory


def save(trajectory: Trajectory, file: Any) -> None:
    """Write a trajectory in the format that the file's ending names."""
    path = user_path('file', file)
    writer = _of_ending(WRITERS, path)
    if trajectory.batch and path.suffix.lower() != '.npz':
        raise InputError(f'{path}: a batch is saved as .npz; .robot(k) is one of its robots')
    try:
        writer(trajectory, path)
    except OSError as error:
        raise InputError(f'{path}: cannot be written: {error.strerror or error}') from None


def load(file: Any) -> Trajectory:
    """Read a trajectory."""
    return read(user_path('file', file), ()).trajectory


def load_joints(file: Any, joint_names: tuple[str, ...],
                rename: Mapping[str, str] | None = None) -> Recorded:
    """Read the motion of a robot's joints, matched by name, its times from 0."""
    path = user_path('file', file)
    return read(path, joint_names).of_joints(path, joint_names, rename)


def read(file: Path, joint_names: tuple[str, ...]) -> Recorded:
    """Read a file; joint_names: which of several groups of joints is wanted."""
    reader = load_bag if file.is_dir() else _of_ending(READERS, file)
    try:
        return reader(file, joint_names).check(file)
    except OSError as error:
        raise InputError(f'{file}: cannot be read: {error.strerror or error}') from None


def _of_ending(formats: dict[str, Any], file: Path) -> Any:
    ending = file.suffix.lower()
    if ending not in formats:
        raise InputError(f'{file}: the name must end in {", ".join(filter(None, formats))}')
    return formats[ending]


def save_npz(trajectory: Trajectory, file: Path) -> None:
    """Write all arrays, exact."""
    ends = trajectory.stopped
    np.savez_compressed(
        file, joint_names=np.array(trajectory.joint_names), t=trajectory.t,
        value_names=np.array(trajectory.value_names),
        **{key: getattr(trajectory, key) for key in (*PER_JOINT, *ENERGIES)},
        stopped_time=np.array([end.time for end in ends]),
        stopped_text=np.array([(end.reason, end.joint) for end in ends], str).reshape(-1, 2),
        stopped_robot=np.array([end.robot for end in ends], int))


def load_npz(file: Path) -> Recorded:
    """Read arrays t (K,) and q (K, n) at least; what is missing is nan."""
    try:
        with file.open('rb') as opened:  # a file that is missing is said to be
            if not zipfile.is_zipfile(opened):  # np.load reads other files too
                raise ValueError
        with np.load(file, allow_pickle=False) as data:
            arrays = {key: data[key] for key in data.files}
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error):
        raise InputError(f'{file}: is not a saved trajectory, or it is damaged') from None
    if not {'t', 'q'} <= set(arrays):
        raise InputError(f'{file}: expected arrays t and q (and joint_names, qd, qdd, tau), found '
                         + (', '.join(list(arrays)[:8]) or 'none'))
    t, q = (_floats(file, key, arrays[key]) for key in ('t', 'q'))
    q = q[:, None] if q.ndim == 1 else q
    if t.ndim != 1 or q.ndim not in (2, 3) or len(q) != len(t):
        raise InputError(f'{file}: t, q have shapes {t.shape}, {q.shape}: expected (K,), (K, n)')
    names = arrays.get('joint_names', unnamed(q.shape[-1]))
    values = tuple(map(str, np.atleast_1d(arrays.get('value_names', names))))
    if len(values) != q.shape[-1]:
        raise InputError(f'{file}: {len(values)} joint_names for {q.shape[-1]} columns of q')
    joints = tuple(map(str, np.atleast_1d(names))) if 'value_names' in arrays else values
    shape = (*q.shape[:-1], len(joints))

    def take(key: str, shape: tuple[int, ...]) -> Array:
        if key not in arrays:
            return np.full(shape, np.nan)
        values = _floats(file, key, arrays[key])
        if values.size != np.prod(shape) or len(values) != len(t):
            raise InputError(f'{file}: {key} has shape {values.shape}: expected {shape}')
        return values.reshape(shape)
    qd, qdd, tau = (take(key, shape) for key in PER_JOINT[1:])
    kinetic, potential = (take(key, q.shape[:-1]) for key in ENERGIES)
    return Recorded(Trajectory(joints, t, q, qd, qdd, tau, kinetic, potential,
                               stopped=_ends(arrays), value_names=values))


def _floats(file: Path, key: str, array: Array) -> Array:
    if array.dtype.kind not in 'fiu':
        raise InputError(f'{file}: {key}: expected real numbers, found {array.dtype}')
    return np.asarray(array, float)


def _ends(arrays: dict[str, Array]) -> tuple[Stopped, ...]:
    keys = ('stopped_time', 'stopped_text', 'stopped_robot')
    if not set(keys) <= set(arrays):
        return ()
    return tuple(Stopped(float(t), str(text[0]), str(text[1]), int(k))
                 for t, text, k in zip(*(arrays[key] for key in keys), strict=True))


def save_bag(trajectory: Trajectory, file: Path) -> None:
    """Write a rosbag2 in MCAP; see bags.py."""
    from robot_dynamics.simulation import bags
    bags.save_bag(trajectory, file)


def load_bag(file: Path, joint_names: tuple[str, ...]) -> Recorded:
    """Read a rosbag2."""
    from robot_dynamics.simulation import bags
    return bags.load_bag(file, joint_names)


WRITERS = {'.csv': save_csv, '.npz': save_npz, '.mcap': save_bag, '': save_bag}
READERS = {'.csv': lambda file, _: load_csv(file), '.npz': lambda file, _: load_npz(file),
           '.mcap': load_bag, '.db3': load_bag, '': load_bag}
