"""Trajectories as rosbag2 in MCAP, written and read without ROS.

Topics: /joint_states (sensor_msgs/JointState, a message per sample), /joint_trajectory
(trajectory_msgs/JointTrajectory, one message with positions, velocities, accelerations and
efforts), /energy (std_msgs/Float64MultiArray: kinetic, potential, power).
"""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.simulation.trajectory import Trajectory

NANO = 1_000_000_000


def rosbags() -> Any:
    """Return the rosbags library's writer, reader, plugin and message types."""
    try:
        from rosbags.rosbag2 import Reader, StoragePlugin, Writer
        from rosbags.typesys import Stores, get_typestore
    except ImportError:
        raise InputError('rosbag2 files need the package rosbags: install robot_dynamics[bags], '
                         'in a clone by python3 tools/setup_env.py --extras bags') from None
    return Writer, Reader, StoragePlugin.MCAP, get_typestore(Stores.ROS2_HUMBLE)


def save_bag(trajectory: Trajectory, file: Path) -> None:
    """Write a rosbag2: its folder, or its one .mcap file where the name ends so."""
    Writer, _, plugin, types = rosbags()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / 'bag'
        with Writer(folder, version=9, storage_plugin=plugin) as bag:
            write(bag, types, trajectory)
        if file.suffix:
            shutil.copyfile(next(folder.glob('*.mcap')), file)
        elif file.exists():
            raise InputError(f'{file}: exists already')
        else:
            shutil.copytree(folder, file)


def write(bag: Any, types: Any, trajectory: Trajectory) -> None:
    """Write the messages."""
    make = types.types
    names = list(trajectory.joint_names)
    text = {'joint_states': 'sensor_msgs/msg/JointState',
            'joint_trajectory': 'trajectory_msgs/msg/JointTrajectory',
            'energy': 'std_msgs/msg/Float64MultiArray'}
    topics = {name: bag.add_connection(f'/{name}', kind, typestore=types)
              for name, kind in text.items()}

    def put(topic: str, stamp: int, message: Any) -> None:
        bag.write(topics[topic], stamp, types.serialize_cdr(message, text[topic]))

    def header(stamp: int) -> Any:
        time = make['builtin_interfaces/msg/Time'](sec=stamp // NANO, nanosec=stamp % NANO)
        return make['std_msgs/msg/Header'](stamp=time, frame_id='')

    stamps = [round(float(t) * NANO) for t in trajectory.t]
    points = []
    layout = make['std_msgs/msg/MultiArrayLayout'](dim=[], data_offset=0)
    for k, stamp in enumerate(stamps):
        q, qd, qdd, tau = (np.ascontiguousarray(getattr(trajectory, key)[k])
                           for key in ('q', 'qd', 'qdd', 'tau'))
        put('joint_states', stamp, make[text['joint_states']](
            header=header(stamp), name=names, position=q, velocity=qd, effort=tau))
        put('energy', stamp, make[text['energy']](layout=layout, data=np.array(
            [trajectory.kinetic[k], trajectory.potential[k], trajectory.power[k]])))
        points.append(make['trajectory_msgs/msg/JointTrajectoryPoint'](
            positions=q, velocities=qd, accelerations=qdd, effort=tau,
            time_from_start=make['builtin_interfaces/msg/Duration'](
                sec=stamp // NANO, nanosec=stamp % NANO)))
    put('joint_trajectory', stamps[0] if stamps else 0, make[text['joint_trajectory']](
        header=header(0), joint_names=names, points=points))


def load_bag(file: Path) -> Trajectory:
    """Read what save_bag wrote; times are exact to a nanosecond."""
    _, Reader, _, types = rosbags()
    if not file.exists():
        raise InputError(f'{file}: no such file or folder')
    energies: list[Any] = []
    motion = None
    try:
        with Reader(file) as bag:
            for connection, _, data in bag.messages():
                if connection.topic == '/joint_trajectory':
                    motion = types.deserialize_cdr(data, connection.msgtype)
                elif connection.topic == '/energy':
                    energies.append(types.deserialize_cdr(data, connection.msgtype).data[:2])
    except Exception as error:  # the library's own, of many kinds
        raise InputError(f'{file}: is not a rosbag2: {error}') from None
    if motion is None:
        raise InputError(f'{file}: has no topic /joint_trajectory')
    return from_message(motion, energies)


def from_message(message: Any, energies: list[Any]) -> Trajectory:
    """Return the trajectory of a JointTrajectory and (kinetic, potential) pairs."""
    names = tuple(message.joint_names)
    points, n = message.points, len(message.joint_names)

    def take(key: str) -> Any:
        return np.array([getattr(point, key) for point in points], float).reshape(-1, n)
    t = np.array([p.time_from_start.sec + p.time_from_start.nanosec / NANO for p in points])
    pairs = np.array(energies, float).reshape(-1, 2)
    if len(pairs) != len(t):
        pairs = np.full((len(t), 2), np.nan)
    q, qd, qdd, tau = (take(key) for key in (
        'positions', 'velocities', 'accelerations', 'effort'))
    return Trajectory(names, t, q, qd, qdd, tau, pairs[:, 0], pairs[:, 1])
