"""Stacks: N robots in one call, as N robots asked one by one, and as Pinocchio has them."""

import copy
import pickle

import numpy as np
import pytest
from oracle import ROBOTS, Oracle
from urdf_text import joint, link, robot

import robot_dynamics as rd
from robot_dynamics.engine.running import store

N = 5
UR5 = 'ur_description/urdf/ur5_robot.urdf'
LINKED = ('pose', 'jacobian', 'jacobian_rate', 'manipulability')
VERBS = {
    'inverse_dynamics': 3, 'forward_dynamics': 3, 'inertia_matrix': 1, 'bias': 2,
    'inertia_matrix_inverse': 1, 'gravity_torque': 1, 'udu': 1, 'convective_matrix': 2,
    'reaction_wrenches': 3, 'inverse_dynamics_derivatives': 3, 'forward_dynamics_derivatives': 3,
    'regressor': 3, 'kinetic_energy': 2, 'potential_energy': 1, 'center_of_mass': 1,
    'centroidal_momentum': 2, 'pose': 1, 'jacobian': 1, 'jacobian_rate': 2, 'manipulability': 1}


def generator(seed=0):
    return np.random.default_rng(seed)


@pytest.fixture(scope='module')
def arm():
    """A small tree: kernels of it are compiled in no time."""
    return rd.load(tree(0.2, 0.4, 0.3))


def tree(x, y, roll, mass=1.0):
    """Return a URDF whose joints turn and slide, and branch."""
    return robot(
        link('base', None), link('l1', mass), link('l2'), link('l3'),
        joint('j1', 'base', 'l1'), joint('j2', 'l1', 'l2', axis='0 1 0', xyz=f'{x} 0 0.3'),
        joint('j3', 'l1', 'l3', type='prismatic', axis='1 0 0', xyz=f'0 {y} 0.1',
              rpy=f'{roll} 0.3 0'))


def payloads(arm, seed=0):
    """Return a stack of payloads of every kind, under a gravity each."""
    rng = generator(seed)
    root = rng.normal(0, 0.1, (N, 3, 3))
    stack = arm.with_payload(arm.tip_names[0], rng.uniform(0, 3, N), rng.normal(0, 0.1, (N, 3)),
                             root @ root.transpose(0, 2, 1))
    return stack.with_gravity(rng.normal(0, 9, (N, 3)))


def dh_arm(rng):
    """Return a robot of lengths, angles, masses and a tool of its own."""
    rows = [rd.DHRow(0.3 + rng.uniform(0, 0.1), 0.1 * k, [np.pi / 2, 0.7, 0.0][k], [0, 0.4, 0][k],
                     joint=['revolute', 'prismatic', 'revolute'][k], mass=rng.uniform(1, 2),
                     com=rng.normal(0, 0.1, 3), inertia=np.diag([0.1, 0.12, 0.13]),
                     damping=rng.uniform(), armature=0.1 * k) for k in range(3)]
    tool = np.eye(4)
    tool[:3, 3] = rng.normal(size=3)
    return rd.Robot.from_dh(rows, tool=tool)


def lengths(arm, seed=1):
    """Return the stack of an arm with other lengths, angles and masses."""
    rng, L = generator(seed), len(arm.dh)
    a, mass = (np.array([getattr(row, name) for row in arm.dh.rows]) for name in ('a', 'mass'))
    return arm.variants(a=a + rng.uniform(0, 0.2, (N, L)), alpha=rng.uniform(0.2, 1, L),
                        theta=rng.uniform(-1, 1, (N, L)), b=rng.normal(0, 0.1, (N, L)),
                        mass=mass * rng.uniform(0.8, 1.2, (N, L)))


def parts(result):
    return result if isinstance(result, tuple) else (result,)


