"""The simulator without ROS: a live robot, its commands, its time and what went wrong."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from robot_dynamics.errors import InputError, SingularityError
from robot_dynamics.simulation.live.commands import EFFORT, Commands, Gains, servo, servos
from robot_dynamics.simulation.live.live_robot import LiveRobot, RunawayError
from robot_dynamics.simulation.live.pace import Pace
from robot_dynamics.simulation.live.settings import (
    cycle_steps,
    gains,
    initial_values,
    joint_order,
    per_joint,
)

STANDING = 0.005  # [s] between two looks at a robot that is held on its feet


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
            if live.joints.stands and self.commands.stale(
                    self.pace.time, settings.command_timeout).all():
                self._stand(live, h, cycles * steps, self.effort_limit(settings))
                return
        acting = self.commands.current(self.pace.time, settings.command_timeout, policy)
        limit = self.effort_limit(settings)
        try:
            if not acting.servo:
                self.applied = np.clip(acting.effort, -limit, limit)
                live.advance(self.applied, h, cycles * steps)
                return
            acting, limit = spread(acting, live), live.joints.spread(limit, np.inf)
            values = acting.values
            same, self._acting = np.array_equal(values, self._acting), values
            tuned = self._gains.spread(live.joints.spread)
            all_servos = servos(acting, tuned)
            for _ in range(cycles * steps):  # a servo's torque is another one at every step
                if same and live.resting:
                    return
                same = True
                applied = live.follow_on(all_servos, limit, h)
                self.applied = live.joints.gathered(live.follow(
                    *servo(live.joints.moved, acting, tuned, live.values.copy(),
                           live.qd.copy()),
                    limit, h) if applied is None else applied)
        except (RunawayError, SingularityError) as error:
            self.failure = str(error)
            raise

    def _stand(self, live: LiveRobot, h: float, steps: int, limit: np.ndarray) -> None:
        """Hold a robot on its feet where it is: what moves is brought to rest."""
        few = max(1, round(STANDING / h))
        try:
            for done in range(0, steps, few):
                self.applied = np.clip(live.joints.braking(live.values, live.qd), -limit, limit)
                live.advance(self.applied, h, min(few, steps - done))
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
    q = initial_values(live.joints, live.nearest_rest(), settings)
    names = live.joints.names
    qd = per_joint(settings, 'initial_velocities', names)
    live.place(q, live.joints.layout.rates_of(np.zeros(len(names)) if qd is None else qd,
                                              np.zeros(6)), anew=True)


def spread(commands: Commands, live: LiveRobot) -> Commands:
    """Return commands of the motors as commands of all rates; a base has none."""
    if not live.joints.layout.poses:
        return commands
    spread = Commands(live.robot.n)
    for name in ('effort', 'velocity', 'position', 'time'):
        getattr(spread, name)[:] = live.joints.spread(getattr(commands, name))
    spread.kind[:] = live.joints.spread(commands.kind.astype(float), EFFORT)
    return spread
