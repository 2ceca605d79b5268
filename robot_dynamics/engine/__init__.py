"""The engine: algorithms traced over symbols, compiled for one robot, cached on disk."""

from robot_dynamics.engine.kernels import Kernels
from robot_dynamics.engine.running import background
from robot_dynamics.inputs import number

__all__ = ['Kernels', 'wait_for_kernels']


def wait_for_kernels(timeout: float | None = None) -> bool:
    """Wait until the kernels being compiled in the background can be used.

    timeout: how long to wait at most [s]; return whether all of them are ready (or have failed)
    `InputError`: a timeout that is no number

    >>> rd.wait_for_kernels()
    True
    """
    return background.BACKGROUND.wait(None if timeout is None else number('timeout', timeout))
