"""The inverse_dynamics node: the efforts of a motion, as a topic and as a service."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
from rcl_interfaces.msg import SetParametersResult
from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_sensor_data
from rclpy.qos_overriding_options import QoSOverridingOptions
from robot_dynamics_interfaces.srv import ComputeInverseDynamics
from sensor_msgs.msg import JointState

from robot_dynamics.errors import RobotDynamicsError
from robot_dynamics.nodes.accelerations import Accelerations
from robot_dynamics.nodes.conversion import read_state, read_trajectory, write_trajectory
from robot_dynamics.nodes.model_node import ModelNode, answering, run
from robot_dynamics.robot import Robot

# What each mode of ~/effort reads from a joint state.
MODES = {
    'gravity': ('position',),
    'bias': ('position', 'velocity'),
    'full': ('position', 'velocity'),
}


class InverseDynamicsNode(ModelNode):
    """Answers `joint_states` on `~/effort`, and serves `~/compute_inverse_dynamics`."""

    def __init__(self, **options: Any):
        super().__init__('inverse_dynamics', **options)
        self.add_on_set_parameters_callback(self._check_parameters)
        self.add_parameter(
            'mode', 'bias', 'effort on ~/effort: gravity (at rest), bias (at constant velocity) '
            'or full (with the acceleration, from differences of the velocity)')
        self._accelerations = Accelerations()

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Open topics and services."""
        self._effort = self.create_lifecycle_publisher(JointState, '~/effort', 10)
        self._states = self.create_subscription(
            JointState, 'joint_states', self._on_state, qos_profile_sensor_data,
            qos_overriding_options=QoSOverridingOptions.with_default_policies())
        self._service = self.create_service(
            ComputeInverseDynamics, '~/compute_inverse_dynamics', self._compute_inverse_dynamics)
        return super().on_configure(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Close topics and services."""
        self.destroy_service(self._service)
        self.destroy_subscription(self._states)
        self.destroy_lifecycle_publisher(self._effort)
        return super().on_cleanup(state)

    def _on_state(self, state: JointState) -> None:
        if not self.active:
            return
        try:
            robot = self.require_robot()
            tau = self._effort_at(robot, state)
        except RobotDynamicsError as error:
            self.warn(error)
            return
        self._effort.publish(JointState(
            header=state.header, name=robot.joint_names, effort=array('d', tau.tobytes())))

    def _effort_at(self, robot: Robot, state: JointState) -> np.ndarray:
        """Return the efforts, shape (n,) [N m or N], of the mode at a joint state."""
        mode = self.get_parameter('mode').value
        q, *rates = read_state(state, robot.joint_names, MODES[mode])
        rest = np.zeros_like(q)
        qd = rates[0] if rates else rest
        stamp = state.header.stamp
        qdd = (self._accelerations.update(stamp.sec + 1e-9 * stamp.nanosec, qd)
               if mode == 'full' else rest)
        return robot.inverse_dynamics(q, qd, qdd)

    @answering
    def _compute_inverse_dynamics(self, request: Any, response: Any) -> None:
        robot = self.require_robot()
        q, qd, qdd = read_trajectory(
            request.trajectory, robot.joint_names, ('positions', 'velocities', 'accelerations'))
        response.trajectory = write_trajectory(
            request.trajectory, robot.joint_names, 'effort', robot.inverse_dynamics(q, qd, qdd))

    def _check_parameters(self, parameters: list[Parameter]) -> SetParametersResult:
        for parameter in parameters:
            if parameter.name == 'mode' and parameter.value not in MODES:
                return SetParametersResult(
                    successful=False,
                    reason=f'mode {parameter.value!r}: expected one of {", ".join(MODES)}')
        return SetParametersResult(successful=True)


def main() -> None:
    """Run the node."""
    run(InverseDynamicsNode)


if __name__ == '__main__':
    main()