def compare(stack, name, exact, **options):
    """Ask a stack and its robots the same, with kernels."""
    rng = generator(3)
    states = rng.uniform(-2, 2, (VERBS[name], len(stack), stack.n))
    if name in LINKED:
        options['link'] = stack.tip_names[0]
    pull = rng.normal(size=(len(stack), 6))
    pulled = [{}] + [{stack.tip_names[0]: pull}] * ('derivatives' not in name) * (
        name in ('inverse_dynamics', 'forward_dynamics'))
    for external in pulled:
        def ask(who, state, pull, external=external):
            acts = {'external': {key: pull for key in external}} if external else {}
            return parts(getattr(who, name)(*state, **options, **acts))
        for _ in range(2):  # first without kernels
            found = ask(stack, states, pull)
            alone = [ask(one, states[:, i], pull[i]) for i, one in enumerate(stack)]
            rd.wait_for_kernels()
        for k, part in enumerate(found):
            expected = np.array([one[k] for one in alone])
            assert part.shape == expected.shape
            if exact:
                assert np.array_equal(part, expected), name
            else:
                scale = max(1.0, np.abs(expected).max())
                assert np.abs(part - expected).max() < 1e-12 * scale, name


@pytest.mark.parametrize('name', VERBS)
def test_payloads_and_gravity_have_the_bits_of_single_robots(arm, name):
    compare(payloads(arm), name, exact=True)


@pytest.mark.parametrize('name', ['inverse_dynamics', 'forward_dynamics', 'reaction_wrenches',
                                  'regressor', 'udu', 'pose', 'manipulability'])
def test_robots_that_differ_in_lengths_agree(name):
    rng = generator(2)
    compare(rd.stack([dh_arm(rng) for _ in range(N)]), name, exact=False)


@pytest.mark.parametrize('name', ['inverse_dynamics', 'forward_dynamics', 'jacobian_rate',
                                  'inverse_dynamics_derivatives', 'convective_matrix'])
def test_variants_agree(arm, name):
    compare(lengths(arm), name, exact=False)


def test_variants_in_mass_alone_have_the_bits(arm):
    mass = np.array([row.mass for row in arm.dh.rows])
    stack = arm.variants(mass=mass * generator().uniform(0.5, 2, (N, len(mass))))
    compare(stack, 'inverse_dynamics', exact=True)
    compare(stack, 'forward_dynamics', exact=True, algorithm='cholesky')


def test_friction_mimics_and_other_algorithms():
    text = tree(0.2, 0.4, 0.3).replace('</joint></robot>', (
        '<mimic joint="j2" multiplier="0.5" offset="0.1"/>'
        '<dynamics damping="0.3" friction="0.2"/></joint></robot>'))
    stack = rd.load(text).with_payload('l2', generator().uniform(0, 3, N))
    assert stack.n == 2 and stack.friction.any()
    for name in ('inverse_dynamics', 'forward_dynamics'):
        compare(stack, name, exact=True)
    compare(stack, 'inverse_dynamics', exact=True, algorithm='denoc')


def test_pinocchio_agrees_on_payloads():
    rng, masses = generator(4), generator(5).uniform(0.1, 3, N)
    text = (ROBOTS / UR5).read_text()
    arm = rd.load(ROBOTS / UR5)
    stack = arm.with_payload('tool0', masses, (0.1, 0.0, 0.05))
    states = rng.uniform(-2, 2, (3, N, arm.n))
    tau, qdd = stack.inverse_dynamics(*states), stack.forward_dynamics(*states)
    for i, mass in enumerate(masses):
        load = (f'<link name="load"><inertial><mass value="{mass}"/><inertia ixx="0" ixy="0" '
                'ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>')
        loaded = text.replace('</robot>', load + joint(
            'weld', 'tool0', 'load', type='fixed', xyz='0.1 0 0.05') + '</robot>')
        judge = Oracle(None, arm, pinocchio_model(loaded))
        assert np.allclose(tau[i], judge.inverse_dynamics(*states[:, i]), rtol=1e-10, atol=1e-10)
        assert np.allclose(qdd[i], judge.forward_dynamics(*states[:, i]), rtol=1e-9, atol=1e-9)


