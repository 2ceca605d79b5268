"""What the simulated joints are told, and the torques that come of it: no ROS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.simulation.implicit import Servo
from robot_dynamics.simulation.servo_steps import Servos

EFFORT, VELOCITY, POSITION = 1, 2, 3  # what drives a joint; a servo follows the last two
ON_TIMEOUT = ('hold', 'zero', 'last')


@dataclass(frozen=True)
class Gains:
    """Of the joints' servos: kp = stiffness, kd = damping, or from the inertia each feels.

    stiffness [N m/rad or N/m], damping [N m s/rad or N s/m]: shape (n,), or None for
    kp = I_ii frequency^2, kd = 2 ratio I_ii frequency with I_ii of the GIM now
    frequency: [rad/s]; ratio: of the damping to the critical one
    """

    frequency: float = 60.0
    ratio: float = 1.0
    stiffness: np.ndarray | None = None
    damping: np.ndarray | None = None

    def at(self, inertia: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return kp and kd, shape (n,); inertia: the diagonal of the GIM, shape (n,)."""
        kp = inertia * self.frequency**2 if self.stiffness is None else self.stiffness
        kd = 2 * self.ratio * inertia * self.frequency if self.damping is None else self.damping
        return kp, kd

    def spread(self, over: Callable[[np.ndarray], np.ndarray]) -> Gains:
        """Return the gains over other rates; over: gives values of these from those of motors."""
        kp, kd = (None if x is None else over(x) for x in (self.stiffness, self.damping))
        return Gains(self.frequency, self.ratio, kp, kd)

    def parts(self, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return what kp and kd are, and what they are of the inertia that each joint feels."""
        none, w = np.zeros(n), self.frequency
        kp, kd = self.stiffness, self.damping
        return (none if kp is None else kp, none + w**2 if kp is None else none,
                none if kd is None else kd, none + 2 * self.ratio * w if kd is None else none)


class Commands:
    """The last command of every joint and when it came, in the time of the simulation."""

    def __init__(self, n: int):
        self.kind = np.zeros(n, int)  # 0: never told anything
        self.effort, self.velocity, self.position = np.zeros((3, n))
        self.time = np.full(n, -np.inf)

    def set_efforts(self, effort: np.ndarray, now: float) -> None:
        """Let all joints be driven by efforts, shape (n,) [N m or N]."""
        self.kind[:], self.effort[:], self.time[:] = EFFORT, effort, now

    def set_joints(self, joints: list[int], position: np.ndarray | None,
                   velocity: np.ndarray | None, effort: np.ndarray | None, now: float) -> None:
        """Let some joints follow a position, else a velocity, else an effort.

        An effort beside one of the others is added to what the servo gives.
        """
        self.kind[joints] = (POSITION if position is not None else
                             VELOCITY if velocity is not None else EFFORT)
        self.position[joints] = 0.0 if position is None else position
        self.velocity[joints] = 0.0 if velocity is None else velocity
        self.effort[joints] = 0.0 if effort is None else effort
        self.time[joints] = now

    def stale(self, now: float, timeout: float) -> np.ndarray:
        """Return which joints have been told nothing for longer than timeout [s]; 0: none ever."""
        told = self.kind != 0
        silent: np.ndarray = ~told | (now - self.time > timeout) if timeout > 0 else ~told
        return silent

    def current(self, now: float, timeout: float, on_timeout: str) -> Commands:
        """Return the commands as they act now: where they are stale, as the policy says."""
        stale = self.stale(now, timeout)
        if not stale.any() or (on_timeout == 'last' and (self.kind != 0).all()):
            return self
        if on_timeout == 'last':
            stale = self.kind == 0
        acting = Commands(len(stale))
        for name in ('kind', 'effort', 'velocity', 'position', 'time'):
            getattr(acting, name)[:] = getattr(self, name)
        acting.kind[stale] = VELOCITY if on_timeout == 'hold' else EFFORT
        acting.velocity[stale] = acting.effort[stale] = 0.0
        return acting

    @property
    def values(self) -> np.ndarray:
        """What they say, whenever they came: a copy to compare with."""
        return np.array([self.kind, self.effort, self.velocity, self.position])

    @property
    def servo(self) -> bool:
        """Whether a joint follows a position or a velocity, so that its torque changes."""
        return bool((self.kind > EFFORT).any())


def servo(robot: Dynamics, commands: Commands, gains: Gains, q: np.ndarray,
          qd: np.ndarray) -> tuple[np.ndarray, Servo]:
    """Return the torques beside the servos, shape (n,) [N m or N], and the servos.

    A servo is a PD on the joint over the torque that keeps its velocity: gravity, convective terms
    and friction. The step takes it at its end, so that stiff gains do not make it unstable.
    """
    I = robot.inertia_matrix(q)
    kp, kd = gains.at(I.diagonal())
    follows = commands.kind > EFFORT
    steady = robot.inverse_dynamics(q, qd, np.zeros_like(qd))
    return commands.effort + np.where(follows, steady, 0.0), Servo(
        np.where(commands.kind == POSITION, kp, 0.0), np.where(follows, kd, 0.0),
        commands.position, commands.velocity)


def servos(commands: Commands, gains: Gains) -> Servos:
    """Return the same for steps in which nothing else changes (simulation/servo_steps.py)."""
    follows = 1.0 * (commands.kind > EFFORT)
    to_position = commands.kind == POSITION
    kp, kp_felt, kd, kd_felt = gains.parts(len(follows))
    return Servos(commands.effort, follows, kp * to_position, kp_felt * to_position,
                  kd * follows, kd_felt * follows, commands.position, commands.velocity)
