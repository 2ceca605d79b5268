"""What the page asks a robot for, as messages: a JointTrajectory, a SetPayload."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Inertia, Vector3
from robot_dynamics_interfaces.srv import SetPayload
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robot_dynamics.errors import InputError
from robot_dynamics.inputs import vector
from robot_dynamics.nodes.shared.conversion import floats, seconds
from robot_dynamics.viewer.live_panel import LONGEST, SHORTEST, Carry, MovableJoints, Move

CARRIERS = ('simulator', 'inverse_dynamics', 'gim_diagnostics')  # nodes that know of payloads
PEAK = 1.875  # largest rate of a quintic from rest to rest, over the mean one


class PageCommands:
    """Publishes `joint_trajectory` and calls `set_payload` of the nodes of a robot.

    node: a ModelNode, in whose namespace they are
    """

    def __init__(self, node: Any):
        self._node = node
        self._trajectories = node.offer(JointTrajectory, 'joint_trajectory')
        self._clients = {name: node.create_client(SetPayload, f'{name}/set_payload')
                         for name in CARRIERS}
        node.when_closed(lambda: [node.destroy_client(client)
                                  for client in self._clients.values()])

    def send(self, wish: Move | Carry, answer: Callable[[str], None], joints: MovableJoints,
             present: np.ndarray | None) -> None:
        """Send a wish; answer: takes what became of it; `InputError`: what is wrong with it.

        present: values of the joints, (k,), None where nobody knows them
        """
        if isinstance(wish, Move):
            if present is None:
                raise InputError('joint_states are stale: the pose of the robot is not known')
            answer(self._move(joints, wish, present))
        else:
            self._carry(wish, answer)

    def _move(self, joints: MovableJoints, wish: Move, present: np.ndarray) -> str:
        message = trajectory_to(joints, wish, present)
        listeners = self._trajectories.get_subscription_count()
        if not listeners:
            return 'not sent: nobody listens to joint_trajectory'
        self._trajectories.publish(message)
        duration = seconds(message.points[0].time_from_start)
        return f'sent to joint_trajectory, {listeners} listening: {duration:.2f} s'

    def _carry(self, wish: Carry, answer: Callable[[str], None]) -> None:
        request = payload_request(wish)
        own = self._node.set_payload(request, SetPayload.Response())
        if not own.success:
            raise InputError(own.message)
        said: dict[str, str] = {}

        def heard(name: str, future: Any) -> None:
            said[name] = outcome(future)
            answer(listed(said))

        for name, client in self._clients.items():
            if client.service_is_ready():
                said[name] = 'asked'
                client.call_async(request).add_done_callback(functools.partial(heard, name))
        answer(listed(said) if said else 'payload drawn here alone: no node takes it')


def trajectory_to(joints: MovableJoints, wish: Move, present: np.ndarray) -> JointTrajectory:
    """Return the trajectory that goes to a point, in no less time than rate limits allow.

    present: values of the joints, (k,) [rad or m]
    `InputError`: values that are no numbers, or outside of the limits
    """
    q = vector('target', wish.q, (len(joints.names),), joints.names)
    outside = np.flatnonzero((q < joints.low - 1e-9) | (q > joints.high + 1e-9))
    if outside.size:
        i = outside[0]
        raise InputError(f'target of {joints.names[i]}: {q[i]:g}, expected {joints.low[i]:g} to '
                         f'{joints.high[i]:g}')
    if not SHORTEST <= wish.duration <= LONGEST:
        raise InputError(f'duration: {wish.duration:g} s, expected {SHORTEST:g} to {LONGEST:g}')
    needed = PEAK * np.abs(q - present) / joints.rate
    duration = float(max(wish.duration, needed.max(initial=0.0)))
    point = JointTrajectoryPoint(
        positions=floats(q), velocities=floats(0 * q), accelerations=floats(0 * q),
        time_from_start=Duration(sec=int(duration), nanosec=int(duration % 1 * 1e9)))
    return JointTrajectory(joint_names=list(joints.names), points=[point])


def payload_request(wish: Carry) -> SetPayload.Request:
    """Return the request that fastens a ball to a link."""
    com = vector('centre', wish.com, (3,))
    moment = 0.4 * wish.mass * wish.radius**2  # of a ball: 2/5 m r^2
    return SetPayload.Request(link=wish.link, inertia=Inertia(
        m=float(wish.mass), com=Vector3(x=com[0], y=com[1], z=com[2]), ixx=moment, iyy=moment,
        izz=moment))


def outcome(future: Any) -> str:
    """Return what a service said, in words."""
    response = future.result()
    return 'taken' if response is not None and response.success else (
        f'refused: {response.message}' if response is not None else 'no answer')


def listed(said: dict[str, str]) -> str:
    """Return what the nodes said, in one line."""
    return 'payload: ' + ', '.join(f'{name} {text}' for name, text in said.items())
