"""Wrong input is answered with an error of the package that says what is wrong, and where."""

import warnings

import numpy as np
import pytest
import yaml

import robot_dynamics as rd

LENGTHS = {'a': 0.5, 'b': 0.7, 'c': 0.5, 'd': 0.5, 'e': 0.5}
JOINTS = {'A': ('base', 'a', '0 0 0'), 'B': ('a', 'b', '0.5 0 0'), 'C': ('base', 'c', '1 0 0'),
          'D': ('base', 'd', '0.4 0.9 0'), 'E': ('d', 'e', '0.5 0 0')}
MASSLESS = """<robot name="bare"><link name="base"/><link name="arm"/><joint name="j"
type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>"""


@pytest.fixture(scope='module')
def six(tmp_path_factory):
    """Return a planar linkage of one freedom and three motors: two dyads, one upon the other."""
    folder = tmp_path_factory.mktemp('six')
    text = '<robot name="six"><link name="base"/>' + ''.join(
        f'<link name="{name}"><inertial><origin xyz="{size / 2} 0 0"/><mass value="1"/><inertia '
        'ixx=".01" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        for name, size in LENGTHS.items()) + ''.join(
        f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}"/><axis xyz="0 0 1"/></joint>'
        for name, (parent, child, xyz) in JOINTS.items()) + '</robot>'
    (folder / 'six.urdf').write_text(text)
    loops = [{'name': name, 'joint': 'revolute', 'between': ['b', other],
              'at': [{'xyz': [x, 0, 0]}, {'xyz': [0.5, 0, 0]}]}
             for name, other, x in (('one', 'c', 0.7), ('two', 'e', 0.35))]
    (folder / 'six.yaml').write_text(yaml.safe_dump({
        'robot': 'six.urdf', 'gravity': [0, -9.81, 0], 'loops': loops,
        'actuated': ['A', 'C', 'D'], 'independent': ['A'],
        'start': {'A': 1.0, 'B': -1.0, 'C': 1.5, 'D': -0.5, 'E': -0.8}}))
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return rd.load_mechanism(folder / 'six.yaml')


@pytest.fixture(scope='module')
def five_bar():
    return rd.load('five_bar')


@pytest.fixture(scope='module')
def quadruped():
    return rd.load_mechanism('quadruped')


# More dyads than freedoms

@pytest.mark.parametrize('verb', ['assemble', 'gravity_torque'])
def test_of_two_dyads_each_may_stay_open(six, verb):
    with pytest.raises(rd.InputError, match="loop 'two' stays open by about .* at A = -1.76"):
        getattr(six, verb)([-1.76])
    for value in np.linspace(-3, 3, 25):
        if six.can_assemble([value]):
            assert np.abs(six.closure_error(six.assemble([value]))).max() < 1e-9
        else:
            with pytest.raises(rd.InputError, match='stays open'):
                six.assemble([value])


def test_of_a_batch_the_state_that_stays_open_is_named(six):
    with pytest.raises(rd.InputError, match=r"q \(state 1\): .*'two' stays open"):
        six.assemble([[1.0], [-1.76]])


# Zero quaternions

def test_zero_quaternions_near_which_to_assemble(quadruped):
    m, lost = quadruped, np.zeros(len(quadruped.start))
    q, rest = m.start[:7], np.zeros(m.nv)
    said = r"near{}: the quaternion qx qy qz qw of joint 'base' \(near\[3\] to near\[6\]\) is zero"
    for call in (m.assemble, lambda q, near: m.gravity_torque(q, near=near),
                 lambda q, near: m.udu(q, near=near),
                 lambda q, near: m.inverse_dynamics(q, rest, rest, near=near)):
        with pytest.raises(rd.InputError, match=said.format('')):
            call(q, lost)
        with pytest.raises(rd.InputError, match=said.format(r' \(state 1\)')):
            call(q, np.array([m.start, lost]))
    with pytest.raises(rd.InputError, match=r"the quaternion .* of joint 'base' .* is zero"):
        m.closure_error(lost)
    with pytest.raises(rd.InputError, match=r'q: the quaternion .* is zero'):
        m.assemble(np.zeros(7), branches=True)


def test_one_state_may_be_near_several(quadruped):
    m = quadruped
    found = m.assemble(m.start[:7], np.array([m.start, m.start]))
    np.testing.assert_allclose(found, [m.start] * 2, atol=1e-9)


# No mass

