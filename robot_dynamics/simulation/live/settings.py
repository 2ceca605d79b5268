"""What follows from the simulator's parameters: cycles, steps, the order of joints, gains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.simulation.live.commands import Gains
from robot_dynamics.simulation.online.base_state import unit_quaternion


@dataclass
class LiveSettings:
    """What a robot that moves live is told, as the simulator's parameters of these names.

    Lists of numbers have one for each joint, in the order of `joints`; empty: as said there.
    """

    rate: float = 500.0  # states per second of real time [Hz]
    step: float = 0.001  # longest of the integration [s]
    real_time_factor: float = 1.0
    stops: bool = True
    saturate: bool = True
    command_timeout: float = 0.1  # [s]
    on_timeout: str = 'hold'
    joints: Sequence[str] = ()
    initial_positions: Sequence[float] = ()
    initial_velocities: Sequence[float] = ()
    initial_base: Sequence[float] = ()
    servo_frequency: float = 60.0  # [rad/s]
    servo_damping: float = 1.0
    servo_stiffness: Sequence[float] = ()
    servo_viscosity: Sequence[float] = ()


def cycle(settings: Any) -> float:
    """Return the simulated time between two joint states [s]."""
    period: float = settings.real_time_factor / settings.rate
    return period


def cycle_steps(settings: Any) -> tuple[float, int]:
    """Return length [s] and number of the steps of a cycle."""
    count = max(1, int(np.ceil(cycle(settings) / settings.step * (1 - 1e-9))))
    return cycle(settings) / count, count


def joint_order(settings: Any, joint_names: tuple[str, ...]) -> list[int]:
    """Return where each of the robot's joints stands in the lists."""
    names = list(settings.joints or joint_names)
    if sorted(names) != sorted(joint_names):
        raise InputError(f'parameter joints: {", ".join(names)}: expected '
                         f'{", ".join(joint_names)} in any order')
    return [names.index(name) for name in joint_names]


def per_joint(settings: Any, name: str, joint_names: tuple[str, ...]) -> np.ndarray | None:
    """Return a list of numbers in the robot's joint order, shape (n,); None when empty."""
    values = np.array(getattr(settings, name), float)
    if not len(values):
        return None
    if len(values) != len(joint_names):
        raise InputError(f'parameter {name}: {len(values)} values for {len(joint_names)} joints')
    return values[joint_order(settings, joint_names)]


def initial_values(joints: Any, rest: np.ndarray, settings: Any) -> np.ndarray:
    """Return the joint values to begin with, (nq,): what the parameters say, else `rest`."""
    q, layout = per_joint(settings, 'initial_positions', joints.names), joints.layout
    base = np.array(settings.initial_base, float)
    if not layout.poses:
        return rest if q is None else q
    k = layout.poses[0][0]
    pose = rest[k:k + 7]
    if len(base):
        if len(base) != 7:
            raise InputError(f'parameter initial_base: {len(base)} values: expected x y z qx qy '
                             'qz qw')
        pose = np.concatenate([base[:3], unit_quaternion('initial_base', base[3:])])
    single = rest[[k for k, _ in layout.single]] if q is None else q
    values: np.ndarray = layout.values_of(single, pose)
    return values


def gains(settings: Any, joint_names: tuple[str, ...]) -> Gains:
    """Return the gains of the servos."""
    return Gains(settings.servo_frequency, settings.servo_damping,
                 per_joint(settings, 'servo_stiffness', joint_names),
                 per_joint(settings, 'servo_viscosity', joint_names))
