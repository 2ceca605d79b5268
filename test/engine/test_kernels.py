"""Compiled kernels against the algorithms over floats: same numbers, any shape, any thread."""

import copy
import gc
import pickle

import numpy as np
import pytest
from engine.engine_robots import CASES, arm, bodies, states, tree, turning

from robot_dynamics.algorithms import FORWARD, GIM, INVERSE
from robot_dynamics.algorithms.energy import kinetic_energy, potential_energy
from robot_dynamics.algorithms.friction import friction_torque
from robot_dynamics.algorithms.kinematics import jacobian, poses
from robot_dynamics.engine import calls, emit_ir
from robot_dynamics.engine.build import build_program, result_shape
from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.emit_module import module_text
from robot_dynamics.engine.native import NativeKernel, compile_module, has_fused
from robot_dynamics.engine.trace import parameter_slots
from robot_dynamics.errors import InputError, SingularityError

SOME = ('chain', 'tree', 'mimic')


def reference(case, name, q, qd, x, inertials=None):
    """Return what the papers' algorithms give, in the user's coordinates."""
    G = case.expand
    model = (case.geometry, case.inertials if inertials is None else inertials)
    at, rate, rest = G @ q + case.offset, G @ qd, np.zeros(len(case.offset))
    zero = np.zeros(case.n)
    friction = friction_torque(zero if case.damping is None else case.damping,
                               zero if case.friction is None else case.friction, qd)
    if name == 'inverse_dynamics':
        return G.T @ INVERSE['newton_euler'](*model, at, rate, G @ x) + friction
    if name == 'bias':
        return G.T @ INVERSE['denoc'](*model, at, rate, rest)
    if name == 'gravity_torque':
        return G.T @ INVERSE['denoc'](*model, at, rest, rest)
    gim = G.T @ GIM['denoc'](*model, at) @ G
    if name == 'inertia_matrix':
        return gim
    bias = G.T @ INVERSE['denoc'](*model, at, rate, rest)
    return np.linalg.solve(gim, x - friction - bias)


def arguments(name, q, qd, x):
    return {'inertia_matrix': (q,), 'gravity_torque': (q,), 'bias': (q, qd)}.get(name, (q, qd, x))


