"""Sweeps: a function over more points than fit into memory, on one machine or a cluster."""

from robot_dynamics.sweeps.sampling import LatinHypercube, Sobol
from robot_dynamics.sweeps.space import Grid, Space

__all__ = ['Grid', 'LatinHypercube', 'Sobol', 'Space']
