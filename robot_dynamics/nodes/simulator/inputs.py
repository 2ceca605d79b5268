"""Reads the simulator's commands and states: which joints, which values."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import duplicates
from robot_dynamics.nodes.shared.conversion import check_finite
from robot_dynamics.simulation.live.commands import Commands
from robot_dynamics.simulation.live.joints import Joints, make_joints
from robot_dynamics.simulation.live.live_robot import LiveRobot
from robot_dynamics.simulation.live.standing import Standing
from robot_dynamics.simulation.online.base_state import unit_quaternion


def read_efforts(message: Float64MultiArray, order: list[int], joint_names: Sequence[str]
                 ) -> np.ndarray:
    """Return efforts in the robot's joint order, shape (n,) [N m or N].

    order: where each of the robot's joints, joint_names, stands in the message
    """
    efforts = np.array(message.data, float)
    if len(efforts) != len(order):
        raise InputError(f'effort_commands: {len(efforts)} values for {len(order)} joints')
    efforts = efforts[order]
    check_finite(efforts, 'effort_commands', joint_names)
    return efforts


def read_joint_command(message: JointState, robot: Dynamics, commands: Commands,
                       now: float) -> None:
    """Give joints their commands; joints that the robot lacks, or that mimic, are ignored.

    An array that is empty, or all nan, is an interface that nobody commands: so
    ros2_control's topic-based hardware fills it. It also names all joints and leaves out the
    values of those that have no command interface, as joints that mimic.
    """
    motors = make_joints(robot)
    joints, places = known_joints(message, motors.motor_names)
    followers = set(robot.model.tree_joint_names) - set(motors.motor_names)
    values = {name: chosen(message, name, places, silent=followers)
              for name in ('position', 'velocity', 'effort')}
    if all(value is None for value in values.values()):
        raise InputError('joint_commands: neither position nor velocity nor effort')
    if not motors.own and not (values['position'] is None and values['velocity'] is None):
        raise InputError('joint_commands: this mechanism takes efforts alone: its actuated '
                         f'joints ({", ".join(motors.motor_names)}) are not its independent '
                         f'ones ({", ".join(motors.names)})')
    commands.set_joints(joints, **values, now=now)


def read_placement(message: JointState, live: LiveRobot | Standing
                   ) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return the state, q and qd, of shape (n,), that a message puts the robot into.

    A floating base is named by its values (base/x ... base/qw) and rests where it is put.
    Joints that are not named stay as they are; without velocities those named are at rest. Where
    passive joints of a mechanism are named, values of all joints too, nan for those that are not.
    """
    layout = live.joints.layout
    joints, places = known_joints(message, layout.value_names)
    q, qd = live.q.copy(), live.qd.copy()
    position = chosen(message, 'position', places, nan_is_none=False)
    velocity = chosen(message, 'velocity', places, nan_is_none=False)
    if position is None:
        raise InputError('state: no positions')
    q[joints] = position
    rate_of = dict(layout.single)
    for place, k in enumerate(joints):
        if k in rate_of:
            qd[rate_of[k]] = 0.0 if velocity is None else velocity[place]
    for k, j in layout.poses:
        if any(k <= joint < k + 7 for joint in joints):  # a base that is put somewhere rests there
            q[k + 3:k + 7] = unit_quaternion('state: orientation', q[k + 3:k + 7])
            qd[j:j + 6] = 0.0
    return q, qd, read_pose(message, live.joints)


def read_pose(message: JointState, joints: Joints) -> np.ndarray | None:
    """Return the values of passive joints among nan for the others; None where none is named."""
    if joints.shown_layout.poses:  # their base is not in messages: the last pose tells the branch
        return None
    passive = [name for name in message.name
               if name in joints.all_names and name not in joints.names]
    if not passive:
        return None
    near = np.full(len(joints.all_names), np.nan)
    places = [message.name.index(name) for name in passive]
    near[[joints.all_names.index(name) for name in passive]] = chosen(
        message, 'position', places, nan_is_none=False)
    return near


def known_joints(message: JointState, joint_names: tuple[str, ...]) -> tuple[list[int], list[int]]:
    """Return the robot's joints that a message names, and where they stand in it."""
    names = list(message.name)
    if twice := duplicates(names):
        raise InputError(f'joints named twice: {twice}')
    pairs = [(joint_names.index(name), k) for k, name in enumerate(names) if name in joint_names]
    if not pairs:
        raise InputError('none of the joints has a state of its own: '
                         f'{", ".join(names[:8]) or "none"}; expected some of '
                         + ', '.join(joint_names[:8]) + ', ...' * (len(joint_names) > 8))
    joints, places = zip(*pairs, strict=True)
    return list(joints), list(places)


def chosen(message: JointState, field: str, places: list[int], *, nan_is_none: bool = True,
           silent: Collection[str] = ()) -> np.ndarray | None:
    """Return some values of a field, None where it is empty, or nan throughout.

    silent: joints whose values may be left out
    """
    array, names = np.array(getattr(message, field), float), message.name
    if not len(array):
        return None
    if len(array) != len(names):
        packed = [k for k, name in enumerate(names) if name not in silent]
        if len(array) != len(packed):
            raise InputError(f'{field}: {len(array)} values for {len(names)} joints')
        array, values = np.full(len(names), np.nan), array
        array[packed] = values
    if nan_is_none and np.isnan(array).all():
        return None
    check_finite(array[places], field, [names[k] for k in places])
    return array[places]
