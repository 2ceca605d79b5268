"""Base parameters: the inertials regrouped along the tree so that as many as can be are zero.

A revolute joint does not feel what is symmetric about its axis: the part of its link with the
link's mass, the first moment along the axis and the inertia diag(Iyy, Iyy, 0) is the same for
every joint value, and may as well belong to the parent. A prismatic joint does not feel its
link's inertia tensor. Moved from the tips to the root, these parts leave each revolute link
without mass, hz and Iyy, each prismatic link without inertia, and what reaches the root, which
rests or moves without turning, has no effect at all (Gautier and Khalil's regrouping).

Joint torques, accelerations and the inertia matrix stay the same functions for any gravity.
Potential energy, reaction wrenches, the regressor and a turning base need the full parameters.
"""

import numpy as np

from robot_dynamics.algorithms.mass_blocks import composite_to_parent, rigid_blocks
from robot_dynamics.model.denoc import Geometry, Inertials


def regroup(geometry: Geometry, inertials: Inertials, massless: tuple[int, ...]) -> Inertials:
    """Return equivalent inertials with more zeros; over floats or symbols.

    massless: links that never have mass (of chains that stand for one joint): nothing is moved
    there, since what would be zero by regrouping is zero already.
    """
    L = len(inertials.mass)
    type_ = inertials.mass.dtype
    m, still = np.append(inertials.mass, 0), np.zeros(L, type_)
    h, I = rigid_blocks(inertials, still)
    one, zero = np.ones(L, type_), np.zeros(L, type_)
    for i in range(L - 1, -1, -1):
        parent = geometry.parent[i]
        if parent in massless and parent >= 0:
            continue
        part_h, part_I = np.zeros(3, type_), np.zeros(6, type_)
        if geometry.prismatic[i]:
            part_m, part_I = 0, I[i].copy()
            I[i] = 0
            c, s = geometry.c0, geometry.s0
        else:
            part_m, part_h[2] = m[i], h[i, 2]
            part_I[0] = part_I[3] = I[i, 3]
            m[i], h[i, 2] = 0, 0
            I[i, 0], I[i, 3] = I[i, 0] - I[i, 3], 0
            c, s = one, zero
        moved_h, moved_I = composite_to_parent(
            geometry, i, still, c, s, part_m, part_h, part_I)
        m[parent] = m[parent] + part_m
        h[parent] = h[parent] + moved_h
        I[parent] = I[parent] + moved_I
    full = np.array([[[x[0], x[1], x[2]], [x[1], x[3], x[4]], [x[2], x[4], x[5]]]
                     for x in I[:L]], type_)
    return inertials._replace(mass=m[:L], moment=h[:L], inertia=full)
