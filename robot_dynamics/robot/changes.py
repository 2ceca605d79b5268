"""How a changed robot is made: payloads, gravity, motion of the base, other lengths."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from numpy.typing import ArrayLike

from robot_dynamics.errors import InputError
from robot_dynamics.inputs import leading, text, vector
from robot_dynamics.model.denoc import Inertials, frozen
from robot_dynamics.model.model import LinkFrame
from robot_dynamics.model.payload import Plain, check_payload, welded
from robot_dynamics.robot.base import RobotBase

Self = TypeVar('Self', bound='Changes')


class Changes(RobotBase):
    """New robots of one that stays as it is: inertials and gravity are arguments of kernels."""

    def with_payload(self: Self, link: str, mass: float, com: ArrayLike = (0.0, 0.0, 0.0),
                     inertia: ArrayLike | None = None) -> Self:
        """Return the robot with a mass welded to a link; nothing is compiled anew.

        com (3,), inertia (3, 3) about it, None for a point: in the link's frame [kg, m, kg m^2]
        With a leading axis, mass (N,), com (N, 3), inertia (N, 3, 3), a `Stack` of N robots.
        `InputError`: a link it does not have, values that no body can have.

        >>> arm.with_payload('link_2', 2.0).gravity_torque([0, 0])
        array([58.86 , 24.525])
        """
        frame = self._model.frames.get(text('link', link)) or self._frame(link)
        try:
            weight, center, tensor = check_payload(mass, com, inertia)
        except InputError:
            N = leading(('mass', mass, 0), ('com', com, 1), ('inertia', inertia, 2))
            if N:
                stack: Self = self._repeated(N).with_payload(link, mass, com, inertia)
                return stack
            raise
        return self._welded(link, frame, weight, center, tensor)

    def _welded(self: Self, link: str, frame: LinkFrame, weight: float, center: Plain,
                tensor: Plain | None) -> Self:
        """Return the robot with a payload that has been checked."""
        changed: Self = object.__new__(type(self))
        changed._model, changed.warnings = self._model, self.warnings
        changed._kernels = self._kernels if frame.body < 0 else self._kernels.with_body(
            frame.body, welded(frame.T, weight, center, tensor))
        table, payloads = self._tabled
        changed._tabled = table, (*payloads, (link, weight, center, tensor))
        changed._forget()
        return changed

    def with_gravity(self: Self, gravity: ArrayLike) -> Self:
        """Return the robot under another gravity, (3,) in root axes [m/s^2]; (N, 3): a `Stack`.

        `InputError`: not three finite numbers.

        >>> arm.with_gravity((0, -1.62, 0)).gravity_torque([0, 0])
        array([3.24, 0.81])
        """
        N = leading(('gravity', gravity, 1))
        if N:
            stack: Self = self._repeated(N).with_gravity(gravity)
            return stack
        return self._with(self.inertials.over(
            gravity=frozen(vector('gravity', gravity, (3,)))))

    def with_base_motion(self: Self, angular_velocity: ArrayLike = (0, 0, 0),
                         angular_acceleration: ArrayLike = (0, 0, 0),
                         linear_acceleration: ArrayLike = (0, 0, 0)) -> Self:
        """Return the robot on a moving base, each (3,) in root axes [rad/s, rad/s^2, m/s^2].

        `InputError`: not three finite numbers each.

        >>> falling = arm.with_base_motion(linear_acceleration=(0, -9.81, 0))
        >>> falling.gravity_torque([0, 0])
        array([0., 0.])
        """
        return self._with(self.inertials.over(
            angular_velocity=frozen(vector('angular_velocity', angular_velocity, (3,))),
            angular_acceleration=frozen(
                vector('angular_acceleration', angular_acceleration, (3,))),
            linear_acceleration=frozen(
                vector('linear_acceleration', linear_acceleration, (3,)))))

    def variants(self, **columns: Any) -> Any:
        """Return a stack of N robots like this one whose DH rows have other numbers.

        columns: a, b, alpha, theta, beta, mass, hub_inertia, armature, damping, friction, (N, L),
        com (N, L, 3), inertia (N, L, 3, 3): as in DHRow, of the L rows of `dh`, or (L, ...) for
        all. No robot is made until stack[i] is asked for (docs/batches.md).
        `InputError`: other names and shapes, negative masses.

        >>> arms = arm.variants(a=[[1, 1], [2, 1]], mass=[[1, 1], [1, 3]])
        >>> arms.gravity_torque([0, 0])
        array([[19.62 , 4.905],
               [88.29 , 14.715]])
        """
        from robot_dynamics.robot.variants import variants  # stands above this file
        return variants(self, columns)  # type: ignore[arg-type]  # it is a Robot

    def _repeated(self, N: int) -> Any:
        """Return a stack of N of this robot."""
        from robot_dynamics.robot.stacking import repeated  # stands above this file
        return repeated(self, N)  # type: ignore[arg-type]  # it is a Robot

    def _with(self: Self, inertials: Inertials) -> Self:
        return type(self)(replace(self._model, inertials=inertials), self.dh, self.warnings,
                          self._kernels.with_inertials(inertials))
