"""The natural orthogonal complement and its two factors, written out as matrices.

For teaching and for tests: the recursions never build these. Everything is in root axes, the twist
of link i is [omega_i; v_i] with v_i of the link's origin O'_i (fixed on the link), and the twists
of all links are stacked to t (6 L,). On a tree A_ij is zero unless j is i or lies on its way to
the root. The base is at rest, as in Angeles7 Sec 7.5.
"""

import numpy as np

from robot_dynamics.algorithms.gibbs_appell import inverse_dynamics
from robot_dynamics.algorithms.kinematics import poses, twists_from_poses
from robot_dynamics.model.denoc import Array, Geometry, Inertials


def tilde(v: Array) -> Array:
    """Return v~, the tensor of the cross product, (3, 3)."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def propagation(r: Array) -> Array:
    """Return A_ij (6, 6), r the position of O'_i from O'_j.

    The text after MohanSaha2007 (4) has a_{i,i-1} as the position of O_i from O_{i-1}; with
    +a~ in A it is the vector from O_i to O_{i-1}, here -r. Its halves are swapped: ours is
    [omega; v].
    """
    A = np.eye(6)
    A[3:, :3] = -tilde(r)  # MohanSaha2007 (4)
    return A


def motion_vectors(geometry: Geometry, q: Array) -> Array:
    """Return p_i of every joint, (L, 6): [z; 0] revolute, [0; z] prismatic."""
    R, _ = poses(geometry, q)
    result = np.zeros((len(q), 6))
    for i in range(len(q)):
        k = 3 if geometry.prismatic[i] else 0
        result[i, k:k + 3] = R[i, :, 2]  # MohanSaha2007 (4)
    return result


def N_l(geometry: Geometry, q: Array) -> Array:
    """Return N_l (6 L, 6 L): block i, j is A_ij."""
    _, p = poses(geometry, q)
    N = np.zeros((6 * len(q), 6 * len(q)))
    for i in range(len(q)):
        for j in ancestors(geometry, i):
            N[block(i), block(j)] = propagation(p[i] - p[j])  # MohanSaha2007 (8c)
    return N


def N_d(geometry: Geometry, q: Array) -> Array:
    """Return N_d (6 L, L): block i, i is p_i."""
    N = np.zeros((6 * len(q), len(q)))
    for i, p_i in enumerate(motion_vectors(geometry, q)):
        N[block(i), i] = p_i  # MohanSaha2007 (8c)
    return N


def N(geometry: Geometry, q: Array) -> Array:
    """Return the natural orthogonal complement (6 L, L): t = N qd."""
    return N_l(geometry, q) @ N_d(geometry, q)  # MohanSaha2007 (8b), T of Angeles7 (7.54)


def N_l_rate(geometry: Geometry, q: Array, qd: Array) -> Array:
    """Return dN_l/dt."""
    R, p = poses(geometry, q)
    _, v = twists_from_poses(geometry, R, p, qd)
    rate = np.zeros((6 * len(q), 6 * len(q)))
    for i in range(len(q)):
        for j in ancestors(geometry, i):
            # dA_ij/dt of Bhangale2004 (12); v_i - v_j contains the rates of sliding joints
            rate[block(i), block(j)][3:, :3] = -tilde(v[i] - v[j])
    return rate


def N_d_rate(geometry: Geometry, q: Array, qd: Array) -> Array:
    """Return dN_d/dt: dp_i/dt = W_i p_i."""
    R, p = poses(geometry, q)
    w, _ = twists_from_poses(geometry, R, p, qd)
    rate = np.zeros((6 * len(q), len(q)))
    for i, p_i in enumerate(motion_vectors(geometry, q)):
        W = np.kron(np.eye(2), tilde(w[i]))  # Bhangale2004 (2)
        rate[block(i), i] = W @ p_i
    return rate


def N_rate(geometry: Geometry, q: Array, qd: Array) -> Array:
    """Return dN/dt = N_l dN_d/dt + dN_l/dt N_d; MohanSaha2007 (24) prints dN_l/dt dN_d/dt."""
    rate: Array = (N_l(geometry, q) @ N_d_rate(geometry, q, qd)
                   + N_l_rate(geometry, q, qd) @ N_d(geometry, q))  # MohanSaha2007 (24), corrected
    return rate


def K(geometry: Geometry, q: Array) -> Array:
    """Return the constraint matrix (6 L, 6 L), with K t = 0 for every motion.

    Hence K N = O, Angeles7 (7.55b): N is an orthogonal complement of K.

    Row i says that link i has no motion from its parent but along the joint: about other axes
    than z for a revolute joint (z~ takes the part along z away), along others for a prismatic one.
    """
    R, p = poses(geometry, q)
    result = np.zeros((6 * len(q), 6 * len(q)))
    for i in range(len(q)):
        D = np.eye(6)
        k = 3 if geometry.prismatic[i] else 0
        D[k:k + 3, k:k + 3] = tilde(R[i, :, 2])
        result[block(i), block(i)] = D  # Angeles7 (7.50)
        parent = geometry.parent[i]
        if parent >= 0:
            result[block(i), block(parent)] = -D @ propagation(p[i] - p[parent])
    return result


def M(geometry: Geometry, inertials: Inertials, q: Array) -> Array:
    """Return the mass matrix of all links (6 L, 6 L), in root axes about the links' origins."""
    R, _ = poses(geometry, q)
    result = np.zeros((6 * len(q), 6 * len(q)))
    for i in range(len(q)):
        md = tilde(R[i] @ inertials.moment[i])
        result[block(i), block(i)] = np.block([
            [R[i] @ inertials.inertia[i] @ R[i].T, md],
            [-md, inertials.mass[i] * np.eye(3)]])  # Bhangale2004 (2)
    return result