def close(found, expected, tolerance=1e-11):
    np.testing.assert_allclose(found, expected, rtol=tolerance,
                               atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize('name', ['inverse_dynamics', 'forward_dynamics', 'inertia_matrix',
                                  'bias', 'gravity_torque'])
@pytest.mark.parametrize('robot', CASES)
def test_agrees_with_the_algorithms(robot, name, compiled):
    case = CASES[robot]
    q, qd, x = states(case.n)
    args, kernels = arguments(name, q, qd, x), case.kernels()
    expected = reference(case, name, q, qd, x)
    tolerance = 1e-11
    if name == 'forward_dynamics':
        tolerance *= np.linalg.cond(reference(case, 'inertia_matrix', q, qd, x))
    close(kernels.evaluate(name, args), expected, tolerance)  # before it is compiled
    found = compiled(kernels, name, args)
    close(found, expected, tolerance)
    fast = getattr(kernels, name)
    np.testing.assert_array_equal(fast(*args, None), found)
    out = np.empty_like(found)
    assert getattr(kernels, name)(*args, out) is out
    np.testing.assert_array_equal(out, found)


@pytest.mark.parametrize('robot', SOME)
def test_a_turning_base_needs_every_parameter(robot, compiled):
    case = CASES[robot]
    q, qd, x = states(case.n)
    inertials = turning(case)
    kernels = case.kernels().with_inertials(inertials)
    expected = reference(case, 'inverse_dynamics', q, qd, x, inertials)
    close(compiled(kernels, 'inverse_dynamics', (q, qd, x)), expected)


def test_payload_and_gravity_compile_nothing(compiled):
    case = CASES['ur5']
    kernels, (q, qd, x) = case.kernels(), states(6)
    compiled(kernels, 'inverse_dynamics', (q, qd, x))
    other = bodies(6, 77)
    changed = kernels.with_inertials(other._replace(gravity=np.array([3.0, 0.0, 1.0])))
    assert changed._store is kernels._store
    found = changed.inverse_dynamics(q, qd, x, None)
    assert 'built-in' in repr(changed.inverse_dynamics)
    close(found, reference(case, 'inverse_dynamics', q, qd, x, changed._inertials))


def test_massless_links_of_a_floating_chain(compiled):
    case = tree([-1, 0, 1, 2, 3], [True, True, False, False, False], massless=(0, 1, 2))
    inertials = case.inertials._replace(**{
        field: np.where(np.arange(5).reshape([-1] + [1] * (getattr(
            case.inertials, field).ndim - 1)) < 3, 0.0, getattr(case.inertials, field))
        for field in ('mass', 'moment', 'inertia')})
    q, qd, x = states(5)
    kernels = case.kernels(inertials=inertials)
    for name in ('inverse_dynamics', 'inertia_matrix'):
        args = arguments(name, q, qd, x)
        close(compiled(kernels, name, args), reference(case, name, q, qd, x, inertials))


@pytest.mark.parametrize('name', ['inverse_dynamics', 'forward_dynamics', 'inertia_matrix'])
@pytest.mark.parametrize('robot', ['ur5', 'two', 'slides'])
def test_batches(robot, name, compiled, monkeypatch):
    """The same bits alone or in a batch, whatever its size and the number of threads."""
    case = CASES[robot]
    kernels = case.kernels()
    args = arguments(name, *states(case.n, 203))
    whole = compiled(kernels, name, args)
    for size in (1, 2, 3, 4, 5, 8, 130):
        part = kernels.evaluate(name, tuple(x[7:7 + size] for x in args))
        assert part.tobytes() == whole[7:7 + size].tobytes()
    monkeypatch.setattr(calls, 'WORTH_A_THREAD', 1)
    for cores in (2, 3):
        monkeypatch.setattr(calls, 'cores', lambda cores=cores: cores)
        assert kernels.evaluate(name, args).tobytes() == whole.tobytes()
    for k in range(0, 203, 50):
        single = kernels.evaluate(name, tuple(x[k] for x in args))
        assert single.tobytes() == whole[k].tobytes()


def test_batches_broadcast_and_fill_out(compiled):
    case = CASES['two']
    kernels, (q, qd, x) = case.kernels(), states(2, 6)
    out = np.empty((6, 2))
    assert compiled(kernels, 'inverse_dynamics', (q, qd[0], x), out) is out
    close(out, kernels.evaluate('inverse_dynamics', (q, np.tile(qd[0], (6, 1)), x)))
    strided = np.empty((6, 4))[:, ::2]
    kernels.evaluate('inverse_dynamics', (q, qd[0], x), strided)
    np.testing.assert_array_equal(strided, out)
    np.testing.assert_array_equal(
        kernels.evaluate('inverse_dynamics', (q[:, ::1].tolist(), qd[0], x)), out)
    assert kernels.evaluate('inverse_dynamics', (q[:0], qd[0], x[:0])).shape == (0, 2)


def test_a_result_may_overwrite_an_argument(compiled):
    case = CASES['ur5']
    kernels, (q, qd, x) = case.kernels(), states(6)
    expected = compiled(kernels, 'inverse_dynamics', (q, qd, x))
    kernels.inverse_dynamics(q, qd, x, None)
    for k in range(3):
        args = [q.copy(), qd.copy(), x.copy()]
        np.testing.assert_array_equal(kernels.inverse_dynamics(*args, args[k]), expected)


@pytest.mark.parametrize('angle', [1e5, 9.9e5, 1.1e6, 1e9, -3e15])
def test_large_angles(angle, compiled):
    case = CASES['two']
    kernels = case.kernels()
    q = np.array([[0.3, 0.4], [angle, 0.1], [0.2, angle], [1.0, 2.0], [0.1, 0.2]])
    qd, qdd = states(2, 5)[:2]
    found = compiled(kernels, 'inverse_dynamics', (q, qd, qdd))
    for k in range(5):
        close(found[k], reference(case, 'inverse_dynamics', q[k], qd[k], qdd[k]))
        close(kernels.evaluate('inverse_dynamics', (q[k], qd[k], qdd[k])), found[k], 1e-13)
    alone = kernels.evaluate('inverse_dynamics', (q[3:], qd[3:], qdd[3:]))
    assert alone.tobytes() == found[3:].tobytes()


@pytest.mark.parametrize('bad', [np.nan, np.inf])
def test_bad_numbers_are_named(bad, compiled):
    kernels, (q, qd, x) = CASES['two'].kernels(), states(2)
    compiled(kernels, 'inverse_dynamics', (q, qd, x))
    kernels.inverse_dynamics(q, qd, x, None)
    qd[1] = bad
    assert kernels.inverse_dynamics(q, qd, x, None) is None
    with pytest.raises(InputError, match='qd'):
        kernels.evaluate('inverse_dynamics', (q, qd, x))
    with pytest.raises(InputError, match='not finite'):
        kernels.evaluate('inverse_dynamics', (q, np.full(2, 1e200), x))


def test_nan_is_seen_where_it_has_no_effect(compiled):
    """The first joint's value has no influence on the GIM."""
    kernels, (q, *_) = CASES['ur5'].kernels(), states(6, 5)
    compiled(kernels, 'inertia_matrix', (q,))
    q[3, 0] = np.nan
    for args in (q, q[3]):
        with pytest.raises(InputError, match='q: has a nan'):
            kernels.evaluate('inertia_matrix', (args,))
    assert kernels.inertia_matrix(q[3].copy(), None) is None


@pytest.mark.parametrize('wrong', [
    (np.zeros(3), 'shape'), (np.zeros((2, 2, 2)), 'shape'), ('a', 'numbers'), (None, 'q')])
def test_wrong_arguments_are_named(wrong):
    kernels = CASES['two'].kernels()
    with pytest.raises(InputError, match=wrong[1]):
        kernels.evaluate('gravity_torque', (wrong[0],))


def test_other_arrays_than_plain_ones(compiled):
    kernels, (q, qd, x) = CASES['two'].kernels(), states(2)
    expected = compiled(kernels, 'inverse_dynamics', (q, qd, x))
    kernels.inverse_dynamics(q, qd, x, None)
    fast = kernels.inverse_dynamics
    for other in (list(q), q.astype(np.float32), np.repeat(q, 2)[::2], q.astype('>f8'),
                  q.reshape(1, 2), q[:1], 'x', None, np.ma.array(q)):
        assert fast(other, qd, x, None) is None
    for wrong in (np.zeros(3), np.zeros(2, np.float32), [0, 0], np.zeros(4)[::2]):
        assert fast(q, qd, x, wrong) is None
    assert fast(q, qd, x) is None
    frozen = np.zeros(2)
    frozen.setflags(write=False)
    assert fast(q, qd, x, frozen) is None
    np.testing.assert_array_equal(
        kernels.evaluate('inverse_dynamics', (np.repeat(q, 2)[::2], qd.tolist(), x)), expected)
    with pytest.raises(InputError, match='out'):
        kernels.evaluate('inverse_dynamics', (q, qd, x), np.zeros(3))


def test_singular_inertia_is_reported(compiled):
    case = arm(((0.3, 0, 0), (0.2, 0, 0), (0.1, 0, 0)))
    inertials = case.inertials._replace(
        mass=case.inertials.mass * [1, 1, 0], moment=case.inertials.moment * [[1], [1], [0]],
        inertia=case.inertials.inertia * np.array([1, 1, 0])[:, None, None])
    kernels, (q, qd, tau) = case.kernels(inertials=inertials), states(3)
    for _ in range(2):
        for args in ((q, qd, tau), states(3, 5)):
            with pytest.raises(SingularityError, match='joint_2'):
                kernels.evaluate('forward_dynamics', tuple(args))
        with pytest.raises(SingularityError):
            compiled(kernels, 'forward_dynamics', (q, qd, tau))
    assert kernels.forward_dynamics(q, qd, tau, None) is None


@pytest.mark.parametrize('robot', SOME)
def test_udu_and_energies(robot, compiled):
    case = CASES[robot]
    kernels, (q, qd, _) = case.kernels(), states(case.n)
    U, D = compiled(kernels, 'udu', (q,))
    gim = reference(case, 'inertia_matrix', q, qd, qd)
    close(U @ np.diag(D) @ U.T, gim)
    np.testing.assert_array_equal(np.tril(U, -1), 0)
    np.testing.assert_array_equal(np.diag(U), 1)
    T, V = compiled(kernels, 'energies', (q, qd))
    at = case.expand @ q + case.offset
    assert isinstance(T, float)
    close(T, kinetic_energy(case.geometry, case.inertials, at, case.expand @ qd))
    close(V, potential_energy(case.geometry, case.inertials, at))
    T2, V2 = kernels.evaluate('energies', (np.tile(q, (5, 1)), qd))
    assert T2.shape == V2.shape == (5,)


@pytest.mark.parametrize('robot', SOME)
def test_frames(robot, compiled):
    case = CASES[robot]
    kernels, (q, *_) = case.kernels(), states(case.n)
    at, link = case.expand @ q + case.offset, len(case.offset) - 1
    T = np.eye(4)
    T[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    T[:3, 3] = 0.1, -0.2, 0.3
    frame = kernels.frame(link, T)
    assert kernels.frame(link, T) is frame
    R, p = poses(case.geometry, at)
    expected = np.eye(4)
    expected[:3, :3], expected[:3, 3] = R[link], p[link]
    close(compiled(frame, 'pose', (q,)), expected @ T)
    J = jacobian(case.geometry, at, link, T[:3, 3]) @ case.expand
    close(compiled(frame, 'jacobian', (q,)), J)
    close(frame.jacobian(q, None), J)
    root = kernels.frame(-1, T)
    np.testing.assert_array_equal(root.evaluate('pose', (q,)), T)
    np.testing.assert_array_equal(root.evaluate('jacobian', (q,)), np.zeros((6, case.n)))


def test_copies_and_pickles(compiled):
    kernels, (q, qd, x) = CASES['tree'].kernels(), states(6)
    expected = compiled(kernels, 'inverse_dynamics', (q, qd, x))
    kernels.inverse_dynamics(q, qd, x, None)
    for again in (copy.deepcopy(kernels), pickle.loads(pickle.dumps(kernels))):
        np.testing.assert_array_equal(again.inverse_dynamics(q, qd, x, None), expected)


def test_a_robot_without_joints(compiled):
    case = tree([], [])
    nothing = np.zeros(0)
    for name, shape in (('inverse_dynamics', (0,)), ('inertia_matrix', (0, 0))):
        args = (nothing,) * (3 if name == 'inverse_dynamics' else 1)
        assert case.kernels().evaluate(name, args).shape == shape
        assert compiled(case.kernels(), name, args).shape == shape


def test_a_function_outlives_its_robot(compiled):
    kernels, (q, qd, x) = arm(seed=5).kernels(), states(6)
    expected = compiled(kernels, 'inverse_dynamics', (q, qd, x))
    kernels.inverse_dynamics(q, qd, x, None)
    function = kernels.inverse_dynamics
    del kernels
    gc.collect()
    np.testing.assert_array_equal(function(q, qd, x, None), expected)


@pytest.mark.parametrize('name', ['forward_dynamics', 'udu', 'inverse_dynamics_derivatives'])
def test_long_programs_are_compiled_in_parts(name, monkeypatch):
    case = CASES['tree']
    spec, parameters = case.kernels().spec, case.kernels().parameters
    program = build_program(spec, name, ())
    inputs = {x: 6 for x in DEFINITIONS[name].inputs}
    arrays = [np.ascontiguousarray(x) for x in states(6, 5)][:len(inputs)]
    results = []
    for part in (10 ** 9, 50):
        monkeypatch.setattr(emit_ir, 'PART', part)
        monkeypatch.setattr(emit_ir, 'ANGLES', min(part, 2))
        text = module_text(program, inputs, result_shape(spec, name),
                           parameter_slots(spec.L, spec.n), fused=has_fused())
        assert ('@single_3(' in text) == (part == 50)
        kernel = NativeKernel(name, compile_module(text), len(inputs))
        work = kernel.make_work(parameters, len(program.work))
        for run in (kernel.batch, kernel.loop):
            out = np.zeros((5, len(program.outputs)))
            assert not run(*[x.ctypes.data for x in (*arrays, work, out)], 5)
            results.append(out)
    assert results[2].tobytes() == results[3].tobytes()
    for other in results[1:]:
        close(other, results[0], 1e-13)
    arrays[0][3, 2] = np.nan
    assert kernel.batch(*[x.ctypes.data for x in (*arrays, work, out)], 5)


@pytest.mark.parametrize('algorithm', FORWARD)
def test_every_forward_algorithm_can_be_traced(algorithm):
    from robot_dynamics.engine.definitions import forward_dynamics
    from robot_dynamics.engine.interpret import interpret
    from robot_dynamics.engine.program import make_program
    from robot_dynamics.engine.symbols import Graph
    from robot_dynamics.engine.trace import objects, parameter_slots, symbolic_numbers
    case = CASES['chain']
    kernels, graph = case.kernels(), Graph()
    numbers = symbolic_numbers(kernels.spec, graph)
    symbols = [objects([graph.state(x, k) for k in range(4)]) for x in ('q', 'qd', 'tau')]
    program = make_program(forward_dynamics(numbers, *symbols, algorithm))
    q, qd, tau = states(4)
    found, bad = interpret(program, parameter_slots(4, 4), kernels.parameters,
                           {'q': q[None], 'qd': qd[None], 'tau': tau[None]})
    assert not bad.any()
    close(found[0], reference(case, 'forward_dynamics', q, qd, tau), 1e-9)
