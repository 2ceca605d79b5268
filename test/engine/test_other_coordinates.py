"""Kernels over coordinates that are not linear, of toy kinds: one joint's angle as a point of the
unit circle, the others' values cubic; with and without factors. As docs/architecture.md says."""

import numpy as np
import pytest
from engine.engine_robots import CASES, states

from robot_dynamics.engine import Kernels
from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.emission.build import build
from robot_dynamics.engine.running.native import NativeKernel
from robot_dynamics.model.coordinates import OwnRates, identity, joined

CUBE = 0.2


def symmetric_rate(coordinates, q, qd):
    """Return dN/dt, (L, nv): of rates of coordinates the second derivatives are symmetric."""
    rest = np.zeros(coordinates.nv, qd.dtype)
    own = coordinates.accelerations(q, qd, rest)
    columns = [(coordinates.accelerations(q, qd + unit, rest) - own
                - coordinates.accelerations(q, unit, rest)) / 2
               for unit in identity(coordinates.nv, qd.dtype)]
    return np.array(columns, qd.dtype).T.reshape(coordinates.L, coordinates.nv)


class Toy(OwnRates):
    """q = [cos x, sin x, y...]; tree: x, y + CUBE y^3. Rates are those of x and y."""

    flat = False

    def __init__(self, L, square, q=None):
        self.nq, self.nv, self.L, self.square = L + 1, L, L, square
        self.drifting = tuple(range(1, L))
        self.key = 'toy', L, square
        self.q = q
        if q is not None:
            ones = [np.ones_like(q[..., 0])]
            self.g = joined(q[..., 1:], ones + [1 + 3 * CUBE * y * y for y in self.rest(q)])

    def __reduce__(self):
        return Toy, (self.L, self.square)

    @staticmethod
    def rest(q):
        return [q[..., k] for k in range(2, q.shape[-1])]

    @property
    def factors(self):
        return self.g if self.square else None

    def at(self, q):
        return Toy(self.L, self.square, q)

    def geometry(self, geometry, q):
        assert q is self.q
        return geometry

    def parents(self, tree):
        return tree if self.square else np.arange(-1, self.nv - 1)

    def positions(self, q):
        c, s = q[..., 0], q[..., 1]
        angle = np.arctan2(s, c) if q.dtype != complex else np.arctan2(s.real, c.real) + 1j * (
            c.real * s.imag - s.real * c.imag)  # numpy has none of complex numbers
        return joined(q[..., 1:], [angle, *(y + CUBE * y * y * y for y in self.rest(q))])

    def rates(self, q, qd):
        return self.g * qd

    def accelerations(self, q, qd, qdd):
        drift = [0.0, *(6 * CUBE * y * v * v for y, v in zip(
            self.rest(q), np.moveaxis(qd, -1, 0)[1:], strict=True))]
        return self.g * qdd + joined(qd, drift)

    def torques(self, q, tau):
        return tau * self.g

    def matrix(self, q, I):
        return self.g[:, None] * I * self.g

    def diagonal(self, values):
        return values * self.g * self.g

    def rate(self, q, qd):
        return symmetric_rate(self, q, qd)

    def tangent(self, q):
        T = np.zeros((self.nq, self.nv), q.dtype)
        T[0, 0], T[1, 0] = -q[1], q[0]
        T[2:, 1:] = identity(self.nv - 1, q.dtype)
        return T


def kernels(case, square):
    coordinates = Toy(case.n, square)
    return Kernels(case.geometry, case.inertials, coordinates,
                   [f'joint_{k}' for k in range(case.n)])


def compiled(robot, name, *options):
    """Compile a kernel in this process: another does not know the toy."""
    header, code = build(robot.spec, name, options)
    native = NativeKernel(name, code, len(DEFINITIONS[name].sizes(robot.spec, options)))
    return native.bind(native.make_work(robot.parameters, header['work']))


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-10,
                               atol=1e-10 * np.abs(expected).max())


@pytest.fixture(params=['chain', 'slides'])
def case(request):
    return CASES[request.param]


@pytest.fixture(params=[True, pytest.param(False, marks=pytest.mark.slow)])
def square(request):
    return request.param


def moved(x):
    """Return the toy's values of x, (n,): what q is when its first joint is at x[0]."""
    return np.concatenate([[np.cos(x[0]), np.sin(x[0])], x[1:]])


