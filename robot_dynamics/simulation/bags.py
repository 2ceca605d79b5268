"""Trajectories as rosbag2, written (in MCAP) and read without ROS.

Topics that are written: /joint_states (sensor_msgs/JointState, a message per sample),
/joint_trajectory (trajectory_msgs/JointTrajectory, one message with positions, velocities,
accelerations and efforts), /energy (std_msgs/Float64MultiArray: kinetic, potential, power). Of
floating joints /odometry (nav_msgs/Odometry, child_frame_id the joint) has the poses; among the
joint states they are not, in the trajectory their positions are zero. Logs of real robots, with
joint states alone, are read too.
"""

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics.errors import InputError, warn
from robot_dynamics.model.floating import RATES, VALUES
from robot_dynamics.simulation.recorded import Recorded
from robot_dynamics.simulation.trajectory import Trajectory
from robot_dynamics.words import counted

NANO = 1_000_000_000
STATE = 'sensor_msgs/msg/JointState'
TRAJECTORY = 'trajectory_msgs/msg/JointTrajectory'
ODOMETRY = 'nav_msgs/msg/Odometry'


def rosbags() -> Any:
    """Return the rosbags library's writer, reader, plugin and message types."""
    try:
        from rosbags.rosbag2 import Reader, StoragePlugin, Writer
        from rosbags.typesys import Stores, get_typestore
    except ImportError:
        raise InputError('rosbag2 files need the package rosbags: install the extra bags, '
                         "in a clone by pip install '.[bags]'") from None
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
    names, layout = list(trajectory.joint_names), trajectory.layout
    text = {'joint_states': STATE, 'joint_trajectory': TRAJECTORY,
            'energy': 'std_msgs/msg/Float64MultiArray'}
    if layout.poses:
        text['odometry'] = ODOMETRY
    places = {name: k for k, name in enumerate(trajectory.value_names)}
    rates = [j for j, name in enumerate(names) if name in places]
    values = [places[names[j]] for j in rates]
    topics = {name: bag.add_connection(f'/{name}', kind, typestore=types)
              for name, kind in text.items()}

    def put(topic: str, stamp: int, message: Any) -> None:
        bag.write(topics[topic], stamp, types.serialize_cdr(message, text[topic]))

    def header(stamp: int, frame: str = '') -> Any:
        time = make['builtin_interfaces/msg/Time'](sec=stamp // NANO, nanosec=stamp % NANO)
        return make['std_msgs/msg/Header'](stamp=time, frame_id=frame)

    stamps: list[int] = []
    for t in trajectory.t:  # samples at an impact may be less than a nanosecond apart
        stamps.append(max(round(float(t) * NANO), stamps[-1] + 1 if stamps else -2 ** 62))
    points = []
    flat = make['std_msgs/msg/MultiArrayLayout'](dim=[], data_offset=0)
    for k, stamp in enumerate(stamps):
        q, qd, qdd, tau = (np.ascontiguousarray(getattr(trajectory, key)[k])
                           for key in ('q', 'qd', 'qdd', 'tau'))
        put('joint_states', stamp, make[text['joint_states']](
            header=header(stamp), name=[names[j] for j in rates], position=q[values],
            velocity=qd[rates], effort=tau[rates]))
        for (at, v), joint in zip(layout.poses, layout.floating, strict=True):
            put('odometry', stamp, odometry(make, header(stamp, 'world'), joint, q[at:at + 7],
                                            qd[v:v + 6]))
        positions = np.zeros(len(names))
        positions[rates] = q[values]
        put('energy', stamp, make[text['energy']](layout=flat, data=np.array(
            [trajectory.kinetic[k], trajectory.potential[k], trajectory.power[k]])))
        points.append(make['trajectory_msgs/msg/JointTrajectoryPoint'](
            positions=positions, velocities=qd, accelerations=qdd, effort=tau,
            time_from_start=make['builtin_interfaces/msg/Duration'](
                sec=stamp // NANO, nanosec=stamp % NANO)))
    put('joint_trajectory', stamps[0] if stamps else 0, make[text['joint_trajectory']](
        header=header(0), joint_names=names, points=points))


def odometry(make: Any, header: Any, joint: str, pose: Any, twist: Any) -> Any:
    """Return nav_msgs/Odometry of a floating joint: its pose, and the twist in its own axes."""
    def geometry(kind: str, **fields: Any) -> Any:
        return make[f'geometry_msgs/msg/{kind}'](**fields)
    x, y, z, *quaternion = map(float, pose)
    omega, v = (geometry('Vector3', **dict(zip('xyz', map(float, part), strict=True)))
                for part in (twist[:3], twist[3:]))
    place = geometry('Pose', position=geometry('Point', x=x, y=y, z=z), orientation=geometry(
        'Quaternion', **dict(zip('xyzw', quaternion, strict=True))))
    unknown = np.zeros(36)
    return make[ODOMETRY](
        header=header, child_frame_id=joint,
        pose=geometry('PoseWithCovariance', pose=place, covariance=unknown),
        twist=geometry('TwistWithCovariance', covariance=unknown, twist=geometry(
            'Twist', linear=v, angular=omega)))


def load_bag(file: Path, joint_names: tuple[str, ...]) -> Recorded:
    """Read what save_bag wrote, or the joint states of any robot; times are exact to a nanosecond.

    joint_names: the joints wanted, where messages of several groups of joints stand side by side
    """
    _, Reader, _, types = rosbags()
    if not file.exists():
        raise InputError(f'{file}: no such file or folder')
    found: dict[str, list[tuple[int, Any]]] = {}
    try:
        with Reader(file) as bag:
            wanted = [c for c in bag.connections
                      if c.msgtype in (TRAJECTORY, STATE) or c.topic in ('/energy', '/odometry')]
            for connection, stamp, data in bag.messages(connections=wanted) if wanted else ():
                found.setdefault(connection.topic, []).append(
                    (stamp, types.deserialize_cdr(data, connection.msgtype)))
            kinds = {c.topic: c.msgtype for c in wanted}
    except Exception as error:  # the library's own, of many kinds
        raise InputError(f'{file}: is not a rosbag2: {error}') from None
    states = {topic: messages for topic, messages in found.items() if kinds[topic] == STATE}
    plans = [topic for topic in found if kinds[topic] == TRAJECTORY]
    if plans and ('/energy' in found or not states):  # in a robot's log it is a command
        if len(plans) > 1 or len(found[plans[0]]) > 1:
            raise InputError(f'{file}: has several trajectories: expected one')
        energies = [message.data[:2] for _, message in found.get('/energy', ())]
        poses = [message for _, message in found.get('/odometry', ())]
        return Recorded(with_poses(from_message(file, found[plans[0]][0][1], energies), poses))
    if not states:
        raise InputError(f'{file}: has no topic of {STATE} or {TRAJECTORY}')
    topic = '/joint_states' if '/joint_states' in states else next(iter(states))
    if len(states) > 1:
        warn(f'{file}: topic {topic} is read, not ' + ', '.join(sorted({*states} - {topic})))
    return from_states(file, topic, states[topic], joint_names)


def recorded_description(file: Path) -> str | None:
    """Return the URDF text that a rosbag2 holds on a topic robot_description, None without one."""
    _, Reader, _, types = rosbags()
    try:
        with Reader(file) as bag:
            wanted = [c for c in bag.connections if c.msgtype == 'std_msgs/msg/String'
                      and c.topic.rsplit('/', 1)[-1] == 'robot_description']
            for connection, _, data in bag.messages(connections=wanted) if wanted else ():
                text = types.deserialize_cdr(data, connection.msgtype).data
                return str(text)
    except Exception as error:  # the library's own, of many kinds
        raise InputError(f'{file}: is not a rosbag2: {error}') from None
    return None


def from_states(file: Path, topic: str, messages: list[tuple[int, Any]],
                joint_names: tuple[str, ...]) -> Recorded:
    """Return the motion of sensor_msgs/JointState messages, times from the first one."""
    groups: dict[frozenset[str], list[int]] = {}
    for k, (_, message) in enumerate(messages):
        groups.setdefault(frozenset(message.name), []).append(k)
    group = max(groups, key=lambda names: (names >= set(joint_names), len(groups[names])))
    if len(groups) > 1 and not (joint_names and group >= set(joint_names)):
        warn(f'{file}: {topic} has messages of {len(groups)} groups of joints; read are those of '
             + ', '.join(sorted(group)))
    rows = groups[group]
    names = tuple(messages[rows[0]][1].name)
    stamps = [message.header.stamp.sec * NANO + message.header.stamp.nanosec or stamp
              for stamp, message in (messages[k] for k in rows)]

    def place(k: int) -> str:
        return f'message {rows[k] + 1} on {topic}'

    def take(key: str) -> Any:
        values = np.full((len(rows), len(names)), np.nan)
        for k, row in enumerate(rows):
            message = messages[row][1]
            numbers = getattr(message, key)
            if len(numbers) not in (0, len(names)):
                raise InputError(f'{file}: {place(k)}: {counted(len(numbers), "value")} of {key} '
                                 f'for {counted(len(names), "joint")}')
            if len(numbers):
                at = {name: j for j, name in enumerate(message.name)}
                values[k] = np.asarray(numbers)[[at[name] for name in names]]
        return values
    t = np.array([(stamp - stamps[0]) / NANO for stamp in stamps])
    q, qd, tau = (take(key) for key in ('position', 'velocity', 'effort'))
    nothing = np.full(len(rows), np.nan)
    return Recorded(Trajectory(names, t, q, qd, np.full_like(q, np.nan), tau, nothing, nothing),
                    place)


def from_message(file: Path, message: Any, energies: list[Any]) -> Trajectory:
    """Return the trajectory of a JointTrajectory and (kinetic, potential) pairs."""
    names = tuple(message.joint_names)
    points, n = message.points, len(message.joint_names)

    def take(key: str) -> Any:
        if any(len(getattr(point, key)) not in (0, n) for point in points):
            raise InputError(f'{file}: the trajectory has {key} of other than {n} joints')
        return np.array([getattr(point, key) if len(getattr(point, key)) else [np.nan] * n
                         for point in points], float).reshape(-1, n)
    t = np.array([p.time_from_start.sec + p.time_from_start.nanosec / NANO for p in points])
    pairs = np.array(energies, float).reshape(-1, 2)
    if len(pairs) != len(t):
        pairs = np.full((len(t), 2), np.nan)
    q, qd, qdd, tau = (take(key) for key in (
        'positions', 'velocities', 'accelerations', 'effort'))
    return Trajectory(names, t, q, qd, qdd, tau, pairs[:, 0], pairs[:, 1])


def with_poses(path: Trajectory, messages: list[Any]) -> Trajectory:
    """Return a trajectory with the poses of its floating joints, from Odometry messages."""
    names, q = list(path.joint_names), path.q
    for joint in dict.fromkeys(message.child_frame_id for message in messages):
        poses = [message.pose.pose for message in messages if message.child_frame_id == joint]
        six = [f'{joint}/{x}' for x in RATES]
        at = names.index(six[0]) if six[0] in names else len(names)
        if names[at:at + 6] != six or len(poses) != len(path.t):
            continue
        values = np.array([[pose.position.x, pose.position.y, pose.position.z, pose.orientation.x,
                            pose.orientation.y, pose.orientation.z, pose.orientation.w]
                           for pose in poses]).reshape(-1, 7)
        names[at:at + 6] = [f'{joint}/{x}' for x in VALUES]
        q = np.hstack([q[:, :at], values, q[:, at + 6:]])
    return replace(path, q=q, value_names=tuple(names))
