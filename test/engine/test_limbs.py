"""Limbs in the lanes of vectors: the bits of code without them, whatever is taken for a limb."""

import ctypes
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from engine.engine_robots import tree
from oracle import ROBOTS

import robot_dynamics as rd
from robot_dynamics.engine.catalogue import DEFINITIONS
from robot_dynamics.engine.emission import build
from robot_dynamics.engine.emission.module import module_text
from robot_dynamics.engine.running.native import compile_module, has_fused, load_code
from robot_dynamics.engine.tracing import packs
from robot_dynamics.engine.tracing.interpret import interpret
from robot_dynamics.engine.tracing.limbs import find_limbs
from robot_dynamics.engine.tracing.program import Outputs, Pack, make_program
from robot_dynamics.engine.tracing.symbols import Graph
from robot_dynamics.engine.tracing.trace import slots_of

URDF = Path(__file__).parents[2] / 'urdf'
VERBS = ('inverse_dynamics', 'forward_dynamics', 'inertia_matrix')
STATES = 13


def kernels_of(name):
    """Return the kernels of a robot with limbs, and joint values (STATES, nq)."""
    rng = np.random.default_rng(3)
    if name in ('stewart', 'delta'):
        robot = rd.load(URDF / f'{name}.yaml')
        near = robot.start[list(robot._loops.values)]
        return robot.kernels, robot.assemble(near + rng.uniform(-0.03, 0.03, (STATES, robot.n)))
    if name == 'random':
        kernels = two_arms().kernels()
        return kernels, rng.uniform(-3, 3, (STATES, kernels.n))
    robot = rd.load(ROBOTS / name, base='floating')
    q = rng.uniform(-1, 1, (STATES, robot.nq))
    return robot.kernels, q


def two_arms():
    """Return a trunk with three equal arms of two joints, of random lengths and angles."""
    return tree([-1, 0, 1, 0, 3, 0, 5], [False, False, True] + [False, True] * 2,
                damping=np.arange(7.0), friction=np.ones(7))


def programs(kernels, verb, most):
    """Return the program of a verb without packs, and with them."""
    spec = kernels.spec
    program = build.build_program(spec, verb, ())
    return program, build.packed(program, spec, DEFINITIONS[verb].sizes(spec, ()), most)


def run(kernels, verb, program, arguments):
    """Return what the code of one state, and of a block, gives, (N, results) each."""
    spec, definition = kernels.spec, DEFINITIONS[verb]
    sizes = definition.sizes(spec, ())
    code = load_code(compile_module(module_text(
        program, sizes, definition.result_shapes(spec), slots_of(spec, ()), fused=has_fused())))
    pointer = ctypes.c_void_p
    work = np.zeros(max(1, len(program.work)))
    parameters = np.ascontiguousarray(kernels.parameters)
    ctypes.CFUNCTYPE(None, pointer, pointer)(code.get_function_address('prepare'))(
        parameters.ctypes.data, work.ctypes.data)
    found = []
    for name in ('loop', 'batch'):
        out = np.zeros((len(arguments[0]), len(program.outputs)))
        function = ctypes.CFUNCTYPE(ctypes.c_int, *[pointer] * (len(arguments) + 2),
                                    ctypes.c_int64)(code.get_function_address(name))
        bad = function(*(x.ctypes.data for x in arguments), work.ctypes.data, out.ctypes.data,
                       len(out))
        found.append((out, bad))
    return found


def arguments_of(kernels, verb, q):
    """Return states of a verb, the joint values given."""
    rng = np.random.default_rng(5)
    return [q if name == 'q' else rng.normal(size=(len(q), size)) for name, size in
            DEFINITIONS[verb].sizes(kernels.spec, ()).items()]


ROBOTS_WITH_LIMBS = ('stewart', 'delta', 'random', 'hyq_description/robots/hyq_no_sensors.urdf')


@pytest.mark.parametrize('most', [4, 8])
@pytest.mark.parametrize('verb', VERBS)
@pytest.mark.parametrize('name', ROBOTS_WITH_LIMBS)
def test_one_state_has_the_bits_of_a_batch(name, verb, most):
    kernels, q = kernels_of(name)
    plain, packed = programs(kernels, verb, most)
    lanes = sum(len(pack.lanes) for pack in packed.packs)
    assert lanes > 0.2 * len(plain.body)
    arguments = arguments_of(kernels, verb, q)
    (one, bad), (many, also) = run(kernels, verb, packed, arguments)
    assert not bad and not also
    np.testing.assert_array_equal(one, many)
    written, _ = interpret(plain, slots_of(kernels.spec, ()), kernels.parameters, dict(zip(
        DEFINITIONS[verb].sizes(kernels.spec, ()), arguments, strict=True)))
    np.testing.assert_allclose(one, written, rtol=1e-9, atol=1e-10 * np.abs(written).max())


