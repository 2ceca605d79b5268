"""A robot that moves under torques, a few steps at a time: the simulator's physics, no ROS."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from robot_dynamics.dynamics import Dynamics
from robot_dynamics.errors import InputError, RobotDynamicsError
from robot_dynamics.simulation.batches import limit_bounds
from robot_dynamics.simulation.blow_up import BlowUpError
from robot_dynamics.simulation.closed import check_loops
from robot_dynamics.simulation.closed_holds import closed_holds
from robot_dynamics.simulation.holds import Holds
from robot_dynamics.simulation.implicit import Servo, implicit_step
from robot_dynamics.simulation.live.joints import make_joints
from robot_dynamics.simulation.samples import Progress
from robot_dynamics.simulation.servo_steps import Servos, servo_step
from robot_dynamics.simulation.stepping import Stepping
from robot_dynamics.simulation.system import System
from robot_dynamics.simulation.tableaus import RUNAWAY

STIFF = 1.0  # step times the fastest decay by damping, beyond which explicit steps are unstable
MASSLESS = 1e-14  # inertia, beside the largest, that is none
STILL = 1e-12  # slower, and not to be seen in the joint values, is at rest [rad/s or m/s]
CLOSED = 1e-14  # [rad or m] closing loops again moves passive joints by rounding
LOOK = 0.02  # [s] of simulated time between two looks at that


class RunawayError(RobotDynamicsError):
    """The motion has no finite continuation; the state is the last good one."""


class LiveRobot:
    """A state that `advance` moves on with fixed steps, in machine code between two events.

    Making one waits until the robot's kernels are compiled. Dry friction and stops hold joints
    exactly (docs/simulation.md). Where damping is too stiff for the method and the step, and under
    servos, steps are implicit. Joints that move no inertia in any pose stay where they are put:
    `locked` names them. A mechanism's state is its assembled tree (`values`), so that its branch
    is kept; users see the independent joints (`q`).
    """

    def __init__(self, robot: Dynamics, *, method: str = 'rk4', stops: bool = True,
                 restitution: float = 0.0):
        if not robot.n:
            raise InputError(f'{robot.name} has no joints')
        self.robot, self.joints = robot, make_joints(robot)
        n = robot.n
        self._law = self.joints.law()
        system = System(self.joints.moved, self._law, None)
        locked = without_inertia(self.joints.moved, self.joints.poses())
        self.locked = tuple(np.array(robot.joint_names)[locked].tolist())
        self._holds = live_holds(system, stops, restitution, locked)
        self._stepping = Stepping(system, self._holds, method, Progress(None))
        self._nq = system.nq
        self._state = np.full(self._nq + n, np.nan)
        self._row = np.empty((1, self._nq + n))
        self._time = self._looked = 0.0
        self._same = CLOSED if self.joints.closed else 0.0
        self._most = np.zeros(n)  # torques of joints whose servos are at their limits, else 0
        self._moving = np.zeros(0)  # the joints for which damping was looked at
        self.place(self.nearest_rest(), np.zeros(n))

    @property
    def q(self) -> np.ndarray:
        """Joint values, shape (nq,) [rad or m]; of a robot: a view that the next step changes."""
        return self.joints.values(self.values)

    @property
    def values(self) -> np.ndarray:
        """Values of all joints, as the solver has them: a view that the next step changes."""
        return self._state[:self._nq]

    @property
    def qd(self) -> np.ndarray:
        """Joint rates, shape (n,) [rad/s or m/s]: a view that the next step changes."""
        return self._state[self._nq:]

    def nearest_rest(self) -> np.ndarray:
        """Return the joint values nearest to zero that the stops allow, shape (n,).

        Of a mechanism, those of its file's start.
        """
        return self.joints.rest(*self._holds.own_bounds)

    def place(self, q: np.ndarray, qd: np.ndarray, near: np.ndarray | None = None, *,
              anew: bool = False) -> None:
        """Put the robot into a state; `InputError` when that is beyond a stop.

        q, qd: joint values (nq,) and rates (n,) [rad or m, rad/s or m/s]; near: of a mechanism,
        values of all joints, nan where not known, else the branch is that of the present state
        or, anew, of the file's start.
        `SingularityError`, `InputError`: where loops are singular, or cannot close
        """
        lost = anew or not np.isfinite(self.values).all()
        values = self.joints.placed(q, near, None if lost else self.values)
        self._holds.check(values)
        self._state[:] = np.concatenate([values, qd])
        self._placed, self._looked, self.resting = True, -np.inf, False

    def advance(self, tau: np.ndarray, h: float, steps: int) -> None:
        """Take steps of h [s] under constant efforts of the motors; tau: (motors,) [N m or N]."""
        motors = len(self.joints.motor_names)
        if tau.shape != (motors,):
            raise InputError(f'tau: shape {tau.shape}: expected ({motors},)')
        self.joints.set_efforts(self._law, np.ascontiguousarray(tau))
        self.resting = False
        stepping, done = self._stepping, 0
        with self._saying_why():
            self._settle()
            while done < steps:
                if self._is_stiff(h):
                    self._take(*implicit_step(self._holds, self._time, self.values, self.qd, h), h)
                    done += 1
                    continue
                if stepping.runner() is not None:
                    left = min(steps - done, max(1, round(LOOK / h)))
                    taken = stepping.loop(self._state, self._time, h, left, left, self._row)
                    done, self._time = done + taken, self._time + taken * h
                    if taken == left:
                        continue
                if h * self._fastest_of_all > STIFF:  # an event may let go of what is stiff
                    self._take(*implicit_step(self._holds, self._time, self.values, self.qd, h), h)
                    done += 1
                    continue
                if not stepping.slow(self._state, self._time, h):
                    at = stepping.samples.stopped
                    assert at is not None
                    raise RunawayError(f'the motion stopped at joint {at.joint!r}: {at.reason}')
                done, self._time = done + 1, self._time + h

    def follow(self, tau: np.ndarray, servo: Servo, limit: np.ndarray | float,
               h: float) -> np.ndarray:
        """Take one step of h [s] under torques and servos; return the torques applied.

        limit: of torque and servo together, shape (n,) [N m or N]; a joint at it has no servo
        """
        holds, values, qd = self._holds, self.values.copy(), self.qd.copy()
        q = holds.system.space.joint_values(values)
        before = holds.held, holds.side, holds.direction, holds.idle.copy()
        with self._saying_why():
            self._law.tau = np.clip(tau, -limit, limit)
            self._settle()
            self._most = np.zeros(self.robot.n)
            for _ in range(self.robot.n + 1):
                self._law.tau = tau
                q1, v = implicit_step(holds, self._time, values, qd, h, servo)
                applied: np.ndarray = (tau + servo.kp * (servo.position - q - h * v)
                           + servo.kd * (servo.velocity - v))
                over = np.abs(applied) > limit * (1 + 1e-9)
                if not over.any():
                    break
                tau = np.where(over, np.clip(applied, -limit, limit), tau)
                self._most = np.where(over, tau, self._most)
                servo = servo._replace(kp=np.where(over, 0.0, servo.kp),
                                       kd=np.where(over, 0.0, servo.kd))
                holds.held, holds.side, holds.direction, holds.idle = before
            self._take(q1, v, h)
        # where nothing changes, the next step is this one again
        self.resting = bool(np.abs(q1 - values).max() <= self._same
                            and np.abs(v).max() < STILL > np.abs(qd).max())
        return applied

    def follow_on(self, servos: Servos, limit: np.ndarray | float, h: float) -> np.ndarray | None:
        """Take a step as `follow` does, if joints stay held and slide as they do; else None."""
        if self._placed:
            return None
        q, qd = self.values.copy(), self.qd.copy()
        found = servo_step(self._holds, q, qd, servos, self._most, limit, h)
        if found is None:
            return None
        self._take(found.q, found.qd, h)
        self.resting = bool((found.q == q).all() and np.abs(found.qd).max() < STILL
                            and np.abs(qd).max() < STILL)
        return found.applied

    def _settle(self) -> None:
        """Begin the motion at a state that was set."""
        if self._placed:
            self._state[:] = np.concatenate(
                self._holds.settle(self._time, self.values.copy(), self.qd.copy()))
            self._placed = False

    def _take(self, q: np.ndarray, qd: np.ndarray, h: float) -> None:
        check_loops(self._holds.system, self.values.copy(), q, 2)
        if not (np.isfinite(q).all() and np.abs(qd).max() <= RUNAWAY):
            joint = self.robot.joint_names[int(np.argmax(np.where(np.isfinite(qd), np.abs(qd),
                                                                  np.inf)))]
            raise RunawayError(f'the motion stopped at joint {joint!r}: the joint rates run away')
        self._state[:] = np.concatenate([q, qd])
        self._time += h

    def _is_stiff(self, h: float) -> bool:
        """Tell whether damping of what moves is too fast for explicit steps."""
        free = self._holds.modes.free
        if not (0 <= self._time - self._looked < LOOK and np.array_equal(free, self._moving)):
            self._looked, self._moving = self._time, free
            system = self._holds.system
            self._fastest = system.decay_rate(self.values.copy(), free)
            self._fastest_of_all = system.decay_rate(self.values.copy())
        return h * self._fastest > STIFF

    @contextmanager
    def _saying_why(self) -> Iterator[None]:
        """Raise what the equations of motion complain about as one of ours."""
        try:
            yield
        except BlowUpError as error:
            if isinstance(error.__cause__, RobotDynamicsError):
                raise error.__cause__ from None
            raise RunawayError(f'the motion stopped: {error}') from None


def live_holds(system: System, stops: bool, restitution: float, locked: np.ndarray) -> Holds:
    """Return what holds the joints of a robot or of a mechanism."""
    if system.space.following:
        return closed_holds(system, stops, restitution)
    lower, upper, walls = limit_bounds(system.robot, stops, np.zeros(system.n))
    return Holds(system, lower, upper, restitution, locked, walls)


def without_inertia(robot: Dynamics, poses: np.ndarray) -> np.ndarray:
    """Return which joints move nothing that has inertia, whatever the pose, shape (n,)."""
    felt = np.abs(np.diagonal(robot.inertia_matrix(poses), axis1=1, axis2=2)).max(axis=0)
    none: np.ndarray = felt <= MASSLESS * felt.max()
    return none
