"""Reads mechanisms: a tree of links and what closes its loops, from any of several formats."""

from robot_dynamics.description.mechanism.reading import (
    closes_loops,
    is_mechanism,
    read_mechanism,
)
from robot_dynamics.description.mechanism.records import (
    CUT_JOINTS,
    WORLD,
    Coupling,
    CutFrame,
    Loop,
    MechanismRecord,
)

__all__ = ['CUT_JOINTS', 'WORLD', 'Coupling', 'CutFrame', 'Loop', 'MechanismRecord',
           'closes_loops', 'is_mechanism', 'read_mechanism']