def test_pinocchio_agrees_on_lengths_and_angles():
    rng = generator(6)
    texts = [tree(*rng.uniform(0.1, 1, 4)) for _ in range(N)]
    robots = [rd.load(text) for text in texts]
    stack = rd.stack(robots)
    q, qd, qdd = rng.uniform(-1, 1, (3, N, 3))
    tau, poses = stack.inverse_dynamics(q, qd, qdd), stack.pose(q, 'l3')
    for i, text in enumerate(texts):
        judge = Oracle(None, robots[i], pinocchio_model(text))
        assert np.allclose(tau[i], judge.inverse_dynamics(q[i], qd[i], qdd[i]), atol=1e-12)
        assert np.allclose(poses[i], judge.poses(q[i])['l3'], atol=1e-12)


def pinocchio_model(text):
    import pinocchio as pin
    return pin.buildModelFromXML(text)


def test_one_state_for_all_out_and_sizes(arm):
    stack = payloads(arm)
    q, qd, qdd = generator(7).uniform(-2, 2, (3, N, arm.n))
    all_q = np.tile(q[0], (N, 1))
    stack.inverse_dynamics(all_q, qd, qdd)
    rd.wait_for_kernels()
    expected = stack.inverse_dynamics(all_q, qd, qdd)
    assert np.array_equal(stack.inverse_dynamics(q[0], qd, qdd), expected)
    out = np.empty((N, arm.n))
    assert stack.inverse_dynamics(all_q, qd, qdd, out=out) is out
    assert np.array_equal(out, expected)
    assert stack.gravity_torque(q[0]).shape == (N, arm.n)
    with pytest.raises(rd.InputError, match='3 states for a stack of 5 robots'):
        stack.gravity_torque(q[:3])
    with pytest.raises(rd.InputError, match='nan'):
        stack.gravity_torque(q * np.nan)
    with pytest.raises(rd.InputError, match='out'):
        stack.gravity_torque(q, out=np.empty(arm.n))


def test_parts_of_a_stack(arm):
    stack = payloads(arm)
    q = generator(8).uniform(-2, 2, (N, arm.n))
    stack.gravity_torque(q)
    stack[-1].gravity_torque(q[-1])
    rd.wait_for_kernels()
    tau = stack.gravity_torque(q)
    assert len(stack) == N and len(list(stack)) == N
    assert np.array_equal(stack[1:4].gravity_torque(q[1:4]), tau[1:4])
    assert np.array_equal(stack[[4, 0]].gravity_torque(q[[4, 0]]), tau[[4, 0]])
    assert np.array_equal(stack[q[:, 0] > 0].gravity_torque(q[q[:, 0] > 0]), tau[q[:, 0] > 0])
    assert np.array_equal(stack[-1].gravity_torque(q[-1]), tau[-1])
    assert np.array_equal(stack[2:][1].gravity_torque(q[3]), tau[3])
    with pytest.raises(IndexError):
        stack[N]
    some = lengths(arm)
    assert np.allclose(some[1:3].pose(q[1:3], 'l2'), some.pose(q, 'l2')[1:3], rtol=0, atol=1e-15)


def test_what_a_stack_is(arm):
    stack = payloads(arm)
    assert stack.joint_names == arm.joint_names and stack.tip_names == arm.tip_names
    assert np.allclose(stack.total_mass, [one.total_mass for one in stack])
    assert np.array_equal(stack.parameters, [one.parameters for one in stack])
    for name in ('model', 'dh', 'inertials'):
        with pytest.raises(rd.InputError, match='stack'):
            getattr(stack, name)
    rooted = arm.with_payload(arm.link_names[0], np.arange(N))
    assert np.allclose(rooted.total_mass, arm.total_mass + np.arange(N))


@pytest.mark.parametrize('again', [copy.copy, copy.deepcopy,
                                   lambda stack: pickle.loads(pickle.dumps(stack))])
def test_copies(arm, again):
    q = generator(9).uniform(-2, 2, (N, arm.n))
    for stack in (payloads(arm), lengths(arm)):
        other = again(stack)
        for _ in range(2):
            found, expected = other.pose(q, 'l3'), stack.pose(q, 'l3')
            rd.wait_for_kernels()
        assert np.array_equal(found, expected)
        assert np.allclose(other[2].pose(q[2], 'l3'), expected[2], atol=1e-13)


def test_changes_of_a_stack(arm):
    stack = lengths(arm).with_payload(arm.tip_names[0], 2.0).with_base_motion(
        generator().normal(size=(N, 3)), linear_acceleration=(1, 2, 3))
    compare(stack, 'inverse_dynamics', exact=False)


