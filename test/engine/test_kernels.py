"""Compiled kernels against the algorithms over floats: same numbers."""

import numpy as np
import pytest
from engine.engine_robots import CASES, arm, bodies, states, tree, turning
from engine.kernel_reference import arguments, close, reference

from robot_dynamics.algorithms import FORWARD
from robot_dynamics.algorithms.energy import kinetic_energy, potential_energy
from robot_dynamics.algorithms.kinematics import jacobian, poses
from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.emission import groups
from robot_dynamics.engine.emission import ir as emit_ir
from robot_dynamics.engine.emission import module as emit_module
from robot_dynamics.engine.emission.build import build_program
from robot_dynamics.engine.emission.columns import lanes
from robot_dynamics.engine.emission.module import module_text
from robot_dynamics.engine.running.native import NativeKernel, compile_module, has_fused
from robot_dynamics.engine.tracing.trace import parameter_slots
from robot_dynamics.errors import SingularityError

SOME = ('chain', 'tree', 'mimic')


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
    changed = kernels.with_inertials(other.over(gravity=np.array([3.0, 0.0, 1.0])))
    assert changed._store is kernels._store
    found = changed.inverse_dynamics(q, qd, x, None)
    assert 'built-in' in repr(changed.inverse_dynamics)
    close(found, reference(case, 'inverse_dynamics', q, qd, x, changed.inertials))


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
        with pytest.raises(SingularityError, match='joint_2'):
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


@pytest.mark.parametrize('name', ['forward_dynamics', 'udu', 'inverse_dynamics_derivatives'])
def test_long_programs_are_compiled_in_parts(name, monkeypatch):
    case = CASES['tree']
    spec, parameters = case.kernels().spec, case.kernels().parameters
    program = build_program(spec, name, ())
    inputs = DEFINITIONS[name].sizes(spec, ())
    arrays = [np.ascontiguousarray(x) for x in states(6, 5)][:len(inputs)]
    results = []
    for part in (10 ** 9, 50):
        monkeypatch.setattr(emit_ir, 'PART', part)
        monkeypatch.setattr(emit_ir, 'WHOLE', 0)
        monkeypatch.setattr(emit_ir, 'ANGLES', min(part, 2))
        text = module_text(program, inputs, DEFINITIONS[name].shapes(spec.n, spec.L),
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


@pytest.mark.parametrize('name', ['inverse_dynamics', 'forward_dynamics', 'center_of_mass',
                                  'inertia_matrix', 'udu'])
def test_eight_lanes_have_the_bits_of_four_and_of_one(name):
    case = CASES['tree']
    spec, parameters = case.kernels().spec, case.kernels().parameters
    program, inputs = build_program(spec, name, ()), DEFINITIONS[name].sizes(spec, ())
    arrays = [np.ascontiguousarray(x) for x in states(6, 21)][:len(inputs)]
    arrays[0][9, 1] = 1e7  # beyond what polynomials take: the C library's sine in one lane
    shapes = DEFINITIONS[name].shapes(spec.n, spec.L)
    assert [lanes(shapes, wide) for wide in (0, 2)] == [4, 8]
    for N in (1, 7, 8, 21):
        results = []
        for wide in (0, 2):
            text = module_text(program, inputs, shapes, parameter_slots(spec.L, spec.n),
                               fused=has_fused(), wide=wide)
            assert ('define i32 @block' in text) and ('<8 x i64>' in text) == bool(wide)
            kernel = NativeKernel(name, compile_module(text), len(inputs), 0, lanes(shapes, wide))
            work = kernel.make_work(parameters, len(program.work))
            for run in (kernel.batch, kernel.loop):
                out = np.zeros((N, len(program.outputs)))
                assert not run(*[x.ctypes.data for x in (*arrays, work, out)], N)
                results.append(out.tobytes())
        assert len(set(results)) == 1
    arrays[0][20, 2] = np.nan
    assert kernel.batch(*[x.ctypes.data for x in (*arrays, work, out)], 21)


def test_matrices_keep_four_lanes_where_eight_do_not_pay():
    assert lanes(((6, 6),), wide=1) == lanes(((6,), (6, 6)), wide=1) == 4
    assert lanes(((6,), ()), wide=1) == lanes(((6, 6),), wide=2) == 8


def test_groups_of_blocks_have_the_bits_of_one(monkeypatch):
    case = CASES['tree']
    spec, parameters, name = case.kernels().spec, case.kernels().parameters, 'inertia_matrix'
    program, inputs = build_program(spec, name, ()), DEFINITIONS[name].sizes(spec, ())
    assert not groups.is_grouped(program)  # short code is fetched once anyway
    monkeypatch.setattr(emit_module, 'is_grouped', lambda program: True)
    monkeypatch.setattr(emit_ir, 'GROUP_PART', 40)
    text = module_text(program, inputs, DEFINITIONS[name].shapes(spec.n, spec.L),
                       parameter_slots(spec.L, spec.n), fused=has_fused())
    assert text.count('call i32 @block_') > 4 and '@group' in text
    kernel = NativeKernel(name, compile_module(text), len(inputs))
    work = kernel.make_work(parameters, len(program.work))
    q = np.ascontiguousarray(states(6, 4 * groups.GROUP * 2 + 7)[0])
    for N in (1, 4 * groups.GROUP - 1, 4 * groups.GROUP, len(q)):
        results = [np.full((len(q) + 1, len(program.outputs)), 7.0) for _ in range(2)]
        for run, out in zip((kernel.batch, kernel.loop), results, strict=True):
            assert not run(*[x.ctypes.data for x in (q, work, out)], N)
            assert (out[N:] == 7.0).all()
        assert results[0].tobytes() == results[1].tobytes()
    for bad in (2, 40, len(q) - 1):
        wrong = q.copy()
        wrong[bad, 2] = np.nan
        assert kernel.batch(*[x.ctypes.data for x in (wrong, work, results[0])], len(q))


@pytest.mark.parametrize('algorithm', FORWARD)
def test_every_forward_algorithm_can_be_traced(algorithm):
    from robot_dynamics.engine.motion_kernels import forward_dynamics
    from robot_dynamics.engine.tracing.interpret import interpret
    from robot_dynamics.engine.tracing.program import make_program
    from robot_dynamics.engine.tracing.symbols import Graph
    from robot_dynamics.engine.tracing.trace import objects, parameter_slots, symbolic_numbers
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
