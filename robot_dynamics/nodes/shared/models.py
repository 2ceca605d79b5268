"""The model of a node: which parameters tell it, and how it is made of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from robot_dynamics import load, load_mechanism
from robot_dynamics.description.mechanism import read_mechanism
from robot_dynamics.description.named_robots import named_file
from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError, RobotDynamicsError, RobotDynamicsWarning
from robot_dynamics.nodes.shared.settings import Setting
from robot_dynamics.robot import Robot
from robot_dynamics.simulation.layout import Layout

BASES = ('fixed', 'floating', 'imu')
MODEL_SETTINGS = (  # of every node
    Setting('robot_description', '', 'URDF text; setting it swaps the model'),
    Setting('robot_description_file', '', 'path of a URDF or xacro, or the name of a robot, read '
            'when configuring unless robot_description is given', read_only=True),
    Setting('mechanism_file', '', 'path or name of a mechanism (closed loops), read when '
            'configuring; it stays, whatever robot_description says', read_only=True),
    Setting('root_link', '', 'first link of the chain to cut out; empty: the whole robot',
            read_only=True),
    Setting('tip_link', '', 'last link of the chain to cut out; empty: the whole robot',
            read_only=True),
    Setting('base', 'fixed', 'whether the root link is bolted down (fixed), floats, by odometry '
            '(floating), or is turned, by imu, and gravity with it (imu); a mechanism_file that '
            'says base: floating floats',
            choices=BASES, read_only=True),
    Setting('odom_frame', '', 'frame in which odometry is; empty: any is taken, and the simulator '
            'publishes in odom', read_only=True),
    Setting('gravity', [0.0, 0.0, -9.81], 'gravity in the axes of the root link, or of the '
            'world that a base floats or turns in [m/s^2]; with '
            "mechanism_file, unless it is given, the file's own", size=3),
    Setting('friction', True, "whether the URDF's damping and friction act", read_only=True),
    Setting('missing_inertia', 'error', 'what to do about links that move and have no inertia',
            choices=('error', 'slender_rod', 'zero'), read_only=True),
    Setting('autostart', True, 'configure and activate at start', read_only=True),
)


def base_of(settings: Any) -> str:
    """Return the kind of base: a mechanism file that says that it floats is believed."""
    file = settings.mechanism_file
    if settings.base != 'fixed' or not file:
        return str(settings.base)
    try:
        record = read_mechanism(Path(file) if Path(file).exists() else named_file(file) or file)
    except RobotDynamicsError:
        return 'fixed'  # what is wrong is said when the model is loaded
    return str(record.options.get('base', 'fixed'))


def build_model(source: bytes | Path, settings: Any, **more: Any) -> Dynamics:
    """Return what a description and the parameters tell; a RobotDynamicsError says why not.

    source: URDF text as bytes (never taken for a path: a topic may carry anything) or a file, or a
        robot's name. A mechanism file's own options hold where parameters are at their defaults.
    more: other options of `load`
    """
    if isinstance(source, Path) and not source.exists():
        source = named_file(str(source)) or source
    usual = {'root': '', 'tip': '', 'friction': True, 'missing_inertia': 'error'}
    given = {'root': settings.root_link, 'tip': settings.tip_link, 'friction': settings.friction,
             'missing_inertia': settings.missing_inertia}
    options = {key: value for key, value in given.items() if value != usual[key]}
    read: Callable[..., Robot] = load_mechanism if settings.mechanism_file else load
    afloat = settings.base == 'floating'
    options = {**options, 'floating': 'quaternion' if afloat else 'chain', **more}
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', RobotDynamicsWarning)  # logged with the model
        try:
            robot = read(source, **options, **({'base': 'floating'} if afloat else {}))
        except InputError as error:
            if not str(error).startswith('base:'):  # the URDF says itself that it floats
                raise
            robot = read(source, **options)
    if not robot.n:
        raise InputError(f'{robot.name} has no joints that move')
    if afloat and (joints := Layout(getattr(
            robot, 'tree_value_names', robot.value_names)).floating)[1:]:
        raise InputError(f'{robot.name} has several floating joints ({", ".join(joints)}), and '
                         'odometry tells of one')
    return robot