@pytest.mark.parametrize('base', ['fixed', 'floating'])
def test_robots_without_mass_have_no_mass_centre(base):
    robot = rd.load(MASSLESS, missing_inertia='zero', base=base)
    q, qd = robot.neutral, np.zeros(robot.nv)
    said = 'no link that moves has mass: there is no mass centre'
    for call in (robot.center_of_mass, robot.centroidal_momentum_matrix,
                 lambda q: robot.centroidal_momentum(q, qd),
                 lambda q: robot.center_of_mass(np.array([q, q]))):
        with pytest.raises(rd.ModelError, match=said):
            call(q)


def test_robots_of_a_stack_without_mass_are_named():
    robot = rd.load(MASSLESS, missing_inertia='zero')
    stack = rd.stack([robot.with_payload('arm', 1.0), robot])
    with pytest.raises(rd.ModelError, match=r'has mass \(robot 1 of the stack\)'):
        stack.center_of_mass([0.0])


# Nothing to do

def shapes_of(found):
    return [x.shape for x in found] if isinstance(found, tuple) else [found.shape]


VERBS = {'udu': 1, 'inertia_matrix': 1, 'inverse_dynamics': 3, 'forward_dynamics': 3,
         'inverse_dynamics_derivatives': 3, 'forward_dynamics_derivatives': 3}


@pytest.mark.parametrize('name', ['panda_like', 'quadruped', 'five_bar'])
@pytest.mark.parametrize('verb', VERBS)
def test_empty_batches_have_empty_results(name, verb):
    robot = rd.load(name, base='floating') if name == 'panda_like' else rd.load(name)
    one = [robot.start[:robot.nq] if name == 'quadruped' else np.full(robot.nq, 0.5),
           np.zeros(robot.nv), np.zeros(robot.nv)][:VERBS[verb]]
    if verb.startswith('forward') and hasattr(robot, 'actuated_names'):
        one[2] = np.zeros(len(robot.actuated_names))
    call = getattr(robot, verb)
    none = [np.zeros((0, len(x))) for x in one]
    expected = [(0, *shape) for shape in shapes_of(call(*one))]
    assert shapes_of(call(*none)) == expected
    if hasattr(robot, 'start'):
        assert shapes_of(call(*none, near=np.zeros((0, len(robot.start))))) == expected


def test_empty_batches_of_what_only_mechanisms_have(five_bar, six, quadruped):
    for m in (five_bar, six, quadruped):
        q, qd, near = (np.zeros((0, size)) for size in (m.nq, m.nv, len(m.start)))
        assert m.assemble(q).shape == m.assemble(q, near).shape == (0, len(m.start))
        assert m.assemble(q, m.start).shape == (0, len(m.start))
        assert m.constraint_wrenches(q, qd, qd, near=near).shape == (0, len(m.loop_names), 6)
        assert m.reaction_wrenches(q, qd, qd, near=near).shape == (0, m.nv, 6)
        assert m.passive_rates(q, qd, near=near).shape == (0, len(m.tree_joint_names))
        assert m.contacts(q, qd, qd, near=near, friction=1.0).ok.shape == (0,)


# Motors' torques, wrenches, weights

@pytest.mark.parametrize(('q', 'tau', 'said'), [
    ('abc', [1.0] * 3, 'q_tree: expected real numbers, found abc'),
    ({}, [1.0] * 3, 'q_tree: expected real numbers'),
    ([[1, 2], [1]], [1.0] * 3, 'q_tree: expected real numbers'),
    ([10 ** 400] * 5, [1.0] * 3, 'q_tree: expected real numbers'),
    (np.ones(5) + 5j, [1.0] * 3, 'q_tree: expected real numbers'),
    (np.ma.masked_array(np.ones(5), [1, 0, 0, 0, 0]), [1.0] * 3, 'q_tree: has masked values'),
    (np.ones(4), [1.0] * 3, r'q_tree: shape \(4,\): expected \(5,\) or \(N, 5\)'),
    (np.ones((2, 5)), np.ones((3, 3)), r'different sizes: q_tree \(2, 5\), tau \(3, 3\)'),
    (None, [1.7e308] * 3, 'tau: too large'),
])
def test_forces_of_motors_are_asked_for_with_numbers(six, q, tau, said):
    with pytest.raises(rd.InputError, match=said):
        six.generalized_force(six.start if q is None else q, tau)