def test_what_is_taken_for_a_limb_changes_no_result(monkeypatch):
    """Lanes that are none are found by no look-up; those that are found compute what they say."""
    kernels, q = kernels_of('random')
    arguments = arguments_of(kernels, 'inverse_dynamics', q)
    (right, _), _ = run(kernels, 'inverse_dynamics',
                        programs(kernels, 'inverse_dynamics', 4)[1], arguments)

    def wrong(spec):
        return [((1, 2), (4, 3)), ((3, 4), (6, 5)), ((0, 1), (1, 2))]

    monkeypatch.setattr(packs, 'find_limbs', wrong)
    packed = programs(kernels, 'inverse_dynamics', 4)[1]
    (one, _), (many, _) = run(kernels, 'inverse_dynamics', packed, arguments)
    np.testing.assert_array_equal(one, many)
    np.testing.assert_allclose(one, right, rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize('lane', range(3))
def test_angles_of_many_turns_and_no_numbers_in_one_lane(lane):
    kernels, q = kernels_of('random')
    packed = programs(kernels, 'inverse_dynamics', 4)[1]
    q[4, 1 + 2 * lane] = far = 3e6 + 0.5
    arguments = arguments_of(kernels, 'inverse_dynamics', q)
    (one, bad), (many, _) = run(kernels, 'inverse_dynamics', packed, arguments)
    assert not bad
    np.testing.assert_array_equal(one, many)
    turned = q.copy()
    turned[4, 1 + 2 * lane] = np.arctan2(np.sin(far), np.cos(far))
    (near, _), _ = run(kernels, 'inverse_dynamics', packed, [turned, *arguments[1:]])
    np.testing.assert_allclose(one[4], near[4], rtol=1e-6, atol=1e-6)  # far has nine decimals
    q[4, 1 + 2 * lane] = np.nan
    assert run(kernels, 'inverse_dynamics', packed, arguments)[0][1]


def test_limbs_of_robots():
    stewart = find_limbs(kernels_of('stewart')[0].spec)
    assert [len(group) for group in stewart] == [5] and len(stewart[0][0]) == 3
    delta = find_limbs(kernels_of('delta')[0].spec)
    assert [len(group) for group in delta] == [4, 2]  # rods with their way, forearms
    hyq = rd.load(ROBOTS / ROBOTS_WITH_LIMBS[-1])
    assert [len(group) for group in find_limbs(hyq.kernels.spec)] == [4]
    assert find_limbs(rd.load('panda_like').kernels.spec) == []


def test_numbers_of_limbs_do_not_fold_but_equal_ones_do():
    """A limb whose mount is at zero has the operations of the others, no more than it needs."""
    kernels = kernels_of('stewart')[0]
    fixed = {x.b for x in build.build_program(kernels.spec, 'inverse_dynamics', ()).body[0]
             .graph.names.values()}
    fields = {field for field, *_ in fixed}
    assert fields <= {'cg', 'sg', 'theta0', 'd', 'c0', 's0', 'offset', 'cut', 'ca', 'sa'}
    assert not {place for field, place, *_ in fixed if field == 'ca'}  # all at right angles


def test_packs_that_wait_for_each_other_are_given_up(monkeypatch):
    """Each has a lane that needs one of the other: then the program stays as it was."""
    kernels, _ = kernels_of('random')
    graph = Graph()
    x = [graph.state('q', k) for k in range(6)]
    first, other = x[0] * x[1], x[3] * x[4]
    last, after = first * x[2], other * x[5]
    program = make_program(Outputs([last, after]))

    def knotted(*_):
        return replace(program, packs=[
            Pack('mul', ((1, first), (1, after)), ((1, x[0]), (1, other)), ((1, x[1]), (1, x[5]))),
            Pack('mul', ((1, last), (1, other)), ((1, first), (1, x[3])), ((1, x[2]), (1, x[4])))])

    monkeypatch.setattr(build, 'with_packs', knotted)
    assert build.packed(program, kernels.spec, {'q': 6}, 4) is program
