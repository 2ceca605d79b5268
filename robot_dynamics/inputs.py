"""Checks what callers hand in: shapes, finite numbers, names. Errors say what was expected."""

import os
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robot_dynamics.errors import InputError

Array = NDArray[np.float64]
Result = TypeVar('Result', bound=ArrayLike)
PER_JOINT = ('q', 'qd', 'qdd', 'tau')  # arguments with a number for each joint


def states(widths: Mapping[str, int], *arguments: Any, joint_names: Sequence[str] = ()
           ) -> tuple[list[Array], bool]:
    """Return the arguments as float64 arrays of shape (N, n), and whether they came as a batch.

    widths: name and n of each argument, which is one state, shape (n,), or a batch, shape (N, n);
    single states are repeated beside a batch
    joint_names: for messages
    """
    arrays = [_state(name, value, n, joint_names if name in PER_JOINT else ())
              for (name, n), value in zip(widths.items(), arguments, strict=True)]
    sizes = {array.shape[0] for array in arrays if array.ndim == 2}
    if len(sizes) > 1:
        found = ', '.join(f'{name} {array.shape}'
                          for name, array in zip(widths, arrays, strict=True))
        raise InputError(f'batches of different sizes: {found}')
    N = sizes.pop() if sizes else 1
    batch = any(array.ndim == 2 for array in arrays)
    return [array.reshape(1, -1) if N == 1 else np.broadcast_to(array, (N, array.shape[-1]))
            for array in arrays], batch


def _state(name: str, value: Any, n: int, joint_names: Sequence[str] = ()) -> Array:
    array = _numbers(name, value)
    if array.ndim not in (1, 2) or array.shape[-1] != n:
        raise InputError(f'{name}: shape {array.shape}: expected ({n},) or (N, {n})')
    return _finite(name, array, joint_names)


def vector(name: str, value: Any, shape: tuple[int, ...], joint_names: Sequence[str] = ()
           ) -> Array:
    """Return value as a finite float64 array of the shape, a copy.

    joint_names: whose values the last axis has, for messages
    """
    array = np.array(_numbers(name, value))
    if array.shape != shape:
        raise InputError(f'{name}: shape {array.shape}: expected {shape}')
    return _finite(name, array, joint_names)


def batched(name: str, value: Any, N: int, shape: tuple[int, ...]) -> Array:
    """Return value, one of a shape for all or N of them, as a finite float64 array, a copy."""
    array = np.array(_numbers(name, value))
    if array.shape not in (shape, (N, *shape)):
        raise InputError(f'{name}: shape {array.shape}: expected {shape} or {(N, *shape)}')
    return _finite(name, array)


def leading(*pairs: tuple[str, Any, int]) -> int | None:
    """Return the length of the leading axis that some of the arguments have; None: none has.

    pairs: name, value and dimensions of one
    """
    sizes = {name: len(np.asarray(value)) for name, value, dimensions in pairs
             if value is not None and rank(name, value) == dimensions + 1}
    if len(set(sizes.values())) > 1:
        raise InputError('arguments of different lengths: ' + ', '.join(
            f'{name} {size}' for name, size in sizes.items()))
    return next(iter(sizes.values()), None)


def _numbers(name: str, value: Any) -> Array:
    if 'numpy.ma' in sys.modules and np.ma.is_masked(value):  # else none can be: a slow import
        raise InputError(f'{name}: has masked values: expected real numbers')
    try:
        if np.iscomplexobj(value) or np.asarray(value).dtype.kind in 'mM':  # dates
            raise TypeError
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f'{name}: expected real numbers, found {str(value)[:80]}') from None


def _finite(name: str, array: Array, joint_names: Sequence[str] = ()) -> Array:
    if not np.isfinite(array).all():
        raise InputError(f'{name}: has a nan or inf at {_where(array, joint_names)}' if array.ndim
                         else f'{name}: is {float(array)}')
    return array


def finite(name: str, result: Array) -> Array:
    """Return what was computed from an argument, unless the argument was too large for it."""
    if not np.isfinite(result).all():
        raise InputError(f'{name}: too large: what follows from it is not finite')
    return result


def number(name: str, value: Any) -> float:
    """Return value as a finite float."""
    return float(vector(name, value, ()))


