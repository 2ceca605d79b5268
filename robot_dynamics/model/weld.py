"""Two rigid bodies welded into one."""

import numpy as np

from robot_dynamics.model.denoc import Array


def weld(
    mass: float, com: Array, inertia: Array, other: float, other_com: Array, other_inertia: Array
) -> tuple[float, Array, Array]:
    """Return mass, mass centre and inertia about it of two bodies given by theirs, in one frame.

    Each body keeps the inertia about its own centre, so that a body far from the frame's origin
    loses no digits: I = I_1 + I_2 + m_1 m_2 / (m_1 + m_2) (d^2 1 - d d^T), d between the centres.
    """
    total = mass + other
    if not total:
        return total, com, inertia + other_inertia
    d = other_com - com
    apart = d @ d * np.eye(3) - np.outer(d, d)
    return (total, com + other / total * d,
            inertia + other_inertia + mass * other / total * apart)