def tree_state(x, xd, xdd):
    g = np.concatenate([[1.0], 1 + 3 * CUBE * x[1:]**2])
    at = np.concatenate([x[:1], x[1:] + CUBE * x[1:]**3])
    drift = np.concatenate([[0.0], 6 * CUBE * x[1:] * xd[1:]**2])
    return g, at, g * xd, g * xdd + drift


def test_motion_is_the_tree_s(case, square):
    x, xd, xdd = states(case.n) / 2
    g, at, rates, accelerations = tree_state(x, xd, xdd)
    plain, robot = case.kernels(), kernels(case, square)
    q = moved(x)
    tau = g * plain._fallback.reference(
        'inverse_dynamics', (), [at, rates, accelerations])[0]
    close(compiled(robot, 'inverse_dynamics')(q, xd, xdd, None), tau)
    gim = g[:, None] * plain._fallback.reference(
        'inertia_matrix', (), [at])[0].reshape(case.n, -1) * g
    close(compiled(robot, 'inertia_matrix')(q, None), gim)
    U, D = compiled(robot, 'udu')(q, None)
    close(U @ np.diag(D) @ U.T, gim)
    for algorithm in DEFINITIONS['forward_dynamics'].algorithms:
        forward = compiled(robot, 'forward_dynamics', ('algorithm', algorithm))
        close(forward(q, xd, tau, None), xdd)
    held = compiled(robot, 'held_dynamics')
    close(held(q, xd, tau, np.ones(case.n), None), xdd)
    many = compiled(robot, 'inverse_dynamics')(*(np.tile(y, (5, 1)) for y in (q, xd, xdd)), None)
    close(many, np.tile(tau, (5, 1)))


def test_what_the_drift_is_part_of(case, square):
    x, xd, _ = states(case.n) / 2
    q, h, robot = moved(x), 1e-6, kernels(case, square)
    C = compiled(robot, 'convective_matrix', ('form', 'skew'))(q, xd, None)
    torque = (compiled(robot, 'bias')(q, xd, None) - compiled(robot, 'gravity_torque')(q, None))
    close(C @ xd, torque)
    gim = compiled(robot, 'inertia_matrix')
    rate = (gim(moved(x + h * xd), None) - gim(moved(x - h * xd), None)) / (2 * h)
    np.testing.assert_allclose(rate, C + C.T, atol=1e-7 * np.abs(rate).max())
    frame = ('frame', ((1, 0, 0, 0.1), (0, 1, 0, 0.2), (0, 0, 1, 0.3), (0, 0, 0, 1))), (
        'link', case.n - 1)
    J = compiled(robot, 'jacobian', *frame)
    rate = (J(moved(x + h * xd), None) - J(moved(x - h * xd), None)) / (2 * h)
    np.testing.assert_allclose(compiled(robot, 'jacobian_rate', *frame)(q, xd, None), rate,
                               atol=1e-7 * np.abs(rate).max())


@pytest.mark.parametrize('name', ['inverse_dynamics', 'forward_dynamics'])
def test_derivatives_are_along_the_tangent(case, square, name):
    x, xd, last = states(case.n) / 2
    q, h, robot = moved(x), 1e-6, kernels(case, square)
    found = compiled(robot, f'{name}_derivatives')(q, xd, last, None)
    for block, over in zip(robot._fallback.reference(
            f'{name}_derivatives', (), [q, xd, last])[0].reshape(3, case.n, -1), found,
            strict=True):
        close(over, block)
    verb = compiled(robot, name)
    for k, unit in enumerate(np.eye(case.n)):
        rate = (verb(moved(x + h * unit), xd, last, None)
                - verb(moved(x - h * unit), xd, last, None)) / (2 * h)
        np.testing.assert_allclose(found[0][:, k], rate, atol=1e-6 * np.abs(found[0]).max())


def test_reference_over_floats_is_the_compiled_code(case, square):
    x, xd, last = states(case.n) / 2
    robot, q = kernels(case, square), moved(x)
    arguments = {'q': q, 'qd': xd, 'qdd': last, 'tau': last, 'free': np.ones(case.n)}
    for name, definition in DEFINITIONS.items():
        if definition.options or definition.looped or not {*definition.inputs} <= {
                *arguments, 'external'}:
            continue
        state = [arguments[x] for x in definition.inputs if x != 'external']
        found = compiled(robot, name)(*state, None)
        flat = np.concatenate([np.ravel(part) for part in found]) if isinstance(
            found, tuple) else np.ravel(found)
        close(flat, robot._fallback.reference(name, (), state)[0])
