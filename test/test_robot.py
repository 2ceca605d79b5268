"""The public object: shapes, batches, errors, and what it answers beside Pinocchio."""

import warnings

import numpy as np
import pinocchio as pin
import pytest
from oracle import ROBOTS, Oracle, random_state

import robot_dynamics as rd
from robot_dynamics.algorithms import FORWARD, GIM, INVERSE
from robot_dynamics.model.dh import hinge, step
from robot_dynamics.studies.arms import puma560

PANDA = ROBOTS / 'panda_description/urdf/panda.urdf'
GENERATOR = np.random.default_rng(9)
EVERY = {
    'inverse_dynamics': 3, 'forward_dynamics': 3, 'inertia_matrix': 1, 'convective_matrix': 2,
    'bias': 2, 'gravity_torque': 1, 'friction_torque': 1, 'reaction_wrenches': 3, 'udu': 1,
    'kinetic_energy': 2, 'potential_energy': 1, 'inverse_dynamics_derivatives': 3,
    'forward_dynamics_derivatives': 3, 'regressor': 3,
}


@pytest.fixture(scope='module')
def panda():
    return rd.load(PANDA, locked={'panda_finger_joint1': 0.02})


@pytest.fixture(scope='module')
def oracle():
    robot = rd.load(PANDA, friction=False)
    return robot, Oracle(PANDA, robot)


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
    (np.array([0, 0, np.inf, 0, 0, 0, 0.0]), 'index 2'), (np.zeros(7) + 1j, 'real numbers'),
    (None, 'shape|numbers|nan')])
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


def test_jacobian_is_pinocchios(oracle):
    robot, judge = oracle
    q, qd = GENERATOR.uniform(-1, 1, (2, robot.n))
    swap = [3, 4, 5, 0, 1, 2]
    for link in ('panda_link4', 'panda_hand', 'panda_rightfinger'):
        frame = judge.model.getFrameId(link, pin.BODY)
        J = pin.computeFrameJacobian(judge.model, judge.data, judge.position(q), frame,
                                     pin.LOCAL_WORLD_ALIGNED)[np.ix_(swap, judge.columns)]
        assert np.allclose(robot.jacobian(q, link), J @ judge.G, atol=1e-14)
        pin.computeJointJacobiansTimeVariation(
            judge.model, judge.data, judge.position(q), judge.rates(qd))
        pin.updateFramePlacements(judge.model, judge.data)
        Jd = pin.getFrameJacobianTimeVariation(
            judge.model, judge.data, frame, pin.LOCAL_WORLD_ALIGNED)[np.ix_(swap, judge.columns)]
        assert np.allclose(robot.jacobian_rate(q, qd, link), Jd @ judge.G, atol=1e-13)


def test_link_must_be_named_where_there_are_several_tips(oracle):
    robot, _ = oracle
    with pytest.raises(rd.InputError, match='2 tips.*panda_leftfinger, panda_rightfinger'):
        robot.pose(np.zeros(robot.n))
    with pytest.raises(rd.InputError, match="link='ghost'.*panda_link0"):
        robot.jacobian(np.zeros(robot.n), 'ghost')


def test_manipulability_of_chosen_rows():
    arm = rd.Robot.from_dh([rd.DHRow(0.5, 0, 0, 0, mass=1), rd.DHRow(0.4, 0, 0, 0, mass=1)])
    q = np.array([0.3, 0.9])
    assert arm.manipulability(q, rows=[3, 4]) == pytest.approx(0.5 * 0.4 * np.sin(0.9))
    assert arm.manipulability(q) == 0  # a planar arm does not move along z
    assert arm.manipulability(np.array([q, q]), rows=[3, 4]).shape == (2,)
    for rows in ('sideways', [7], []):
        with pytest.raises(rd.InputError, match='rows'):
            arm.manipulability(q, rows=rows)