def test_a_singular_robot_is_named():
    rod = {'com': (-0.5, 0, 0), 'inertia': np.diag([0, 0.1, 0.1])}
    robots = [rd.Robot.from_dh([rd.DHRow(1, 0, 0, 0, mass=1, **rod),
                                rd.DHRow(1, 0, 0, 0, mass=m, com=(-0.5, 0, 0), name='elbow',
                                         inertia=np.diag([0, m, m]))],
                               missing_inertia='zero') for m in (1, 1, 0, 1)]
    stack = rd.stack(robots)
    for _ in range(2):
        with pytest.raises(rd.SingularityError, match="'elbow'.*robot 2 of the stack"):
            stack.forward_dynamics(np.zeros(2), np.zeros(2), np.ones(2))
        rd.wait_for_kernels()


def test_robots_that_do_not_fit(arm):
    rng = generator(10)
    with pytest.raises(rd.InputError, match='robot 1 .* other joints'):
        rd.stack([arm, dh_arm(rng)])
    with pytest.raises(rd.InputError, match='robot 1 .* other links'):
        rd.stack([arm, rd.load(tree(0.2, 0.4, 0.3).replace('l3', 'l4'))])
    with pytest.raises(rd.InputError, match='one robot or more'):
        rd.stack([])
    with pytest.raises(rd.InputError, match='expected robots'):
        rd.stack(3)
    for bad, word in (({'mass': [-1.0, 1]}, 'robot 0'), ({'mass': [1, 1], 'com': np.zeros((3, 3))},
                                                        'different lengths'),
                      ({'mass': [1, np.nan]}, 'nan'),
                      ({'mass': [1, 1], 'inertia': [np.eye(3), -np.eye(3)]}, 'negative')):
        with pytest.raises(rd.InputError, match=word):
            arm.with_payload(arm.tip_names[0], **bad)
    for bad, word in (({'length': 1}, 'expected one of'), ({}, r'\(N, 3\)'),
                      ({'a': np.zeros((2, 4))}, r'\(2, 3\)'), ({'mass': -np.ones((2, 3))}, 'more'),
                      ({'mass': np.ones(3)}, r'\(N, 3\)')):
        with pytest.raises(rd.InputError, match=word):
            arm.variants(**bad)


@pytest.mark.filterwarnings('ignore::robot_dynamics.RobotDynamicsWarning')
def test_without_a_compiler(arm, monkeypatch):
    stacks = [payloads(arm), lengths(arm)]
    q, qd, x = generator(11).uniform(-2, 2, (3, N, arm.n))
    expected = [np.array([one.forward_dynamics(q[i], qd[i], x[i]) for i, one in enumerate(stack)])
                for stack in stacks]
    monkeypatch.setattr(store, 'has_compiler', lambda: False)
    for stack, found in zip(stacks, expected, strict=True):
        fresh = stack[np.arange(N)]
        fresh._kernels._store = store.Store(fresh._kernels.spec)
        assert np.allclose(fresh.forward_dynamics(q, qd, x), found, rtol=1e-10, atol=1e-10)
        assert np.allclose(fresh.pose(q, 'l3'), [stack[i].pose(q[i], 'l3') for i in range(N)],
                           atol=1e-12)


def test_large_robots_are_asked_one_by_one():
    rng = generator(12)
    rows = [rd.DHRow(0.1, 0, 0.3, 0, mass=1, com=(-0.05, 0, 0), inertia=0.01 * np.eye(3))
            for _ in range(60)]
    stack = rd.Robot.from_dh(rows).variants(a=rng.uniform(0.1, 0.2, (2, 60)))
    q = rng.uniform(-1, 1, (2, 60))
    I = stack.inertia_matrix(q)
    assert np.allclose(I, [one.inertia_matrix(q[i]) for i, one in enumerate(stack)], atol=1e-12)


def test_a_structure_is_compiled_once(arm):
    specs = [lengths(arm, seed)._kernels.spec for seed in (1, 2, 3)]
    assert len({store.cache.fingerprint(spec) for spec in specs}) == 1
