"""What the inverse_dynamics node serves: handlers of requests, thin over the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from robot_dynamics_interfaces.msg import DhRow
from robot_dynamics_interfaces.srv import (
    ComputeForwardDynamics,
    ComputeInverseDynamics,
    GetDhTable,
    GetInertiaMatrix,
    GetJacobian,
)

from robot_dynamics.nodes.shared.conversion import (
    floats,
    pose_message,
    read_trajectory,
    write_trajectory,
)
from robot_dynamics.nodes.shared.handlers import answering
from robot_dynamics.nodes.shared.inertia import inertia_message
from robot_dynamics.nodes.shared.model_node import ModelNode
from robot_dynamics.nodes.shared.states import (
    pose_options,
    read_motion,
    standing,
    write_motion,
)
from robot_dynamics.simulation.online.base_state import BaseState
from robot_dynamics.simulation.online.bodies import make_body


class Services:
    """Answers the services of a node."""

    def __init__(self, node: ModelNode):
        self._node = node

    @answering
    def compute_inverse_dynamics(self, request: Any, response: Any) -> None:
        """Fill the efforts of a trajectory."""
        response.trajectory = fill_efforts(self._node, request.trajectory)

    @answering
    def compute_forward_dynamics(self, request: Any, response: Any) -> None:
        """Fill the accelerations of a trajectory."""
        robot, trajectory = self._node.require_robot(), request.trajectory
        settings, body, base = self._node.settings, make_body(robot, 0.0), based(self._node)
        most = settings.max_points
        q, qd = read_motion(body, base, trajectory, ('positions', 'velocities'), most=most)
        tau, = (read_trajectory(trajectory, body.motor_names, ('effort',), most=most)
                if body.closed else read_motion(body, base, trajectory, ('effort',), most=most))
        self._node.watch_limits(q, 'compute_forward_dynamics')
        near = pose_options(body, base, trajectory, settings.closure_tolerance, most=most)
        response.trajectory = write_motion(
            body, trajectory, 'accelerations',
            at_points(robot.forward_dynamics, q, qd, tau, **near))

    @answering
    def get_inertia_matrix(self, request: Any, response: Any) -> None:
        """Return the inertia matrix at a state; velocity and effort may be left out."""
        robot, state = self._node.require_robot(), request.state
        reader, q = standing(robot, state, self._node.settings.closure_tolerance,
                             based(self._node))
        body = reader.body
        qd = reader.velocity(state) if state.velocity else None
        tau = body.forces(reader.effort(state)) if state.effort else None
        self._node.watch_limits(q, 'get_inertia_matrix')
        response.inertia = inertia_message(body.robot, q, qd, tau)
        response.inertia.header.stamp = state.header.stamp

    @answering
    def get_jacobian(self, request: Any, response: Any) -> None:
        """Return the Jacobian and pose of a link."""
        reader, q = standing(self._node.require_robot(), request.state,
                             self._node.settings.closure_tolerance, based(self._node))
        robot = reader.body.robot
        self._node.watch_limits(q, 'get_jacobian')
        response.jacobian = floats(robot.jacobian(q, request.link or None))
        response.pose = pose_message(robot.pose(q, request.link or None))
        response.joint_names = list(robot.joint_names)

    @answering
    def get_dh_table(self, request: Any, response: Any) -> None:
        """Return the DH table, parents before children."""
        table = self._node.require_robot().dh
        response.rows = dh_rows(table)
        response.root_link = table.root
        if response.rows:
            response.base = response.rows[0].base


def open_services(node: ModelNode) -> None:
    """Open the services on a node."""
    handlers = Services(node)
    node.serve(ComputeInverseDynamics, 'compute_inverse_dynamics',
               handlers.compute_inverse_dynamics)
    node.serve(ComputeForwardDynamics, 'compute_forward_dynamics',
               handlers.compute_forward_dynamics)
    node.serve(GetInertiaMatrix, 'get_inertia_matrix', handlers.get_inertia_matrix)
    node.serve(GetJacobian, 'get_jacobian', handlers.get_jacobian)
    node.serve(GetDhTable, 'get_dh_table', handlers.get_dh_table)


def fill_efforts(node: ModelNode, trajectory: Any) -> Any:
    """Return the trajectory with the efforts of its motion by a node's model filled in."""
    robot = node.require_robot()
    body, base, most = make_body(robot, 0.0), based(node), node.settings.max_points
    q, qd, qdd = read_motion(
        body, base, trajectory, ('positions', 'velocities', 'accelerations'), most=most)
    node.watch_limits(q, 'trajectory')
    near = pose_options(body, base, trajectory, node.settings.closure_tolerance, most=most)
    efforts = at_points(robot.inverse_dynamics, q, qd, qdd, **near)
    return (write_trajectory(trajectory, body.motor_names, 'effort', efforts) if body.closed
            else write_motion(body, trajectory, 'effort', efforts))


def based(node: Any) -> BaseState:
    """Return where the base is, or raise InputError that says that nobody says so."""
    node.base.check()
    state: BaseState = node.base.state
    return state


def at_points(function: Callable[..., np.ndarray], *columns: np.ndarray, **near: np.ndarray
              ) -> np.ndarray:
    """Return a function of the robot at all points, (N, n); a single one takes the quick way."""
    if len(columns[0]) == 1:
        return function(*(column[0] for column in columns),
                        **{key: tree[0] for key, tree in near.items()})[None]
    return function(*columns, **near)


def dh_rows(table: Any) -> list[DhRow]:
    """Return the rows as messages: each link's first, then those to its further children."""
    rows, parents = [], table.parents()
    for i, row in enumerate(table.rows):
        message = DhRow(
            joint_name=row.name, link_name=row.link, sign=row.sign,
            parent_link_name=table.rows[parents[i]].link if parents[i] >= 0 else table.root,
            joint_type=DhRow.PRISMATIC if row.prismatic else DhRow.REVOLUTE,
            a=float(row.a), b=float(row.b or 0), alpha=float(row.alpha),
            theta=float(row.theta or 0), beta=float(row.beta), mass=float(row.mass),
            inertia=np.asarray(row.inertia, float).ravel(), hub_inertia=float(row.hub_inertia),
            armature=float(row.armature))
        message.com.x, message.com.y, message.com.z = map(float, row.com)
        if row.base is not None:
            message.base = pose_message(np.asarray(row.base))
        rows.append(message)
        for child, parent in zip(table.rows, parents, strict=True):
            if parent == i and child.branch is not None:
                way = child.branch
                rows.append(DhRow(
                    joint_name=row.name, link_name=row.link, sign=row.sign,
                    parent_link_name=message.parent_link_name, joint_type=message.joint_type,
                    base=message.base,
                    a=float(way.a), b=message.b, alpha=float(way.alpha), theta=message.theta,
                    gamma=float(way.gamma), epsilon=float(way.epsilon), beta=float(way.beta)))
    return rows