def test_forces_of_motors_at_a_zero_quaternion(quadruped):
    lost = quadruped.start
    lost[3:7] = 0
    with pytest.raises(rd.InputError, match=r'q_tree: the quaternion .* q_tree\[6\]\) is zero'):
        quadruped.generalized_force(lost, np.ones(12))


@pytest.mark.parametrize('verb', ['constraint_wrenches', 'reaction_wrenches', 'contacts'])
@pytest.mark.parametrize(('qd', 'qdd', 'said'), [
    ([[1, 2], [1]], None, 'qd: expected real numbers'),
    (None, [[1, 2], [1]], 'qdd: expected real numbers'),
    (2, 3, r'different sizes: .*qd \(2, .*qdd \(3, '),
])
def test_wrenches_are_asked_for_with_numbers(five_bar, six, verb, qd, qdd, said):
    for m in (five_bar, six):
        if m is five_bar and verb == 'reaction_wrenches':
            continue  # it is the kernel's
        q = m.start[[m.tree_joint_names.index(name) for name in m.joint_names]]
        rates = [np.zeros(m.nv) if x is None else np.ones((x, m.nv)) if isinstance(x, int) else x
                 for x in (qd, qdd)]
        options = {'friction': 1.0} if verb == 'contacts' else {}
        with pytest.raises(rd.InputError, match=said):
            getattr(m, verb)(q, *rates, **options)


@pytest.mark.parametrize(('weights', 'said'), [
    ([-1, 'nonsense', np.nan], 'weights: expected real numbers'),
    ([-1.0, 1.0], 'weights=-1: expected positive numbers'),
    ([1.0], r'weights: shape \(1,\): expected \(2,\)')])
def test_weights_are_looked_at_where_they_change_nothing(five_bar, weights, said):
    q, z = [0.5, 0.5], np.zeros(2)
    for call in (five_bar.inverse_dynamics, five_bar.constraint_wrenches):
        with pytest.raises(rd.InputError, match=said):
            call(q, z, z, weights=weights)
    with pytest.raises(rd.InputError, match=said):
        five_bar.motor_torques(q, z, weights=weights)
    np.testing.assert_array_equal(five_bar.inverse_dynamics(q, z, z, weights=[1, 2]),
                                  five_bar.inverse_dynamics(q, z, z))


# Names

@pytest.mark.parametrize('name', ['panda_like', 'five_bar'])
@pytest.mark.parametrize('external', ['', 'abc', 0, [], np.array([1, 2.0]), np.zeros(0)])
def test_external_is_a_mapping(name, external):
    robot = rd.load(name)
    state = [np.full(robot.nv, 0.5)] * 3
    for verb in ('inverse_dynamics', 'forward_dynamics', 'inverse_dynamics_derivatives'):
        with pytest.raises(rd.InputError, match='external: expected a mapping, found'):
            getattr(robot, verb)(*state, external=external)
    if name == 'five_bar':
        with pytest.raises(rd.InputError, match='external: expected a mapping, found'):
            robot.constraint_wrenches(*state, external=external)


@pytest.mark.parametrize('name', ['panda_like', 'five_bar'])
@pytest.mark.parametrize('given', [np.array(['denoc', 'auto']), np.array(['denoc']), 5, None])
def test_arrays_are_no_names(name, given):
    robot = rd.load(name)
    q = np.full(robot.nv, 0.5)
    for call, arguments in ((robot.inverse_dynamics, 3), (robot.forward_dynamics, 3),
                            (robot.inertia_matrix, 1)):
        with pytest.raises(rd.InputError, match='algorithm=.*: expected one of'):
            call(*[q] * arguments, algorithm=given)
    with pytest.raises(rd.InputError, match='form=.*: expected one of'):
        robot.convective_matrix(q, q, form=given)
    with pytest.raises(rd.InputError, match='algorithm=.*: expected one of'):
        robot.operation_count('inertia_matrix', algorithm=given)


@pytest.mark.parametrize('names', [None, 5, 'abc', [None], ''])
def test_loops_are_listed_by_name(five_bar, quadruped, names):
    with pytest.raises(rd.InputError, match='names=.*: expected a'):
        five_bar.with_loops(names)
    if names is not None:
        with pytest.raises(rd.InputError, match='independent=.*: expected a'):
            five_bar.with_loops(five_bar.loop_names, independent=names)
        with pytest.raises(rd.InputError, match='actuated=.*: expected a'):
            rd.standing(quadruped.tree, quadruped.contact_names, quadruped.start, actuated=names)
