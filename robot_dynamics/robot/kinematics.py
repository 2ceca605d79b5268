"""Energy, momentum and kinematics of a robot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from robot_dynamics.model.denoc import Array
from robot_dynamics.robot.base import RobotBase


class Kinematics(RobotBase):
    """Where the links are, how fast, and what energy and momentum they have.

    `InputError`: shapes, nan, a link that the robot does not have, or none where it has several
    tips. Frames and twists are in root axes.
    """

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Any:
        """Return the kinetic energy of all links and rotors, over a base at rest.

        q, qd: joint values and rates, (n,) or (N, n) [rad or m, rad/s or m/s]
        Returns a float or (N,) [J]. `InputError`: shapes, nan.

        >>> arm.kinetic_energy([0, 0], [2, 0])
        5.0
        """
        T = self._kernels.kinetic_energy(q, qd, out)
        return self._kernels.evaluate('kinetic_energy', (q, qd), out) if T is None else T

    def potential_energy(self, q: ArrayLike, *, out: Array | None = None) -> Any:
        """Return the potential energy, zero with all masses at the root's origin.

        q: joint values, (n,) or (N, n) [rad or m]
        Returns a float or (N,) [J]. `InputError`: shapes, nan.

        >>> round(arm.potential_energy([np.pi / 2, 0]), 3)
        19.62
        """
        V = self._kernels.potential_energy(q, out)
        return self._kernels.evaluate('potential_energy', (q,), out) if V is None else V

    def center_of_mass(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Return the mass centre of the links that move, in root axes.

        q: joint values, (n,) or (N, n) [rad or m]
        Returns (3,) or (N, 3) [m]. `InputError`: shapes, nan; `ModelError`: nothing has mass.

        >>> arm.center_of_mass([0, 0])
        array([1., 0., 0.])
        """
        c: Array = self._kernels.center_of_mass(q, out)
        if c is None:
            c = self._kernels.evaluate('center_of_mass', (q,), out)
        return c

    def centroidal_momentum(self, q: ArrayLike, qd: ArrayLike, *,
                            out: Array | None = None) -> Array:
        """Return [angular; linear] momentum about the mass centre, in root axes.

        q, qd: joint values and rates, (n,) or (N, n) [rad or m, rad/s or m/s]
        Returns (6,) or (N, 6) [kg m^2/s, kg m/s]. `InputError`: shapes, nan; `ModelError`:
        nothing has mass.

        >>> arm.centroidal_momentum([0, 0], [1, 0])
        array([0. , 0. , 0.5, 0. , 2. , 0. ])
        """
        h: Array = self._kernels.centroidal_momentum(q, qd, out)
        if h is None:
            h = self._kernels.evaluate('centroidal_momentum', (q, qd), out)
        return h

    def centroidal_momentum_matrix(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """Return A: the momentum [angular; linear] about the mass centre is A qd.

        q: joint values, (n,) or (N, n) [rad or m]
        Returns (6, n) or (N, 6, n). `InputError`: shapes, nan; `ModelError`: nothing has mass.

        >>> arm.centroidal_momentum_matrix([0, 0])[2:5] @ [1, 0]
        array([0.5, 0. , 2. ])
        """
        A: Array = self._kernels.centroidal_momentum_matrix(q, out)
        if A is None:
            A = self._kernels.evaluate('centroidal_momentum_matrix', (q,), out)
        return A

    def pose(self, q: ArrayLike, link: str | None = None, *, out: Array | None = None) -> Array:
        """Return the pose of a link (the tip by default) in the root frame.

        q: joint values, (n,) or (N, n) [rad or m]
        Returns (4, 4) or (N, 4, 4) [m]. `InputError`: shapes, nan, names.

        >>> arm.pose([0, np.pi / 2]).round(3)[:3, 3]
        array([1., 1., 0.])
        """
        try:
            frame = self._frame_kernels[link]
        except (KeyError, TypeError):
            frame = self._frame_kernel(link)
        T: Array = frame.pose(q, out)
        if T is None:
            T = frame.evaluate('pose', (q,), out)
        return T

    def jacobian(self, q: ArrayLike, link: str | None = None, *,
                 out: Array | None = None) -> Array:
        """Return J: angular then linear velocity of the link's origin, in root axes.

        q: joint values, (n,) or (N, n) [rad or m]; link: the tip by default
        Returns (6, n) or (N, 6, n). `InputError`: shapes, nan, names.

        >>> arm.jacobian([0, 0])[3:]
        array([[0., 0.],
               [2., 1.],
               [0., 0.]])
        """
        try:
            frame = self._frame_kernels[link]
        except (KeyError, TypeError):
            frame = self._frame_kernel(link)
        J: Array = frame.jacobian(q, out)
        if J is None:
            J = frame.evaluate('jacobian', (q,), out)
        return J

    def jacobian_rate(self, q: ArrayLike, qd: ArrayLike, link: str | None = None, *,
                      out: Array | None = None) -> Array:
        """Return dJ/dt at rates qd.

        q, qd: joint values and rates, (n,) or (N, n) [rad or m, rad/s or m/s]
        Returns (6, n) or (N, 6, n). `InputError`: shapes, nan, names.

        >>> arm.jacobian_rate([0, 0], [1, 0])[3:]
        array([[-2., -1.],
               [ 0.,  0.],
               [ 0.,  0.]])
        """
        try:
            frame = self._frame_kernels[link]
        except (KeyError, TypeError):
            frame = self._frame_kernel(link)
        J: Array = frame.jacobian_rate(q, qd, out)
        if J is None:
            J = frame.evaluate('jacobian_rate', (q, qd), out)
        return J

    def manipulability(self, q: ArrayLike, link: str | None = None, *,
                       rows: str | Sequence[int] = 'linear', out: Array | None = None) -> Any:
        """Return sqrt(det(J J^T)) over some rows of a link's Jacobian.

        q: joint values, (n,) or (N, n) [rad or m]
        rows: 'linear', 'angular', 'all', or row numbers from 0 to 5 (planar arms have few)
        Returns a float or (N,): where it is zero, within 1e-8 of the Jacobian's size, the root of
        rounding. `InputError`: shapes, nan, names, rows.

        >>> round(arm.manipulability([0, np.pi / 2], rows=[3, 4]), 3)
        1.0
        """
        try:
            frame = self._row_kernels[link, rows]
        except (KeyError, TypeError):
            frame = self._row_kernel(link, rows)
        w = frame.manipulability(q, out)
        return frame.evaluate('manipulability', (q,), out) if w is None else w