def test_external_wrenches_act_where_they_are(oracle):
    """tau changes by -J^T w; forward dynamics undoes it."""
    robot, judge = oracle
    q, qd, qdd = GENERATOR.uniform(-1, 1, (3, robot.n))
    wrench, other = GENERATOR.uniform(-5, 5, (2, 6))
    external = {'panda_hand': wrench, 'panda_link3': other}
    tau = robot.inverse_dynamics(q, qd, qdd, external=external)
    expected = (judge.inverse_dynamics(q, qd, qdd) - robot.jacobian(q, 'panda_hand').T @ wrench
                - robot.jacobian(q, 'panda_link3').T @ other)
    assert np.allclose(tau, expected, atol=1e-11)
    for method in ('auto', *FORWARD):
        found = robot.forward_dynamics(q, qd, tau, external=external, algorithm=method)
        assert np.allclose(found, qdd, rtol=1e-8, atol=1e-8)
    many = robot.inverse_dynamics(np.array([q, q]), qd, qdd, external={
        'panda_hand': np.array([wrench, 0 * wrench]), 'panda_link3': other})
    assert np.allclose(many[0], tau)
    assert not np.allclose(many[1], tau)
    for bad in ({'ghost': wrench}, {'panda_hand': [1, 2]}, {'panda_hand': [np.nan] * 6}):
        with pytest.raises(rd.InputError, match='ghost|external'):
            robot.inverse_dynamics(q, qd, qdd, external=bad)


def dh_frames(robot, q):
    """Return the DH frames i of all rows in the root frame: the product of the rows."""
    frames, moved = [], []
    s = robot.model.G @ q + robot.model.q0
    for row, parent, value in zip(robot.dh.rows, robot.dh.parents(), s, strict=True):
        if parent < 0:
            frames.append(np.eye(4) if row.base is None else row.base)
        else:
            first, branch = robot.dh.rows[parent], row.branch or rd.Branch(
                a=robot.dh.rows[parent].a, alpha=robot.dh.rows[parent].alpha,
                beta=robot.dh.rows[parent].beta)
            assert first.name == row.parent
            frames.append(moved[parent] @ hinge(branch.gamma, branch.epsilon)
                          @ step(branch.a, branch.alpha, branch.beta))
        slide = value if row.prismatic else 0.0
        moved.append(frames[-1] @ hinge(row.theta + value - slide, row.b + slide))
    return frames


@pytest.mark.parametrize('name', ['panda_description/urdf/panda.urdf',
                                  'baxter_description/urdf/baxter.urdf',
                                  'talos_data/robots/talos_full_v2.urdf'])