def positive(name: str, value: Any) -> float:
    """Return value as a finite float above zero."""
    if not (result := number(name, value)) > 0:
        raise InputError(f'{name}={result:g}: expected a positive number')
    return result


def flag(name: str, value: Any) -> bool:
    """Return value when it is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f'{name}={str(value)[:80]!r}: expected True or False')
    return bool(value)


def mapping(name: str, value: Any) -> Mapping[str, Any]:
    """Return value when it is a mapping; None is an empty one."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f'{name}: expected a mapping, found {type(value).__name__}')
    return value


def text(name: str, value: Any) -> str:
    """Return value when it is a string."""
    if not isinstance(value, str):
        raise InputError(f'{name}={str(value)[:80]}: expected a string')
    return value


def name_list(name: str, value: Any) -> list[str]:
    """Return value as a list of names."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InputError(f'{name}={str(value)[:80]!r}: expected a list of names')
    return [text(name, one) for one in value]


def outside_limits(name: str, q: Any, lower: Any, upper: Any, joint_names: Iterable[str],
                   slack: float = 1e-9) -> str:
    """Return a sentence on joint values (n,) or (N, n) beyond limits; empty where there are none.

    It asks for degrees beyond half a turn, since that is what they mostly are.
    slack: how far beyond a limit is nothing to speak of [rad or m]
    """
    values = np.atleast_2d(np.asarray(q, float))
    beyond = np.maximum(np.asarray(lower) - values, values - np.asarray(upper)) > slack
    beyond &= np.less(lower, upper)  # 0 to 0 is what some write who know no limits
    joints = np.flatnonzero(beyond.any(axis=0))
    if not len(joints):
        return ''
    j, names = joints[0], list(joint_names)
    far = values[np.argmax(beyond[:, j]), j]
    others = f', and {len(joints) - 1} more' if len(joints) > 1 else ''
    asked = ': degrees given for radians?' if abs(far) > np.pi else ''
    return (f'{name}: joint {names[j]!r} is at {far:g}, outside its limits {lower[j]:g} to '
            f'{upper[j]:g}{others} (radians and metres are expected{asked})')


def user_path(name: str, value: Any) -> Path:
    """Return value as a path, ~ at its beginning the user's home."""
    try:
        return Path(os.path.expanduser(os.fspath(value)))
    except TypeError:
        raise InputError(f'{name}={str(value)[:80]}: expected a path') from None


def duplicates(names: Iterable[str]) -> str:
    """Return the names that come more than once, for a message; empty where there are none."""
    counts = Counter(names)
    return ', '.join(sorted(name for name in counts if counts[name] > 1))


def choice(name: str, value: Any, choices: Iterable[str]) -> str:
    """Return value when it is one of the choices."""
    options = list(choices)
    if not isinstance(value, str) or value not in options:
        raise InputError(f'{name}={str(value)[:80]!r}: expected one of '
                         + ', '.join(map(repr, options)))
    return value


def read_only(array: Array) -> Array:
    """Return a view for callers' functions, which must not change what they are shown."""
    view = array.view()
    view.flags.writeable = False
    return view


def rank(name: str, value: Any) -> int:
    """Return the number of dimensions of value."""
    try:
        return np.ndim(value)
    except ValueError:
        raise InputError(f'{name}: expected real numbers, found {str(value)[:80]}') from None


def wrenches(name: str, external: Mapping[str, Any]) -> list[Array]:
    """Return the wrenches of {link: wrench, (6,) or (N, 6)}, checked."""
    sizes = {f'{name}[{link!r}]': 6 for link in external}
    arrays, batch = states(sizes, *external.values())
    return arrays if batch else [array[0] for array in arrays]


def store(result: Result, out: Array | None) -> Result | Array:
    """Return the result, an array or a number, in `out` where one is given."""
    if out is None:
        return result
    if not (isinstance(out, np.ndarray) and out.shape == np.shape(result)
            and out.dtype == np.float64 and out.flags.writeable):
        raise InputError(f'out: expected a writeable float64 array of shape {np.shape(result)}')
    out[...] = result
    return out


def _where(array: Array, joint_names: Sequence[str]) -> str:
    index = np.argwhere(~np.isfinite(array))[0]
    named = len(joint_names) == array.shape[-1]  # a floating joint has more values than rates
    return ('index ' + ', '.join(str(int(k)) for k in index)
            + (f' (joint {joint_names[index[-1]]!r})' if named else ''))
