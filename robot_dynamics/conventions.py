"""Other programs' states of a floating base, from ours and back.

Ours: q = [x y z, qx qy qz qw, joints], rates = [omega; v; joints], omega and v (of the base link's
origin) both in the base's own axes. Each pair of functions takes and gives one state or a batch;
joints are left as they are, in our order. docs/floating_base.md has the table.
"""

from typing import Any

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.model.denoc import Array
from robot_dynamics.model.quaternions import turned

SCALAR_FIRST = (6, 3, 4, 5)  # where qw qx qy qz stand in our q


def to_pinocchio(q: Any, qd: Any) -> tuple[Array, Array]:
    """Return Pinocchio's q and v of a free flyer: v = [v; omega; joints], in the base's axes."""
    q, qd = _state(q, qd)
    return q.copy(), _halves_swapped(qd)


def from_pinocchio(q: Any, v: Any) -> tuple[Array, Array]:
    """Return our state of Pinocchio's."""
    return to_pinocchio(q, v)  # the halves change places both ways


def to_mujoco(q: Any, qd: Any) -> tuple[Array, Array]:
    """Return MuJoCo's qpos and qvel of a free joint.

    qpos = [x y z, qw qx qy qz, joints]; qvel = [v in world axes; omega in the base's; joints]
    """
    q, qd = _state(q, qd)
    omega, v = qd[..., :3], _to_world(q, qd[..., 3:6])
    return (np.concatenate([q[..., :3], q[..., SCALAR_FIRST], q[..., 7:]], axis=-1),
            np.concatenate([v, omega, qd[..., 6:]], axis=-1))


def from_mujoco(qpos: Any, qvel: Any) -> tuple[Array, Array]:
    """Return our state of MuJoCo's."""
    qpos, qvel = _state(qpos, qvel, 'qpos', 'qvel')
    q = _scalar_last(qpos, 3)
    return q, np.concatenate([qvel[..., 3:6], _to_base(q, qvel[..., :3]), qvel[..., 6:]], axis=-1)


def to_drake(q: Any, qd: Any) -> tuple[Array, Array]:
    """Return Drake's q and v of a quaternion floating joint.

    q = [qw qx qy qz, x y z, joints]; v = [omega; v; joints], both in world axes
    """
    q, qd = _state(q, qd)
    return (np.concatenate([q[..., SCALAR_FIRST], q[..., :3], q[..., 7:]], axis=-1),
            np.concatenate([_to_world(q, qd[..., :3]), _to_world(q, qd[..., 3:6]), qd[..., 6:]],
                           axis=-1))


def from_drake(q: Any, v: Any) -> tuple[Array, Array]:
    """Return our state of Drake's."""
    q, v = _state(q, v, 'q', 'v')
    ours = _scalar_last(np.concatenate([q[..., 4:7], q[..., :4], q[..., 7:]], axis=-1), 3)
    return ours, np.concatenate(
        [_to_base(ours, v[..., :3]), _to_base(ours, v[..., 3:6]), v[..., 6:]], axis=-1)


def to_ros(q: Any, qd: Any) -> tuple[dict[str, Array], dict[str, Array]]:
    """Return what nav_msgs/Odometry holds, as arrays: pose in the world, twist in the base's axes.

    pose: position x y z, orientation x y z w; twist: linear, angular (child_frame_id the base)
    """
    q, qd = _state(q, qd)
    return ({'position': q[..., :3].copy(), 'orientation': q[..., 3:7].copy()},
            {'linear': qd[..., 3:6].copy(), 'angular': qd[..., :3].copy()})


def from_ros(pose: dict[str, Any], twist: dict[str, Any], joints: Any = (),
             rates: Any = ()) -> tuple[Array, Array]:
    """Return our state of what nav_msgs/Odometry holds, and of the joints' values and rates."""
    position, orientation, linear, angular, joints, rates = (
        np.asarray(x, float) for x in (pose['position'], pose['orientation'], twist['linear'],
                                       twist['angular'], joints, rates))
    q, qd = (np.concatenate(parts, axis=-1) for parts in (
        (position, orientation, joints), (angular, linear, rates)))
    return _state(q, qd)


def _state(q: Any, qd: Any, name: str = 'q', rate: str = 'qd') -> tuple[Array, Array]:
    """Return a state as arrays of 7 + n and 6 + n numbers."""
    q, qd = np.asarray(q, float), np.asarray(qd, float)
    if not q.ndim or q.shape[-1] < 7 or qd.shape != (*q.shape[:-1], q.shape[-1] - 1):
        raise InputError(f'{name}, {rate}: shapes {q.shape}, {qd.shape}: expected (7 + n,) and '
                         '(6 + n,), or a batch of them')
    return q, qd


def _halves_swapped(v: Array) -> Array:
    return np.concatenate([v[..., 3:6], v[..., :3], v[..., 6:]], axis=-1)


def _scalar_last(q: Array, at: int) -> Array:
    """Return values whose quaternion qw qx qy qz at a place is qx qy qz qw."""
    return np.concatenate([q[..., :at], q[..., at + 1:at + 4], q[..., at:at + 1],
                           q[..., at + 4:]], axis=-1)


def _to_world(q: Array, v: Array) -> Array:
    return _turn(q[..., 3:7], v)


def _to_base(q: Array, v: Array) -> Array:
    return _turn(q[..., 3:7] * [-1.0, -1.0, -1.0, 1.0], v)


def _turn(quaternion: Array, v: Array) -> Array:
    """Return R v, (..., 3), of quaternions of any length but zero, (..., 4)."""
    squared = (quaternion * quaternion).sum(axis=-1)
    if not np.all(squared > 0):
        raise InputError('q: the quaternion of the base is zero')
    parts = turned(list(np.moveaxis(quaternion, -1, 0)), list(np.moveaxis(v, -1, 0)), squared)
    result: Array = np.stack(parts, axis=-1) / squared[..., None]
    return result