def test_reaction_wrenches_are_pinocchios_in_the_dh_frames(name):
    """Pinocchio has them at its own joint frames; O_i and the axes come from the DH table."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        robot = rd.load(ROBOTS / name, friction=False)
    judge = Oracle(ROBOTS / name, robot)
    q, qd, qdd = GENERATOR.uniform(-1, 1, (3, robot.n))
    judge.inverse_dynamics(q, qd, qdd)
    judge.poses(q)
    frames = dh_frames(robot, q)
    found = robot.reaction_wrenches(q, qd, qdd)
    for k, joint in enumerate(robot.joint_names):
        index = judge.model.getJointId(joint)
        world = judge.data.oMi[index].act(judge.data.f[index])  # about the root's origin
        T = frames[robot.model.tree_joint_names.index(joint)]
        force, moment = world.linear, world.angular - np.cross(T[:3, 3], world.linear)
        expected = np.concatenate([T[:3, :3].T @ moment, T[:3, :3].T @ force])
        assert np.allclose(found[k], expected, rtol=1e-9, atol=1e-9), joint


def test_reaction_wrenches_carry_the_torques(oracle):
    robot, judge = oracle
    q, qd, qdd = GENERATOR.uniform(-1, 1, (3, robot.n))
    wrenches = robot.reaction_wrenches(q, qd, qdd)
    arm = slice(0, 7)  # the finger's leader carries its follower's force as well
    assert np.allclose(wrenches[arm, 2], judge.inverse_dynamics(q, qd, qdd)[arm], atol=1e-11)


def test_power_in_is_energy_gained_and_lost(panda):
    """tau.qd = d(T + V)/dt + friction.qd along a motion, by central differences."""
    q, qd, qdd = GENERATOR.uniform(-1, 1, (3, panda.n))
    power = panda.inverse_dynamics(q, qd, qdd) @ qd

    def energy(t):
        at, rate = q + qd * t + qdd * t * t / 2, qd + qdd * t
        return panda.kinetic_energy(at, rate) + panda.potential_energy(at)
    step = 1e-4
    slope = (8 * (energy(step) - energy(-step)) - energy(2 * step) + energy(-2 * step)) / 12 / step
    assert power == pytest.approx(slope + panda.friction_torque(qd) @ qd, rel=1e-8)


def test_torque_is_linear_in_the_parameters(panda):
    state = GENERATOR.uniform(-1, 1, (3, panda.n))
    expected = panda.inverse_dynamics(*state) - panda.friction_torque(state[1])
    assert np.allclose(panda.regressor(*state) @ panda.parameters, expected, rtol=1e-11)


def test_derivatives_are_slopes(panda):
    q, qd, qdd = GENERATOR.uniform(-1, 1, (3, panda.n))
    by_q, by_qd, by_qdd = panda.inverse_dynamics_derivatives(q, qd, qdd)
    step = 1e-6
    for k, e in enumerate(np.eye(panda.n) * step):
        slope = (panda.inverse_dynamics(q + e, qd, qdd)
                 - panda.inverse_dynamics(q - e, qd, qdd)) / (2 * step)
        assert np.allclose(by_q[:, k], slope, atol=1e-7)
        slope = (panda.inverse_dynamics(q, qd + e, qdd)
                 - panda.inverse_dynamics(q, qd - e, qdd)) / (2 * step)
        assert np.allclose(by_qd[:, k], slope, atol=1e-7)
    assert np.allclose(by_qdd, panda.inertia_matrix(q), atol=1e-12)


def massless_wrist():
    rows = [rd.DHRow(**{name: getattr(row, name) for name in ('a', 'b', 'alpha', 'theta', 'mass',
                                                              'com', 'inertia')})
            for row in puma560().dh.rows]
    return rd.Robot.from_dh(rows, missing_inertia='zero')


def test_massless_wrist_is_a_named_singularity():
    """The PUMA of MohanSaha2007 without its hub inertias."""
    arm = massless_wrist()
    q, qd, tau = GENERATOR.uniform(-1, 1, (3, 6))
    for method in ('auto', *FORWARD):
        with pytest.raises(rd.SingularityError, match=r"joint 'joint_[456]'.*pivot is"):
            arm.forward_dynamics(q, qd, tau, algorithm=method)
    with pytest.raises(rd.SingularityError, match='joint_[456]'):
        arm.forward_dynamics(np.array([q, q]), qd, tau)
    assert np.isfinite(arm.inverse_dynamics(q, qd, tau)).all()


def test_armature_stands_on_the_diagonal():
    plain = [rd.DHRow(0.3, 0.1, 0.5, 0, mass=1, com=(-0.1, 0, 0), inertia=np.eye(3) * 0.01)
             for _ in range(3)]
    geared = [rd.DHRow(0.3, 0.1, 0.5, 0, mass=1, com=(-0.1, 0, 0), inertia=np.eye(3) * 0.01,
                       armature=0.2 + k) for k in range(3)]
    q, qd, qdd = GENERATOR.uniform(-1, 1, (3, 3))
    before, after = rd.Robot.from_dh(plain), rd.Robot.from_dh(geared)
    rotors = np.array([0.2, 1.2, 2.2])
    for method in ('auto', *GIM):
        assert np.allclose(after.inertia_matrix(q, algorithm=method),
                           before.inertia_matrix(q) + np.diag(rotors))
    assert np.allclose(after.inverse_dynamics(q, qd, qdd),
                       before.inverse_dynamics(q, qd, qdd) + rotors * qdd)
    assert after.kinetic_energy(q, qd) == pytest.approx(
        before.kinetic_energy(q, qd) + 0.5 * rotors @ qd**2)
    tau = after.inverse_dynamics(q, qd, qdd)
    for method in ('auto', *FORWARD):
        assert np.allclose(after.forward_dynamics(q, qd, tau, algorithm=method), qdd)


def test_hub_inertia_is_about_its_axis_and_moves_with_the_link():
    """Joined to the link's tensor, not to the GIM's diagonal: outer joints carry it too."""
    rows = [rd.DHRow(0.3, 0.1, np.pi / 2, 0, mass=1), rd.DHRow(0.2, 0, 0, 0, mass=1,
                                                               hub_inertia=0.5)]
    arm = rd.Robot.from_dh(rows)
    bare = rd.Robot.from_dh([rows[0], rd.DHRow(0.2, 0, 0, 0, mass=1)])
    difference = arm.inertia_matrix([0.3, 0.4]) - bare.inertia_matrix([0.3, 0.4])
    assert np.allclose(difference, [[0, 0], [0, 0.5]], atol=1e-15)  # the axes are perpendicular
    parallel = [rd.DHRow(0.3, 0.1, 0, 0, mass=1), rows[1]]
    bare = [parallel[0], rd.DHRow(0.2, 0, 0, 0, mass=1)]
    difference = (rd.Robot.from_dh(parallel).inertia_matrix([0.3, 0.4])
                  - rd.Robot.from_dh(bare).inertia_matrix([0.3, 0.4]))
    assert np.allclose(difference, 0.5)


def test_turning_base_gives_what_a_turntable_gives():
    """An arm on a turntable, seen from the turntable: fictitious torques are the same."""
    turntable = rd.DHRow(0, 0, 0, 0, mass=1, inertia=np.eye(3))
    arm = [rd.DHRow(0.3, 0.1, 0.5, 0, mass=1, com=(-0.1, 0, 0), inertia=np.eye(3) * 0.01)
           for _ in range(3)]
    q, qd, qdd = GENERATOR.uniform(-1, 1, (3, 4))
    q[0] = 0
    whole = rd.Robot.from_dh([turntable, *arm]).inverse_dynamics(q, qd, qdd)
    base = rd.Robot.from_dh(arm).with_base_motion([0, 0, qd[0]], [0, 0, qdd[0]])
    assert np.allclose(base.inverse_dynamics(q[1:], qd[1:], qdd[1:]), whole[1:])


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


@pytest.mark.parametrize('call', [
    lambda robot: robot.pose(np.zeros(7), ['l']), lambda robot: robot.jacobian(np.zeros(7), {}),
    lambda robot: robot.manipulability(np.zeros(7), rows=3),
    lambda robot: robot.with_payload(None, 1.0), lambda robot: robot.with_payload('ghost', 1.0),
    lambda robot: robot.with_payload('panda_hand', -1.0),
    lambda robot: robot.with_payload('panda_hand', 1.0, inertia=-np.eye(3)),
    lambda robot: robot.with_payload('panda_hand', 'heavy'),
    lambda robot: robot.inverse_dynamics(*np.zeros((3, 7)), external=[1, 2]),
    lambda robot: robot.inverse_dynamics(*np.zeros((3, 7)), external={None: np.zeros(6)}),
    lambda robot: robot.export_c('/proc/nowhere')])
def test_wrong_calls_are_input_errors(panda, call):
    with pytest.raises(rd.InputError):
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
    assert sum(row.mass for row in loaded.dh.rows) == pytest.approx(loaded.total_mass)
    again = rd.Robot.from_dh(loaded.dh.rows, base=None)
    state = GENERATOR.uniform(-1, 1, (3, 7))
    assert np.allclose(again.inverse_dynamics(*state), loaded.inverse_dynamics(*state))
    assert panda.dh.rows[-1].mass != loaded.dh.rows[-1].mass


def test_gravity_must_be_a_vector():
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        with pytest.raises(rd.InputError, match='gravity'):
            rd.load(PANDA, gravity=(0, 0))
