"""Mata2002, 5.1: the ill-conditioned two-body arm of Ascher, Pai and Cloutier in single precision.

The paper's second mass is unreadable: 10 kg, by the density of the first link. Its programs solve
the linear system by Gauss-Jordan elimination for CRBA and GA; so does this study.
"""

from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics.algorithms import FORWARD, GIM, INVERSE
from robot_dynamics.model.denoc import Array, Geometry, Inertials, make_geometry, make_inertials
from robot_dynamics.simulation.plots import new_figure, save_figure
from robot_dynamics.studies.report import CLOSE, DIFFERS, SAME, Row

LENGTHS, MASSES, WIDTH = (0.02, 2.0), (0.1, 10.0), 0.02
TABLE_5 = {'ABA': (0.497600, 0.013240), 'CRBA': (1.292200, 0.2750630),
           'GA': (0.5340020, 0.0087611)}
PARTS = {'CRBA': ('composite_body', 'newton_euler'), 'GA': ('gibbs_appell', 'gibbs_appell')}


def arm(kind: type[np.floating[Any]]) -> tuple[Geometry, Inertials]:
    """Return the arm in numbers of this kind; gravity along -Y, in the plane of the links."""
    l1 = LENGTHS[0]
    geometry = make_geometry([-1, 0], [False, False], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0],
                             [[0.0, 0.0, 0.0], [l1, 0.0, 0.0]])
    mass = np.array(MASSES)
    moment = np.array([[m * l / 2, 0.0, 0.0] for m, l in zip(MASSES, LENGTHS, strict=True)])
    inertia = np.zeros((2, 3, 3))
    for k, (m, l) in enumerate(zip(MASSES, LENGTHS, strict=True)):
        bar = m * (l * l + WIDTH * WIDTH) / 12 + m * l * l / 4
        inertia[k] = np.diag([m * WIDTH ** 2 / 6, bar, bar])
    inertials = make_inertials(mass, moment, inertia, gravity=(0.0, -9.81, 0.0))

    def cast(field: Any) -> Any:
        return field.astype(kind) if getattr(field, 'dtype', None) == np.float64 else field
    return Geometry(*map(cast, geometry)), inertials.cast(cast)


def accelerations(name: str, kind: type[np.floating[Any]]) -> tuple[Array, Array]:
    """Return qdd (180, 2) over a turn of joint 2, and the condition numbers of the GIM."""
    geometry, inertials = arm(kind)
    rest: Array = np.zeros(2, kind)
    result, conditions = [], []
    for degrees in range(0, 360, 2):
        q: Array = np.array([0.0, np.deg2rad(degrees)]).astype(kind)
        if name == 'ABA':
            qdd = FORWARD['articulated_body'](geometry, inertials, q, rest, rest)[0]
        else:
            gim, inverse = PARTS[name]
            I = GIM[gim](geometry, inertials, q)
            qdd = gauss_jordan(I, -INVERSE[inverse](geometry, inertials, q, rest, rest))
        result.append(np.asarray(qdd))
        I = GIM['composite_body'](*arm(np.float64), q.astype(float))
        conditions.append(np.linalg.cond(I))
    return np.array(result), np.array(conditions)


def gauss_jordan(A: Array, b: Array) -> Array:
    """Return the solution of A x = b by Gauss-Jordan elimination in the arrays' precision."""
    A, b = A.copy(), b.copy()
    for k in range(len(b)):
        b[k] = b[k] / A[k, k]
        A[k] = A[k] / A[k, k]
        for i in range(len(b)):
            if i != k:
                b[i] = b[i] - A[i, k] * b[k]
                A[i] = A[i] - A[i, k] * A[k]
    return b


def run(folder: Path) -> list[Row]:
    """Figure 2 and Table 5."""
    single = {name: accelerations(name, np.float32)[0] for name in TABLE_5}
    double, condition = accelerations('ABA', np.float64)
    check = max(np.abs(accelerations(name, np.float64)[0] - double).max() for name in PARTS)
    degrees = np.arange(0, 360, 2)
    figure, axes = new_figure(2, 2, (9.0, 2.8))
    for axis, name in zip(axes.flat, TABLE_5, strict=False):
        axis.plot(degrees, single[name][:, 0], '-', label='single precision', linewidth=1)
        axis.plot(degrees, double[:, 0], '--', label='double precision', linewidth=1)
        axis.set(xlabel='q2 (deg)', ylabel='joint 1 (rad/s$^2$)', title=name)
        axis.legend(fontsize='x-small')
    axes[1, 1].plot(degrees, condition)
    axes[1, 1].set(xlabel='q2 (deg)', ylabel='condition number',
                   title='Generalized inertia matrix')
    save_figure(figure, folder / '003_figure_2.png')
    rows = []
    for name, printed in TABLE_5.items():
        error = np.abs(single[name].astype(float) - double)[:, 1]
        for word, paper, found in (('maximum', printed[0], error.max()),
                                   ('average', printed[1], error.mean())):
            near = 0.5 < found / paper < 2.0
            rows.append(Row(f'Table 5, {name}, {word} difference of qdd_2', f'{paper:.4g} rad/s^2',
                            f'{found:.3g} rad/s^2', CLOSE if near else DIFFERS, why(name, near)))
    rows.append(Row('Figure 2, condition number', 'a curve, no number in the text',
                    f'{condition.min():.3g} to {condition.max():.3g}', SAME,
                    f'the three methods agree to {check:.1e} rad/s^2 in double precision'))
    return rows


def why(name: str, near: bool) -> str:
    """Return what there is to say about a row of Table 5."""
    if near:
        return ('the same size; the digits lost hang on the order of operations, which the paper '
                'does not give')
    if name == 'ABA':
        return ("ours loses far fewer digits than the paper's program, which we cannot see: not "
                'reproduced; that ABA is better than CRBA is')
    return ('how many digits are lost hangs on the order of operations, which the paper does not '
            "give; that GA is better than CRBA is the paper's point")
