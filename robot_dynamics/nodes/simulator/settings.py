"""The simulator's parameters: what they mean and what they may be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from rclpy.parameter import Parameter

from robot_dynamics.errors import InputError
from robot_dynamics.nodes.shared.settings import Setting
from robot_dynamics.simulation.fixed import STEPS
from robot_dynamics.simulation.live.commands import ON_TIMEOUT
from robot_dynamics.simulation.live.settings import LiveSettings

DOUBLES = Parameter.Type.DOUBLE_ARRAY  # a list of numbers that is empty unless given
DEFAULT = LiveSettings()
RESTART = {'rate', 'real_time_factor'}  # time is counted anew


def make_settings(joint_names: Callable[[], tuple[str, ...] | None]) -> tuple[Setting, ...]:
    """Return the parameters; joint_names: of the robot, None without one."""
    def names(value: list[str]) -> None:
        expected = joint_names()
        if value and expected and sorted(value) != sorted(expected):
            raise InputError(f'expected {", ".join(expected)} in any order')

    def numbers(low: float = -np.inf) -> Callable[[Any], None]:
        def check(value: Any) -> None:
            array, expected = np.array([] if value is None else value, float), joint_names()
            if not np.isfinite(array).all() or (array < low).any():
                raise InputError('expected finite numbers' + (', none negative' * (low == 0)))
            if expected and len(array) not in (0, len(expected)):
                raise InputError(f'{len(array)} values for {len(expected)} joints')
        return check

    return (
        Setting('rate', DEFAULT.rate, 'joint_states (and /clock) per second of real time [Hz]',
                low=1, high=2000),
        Setting('step', DEFAULT.step, 'longest step of the integration [s]', low=1e-5, high=0.01),
        Setting('method', 'rk4', 'how to integrate', choices=tuple(STEPS)),
        Setting('real_time_factor', DEFAULT.real_time_factor, 'simulated over real time',
                low=0.01, high=100),
        Setting('catch_up', 0.1, 'simulated time that a late cycle makes up for at once; what is '
                'beyond is lost and lowers the real-time factor [s]', low=0, high=1),
        Setting('stops', DEFAULT.stops, 'joint limits act as stops'),
        Setting('restitution', 0.0, 'rebound over impact speed at a stop', low=0, high=1),
        Setting('saturate', DEFAULT.saturate,
                "efforts are cut at the description's effort limits"),
        Setting('command_timeout', DEFAULT.command_timeout, 'age, in simulated time, at '
                'which a command no longer acts; 0: never [s]', low=0, high=60),
        Setting('on_timeout', DEFAULT.on_timeout, 'joints without a command: hold (brought to '
                'rest, held against gravity), zero (no effort) or last (what the last command '
                'says)',
                choices=ON_TIMEOUT),
        Setting('restart_after_runaway', 0.0, 'how long after the robot ran away it begins anew '
                'at the initial state; 0: it stays paused [s]', low=0, high=3600),
        Setting('joints', [], 'order of effort_commands and of the lists of this node; empty: '
                'that of the description', check=names),
        Setting('initial_positions', DOUBLES, 'at start and reset; empty: nearest to zero '
                '[rad or m]', check=numbers()),
        Setting('initial_velocities', DOUBLES, 'at start and reset; empty: at rest [rad/s or m/s]',
                check=numbers()),
        Setting('initial_base', DOUBLES, 'where a floating base is at start and reset, x y z [m] '
                'qx qy qz qw; empty: at the origin, or where the mechanism file starts'),
        Setting('servo_frequency', DEFAULT.servo_frequency, 'of position and velocity commands: '
                'kp = I_ii frequency^2 [rad/s]', low=0.1, high=1000),
        Setting('servo_damping', DEFAULT.servo_damping, 'of position and velocity commands: '
                'kd = 2 damping I_ii frequency', low=0, high=10),
        Setting('servo_stiffness', DOUBLES, 'kp in place of that of servo_frequency '
                '[N m/rad or N/m]', check=numbers(low=0)),
        Setting('servo_viscosity', DOUBLES, 'kd in place of that of servo_damping '
                '[N m s/rad or N s/m]', check=numbers(low=0)),
        Setting('publish_clock', False, 'publish /clock: simulated time, from zero',
                read_only=True),
        Setting('diagnostics_rate', 1.0, 'statuses per second on /diagnostics [Hz]', low=0.1,
                high=100, read_only=True),
        Setting('max_simulations', 2, 'goals of ~/simulate at work at once', low=1, high=16),
        Setting('max_points', 10_000, 'points of a goal of ~/simulate, and of its result',
                low=2, high=10_000_000),
    )
