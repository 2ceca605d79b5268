"""Conditions: how near to singular the columns of closure are."""

import numpy as np

from robot_dynamics.model.denoc import Array

SHORT = 0.01  # part of the mechanism's length below which a column is on its way to vanish


def condition(columns: Array, size: float = 0.0) -> float:
    """Return the condition number of a matrix, its columns taken as unit vectors.

    size: of columns of ordinary length: those below a hundredth of it stay short
    """
    if not np.isfinite(columns).all():
        return np.inf
    with np.errstate(all='ignore'):
        return float(np.linalg.cond(unit_columns(columns, SHORT * size)))


def unit_columns(columns: Array, least: float = 0.0) -> Array:
    """Return a matrix with columns of length 1, those below a length in proportion to it."""
    sizes = np.maximum(np.linalg.norm(columns, axis=0), least)
    return columns / np.where(sizes > 0, sizes, 1.0)
