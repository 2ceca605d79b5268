"""The motors of a robot that is shown: what they give, of what they can."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from robot_dynamics.drawing.torque_parts import TorqueParts
from robot_dynamics.model.denoc import Array

if TYPE_CHECKING:
    from robot_dynamics.viewer.shown_robot import ShownRobot


class ShownMotors(NamedTuple):
    """Names, units, torques, limits and the parts of the torques, (motors,) each."""

    names: tuple[str, ...]
    units: list[str]
    torque: Array
    limit: Array
    parts: TorqueParts


def motors_of(robot: ShownRobot) -> ShownMotors:
    """Return the motors of a mechanism, the joints of a robot without floating ones."""
    body, readings = robot.body, robot.readings
    keep = [k for k in range(len(robot.units)) if k not in robot.free]
    if body.motor_names == robot.dynamics.joint_names:
        parts = TorqueParts(*(part[keep] for part in readings.parts))
        return ShownMotors(tuple(robot.dynamics.joint_names[k] for k in keep),
                           [robot.units[k] for k in keep], readings.torque[keep],
                           robot.dynamics.limits.effort[keep], parts)
    q, model = robot.state.q, robot.dynamics.model
    units = ['N' if model.geometry.prismatic[model.tree_joint_names.index(name)] else 'N m'
             for name in body.motor_names]
    parts = TorqueParts(*(body.motor_torques(q, part) for part in readings.parts))
    torque = (parts.total if robot.state.tau is None
              else body.motor_torques(q, robot.state.tau))
    return ShownMotors(body.motor_names, units, torque, body.motor_limits, parts)
