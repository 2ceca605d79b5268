"""Robots for the tests of the engine: small, and of every kind a kernel has to know."""

from dataclasses import dataclass

import numpy as np

from robot_dynamics.engine import Kernels
from robot_dynamics.model.denoc import make_geometry, make_inertials
from robot_dynamics.model.linear import Linear

# DH rows of arms with right angles: a, b, alpha
UR5 = ((0, 0.0892, np.pi / 2), (-0.425, 0, 0), (-0.392, 0, 0), (0, 0.109, np.pi / 2),
       (0, 0.0947, -np.pi / 2), (0, 0.0823, 0))


@dataclass(frozen=True)
class Case:
    """A robot, and its reduction to the user's joints."""

    geometry: object
    inertials: object
    expand: np.ndarray
    offset: np.ndarray
    damping: np.ndarray | None = None
    friction: np.ndarray | None = None
    massless: tuple = ()

    @property
    def n(self):
        return self.expand.shape[1]

    def kernels(self, **changes):
        return Kernels(
            self.geometry, changes.get('inertials', self.inertials),
            Linear(self.expand, self.offset),
            [f'joint_{k}' for k in range(self.n)], damping=self.damping, friction=self.friction,
            massless=self.massless)


def arm(rows=UR5, seed=1, **options):
    """Return a revolute arm of DH rows with random inertias."""
    n = len(rows)
    a, b, alpha = np.array(rows).T
    a, alpha = np.r_[0, a[:-1]], np.r_[0, alpha[:-1]]
    d = np.stack([a, -b * np.sin(alpha), b * np.cos(alpha)], axis=1)
    d[np.abs(d) < 1e-12] = 0
    geometry = make_geometry(np.arange(n) - 1, [False] * n, [0] * n, alpha, [0] * n, d)
    return Case(geometry, bodies(n, seed), np.eye(n), np.zeros(n), **options)


def tree(parent, prismatic, seed=2, armature=0.0, **options):
    """Return a random tree."""
    rng = np.random.default_rng(seed)
    n = len(parent)
    gamma, alpha, theta0 = rng.uniform(-3, 3, (3, n))
    geometry = make_geometry(parent, prismatic, gamma, alpha, theta0, rng.normal(0, 0.3, (n, 3)))
    options.setdefault('expand', np.eye(n))
    options.setdefault('offset', np.zeros(n))
    return Case(geometry, bodies(n, seed, armature), **options)


def bodies(n, seed, armature=0.0):
    """Return random bodies under slanting gravity."""
    rng = np.random.default_rng(seed)
    m, c = rng.uniform(1, 4, n), rng.normal(0, 0.1, (n, 3))
    roots = rng.normal(0, 0.1, (n, 3, 3))
    inertia = roots @ roots.transpose(0, 2, 1) + 0.01 * np.eye(3)
    inertia += m[:, None, None] * np.array(
        [x @ x * np.eye(3) - np.outer(x, x) for x in c]).reshape(n, 3, 3)
    return make_inertials(m, m[:, None] * c, inertia, np.full(n, armature), (1.0, -2.0, -9.0))


def turning(case):
    """Return the inertials of a robot on a base that turns and accelerates."""
    return case.inertials.over(
        angular_velocity=np.array([0.3, -0.5, 0.7]),
        angular_acceleration=np.array([-1.0, 0.4, 0.2]),
        linear_acceleration=np.array([2.0, 1.0, -3.0]))


def mimic():
    """Return a tree of five joints, of which three are free; one turns the other way."""
    expand = np.array([[1.0, 0, 0], [0, -1, 0], [0, 0.5, 0], [0, 0, 1], [0, 0, -2]])
    return tree([-1, 0, 1, 1, 3], [False, False, True, False, False], expand=expand,
                offset=np.array([0, 0.1, 0, -0.2, 0.3]))


CASES = {
    'ur5': arm(),
    'chain': tree([-1, 0, 1, 2], [False, True, False, False], armature=0.4),
    'signs': tree([-1, 0, 1], [False, True, False], expand=np.diag([-1.0, 1, -1]),
                  offset=np.array([0.2, 0, 0.5])),
    'tree': tree([-1, 0, 1, 0, 3, 3], [False, False, False, True, False, False],
                 damping=np.arange(6.0), friction=np.ones(6)),
    'slides': tree([-1, 0, 1], [True, True, False]),
    'mimic': mimic(),
    'two': arm(((0.3, 0, 0), (0.2, 0, 0))),
}


def states(n, count=None, seed=0):
    """Return q, qd and qdd (or tau)."""
    shape = (3, n) if count is None else (3, count, n)
    return np.random.default_rng(seed).uniform(-2, 2, shape)
