"""What drives the joints: one function of (t, q, qd) made of whatever the caller hands in."""

from collections.abc import Callable
from typing import Any

import numpy as np

from robot_dynamics.errors import InputError, RobotDynamicsError, SingularityError
from robot_dynamics.inputs import duplicates, read_only, vector
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.blow_up import BlowUpError


class Constant:
    """The same torques at every instant, (n,) or one row per robot of a batch, (N, n)."""

    def __init__(self, tau: Array):
        self.tau = tau

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """Return the torques."""
        return self.tau

    def at(self, t: Array) -> Array:
        """Return the torques at instants (...,) as (..., n)."""
        return np.broadcast_to(self.tau, (*np.shape(t), *self.tau.shape))


class Table:
    """Torques sampled in time, straight lines between the samples, the ends held."""

    def __init__(self, t: Array, tau: Array):
        self.t = t
        self.tau = tau

    @property
    def kinks(self) -> list[float]:
        """The instants at which a torque's slope changes."""
        if len(self.t) < 2:
            return []
        flat = np.zeros((1, self.tau.shape[1]))
        slope = np.concatenate([flat, np.diff(self.tau, axis=0) / np.diff(self.t)[:, None], flat])
        size = np.abs(slope).max(axis=0, initial=1e-300)
        bends = (np.abs(np.diff(slope, axis=0)) > 1e-9 * size).any(axis=1)
        found: list[float] = self.t[bends].tolist()
        return found

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """Return the torques at one instant."""
        return self.at(np.asarray(t))

    def at(self, t: Array) -> Array:
        """Return the torques at instants (...,) as (..., n)."""
        columns = [np.interp(t, self.t, column) for column in self.tau.T]
        return np.stack(columns, axis=-1)


class Checked:
    """A caller's function or controller, its answers checked, and cut at the motors' limits.

    limit: (n,) [N m or N]; saturated: the joints and instants at which it was cut first
    """

    def __init__(self, function: Callable[..., Any], joint_names: tuple[str, ...],
                 limit: Array | None = None):
        self.function = function
        self.joint_names = joint_names
        self.limit = limit
        self.saturated: dict[str, float] = {}

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """Return the torques; `InputError` says what is wrong with them, and when."""
        n = len(self.joint_names)
        try:
            answer = self.function(t, read_only(q), read_only(qd))
            if np.iscomplexobj(answer):
                raise TypeError('its answer is complex')
            tau = np.array(answer, dtype=np.float64)  # a copy: it may use one array all the time
        except SingularityError as error:  # the state is to blame
            raise BlowUpError(str(error)) from error
        except (RobotDynamicsError, BlowUpError):
            raise
        except Exception as error:
            raise InputError(f'torque: the function failed at t = {t:g} s: '
                             f'{type(error).__name__}: {error}') from error
        if tau.shape != (n,):
            raise InputError(f'torque: the function returned shape {tau.shape} at t = {t:g} s: '
                             f'expected ({n},)')
        finite = np.isfinite(tau)
        if not finite.all():
            joint = int(np.argmin(finite))
            raise InputError(f'torque: the function returned {tau[joint]} for joint '
                             f'{self.joint_names[joint]!r} at t = {t:g} s')
        if self.limit is None:
            return tau
        over = np.abs(tau) > self.limit
        if over.any():
            for joint in np.flatnonzero(over).tolist():
                self.saturated.setdefault(self.joint_names[joint], t)
        return np.clip(tau, -self.limit, self.limit)


Law = Constant | Table | Checked


def cutting(law: Any) -> Checked | None:
    """Return the law that is cut at limits: this one, or the motors' of a mechanism inside it."""
    if not isinstance(law, Checked):
        return None
    inner = getattr(law.function, 'law', None)
    return inner if isinstance(inner, Checked) else law


def make_law(torque: Any, joint_names: tuple[str, ...], limit: Array | None = None) -> Law:
    """Return the torque law of what the caller gave; None is no torque at all.

    limit: of the motors, which functions and controllers keep, (n,) [N m or N]; None for none

    torque: (n,) or (N, n) constant; a function or controller of (t, q, qd); a pair (t, tau) of
    shapes (K,) and (K, n); or a JointTrajectory: joint_names and points with effort and
    time_from_start
    """
    n = len(joint_names)
    if torque is None:
        return Constant(np.zeros(n))
    if hasattr(torque, 'points'):
        return trajectory_table(torque, joint_names)
    if callable(torque):
        return Checked(torque, joint_names, limit)
    if isinstance(torque, tuple) and len(torque) == 2 and np.ndim(torque[1]) == 2:
        return make_table(torque[0], torque[1], n)
    try:
        shape = np.shape(torque)
    except ValueError:
        shape = ()
    if len(shape) == 2:
        return Constant(vector('torque', torque, (shape[0], n)))
    return Constant(vector('torque', torque, (n,)))


def make_table(t: Any, tau: Any, n: int) -> Table:
    """Return a table of K instants and (K, n) torques."""
    K = np.shape(t)[0] if np.ndim(t) == 1 else 0
    times = vector('torque: t', t, (K,))
    if K < 1 or np.any(np.diff(times) <= 0):
        raise InputError('torque: t: expected increasing times')
    return Table(times, vector('torque: tau', tau, (K, n)))


def trajectory_table(message: Any, joint_names: tuple[str, ...]) -> Table:
    """Return the table of a JointTrajectory's efforts, its joints matched by name."""
    try:
        names = list(getattr(message, 'joint_names', joint_names))
        points = [(np.asarray(point.effort, float), seconds(point.time_from_start))
                  for point in message.points]
    except (AttributeError, TypeError, ValueError) as error:
        raise InputError(f'torque: expected a JointTrajectory: {error}') from None
    if twice := duplicates(names):
        raise InputError(f'torque: joints named twice: {twice}')
    missing = [name for name in joint_names if name not in names]
    if missing:
        raise InputError(f'torque: the trajectory has no joint {missing[0]!r}')
    order = [names.index(name) for name in joint_names]
    t, tau = [], []
    for k, (effort, instant) in enumerate(points):
        if effort.shape != (len(names),):
            raise InputError(f'torque: point {k} has {effort.size} efforts: expected '
                             f'{len(names)}')
        t.append(instant)
        tau.append(effort[order])
    if not t:
        raise InputError('torque: the trajectory has no points')
    return make_table(np.array(t), np.array(tau), len(joint_names))


def seconds(duration: Any) -> float:
    """Return a ROS duration, or a number, in seconds."""
    if hasattr(duration, 'sec'):
        elapsed: float = duration.sec + 1e-9 * duration.nanosec
        return elapsed
    return float(duration)
