"""What a robot is: names, limits, DH table, inertials, kernels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from robot_dynamics.description.notes import Notes
from robot_dynamics.engine import Kernels
from robot_dynamics.engine.bound import Bound
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import choice
from robot_dynamics.model.assumed_bodies import AssumedBody
from robot_dynamics.model.denoc import Array, Inertials, exact_cos_sin
from robot_dynamics.model.dh.table import DHTable
from robot_dynamics.model.floating import neutral
from robot_dynamics.model.model import Limits, LinkFrame, Model, refreeze
from robot_dynamics.model.to_urdf import to_urdf
from robot_dynamics.words import counted

MANIPULABILITY_ROWS = {'angular': (0, 1, 2), 'linear': (3, 4, 5), 'all': (0, 1, 2, 3, 4, 5)}


class RobotBase:
    """A model with its DH table and compiled kernels. Immutable."""

    def __init__(self, model: Model, table: DHTable, warnings: Sequence[str] = (),
                 kernels: Kernels | None = None):
        self._model = model  # its inertials may be those of the robot before a payload
        # with payloads that are not in the table yet; one assignment, for threads that ask at once
        self._tabled: tuple[DHTable, tuple[tuple[Any, ...], ...]] = (table, ())
        self.warnings = warnings if isinstance(warnings, Notes) else Notes(warnings)
        self._kernels = kernels or _make_kernels(model)
        self._forget()

    def _forget(self) -> None:
        """Begin without kernels of links and wrenches."""
        self._frame_kernels: dict[str | None, Bound] = {}
        self._row_kernels: dict[tuple[Any, ...], Bound] = {}
        self._calls: dict[tuple[Any, ...], Any] = {}
        self._inverse_at: dict[str, Any] = {}  # calls with a wrench on one link, by its name
        self._forward_at: dict[str, Any] = {}
        self._forms: dict[str, Bound] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Leave machine code in its process: copies and pickles find it again."""
        return {**self.__dict__, '_frame_kernels': {}, '_row_kernels': {}, '_calls': {},
                '_inverse_at': {}, '_forward_at': {}, '_forms': {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Be as immutable after a copy or a pickle as before: numpy forgets it."""
        self.__dict__.update(state)
        refreeze(self._model)

    @property
    def name(self) -> str:
        """The robot's name."""
        return self._model.name

    @property
    def n(self) -> int:
        """Number of joints that move freely, which is `nv`."""
        return len(self._model.joint_names)

    @property
    def nq(self) -> int:
        """Number of joint values: of numbers in q."""
        return self._model.coordinates.nq

    @property
    def nv(self) -> int:
        """Number of rates, accelerations and torques."""
        return self._model.coordinates.nv

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The movable, not mimicking, not locked joints, depth first in document order."""
        return self._model.joint_names

    @property
    def value_names(self) -> tuple[str, ...]:
        """The names of the numbers in q: joints, of a floating one x y z qx qy qz qw."""
        return self._model.coordinates.value_names(self._model.joint_names)

    @property
    def neutral(self) -> Array:
        """Joint values to begin with, (nq,): zeros, and floating joints without a turn."""
        return neutral(self._model.coordinates)

    @property
    def link_names(self) -> tuple[str, ...]:
        """All links that have a frame, those on fixed joints included."""
        return tuple(self._model.frames)

    @property
    def tip_names(self) -> tuple[str, ...]:
        """One link at the end of each branch."""
        return tuple(name for name, frame in self._model.frames.items() if frame.tip)

    @property
    def limits(self) -> Limits:
        """Lower, upper, velocity and effort limits, each (n,); infinite where there is none."""
        return self._model.limits

    @property
    def dh(self) -> DHTable:
        """The DH table: prints itself, has to_yaml() and to_markdown()."""
        table, payloads = self._tabled
        for link, mass, com, inertia in payloads:
            table = table.with_payload(
                link, mass, np.array(com), np.array(inertia or np.zeros((3, 3))))
        if payloads:
            self._tabled = table, ()
        return table

    @property
    def assumed(self) -> tuple[AssumedBody, ...]:
        """What missing_inertia='slender_rod' assumed, one for each link without inertials."""
        return self._tabled[0].assumed

    def to_urdf(self) -> str:
        """Return URDF text that rviz can show, with the inertials as they are now; raises nothing.

        >>> rd.load(arm.to_urdf()).joint_names
        ('joint_1', 'joint_2')
        """
        return to_urdf(self.model, self.dh)

    @property
    def model(self) -> Model:
        """The DeNOC model: frozen arrays."""
        if self._model.inertials is not self._kernels.inertials:
            self._model = replace(self._model, inertials=self._kernels.inertials)
        return self._model

    @property
    def kernels(self) -> Kernels:
        """The compiled functions, for loops that are compiled themselves."""
        return self._kernels

    @property
    def inertials(self) -> Inertials:
        """Masses, moments, inertias and gravity as the algorithms see them."""
        return self._kernels.inertials

    @property
    def total_mass(self) -> float:
        """Mass of all links, the root and what is fixed on it included [kg]."""
        return self.moving_mass + self.dh.root_mass

    @property
    def moving_mass(self) -> float:
        """Mass of all links that a joint moves [kg]."""
        return float(self.inertials.mass.sum())

    @property
    def parameters(self) -> Array:
        """Inertial parameters pi (10 L,): m, m c (3), Ixx Ixy Ixz Iyy Iyz Izz of each link.

        About the link frame's origin O'_i, in link frame i (model/denoc.py).
        """
        m, h, I = self.inertials.mass, self.inertials.moment, self.inertials.inertia
        upper = I[:, (0, 0, 0, 1, 1, 2), (0, 1, 2, 1, 2, 2)]
        return np.concatenate([m[:, None], h, upper], axis=1).ravel()

    def __repr__(self) -> str:
        joints = ', '.join(self.joint_names[:8]) + (', ...' if self.n > 8 else '')
        return (f'<Robot {self.name!r}: {counted(self.n, "joint")} ({joints}), '
                f'{self.total_mass:.6g} kg>')

    def _frame(self, link: str | None) -> LinkFrame:
        frames = self._model.frames
        if link is None:
            tips = self.tip_names
            if len(tips) != 1:
                raise InputError(f'link: {self.name} has {len(tips)} tips, name one of: '
                                 + ', '.join(tips))
            return frames[tips[0]]
        return frames[choice('link', link, frames)]

    def _frame_kernel(self, link: str | None) -> Bound:
        frame = self._frame(link)
        kernel = self._kernels.frame(frame.body, frame.T)
        self._frame_kernels[link] = kernel
        return kernel

    def _row_kernel(self, link: str | None, rows: Any) -> Bound:
        """Return the kernels of some rows of a link's Jacobian."""
        picked = MANIPULABILITY_ROWS[choice('rows', rows, MANIPULABILITY_ROWS)] if isinstance(
            rows, str) else tuple(rows) if isinstance(rows, Iterable) else ()
        if not picked or not all(isinstance(k, (int, np.integer)) and not isinstance(k, bool)
                                 and 0 <= k < 6 for k in picked):
            raise InputError(f'rows={rows!r}: expected row numbers from 0 to 5')
        frame = self._frame(link)
        kernel = self._kernels.frame(frame.body, frame.T, rows=tuple(map(int, picked)))
        if isinstance(rows, (str, tuple)):
            self._row_kernels[link, rows] = kernel
        return kernel

    @cached_property
    def _reactions(self) -> Bound:
        """The kernels with the frames of the user's joints compiled in."""
        return self._joint_frames(self.joint_names)

    def _joint_frames(self, names: tuple[str, ...]) -> Bound:
        """Return the kernels with the frames of some joints compiled in."""
        model = self._model
        turns = exact_cos_sin(model.joint_turn)
        rows = zip(*(x.tolist() for x in turns), model.joint_offset.tolist(), strict=True)
        places = dict(zip(model.tree_joint_names, enumerate(rows), strict=True))
        return self._kernels.variant(joints=tuple(
            (places[name][0], *places[name][1]) for name in names))

    def _variant(self, algorithm: str, external: Mapping[str, Any]) -> Bound:
        """Return the kernels by one algorithm, with wrenches on some links as arguments."""
        options: dict[str, Any] = {} if algorithm == 'auto' else {'algorithm': algorithm}
        if external:
            frames = [self._model.frames[choice('external', link, self._model.frames)]
                      for link in external]
            options['frames'] = tuple((frame.body, tuple(frame.T[:3, 3].tolist()))
                                      for frame in frames)
        return self._kernels.variant(**options) if options else self._kernels


def _make_kernels(model: Model) -> Kernels:
    carries = {frame.body for frame in model.frames.values()}
    return Kernels(
        model.geometry, model.inertials, model.coordinates, model.joint_names,
        damping=model.damping if model.damping.any() else None,
        friction=model.friction if model.friction.any() else None,
        massless=tuple(i for i in range(len(model.body_names)) if i not in carries))
