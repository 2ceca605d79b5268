"""A trajectory read from a file, and where in the file each of its samples stands."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.inputs import duplicates
from robot_dynamics.simulation.trajectory import Trajectory
from robot_dynamics.words import counted

PER_JOINT = ('q', 'qd', 'qdd', 'tau')
ENERGIES = ('kinetic', 'potential')


class Recorded(NamedTuple):
    """What a reader of files returns; place(k) says where sample k stands: 'line 7'."""

    trajectory: Trajectory
    place: Callable[[int], str] = lambda k: f'sample {k + 1}'

    def check(self, file: Path) -> 'Recorded':
        """Return it when its times increase and its joint values are numbers."""
        path = self.trajectory
        wrong = np.flatnonzero(~np.isfinite(path.t))
        if len(wrong):
            raise InputError(f'{file}: {self.place(wrong[0])}: the time is {path.t[wrong[0]]}')
        back = np.flatnonzero(np.diff(path.t) <= 0) + 1
        if len(back):
            k = back[0]
            what = 'comes twice' if path.t[k] == path.t[k - 1] else 'goes back'
            raise InputError(f'{file}: {self.place(k)}: the time {what}: '
                             f't = {float(path.t[k])!r} after {float(path.t[k - 1])!r}')
        if twice := duplicates(path.joint_names):
            raise InputError(f'{file}: joints named twice: {twice}')
        if not path.batch:
            self.finite(file, 'q')
        return self

    def whole(self, file: Any, key: str) -> None:
        """Refuse joints that have a quantity at some samples and not at others."""
        self.finite(file, key, ~np.isnan(getattr(self.trajectory, key)).all(axis=0))

    def finite(self, file: Any, key: str, joints: Any = True) -> None:
        """Refuse numbers that are none, by line and joint."""
        values = getattr(self.trajectory, key)
        wrong = np.argwhere(~np.isfinite(values) & joints)
        if len(wrong):
            k, j = wrong[0]
            path = self.trajectory
            names = path.value_names if key == 'q' else path.joint_names
            raise InputError(f'{file}: {self.place(k)}: {key} of joint {names[j]!r} is '
                             f'{values[k, j]}')

    def of_joints(self, file: Path, joint_names: tuple[str, ...],
                  rename: Mapping[str, str] | None) -> 'Recorded':
        """Return it with the robot's joints alone, in the robot's order, times from 0.

        rename: {name in the file: the robot's}; a name that no joint of the file has is the
        beginning of names; None where the caller cannot give any
        """
        path = self.trajectory
        if path.batch:
            raise InputError(f'{file}: holds {path.q.shape[1]} robots: save one, .robot(k)')
        if floating := path.layout.floating:
            raise InputError(f'{file}: joint {floating[0]!r} is floating: expected joints of one '
                             'degree (Trajectory.load reads it)')
        if len(path.t) < 2:
            raise InputError(f'{file}: has {counted(len(path.t), "sample")}: expected 2 or more')
        names = list(renamed(file, path.joint_names, rename or {}))
        if names == list(unnamed(len(names))):
            if len(names) != len(joint_names):
                raise InputError(f'{file}: names no joints and has {len(names)}: expected '
                                 f'{len(joint_names)} ({", ".join(joint_names)})')
            names = list(joint_names)
        missing = [name for name in joint_names if name not in names]
        if missing:
            others = [name for name in names if name not in joint_names]
            raise InputError(f'{file}: has no joint {missing[0]!r}'
                             + (f' (it has {", ".join(others[:8])})' if others else '')
                             + (advice(missing[0], others) if rename is not None else ''))
        order = [names.index(name) for name in joint_names]
        parts = {key: getattr(path, key)[:, order] for key in PER_JOINT}
        return self._replace(trajectory=replace(
            path, joint_names=joint_names, value_names=joint_names, t=path.t - path.t[0],
            **parts))


def advice(missing: str, others: list[str]) -> str:
    """Return how to give a joint of a file the name of the robot's."""
    import difflib  # for those who mistype
    near = difflib.get_close_matches(missing, others, n=1)
    old = near[0] if near else 'OLD'
    return (f'; rename={{{old!r}: {missing!r}}} (--rename {old}={missing}) takes another one for '
            'it') if others else ''


def unnamed(n: int) -> tuple[str, ...]:
    """Return the names that joints get where a file has none."""
    return tuple(f'#{k + 1}' for k in range(n))


def renamed(file: Path, names: tuple[str, ...], rename: Mapping[str, str]) -> tuple[str, ...]:
    """Return names with some of them, or their beginnings, replaced."""
    exact = {old: new for old, new in rename.items() if old in names}
    result = [exact.get(name, name) for name in names]
    for old, new in rename.items():
        if old in exact:
            continue
        hits = [k for k, name in enumerate(names) if name.startswith(old) and name not in exact]
        if not hits:
            raise InputError(f'{file}: no joint is named {old!r} or begins so: it has '
                             + ', '.join(names[:8]))
        for k in hits:
            result[k] = new + names[k].removeprefix(old)
    if twice := duplicates(result):
        raise InputError(f'{file}: renamed joints have the same name: {twice}')
    return tuple(result)
