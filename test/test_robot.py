"""The public object: shapes, batches, errors and what it tells of itself."""

import warnings

import numpy as np
import pytest
from oracle import PANDA, random_state

import robot_dynamics as rd
from robot_dynamics.algorithms import FORWARD, GIM, INVERSE

GENERATOR = np.random.default_rng(9)
EVERY = {
    'inverse_dynamics': 3, 'forward_dynamics': 3, 'inertia_matrix': 1, 'convective_matrix': 2,
    'bias': 2, 'gravity_torque': 1, 'friction_torque': 1, 'reaction_wrenches': 3, 'udu': 1,
    'kinetic_energy': 2, 'potential_energy': 1, 'inverse_dynamics_derivatives': 3,
    'forward_dynamics_derivatives': 3, 'regressor': 3,
}


@pytest.mark.parametrize(('name', 'arguments'), EVERY.items())
def test_batches_are_single_states_side_by_side(panda, name, arguments):
    states = GENERATOR.uniform(-1, 1, (arguments, 3, panda.n))
    function = getattr(panda, name)
    batch = function(*states)
    singles = [function(*states[:, k]) for k in range(3)]
    if not isinstance(batch, tuple):
        batch, singles = (batch,), [(single,) for single in singles]
    for k, single in enumerate(singles):
        for part, whole in zip(single, batch, strict=True):
            assert np.shape(whole) == (3, *np.shape(part))
            assert np.allclose(whole[k], part, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize('name', ['inverse_dynamics', 'inertia_matrix', 'bias', 'gravity_torque',
                                  'friction_torque', 'forward_dynamics', 'convective_matrix',
                                  'reaction_wrenches', 'regressor'])
def test_out_takes_the_result(panda, name):
    states = GENERATOR.uniform(-1, 1, (EVERY[name], panda.n))
    expected = getattr(panda, name)(*states)
    out = np.full_like(expected, np.nan)
    assert getattr(panda, name)(*states, out=out) is out
    assert np.allclose(out, expected, rtol=1e-13, atol=1e-13)
    out.setflags(write=False)
    for wrong in (np.zeros(3), out, [0.0] * 7, np.zeros(expected.shape, np.float32)):
        with pytest.raises(rd.InputError, match='out'):
            getattr(panda, name)(*states, out=wrong)


@pytest.mark.parametrize('name', EVERY)
@pytest.mark.parametrize(('bad', 'message'), [
    (np.zeros(3), r'shape \(3,\)'), (np.full(7, np.nan), 'nan or inf'),
    ('text', 'expected real numbers'), (np.zeros((2, 2, 7)), r'shape \(2, 2, 7\)'),
    (np.array([0, 0, np.inf, 0, 0, 0, 0.0]), r"index 2 \(joint 'panda_joint3'\)"),
    (np.zeros(7) + 1j, 'real numbers'),
    (None, 'shape|numbers|nan'), (np.ma.masked_array(np.zeros(7), mask=True), 'masked'),
    (np.zeros(7, 'datetime64[s]'), 'real numbers'), (np.zeros(7, 'timedelta64[s]'), 'real')])
def test_wrong_arguments_are_named(panda, name, bad, message):
    good = [np.zeros(7)] * EVERY[name]
    for k in range(EVERY[name]):
        arguments = [*good[:k], bad, *good[k + 1:]]
        with pytest.raises(rd.InputError, match=message):
            getattr(panda, name)(*arguments)


def test_batches_of_different_sizes_are_refused(panda):
    with pytest.raises(rd.InputError, match='different sizes'):
        panda.bias(np.zeros((3, 7)), np.zeros((4, 7)))


def test_one_state_is_repeated_beside_a_batch(panda):
    q = GENERATOR.uniform(-1, 1, (4, 7))
    assert np.array_equal(panda.bias(q, np.zeros(7)), panda.bias(q, np.zeros((4, 7))))


def test_lists_and_integers_are_numbers(panda):
    assert np.array_equal(panda.gravity_torque([0] * 7), panda.gravity_torque(np.zeros(7)))
    strided = np.zeros((7, 2))[:, 0]
    assert np.array_equal(panda.gravity_torque(strided), panda.gravity_torque(np.zeros(7)))


@pytest.mark.parametrize(('method', 'table', 'arguments'), [
    ('inverse_dynamics', INVERSE, 3), ('forward_dynamics', FORWARD, 3),
    ('inertia_matrix', GIM, 1)])
def test_every_algorithm_answers_and_unknown_ones_are_listed(panda, method, table, arguments):
    states = GENERATOR.uniform(-1, 1, (arguments, 7))
    expected = getattr(panda, method)(*states)
    for name in table:
        result = getattr(panda, method)(*states, algorithm=name)
        assert np.allclose(result, expected, rtol=1e-9, atol=1e-10)
    with pytest.raises(rd.InputError, match='expected one of .*denoc'):
        getattr(panda, method)(*states, algorithm='magic')


def test_link_must_be_named_where_there_are_several_tips(oracle):
    robot, _ = oracle
    with pytest.raises(rd.InputError, match='2 tips.*panda_leftfinger, panda_rightfinger'):
        robot.pose(np.zeros(robot.n))
    with pytest.raises(rd.InputError, match="link='ghost'.*panda_link0"):
        robot.jacobian(np.zeros(robot.n), 'ghost')


def test_operation_counts(panda):
    assert panda.operation_count('inverse_dynamics', algorithm='denoc').multiplications > 300
    auto = panda.operation_count('inverse_dynamics')
    assert 0 < auto.multiplications < 500
    for bad in ({'what': 'magic'}, {'what': 'inverse_dynamics', 'algorithm': 'magic'}):
        with pytest.raises(rd.InputError, match='magic'):
            panda.operation_count(**bad)


def test_robot_tells_what_it_is(panda):
    assert panda.n == 7
    assert 'panda' in repr(panda)
    assert panda.limits.upper.shape == (7,)
    with pytest.raises(ValueError, match='read-only'):
        panda.limits.upper[0] = 1
    with pytest.raises(ValueError, match='read-only'):
        panda.inertials.mass[0] = 1


def test_random_states_stay_inside_limits(panda):
    q, *_ = random_state(panda, GENERATOR, 5)
    assert (q >= panda.limits.lower).all()
    assert (q <= panda.limits.upper).all()


@pytest.mark.parametrize(('options', 'message'), [
    ({'locked': ['j']}, 'locked: expected a mapping'), ({'friction': 'no'}, 'friction'),
    ({'root': ['a']}, 'root=.*string'), ({'tip': 3}, 'tip=.*string'),
    ({'xacro_args': ['m:=3']}, 'xacro_args: expected a mapping'), ({'rod_density': 'x'}, 'rod'),
    ({'missing_inertia': 3}, 'missing_inertia'), ({'rod_density': np.inf}, 'rod_density')])
def test_wrong_options_of_load(options, message):
    with pytest.raises(rd.InputError, match=message):
        rd.load(PANDA, **options)


@pytest.mark.parametrize(('call', 'said'), [
    (lambda robot: robot.pose(np.zeros(7), ['l']), r"link=.*'l'.*: expected one of"),
    (lambda robot: robot.jacobian(np.zeros(7), {}), "link='{}': expected one of 'panda_link0'"),
    (lambda robot: robot.manipulability(np.zeros(7), rows=3), 'rows=3: expected row numbers'),
    (lambda robot: robot.with_payload(None, 1.0), 'link=None: expected a string'),
    (lambda robot: robot.with_payload('ghost', 1.0), "link='ghost': expected one of"),
    (lambda robot: robot.with_payload('panda_hand', -1.0), 'mass=-1.0: expected 0 kg or more'),
    (lambda robot: robot.with_payload('panda_hand', 1.0, inertia=-np.eye(3)),
     'inertia: a principal moment of -1 kg'),
    (lambda robot: robot.with_payload('panda_hand', 'heavy'), 'mass: .* found heavy'),
    (lambda robot: robot.inverse_dynamics(*np.zeros((3, 7)), external=[1, 2]),
     'external: expected a mapping, found list'),
    (lambda robot: robot.inverse_dynamics(*np.zeros((3, 7)), external={None: np.zeros(6)}),
     "external='None': expected one of"),
    (lambda robot: robot.export_c('/proc/nowhere'), "folder='/proc/nowhere': No such file")])
def test_wrong_calls_are_input_errors(panda, call, said):
    with pytest.raises(rd.InputError, match=said):
        call(panda)


@pytest.mark.parametrize('algorithm', ['auto', *INVERSE])
def test_overflow_is_said(panda, algorithm):
    with pytest.raises(rd.InputError, match='not finite'):
        panda.inverse_dynamics(np.zeros(7), np.full(7, 1e200), np.zeros(7), algorithm=algorithm)


def test_all_joints_locked_is_a_robot_at_rest():
    names = [f'panda_joint{k}' for k in range(1, 8)]
    still = rd.load(PANDA, locked={**dict.fromkeys(names, 0.1), 'panda_finger_joint1': 0.0})
    assert still.n == 0
    assert still.kinetic_energy([], []) == 0
    assert still.potential_energy([]) == 0
    assert still.inertia_matrix([]).shape == (0, 0)
    assert still.jacobian([], 'panda_hand').shape == (6, 0)


def test_table_knows_the_payload(panda):
    loaded = panda.with_payload('panda_hand', 2.0, (0.1, 0, 0.2), np.eye(3) * 0.01)
    assert sum(row.mass for row in loaded.dh.rows) == pytest.approx(loaded.moving_mass)
    again = rd.Robot.from_dh(loaded.dh.rows, base=None)
    state = GENERATOR.uniform(-1, 1, (3, 7))
    assert np.allclose(again.inverse_dynamics(*state), loaded.inverse_dynamics(*state))
    assert panda.dh.rows[-1].mass != loaded.dh.rows[-1].mass


def test_gravity_must_be_a_vector():
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        with pytest.raises(rd.InputError, match='gravity'):
            rd.load(PANDA, gravity=(0, 0))


@pytest.mark.parametrize('name', ['inverse_dynamics', 'forward_dynamics', 'gravity_torque',
                                  'inertia_matrix'])
def test_a_result_may_overlap_with_its_arguments(panda, name):
    shape = np.shape(getattr(panda, name)(*np.zeros((EVERY[name], panda.n))))
    rows = 40
    states = GENERATOR.uniform(-1, 1, (rows, panda.n))
    expected = getattr(panda, name)(*[states] * EVERY[name])
    for offset in (0, panda.n, 3):
        memory = np.zeros(offset + rows * int(np.prod(shape)) + rows * panda.n)
        inside = memory[:states.size].reshape(states.shape)
        inside[:] = states
        out = memory[offset:offset + expected.size].reshape(expected.shape)
        getattr(panda, name)(*[inside] * EVERY[name], out=out)
        assert np.allclose(out, expected, rtol=1e-12, atol=1e-12)


def test_energies_and_manipulability_take_out(panda):
    q, qd = GENERATOR.uniform(-1, 1, (2, 5, panda.n))
    for name, arguments in (('kinetic_energy', (q, qd)), ('potential_energy', (q,)),
                            ('manipulability', (q,))):
        out = np.zeros(5)
        assert getattr(panda, name)(*arguments, out=out) is out
        assert np.array_equal(out, getattr(panda, name)(*arguments))
        with pytest.raises(rd.InputError, match='out'):
            getattr(panda, name)(*(part[0] for part in arguments), out=out)


def test_a_robot_without_joints_answers():
    robot = rd.load('<robot name="stone"><link name="a"/></robot>')
    for derivatives in (robot.inverse_dynamics_derivatives, robot.forward_dynamics_derivatives):
        for state in (np.zeros(0), np.zeros((3, 0))):
            shape = (*state.shape[:-1], 0, 0)
            assert [part.shape for part in derivatives(state, state, state)] == [shape] * 3


@pytest.mark.parametrize(('wrong', 'said'), [
    (lambda robot, folder: robot.operation_count('pose'), "what='pose': expected one of"),
    (lambda robot, folder: robot.export_c(folder, []), 'functions: expected at least one'),
    (lambda robot, folder: robot.export_c(folder, 3), 'functions: 3: expected some of'),
    (lambda robot, folder: robot.export_c(3), 'folder=3: expected a path'),
    (lambda robot, folder: robot.manipulability(np.zeros(7), rows=[True]), r'rows=\[True\]'),
    (lambda robot, folder: rd.wait_for_kernels('a'), 'timeout: expected real numbers, found a'),
    (lambda robot, folder: rd.load('rtx', strict='x'), "strict='x': expected True or False"),
    (lambda robot, folder: rd.load('rtx', rod_density=-1), 'rod_density=-1: expected a positive'),
    (lambda robot, folder: robot.with_payload(robot.tip_names[0], 1.0, inertia=np.diag(
        [1, 1, -0.1])), 'inertia: a principal moment of -0.1 kg')])
def test_what_makes_no_sense_is_refused(panda, tmp_path, wrong, said):
    with pytest.raises(rd.InputError, match=said):
        wrong(panda, tmp_path)


def test_a_payload_as_drawing_programs_round_it(panda):
    tip = panda.tip_names[0]
    body = np.diag([1e-3, 1e-3, -1e-11])
    assert panda.with_payload(tip, 1.0, inertia=body).total_mass == panda.total_mass + 1.0


def test_an_unmasked_array_is_an_array(panda):
    q = np.full(7, 0.1)
    assert np.array_equal(panda.gravity_torque(np.ma.masked_array(q)), panda.gravity_torque(q))


@pytest.mark.parametrize('algorithm', ['auto', 'denoc'])
def test_what_is_too_large_is_refused(panda, algorithm):
    q, tip = np.full(7, 0.1), panda.tip_names[0]
    huge = {tip: np.full(6, 1.7e308)}
    for verb in (panda.inverse_dynamics, panda.forward_dynamics):
        for state in (q, np.tile(q, (2, 1))):
            with pytest.raises(rd.InputError, match=f'too large .external.*{tip}'):
                verb(state, q, q, external=huge, algorithm=algorithm)
            with pytest.raises(rd.InputError, match='too large'):
                verb(state, q, np.full(7, 1.7e308), algorithm=algorithm)
    for mass, com in ((1e300, [1e10, 0, 0]), (1.0, [1e200, 0, 0])):
        with pytest.raises(rd.InputError, match='mass, com or inertia: too large'):
            panda.with_payload(tip, mass, com)
