"""The simulator without ROS: a live robot, its commands, its time and what went wrong."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from robot_dynamics.errors import InputError, SingularityError
from robot_dynamics.simulation.live.commands import Commands, Gains, servo, servos
from robot_dynamics.simulation.live.live_robot import LiveRobot, RunawayError
from robot_dynamics.simulation.live.pace import Pace
from robot_dynamics.simulation.live.settings import cycle_steps, gains, joint_order, per_joint


class CommandedRobot:
    """A robot that is told efforts, positions or velocities and moves in cycles."""

    def __init__(self) -> None:
        self.live: LiveRobot | None = None
        self.commands = Commands(0)
        self.pace = Pace()
        self.applied = np.zeros(0)  # efforts, shape (n,) [N m or N]
        self.failure = ''
        self.order: list[int] = []  # where the robot's joints stand in effort_commands
        self._gains = Gains()
        self._acting = np.zeros((0, 0))  # what the servos followed last

    def require_live(self) -> LiveRobot:
        """Return the robot, or raise InputError that says that there is none yet."""
        if self.live is None:
            raise InputError('no robot yet: waiting for robot_description, or for its kernels')
        return self.live

    def replace(self, live: LiveRobot, settings: Any) -> None:
        """Take another robot; joints that it has too stay where they are."""
        old, commands = self.live, self.commands
        joints, names = live.joints, live.joints.motor_names
        self.live, self.commands, self.applied = live, Commands(len(names)), np.zeros(len(names))
        self.failure, self._gains, self.order = '', Gains(), list(range(len(names)))
        try:
            self.tune(settings)
            place(live, settings)
        except InputError as error:  # made for another robot: say so, and go on without
            self.failure = str(error)
        if old is not None and (old.joints.names, old.joints.all_names) == (
                joints.names, joints.all_names):
            self.commands = commands if old.joints.motor_names == names else self.commands
            with suppress(InputError, SingularityError):  # its stops are others: it starts anew
                live.place(old.q.copy(), old.qd.copy(), old.values.copy())

    def tune(self, settings: Any) -> None:
        """Take what the parameters say of each joint."""
        if self.live is not None:
            names = self.live.joints.motor_names
            self.order, self._gains = joint_order(settings, names), gains(settings, names)
            self._acting = np.zeros((0, 0))

    def reset(self, settings: Any) -> None:
        """Go back to the initial state, without commands; time goes on."""
        live = self.require_live()
        place(live, settings)
        self.commands = Commands(len(live.joints.motor_names))
        self.applied = np.zeros(len(live.joints.motor_names))
        self.failure = ''

    def put(self, q: np.ndarray, qd: np.ndarray, near: np.ndarray | None = None) -> None:
        """Put the robot into a state; shape (n,) each [rad or m, rad/s or m/s].

        near: of a mechanism, values of all joints, nan where not given
        """
        self.require_live().place(q, qd, near)
        self.failure = ''

    def run(self, cycles: int, settings: Any) -> None:
        """Move through some cycles; an error leaves the last good state."""
        live = self.require_live()
        h, steps = cycle_steps(settings)
        policy = settings.on_timeout
        if policy == 'hold' and not live.joints.own:  # no motor can hold a freedom by itself
            policy = 'zero'
        acting = self.commands.current(self.pace.time, settings.command_timeout, policy)
        limit = self.effort_limit(settings)
        try:
            if not acting.servo:
                self.applied = np.clip(acting.effort, -limit, limit)
                live.advance(self.applied, h, cycles * steps)
                return
            values = acting.values
            same, self._acting = np.array_equal(values, self._acting), values
            all_servos = servos(acting, self._gains)
            for _ in range(cycles * steps):  # a servo's torque is another one at every step
                if same and live.resting:
                    return
                same = True
                applied = live.follow_on(all_servos, limit, h)
                self.applied = live.follow(
                    *servo(live.joints.moved, acting, self._gains, live.values.copy(),
                           live.qd.copy()),
                    limit, h) if applied is None else applied
        except (RunawayError, SingularityError) as error:
            self.failure = str(error)
            raise

    def effort_limit(self, settings: Any) -> np.ndarray:
        """Return what each joint gives at most, shape (n,); held on no command it has a brake."""
        live = self.require_live()
        limit = live.joints.limit if settings.saturate else None
        if limit is None:
            return np.full(len(live.joints.motor_names), np.inf)
        braked = settings.on_timeout == 'hold' and self.commands.stale(
            self.pace.time, settings.command_timeout)
        return np.where(braked, np.inf, limit)


def place(live: LiveRobot, settings: Any) -> None:
    """Put a robot into the initial state that the parameters tell; a mechanism near its start."""
    names = live.joints.names
    q = per_joint(settings, 'initial_positions', names)
    qd = per_joint(settings, 'initial_velocities', names)
    live.place(live.nearest_rest() if q is None else q, np.zeros(len(names)) if qd is None else qd,
               anew=True)
