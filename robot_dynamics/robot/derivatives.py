"""Derivatives of a robot's dynamics, its linear form, and its code."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from robot_dynamics.algorithms.counting import Count
from robot_dynamics.algorithms.counting import count as count_operations
from robot_dynamics.dynamics import External
from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.export_c import export_c
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import choice, flag
from robot_dynamics.model.denoc import Array, Geometry, Inertials
from robot_dynamics.robot.motion import EquationsOfMotion


class Derivatives(EquationsOfMotion):
    """What follows from the equations of motion: slopes, the regressor, C code, counts."""

    def inverse_dynamics_derivatives(
            self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *,
            external: External | None = None,
            out: tuple[Array, Array, Array] | None = None) -> tuple[Array, Array, Array]:
        """Return d tau/dq, d tau/dqd and d tau/dqdd (which is the GIM).

        q, qd, qdd: as in `inverse_dynamics`
        external: as there; the wrenches keep their root axes as the links move
        out: an array for each of them
        Returns three of (n, n) or (N, n, n). `InputError`: shapes, nan, names.

        >>> dq, dqd, dqdd = arm.inverse_dynamics_derivatives([0, 0], [1, 0], [0, 0])
        >>> dqd.round(3)
        array([[0., 0.],
               [0., 0.]])
        """
        slopes: tuple[Array, Array, Array]
        if external is None:
            slopes = self._kernels.inverse_dynamics_derivatives(q, qd, qdd, out)
            if slopes is None:
                slopes = self._kernels.evaluate(
                    'inverse_dynamics_derivatives', (q, qd, qdd), out)
            return slopes
        slopes = self._loaded('inverse_dynamics_derivatives', 'auto', (q, qd, qdd), external, out)
        return slopes

    def forward_dynamics_derivatives(
            self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *,
            external: External | None = None,
            out: tuple[Array, Array, Array] | None = None) -> tuple[Array, Array, Array]:
        """Return d qdd/dq, d qdd/dqd and d qdd/dtau (the GIM's inverse).

        q, qd, tau, external: as in `forward_dynamics`; out: an array for each result
        Returns three of (n, n) or (N, n, n). `InputError`: shapes, nan, names;
        `SingularityError`: the joint where the inertia matrix is singular.

        >>> dq, dqd, dtau = arm.forward_dynamics_derivatives([0, 0], [0, 0], [0, 0])
        >>> dtau.round(3)
        array([[  4., -12.],
               [-12.,  40.]])
        """
        slopes: tuple[Array, Array, Array]
        if external is None:
            slopes = self._kernels.forward_dynamics_derivatives(q, qd, tau, out)
            if slopes is None:
                slopes = self._kernels.evaluate(
                    'forward_dynamics_derivatives', (q, qd, tau), out)
            return slopes
        slopes = self._loaded('forward_dynamics_derivatives', 'auto', (q, qd, tau), external, out)
        return slopes

    def regressor(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *,
                  out: Array | None = None) -> Array:
        """Return Y with tau = Y parameters, without friction and rotors.

        q, qd, qdd: as in `inverse_dynamics`
        Returns (n, 10 L) or (N, n, 10 L); per link m, m c (3), Ixx Ixy Ixz Iyy Iyz Izz, as
        `parameters` has them. `InputError`: shapes, nan.

        >>> (arm.regressor([0, 0], [0, 0], [0, 0]) @ arm.parameters).round(3)
        array([19.62 ,  4.905])
        """
        Y: Array = self._kernels.regressor(q, qd, qdd, out)
        if Y is None:
            Y = self._kernels.evaluate('regressor', (q, qd, qdd), out)
        return Y

    def export_c(self, folder: str | os.PathLike[str], functions: Sequence[str] | None = None, *,
                 overwrite: bool = False) -> list[Path]:
        """Write the kernels as plain C99 into a folder; return the files.

        functions: names of verbs, a handful by default
        overwrite: also files of these names that this function did not write
        `InputError`: names, a folder that cannot be written, files of others.

        >>> sorted(file.suffix for file in arm.export_c(folder, ['gravity_torque']))
        ['.c', '.h', '.md']
        """
        try:
            return export_c(self._kernels, folder, functions, name=self.name,
                            overwrite=flag('overwrite', overwrite))
        except OSError as error:
            raise InputError(f'folder={str(folder)!r}: {error.strerror or error}') from None

    def operation_count(self, what: str, *, algorithm: str = 'auto') -> Count:
        """Return multiplications (and divisions), additions, trigonometric calls of one call.

        what: a verb that is not one link's. 'auto' counts the code that runs; an algorithm by name
        is counted as it is written, for inverse and forward dynamics and the inertia matrix.
        `InputError`: names.

        >>> written = arm.operation_count('inertia_matrix', algorithm='denoc')
        >>> arm.operation_count('inertia_matrix') < written
        True
        """
        counted = [name for name, definition in DEFINITIONS.items()
                   if not definition.options and not definition.looped]
        definition = DEFINITIONS[choice('what', what, counted)]
        choice('algorithm', algorithm, ['auto', *definition.algorithms])
        if algorithm == 'auto':
            count = self._kernels.operation_count(what)
            return Count(count['M'] + count['D'], count['A'], count['T'])
        function = definition.algorithms[algorithm]
        sizes = list(definition.sizes(self._kernels.spec, ()).values())
        coordinates = self._model.coordinates
        if coordinates.flat:  # as the papers count: over the tree's joints
            return count_operations(function, self._model.geometry, self.inertials,
                                    inputs=len(sizes))['needed']

        def standing(geometry: Geometry, inertials: Inertials, q: Array, *rates: Array) -> Any:
            at = coordinates.at(q)
            return function(at.geometry(geometry, q), inertials, at.positions(q),
                            *(at.rates(q, x) for x in rates))
        return count_operations(standing, self._model.geometry, self.inertials,
                                inputs=sizes)['needed']
