"""What each cut joint forbids, as dot products, with their first and second derivatives.

a is a direction fixed in the first frame A, b one in the second frame B, d leads from A to B:
every row is a sum of terms weight * a.b or a.d.
"""

import numpy as np

X, Y, Z = range(3)
_P = {axis: [('d', axis, None, 1.0)] for axis in (X, Y, Z)}  # a.d


def _ab(a, b):
    return [('b', a, b, 1.0)]


def _turned(i, j):
    """Return half of R[i, j] - R[j, i]: zero where the frames are parallel."""
    return [('b', i, j, 0.5), ('b', j, i, -0.5)]


_ALIGNED = [_ab(X, Z), _ab(Y, Z)]
_NO_TURN = [_turned(Z, Y), _turned(X, Z), _turned(Y, X)]
ROWS = {
    'fixed': [_P[X], _P[Y], _P[Z], *_NO_TURN],
    'revolute': [_P[X], _P[Y], _P[Z], *_ALIGNED],
    'prismatic': [_P[X], _P[Y], *_NO_TURN],
    'cylindrical': [_P[X], _P[Y], *_ALIGNED],
    'universal': [_P[X], _P[Y], _P[Z], _ab(X, Y)],
    'spherical': [_P[X], _P[Y], _P[Z]],
    'planar': [_P[Z], *_ALIGNED],
}


def cross(a, b):
    """Return a x b of two vectors; numpy's takes ten times as long for three numbers."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                     a[0] * b[1] - a[1] * b[0]])


def row(terms, A, B):
    """Return value, [omega_A, v_A, omega_B, v_B] gradients, bias of one row.

    A, B: dicts with R (3, 3), p, and w, v, dw, dv: twist and its rate with joint rates constant
    """
    value, gradient, bias = 0.0, np.zeros(12, A['p'].dtype), 0.0
    d, dd, ddd = B['p'] - A['p'], B['v'] - A['v'], B['dv'] - A['dv']
    for kind, i, j, weight in terms:
        a = A['R'][:, i]
        da = cross(A['w'], a)
        if kind == 'd':
            value += weight * a @ d
            gradient += weight * np.concatenate([cross(a, d), -a, np.zeros(3), a])
            dda = cross(A['dw'], a) + cross(A['w'], da)
            bias += weight * (dda @ d + 2 * da @ dd + a @ ddd)
            continue
        b = B['R'][:, j]
        db = cross(B['w'], b)
        value += weight * a @ b
        n = cross(a, b)
        gradient += weight * np.concatenate([n, np.zeros(3), -n, np.zeros(3)])
        dda = cross(A['dw'], a) + cross(A['w'], da)
        ddb = cross(B['dw'], b) + cross(B['w'], db)
        bias += weight * (dda @ b + 2 * da @ db + a @ ddb)
    return value, gradient, bias
