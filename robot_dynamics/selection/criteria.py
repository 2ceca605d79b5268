"""The criteria: one small function each, in one dict.

To add one, write a function of a Case that gives a number for each arm, (N,) or one for all, and a
line in CRITERIA; the table, the marks, weights, the front and the report follow.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.model.denoc import Array
from robot_dynamics.selection import measures
from robot_dynamics.selection.case import Case, finite_mean

LESS, MORE = -1, 1
ROUNDING = 1e-4  # of the largest manipulability: what a search along the joints leaves


class Criterion(NamedTuple):
    """What is asked of an arm."""

    function: Callable[[Case], Any]
    better: int  # LESS or MORE
    unit: str
    text: str
    spread: Callable[[Case], Any] | None = None  # how uncertain it is, (N,)
    task: bool = False  # needs one


def gim_operations(case: Case) -> float:
    """Return operations of the GIM, sines and cosines included."""
    return case.gim.operations


def mci_operations(case: Case) -> float:
    """Return operations of the MCI."""
    return case.mci.operations


def timed(field: str) -> Callable[[Case], float]:
    """Return the function that gives a field of the timing."""
    def of_case(case: Case) -> float:
        if case.timing is None:
            raise InputError('no time was taken')
        return float(getattr(case.timing, field))
    return of_case


def workspace(case: Case) -> Array:
    """Return area or volume."""
    return case.workspace.value


def workspace_error(case: Case) -> Array:
    """Return the bound of the sampled area or volume."""
    return case.workspace.error


def manipulability_min(case: Case) -> Array:
    """Return the least manipulability; 0 where the search comes near a singular posture."""
    least, most = case.least(measures.manipulability), case.values(measures.manipulability)
    return np.where(least < ROUNDING * np.nanmax(most, axis=1), 0.0, least)


def manipulability_mean(case: Case) -> Array:
    """Return the mean manipulability."""
    return case.mean(measures.manipulability)


def manipulability_max(case: Case) -> Array:
    """Return the largest manipulability."""
    return case.most(measures.manipulability)


def condition(case: Case) -> Array:
    """Return the geometric mean of the GIM's condition: one posture does not decide."""
    with np.errstate(all='ignore'):
        return np.exp(finite_mean(np.log(case.values(measures.condition))))


def condition_max(case: Case) -> Array:
    """Return the GIM's largest condition."""
    return case.most(measures.condition)


def coupling(case: Case) -> Array:
    """Return the mean distance of the GIM from diagonal."""
    return case.mean(measures.coupling)


def isotropy(case: Case) -> Array:
    """Return the mean isotropy."""
    return case.mean(measures.isotropy)


def reflected_inertia(case: Case) -> Array:
    """Return the mean mass felt at the tip."""
    return case.mean(measures.reflected_inertia)


def sized(field: str) -> Callable[[Case], Array]:
    """Return the function that gives a number of the sizing, the worst over the tasks."""
    def of_case(case: Case) -> Array:
        if case.sizing is None:
            raise InputError('no task was given')
        found: Array = getattr(case.sizing, field)
        return found
    return of_case


CRITERIA: dict[str, Criterion] = {
    'gim_operations': Criterion(gim_operations, LESS, '', 'operations of the inertia matrix'),
    'mci_operations': Criterion(mci_operations, LESS, '', 'operations of the convective matrix'),
    'time': Criterion(timed('by_matrices'), LESS, 'of reference',
                      'time of inverse dynamics from both matrices',
                      timed('by_matrices_spread')),
    'time_recursive': Criterion(timed('recursive'), LESS, 'of reference',
                                'time of recursive inverse dynamics', timed('recursive_spread')),
    'workspace': Criterion(workspace, MORE, 'm^2 or m^3', 'area or volume that the tip reaches',
                           workspace_error),
    'manipulability_min': Criterion(manipulability_min, MORE, '', 'least manipulability'),
    'manipulability_mean': Criterion(manipulability_mean, MORE, '', 'mean manipulability'),
    'manipulability_max': Criterion(manipulability_max, MORE, '', 'largest manipulability'),
    'condition': Criterion(condition, LESS, '', "GIM's condition number, geometric mean"),
    'condition_max': Criterion(condition_max, LESS, '', "GIM's largest condition number"),
    'coupling': Criterion(coupling, LESS, '', "GIM's distance from diagonal, 0 to 1"),
    'isotropy': Criterion(isotropy, MORE, '', "least over largest singular value of the tip's "
                                              'Jacobian, mean'),
    'reflected_inertia': Criterion(reflected_inertia, LESS, 'kg', 'mass felt at the tip, mean'),
    'margin': Criterion(sized('least_margin'), MORE, '', 'least margin to effort and speed '
                                                         'limits, part of them', task=True),
    'payload': Criterion(sized('largest_payload'), MORE, 'kg', 'most that it carries through the '
                                                               'tasks', task=True),
    'peak_power': Criterion(sized('largest_power'), LESS, 'W', "largest power of a joint's motor",
                            task=True),
    'energy': Criterion(sized('total_energy'), LESS, 'J', 'work that motors do in the tasks',
                        task=True),
}

SIMPLICITY = {'gim_operations': 1.0, 'mci_operations': 1.0, 'time': 1.0}  # Bhangale2004's own
TIE = 'condition'  # who is equally simple: Bhangale2004 Sec 6, a well-conditioned GIM
FRONT = ('gim_operations', 'mci_operations', 'time', 'workspace', 'manipulability_mean',
         'condition', 'energy')
