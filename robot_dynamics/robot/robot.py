"""Robot: the one object users hold. Thin: each verb is a kernel."""

from collections.abc import Sequence
from typing import Any

from robot_dynamics.model.dh.table import DHRow
from robot_dynamics.robot.derivatives import Derivatives
from robot_dynamics.robot.foreign_names import AnsweringType, own_names
from robot_dynamics.robot.kinematics import Kinematics


class Robot(Derivatives, Kinematics, metaclass=AnsweringType):
    """A robot's dynamics. Immutable: what changes it returns a new robot.

    Every function takes one state, shape (n,), or a batch, shape (N, n), and answers in kind.
    tau = I qdd + bias + friction - J^T external. algorithm='auto' is the leanest for the robot.
    """

    @staticmethod
    def from_dh(rows: Sequence[DHRow], **options: Any) -> 'Robot':
        """Make a robot of DH rows; options as in robot_dynamics.loading.from_dh.

        `InputError`, `ModelError`: rows that are no robot.

        >>> rod = rd.DHRow(1, 0, 0, 0, mass=1, com=(-0.5, 0, 0), inertia=np.eye(3) / 12)
        >>> rd.Robot.from_dh([rod, rod]).n
        2
        """
        from robot_dynamics.loading import from_dh  # loading stands above this file
        return from_dh(rows, **options)

    def __dir__(self) -> list[str]:
        """List what there is, without what others call it."""
        return own_names(type(self), super().__dir__())
