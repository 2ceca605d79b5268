"""What sweeps in tests compute: functions that can be told to die, wait or fill a disk."""

import os
import resource
import signal
import time
from pathlib import Path

import numpy as np


def squares(x):
    """Return squares and sums of points (N, 3)."""
    return {'squares': x ** 2, 'sum': x.sum(axis=1), 'positive': x[:, 0] > 0}


def slow_squares(x):
    """Return squares, slowly."""
    time.sleep(0.05)
    return squares(x)


def slow_torques(robot, q, qd, qdd):
    """Return torques, slowly."""
    time.sleep(0.05)
    return {'tau': robot.inverse_dynamics(q, qd, qdd)}


def die_once(x, flag, parent, again=False):
    """Kill the process that computes, if it is not the parent, the first time or always."""
    if x[0, 0] > 0.5 and os.getpid() != parent and (again or not Path(flag).exists()):
        Path(flag).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return squares(x)


def disk_full_at(x, at):
    """Return squares; from the point with x[0] >= at on, files cannot be larger than 1 kB."""
    if x[-1, 0] >= at:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
    return {'squares': np.repeat(x ** 2, 50, axis=1)}