def inertia_wrenches(
        geometry: Geometry, inertials: Inertials, q: Array, qd: Array, qdd: Array) -> Array:
    """Return w = M dt/dt + W M E t of all links (6 L,); Bhangale2004 (1) prints M t."""
    R, p = poses(geometry, q)
    w, _ = twists_from_poses(geometry, R, p, qd)
    t = N(geometry, q) @ qd  # Angeles7 (7.54)
    td = N(geometry, q) @ qdd + N_rate(geometry, q, qd) @ qd  # Angeles7 (7.56)
    mass = M(geometry, inertials, q)
    result: Array = mass @ td
    for i in range(len(q)):
        W, E = np.kron(np.eye(2), tilde(w[i])), np.diag([1.0, 1, 1, 0, 0, 0])  # Bhangale2004 (2)
        result[block(i)] += W @ mass[block(i), block(i)] @ E @ t[block(i)]  # Bhangale2004 (4)
    return result


def gravity_wrenches(geometry: Geometry, inertials: Inertials, q: Array) -> Array:
    """Return the weight of all links about their origins (6 L,); in Angeles7 at the centres."""
    R, _ = poses(geometry, q)
    result = np.zeros(6 * len(q))
    for i in range(len(q)):
        result[6 * i:6 * i + 3] = np.cross(R[i] @ inertials.moment[i], inertials.base.gravity)
        result[6 * i + 3:6 * i + 6] = inertials.mass[i] * inertials.base.gravity  # Angeles7 (7.49)
    return result


def driving_wrenches(geometry: Geometry, q: Array, tau: Array) -> Array:
    """Return w^A of the motors (6 L,): tau p_i on link i, its reaction on the parent."""
    _, p = poses(geometry, q)
    result = np.zeros(6 * len(q))
    for i, p_i in enumerate(motion_vectors(geometry, q)):
        result[block(i)] += tau[i] * p_i  # Angeles7 (7.36), (7.37)
        parent = geometry.parent[i]
        if parent >= 0:
            result[block(parent)] -= propagation(p[i] - p[parent]).T @ (tau[i] * p_i)
    return result


def constraint_wrenches(
        geometry: Geometry, inertials: Inertials, q: Array, qd: Array, qdd: Array) -> Array:
    """Return w^C (6 L,), what the joints do to the links without doing work: N^T w^C = 0."""
    tau = inverse_dynamics(geometry, inertials, q, qd, qdd)
    drive = tau - inertials.armature * qdd  # the rotors are no links: they keep this part
    return (inertia_wrenches(geometry, inertials, q, qd, qdd)
            - gravity_wrenches(geometry, inertials, q)
            - driving_wrenches(geometry, q, drive))  # Angeles7 (7.48)


def block(i: int) -> slice:
    """Return the rows of link i in the stacked vectors."""
    return slice(6 * i, 6 * i + 6)


def ancestors(geometry: Geometry, i: int) -> list[int]:
    """Return i and the links on its way to the root."""
    result = []
    while i >= 0:
        result.append(i)
        i = int(geometry.parent[i])
    return result
