"""Motion in time: integrators, reference motions, control laws, trajectories."""

from robot_dynamics.simulation.control import ComputedTorque, FeedForward, PDGravity
from robot_dynamics.simulation.lines import inverse_kinematics, straight_line
from robot_dynamics.simulation.motions import (
    Motion,
    cycloidal,
    from_file,
    quintic,
    sampled,
    trapezoidal,
)
from robot_dynamics.simulation.observer import MomentumObserver
from robot_dynamics.simulation.simulate import METHODS, simulate
from robot_dynamics.simulation.trajectory import Event, Stopped, Trajectory

__all__ = [
    'METHODS', 'ComputedTorque', 'Event', 'FeedForward', 'MomentumObserver', 'Motion',
    'PDGravity', 'Stopped', 'Trajectory', 'cycloidal', 'from_file', 'inverse_kinematics',
    'quintic', 'sampled', 'simulate', 'straight_line', 'trapezoidal',
]
