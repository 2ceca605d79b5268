"""Tasks: motions and payloads that arms are sized for.

A task file is a motion (.csv, .npz, .mcap, .db3, a bag's folder: joints by name) or YAML:

    name: pick                      # optional
    motion: pick.csv                # relative to this file; or joint values:
    from: 0                         # one for all joints, a list, or {joint: value}; default 0
    to: {shoulder: 1.2, elbow: -0.8}
    duration: 2.0                   # [s]
    profile: cycloidal              # or quintic, trapezoidal
    step: 0.01                      # between instants [s]
    payloads: [{mass: 2.0, link: tool, com: [0, 0, 0.05]}, {mass: 5.0}]   # link: the tip
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from robot_dynamics.description.safe_yaml import parse_yaml
from robot_dynamics.description.source import read_bytes
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import choice, mapping, number, positive, text, user_path, vector
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.motions import PROFILES, Motion, from_file
from robot_dynamics.simulation.trajectory import Trajectory

KEYS = ('name', 'motion', 'from', 'to', 'duration', 'profile', 'step', 'payloads')
STEP = 0.01
MOST = 1_000_000  # instants of a motion


class Payload(NamedTuple):
    """What an arm carries: mass [kg], com (3,) [m] and inertia about it in the link's frame."""

    mass: float = 0.0
    link: str | None = None  # None: the tip
    com: tuple[float, ...] = (0.0, 0.0, 0.0)
    inertia: Any = None


@dataclass(frozen=True)
class Task:
    """A motion, given for joints by name or in their order, and payloads."""

    name: str
    content: Mapping[str, Any]
    folder: Path
    payloads: tuple[Payload, ...] = (Payload(),)

    def motion(self, joint_names: tuple[str, ...]) -> tuple[Array, Array, Array, Array]:
        """Return t (K,), q, qd, qdd (K, n) of an arm's joints; `InputError`: others."""
        motion = self.content.get('motion')
        n = len(joint_names)
        if isinstance(motion, (str, os.PathLike)):
            motion = from_file(self.folder / user_path('motion', motion), joint_names)
        elif motion is None:
            start, end = (values(f'{self.name}: {key}', self.content.get(key, 0.0), joint_names)
                          for key in ('from', 'to'))
            profile = choice('profile', self.content.get('profile', 'cycloidal'), PROFILES)
            motion = PROFILES[profile](start, end, self.content.get('duration', 1.0))
        if motion.n != n:
            raise InputError(f'{self.name}: the motion has {motion.n} joints, the arm {n}')
        t = instants(self.name, motion, self.content.get('step'))
        return (t, *motion(t))


def instants(name: str, motion: Motion, step: Any) -> Array:
    """Return when torques are wanted: at the samples of a file, or every step."""
    if step is None and motion.t is not None:
        return motion.t
    step = positive(f'{name}: step', STEP if step is None else step)
    count = max(2, round(motion.duration / step) + 1)
    if count > MOST:
        raise InputError(f'{name}: step={step:g}: {count} instants of {motion.duration:g} s: '
                         f'expected at most {MOST}')
    return np.linspace(0.0, motion.duration, count)


def values(name: str, given: Any, joint_names: tuple[str, ...]) -> Array:
    """Return joint values (n,): one for all, as many as joints, or by name."""
    if isinstance(given, Mapping):
        for joint in given:
            choice(name, joint, joint_names)
        return np.array([number(f'{name}[{joint!r}]', given.get(joint, 0.0))
                         for joint in joint_names])
    if np.ndim(given) == 0:
        return np.full(len(joint_names), number(name, given))
    return vector(name, given, (len(joint_names),))


def read_tasks(given: Any) -> list[Task]:
    """Return tasks: None, or one or a list of files, mappings, motions or trajectories.

    `InputError`, `DescriptionError`: what is none of these, keys that are unknown.
    """
    if given is None:
        return []
    single = isinstance(given, (str, os.PathLike, Mapping, Motion, Trajectory, Task))
    return [read_task(one, k) for k, one in enumerate([given] if single else given, 1)]


def read_task(given: Any, number: int = 1) -> Task:
    """Return one task; number: of those without a name."""
    name = f'task {number}'
    if isinstance(given, Task):
        return given
    if isinstance(given, Trajectory):
        from robot_dynamics.simulation.motions import sampled
        return Task(name, {'motion': sampled(given.t, given.q, given.qd, given.qdd)}, Path())
    if isinstance(given, Motion):
        return Task(name, {'motion': given}, Path())
    if isinstance(given, Mapping):
        return of_mapping(given, name, Path())
    path = user_path('task', given)
    if path.suffix.lower() not in ('.yaml', '.yml'):
        if not path.exists():
            raise InputError(f'task {path}: there is no such file')
        return Task(path.stem, {'motion': path.name}, path.parent)
    document = parse_yaml(read_bytes(path), str(path))
    if not isinstance(document, dict):
        raise InputError(f'task {path}: expected a mapping of {", ".join(KEYS)}')
    return of_mapping(document, path.stem, path.parent, f'task {path}')


def of_mapping(document: Mapping[str, Any], name: str, folder: Path, where: str = '') -> Task:
    """Return the task of a mapping."""
    where = where or name
    unknown = set(document) - set(KEYS)
    if unknown:
        raise InputError(f'{where}: unknown keys {sorted(map(str, unknown))}: expected '
                         + ', '.join(KEYS))
    if 'motion' not in document and 'to' not in document:
        raise InputError(f'{where}: expected motion or to')
    listed = document.get('payloads', [{}])
    if not isinstance(listed, list) or not listed:
        raise InputError(f'{where}: payloads: expected a list of mass, link, com, inertia')
    return Task(text('name', document.get('name', name)), document, folder,
                tuple(payload(one, f'{where}: payloads[{k}]') for k, one in enumerate(listed)))


def payload(given: Any, where: str) -> Payload:
    """Return a payload: a mass, or a mapping."""
    if not isinstance(given, Mapping):
        given = {'mass': given}
    unknown = set(mapping(where, given)) - set(Payload._fields)
    if unknown:
        raise InputError(f'{where}: unknown keys {sorted(map(str, unknown))}: expected '
                         + ', '.join(Payload._fields))
    mass = number(f'{where}: mass', given.get('mass', 0.0))
    if mass < 0:
        raise InputError(f'{where}: mass={mass:g}: expected 0 or more')
    com = vector(f'{where}: com', given.get('com', (0.0, 0.0, 0.0)), (3,))
    inertia = given.get('inertia')
    return Payload(mass, given.get('link'), tuple(com.tolist()), None if inertia is None else
                   vector(f'{where}: inertia', inertia, (3, 3)).tolist())
