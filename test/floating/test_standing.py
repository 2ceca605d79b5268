"""Standing robots: contact forces, how they are shared, what the ground cannot give."""

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import robot_dynamics as rd

URDF = Path(__file__).resolve().parents[2] / 'urdf'
LEGS = ('front_left', 'front_right', 'rear_left', 'rear_right')
REST = np.zeros(6)


@pytest.fixture(scope='module')
def quadruped():
    return rd.load(URDF / 'quadruped.yaml')


def moved(mechanism, generator, by=0.03):
    """Return a state: values, rates and accelerations of the freedoms."""
    space = mechanism.model.coordinates
    way = np.zeros(space.tree.nv)
    way[list(space.loops.independent)] = generator.uniform(-by, by, mechanism.n)
    q = space.tree.integrate(mechanism.start, way)[list(space.loops.values)]
    return q, *generator.uniform(-1, 1, (2, mechanism.n))


class Judge:
    """Pinocchio's constraint dynamics of a URDF on a free flyer, feet held to the world."""

    def __init__(self, path, mechanism, kinds):
        self.model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
        self.data = self.model.createData()
        self.mechanism, names = mechanism, mechanism.tree_joint_names
        self.rates = np.array([3, 4, 5, 0, 1, 2] + [
            self.model.joints[self.model.getJointId(name)].idx_v for name in names[6:]])
        values = mechanism.tree_value_names
        self.values = np.array([*range(7)] + [
            self.model.joints[self.model.getJointId(name)].idx_q for name in values[7:]])
        self.contacts = pin.StdVec_RigidConstraintModel()
        self.frames = []
        for link, (kind, T) in kinds.items():
            frame = self.model.frames[self.model.getFrameId(link, pin.BODY)]
            place = frame.placement * pin.SE3(T)
            self.frames.append((frame.parentJoint, place))
            self.contacts.append(pin.RigidConstraintModel(
                kind, self.model, frame.parentJoint, place, pin.ReferenceFrame.LOCAL))
        self.constraints = pin.StdVec_RigidConstraintData()
        for contact in self.contacts:
            self.constraints.append(contact.createData())
        pin.initConstraintDynamics(self.model, self.data, self.contacts, self.constraints)

    def answer(self, tree, rates, applied):
        """Return accelerations and wrenches [n, f] on the robot at the contacts, world axes."""
        q, v, tau = (np.zeros(size) for size in (self.model.nq, self.model.nv, self.model.nv))
        q[self.values], v[self.rates], tau[self.rates] = tree, rates, applied
        settings = pin.ProximalSettings(1e-14, 1e-12, 20)
        qdd = pin.constraintDynamics(
            self.model, self.data, q, v, tau, self.contacts, self.constraints, settings)
        pin.forwardKinematics(self.model, self.data, q)
        found = []
        for (joint, place), data in zip(self.frames, self.constraints, strict=True):
            R = (self.data.oMi[joint] * place).rotation
            force = data.contact_force
            found.append(np.r_[R @ force.angular, R @ force.linear])
        return qdd[self.rates], np.array(found)


def points(mechanism):
    loops = mechanism._closed.record.loops
    return {loop.frames[1].link: (
        pin.ContactType.CONTACT_6D if loop.joint == 'fixed' else pin.ContactType.CONTACT_3D,
        loop.frames[1].T) for loop in loops if loop.name in mechanism.loop_names}


def compare(mechanism, path, generator, weights=None):
    judge = Judge(path, mechanism, points(mechanism))
    for _ in range(3):
        q, qd, qdd = moved(mechanism, generator)
        tau = mechanism.inverse_dynamics(q, qd, qdd, weights=weights)
        np.testing.assert_allclose(mechanism.forward_dynamics(q, qd, tau), qdd, atol=1e-8)
        tree = mechanism.assemble(q)
        applied = np.zeros(len(mechanism.tree_joint_names))
        applied[[mechanism.tree_joint_names.index(x) for x in mechanism.actuated_names]] = tau
        accelerations, wrenches = judge.answer(tree, mechanism.passive_rates(q, qd), applied)
        np.testing.assert_allclose(
            mechanism.passive_accelerations(q, qd, qdd), accelerations, atol=1e-7)
        found = mechanism.constraint_wrenches(q, qd, qdd, weights=weights)
        scale = np.abs(wrenches).max()
        np.testing.assert_allclose(found[:, 3:], wrenches[:, 3:], atol=1e-8 * scale)
        np.testing.assert_allclose(found[:, :3], wrenches[:, :3], atol=1e-8 * scale)


def test_weight_is_carried(quadruped):
    found = quadruped.contacts(quadruped.neutral)
    weight = quadruped.total_mass * 9.81
    total = found.wrenches[:, 3:].sum(axis=0)
    np.testing.assert_allclose(total, [0, 0, weight], atol=1e-9 * weight)
    assert found.ok and not found.reasons and found.names == LEGS
    np.testing.assert_allclose(found.normal.sum(), weight, rtol=1e-9)
    moments = found.wrenches[:, :3].sum(axis=0) + sum(
        np.cross(quadruped.pose(quadruped.neutral, f'{leg}_foot')[:3, 3], f)
        for leg, f in zip(LEGS, found.wrenches[:, 3:], strict=True))
    centre = quadruped.center_of_mass(quadruped.neutral)
    np.testing.assert_allclose(moments, np.cross(centre, [0, 0, weight]), atol=1e-9 * weight)


def test_quadruped_is_pinocchios(quadruped):
    compare(quadruped, URDF / 'quadruped.urdf', np.random.default_rng(1))
    compare(quadruped, URDF / 'quadruped.urdf', np.random.default_rng(2),
            np.linspace(0.5, 4.0, 12))


def test_one_foot_is_lifted_and_set_down(quadruped):
    lifted = quadruped.with_loops(LEGS[1:], near=quadruped.start)
    assert lifted.n == 9 and lifted.contact_names == LEGS[1:]
    assert lifted.joint_names[6:] == tuple(f'front_left_{x}' for x in ('hip', 'thigh', 'knee'))
    compare(lifted, URDF / 'quadruped.urdf', np.random.default_rng(3))
    q = lifted.neutral
    q[8] += 0.4
    q[9] -= 0.4
    assert lifted.pose(q, 'front_left_foot')[2, 3] > 0.02
    for leg in LEGS[1:]:
        np.testing.assert_allclose(lifted.pose(q, f'{leg}_foot')[:3, 3],
                                   quadruped.pose(quadruped.neutral, f'{leg}_foot')[:3, 3],
                                   atol=1e-12)
    again = lifted.with_loops(LEGS)
    assert again.n == 6
    np.testing.assert_allclose(again.contacts(again.neutral).wrenches,
                               quadruped.contacts(quadruped.neutral).wrenches, atol=1e-7)


@pytest.mark.slow
def test_feet_of_a_humanoid():
    path = URDF / 'humanoid.urdf'
    robot = rd.load(path, base='floating')
    q = robot.neutral
    for side in ('left', 'right'):
        for joint, value in (('hip_pitch', -0.3), ('knee', 0.6), ('ankle_pitch', -0.3)):
            q[robot.value_names.index(f'{side}_{joint}')] = value
    stands = rd.standing(robot, {'left_sole': 'fixed', 'right_sole': 'fixed'}, q, friction=0.8)
    assert stands.n == robot.n - 12 and stands.joint_names[:6] == robot.joint_names[:6]
    compare(stands, path, np.random.default_rng(4))
    weight = robot.total_mass * 9.81
    found = stands.contacts(stands.neutral)
    np.testing.assert_allclose(found.wrenches[:, 3:].sum(axis=0), [0, 0, weight],
                               atol=1e-9 * weight)
    one = stands.with_loops(['left_sole'])
    assert one.n == robot.n - 6
    compare(one, path, np.random.default_rng(5))


def test_what_the_ground_cannot_give(quadruped):
    q = quadruped.neutral
    hung = quadruped.contacts(q, external={'trunk': [0, 0, 0, 0, 0, 200]})
    assert not hung.ok and hung.pulls.all() and 'would have to pull' in hung.reasons[0]
    pushed = quadruped.contacts(q, external={'trunk': [0, 0, 0, 0, 120, 0]}, friction=0.3)
    assert not pushed.ok and pushed.slips.any() and 'friction 0.3' in ' '.join(pushed.reasons)
    np.testing.assert_allclose(
        hung.wrenches[:, 3:].sum(axis=0), [0, 0, quadruped.total_mass * 9.81 - 200], atol=1e-6)
    many = quadruped.contacts(np.array([q, q]), np.zeros((2, 6)), np.array([REST, [
        0, 0, 0, 0, 0, -15.0]]))
    np.testing.assert_array_equal(many.ok, [True, False])
    assert all(reason.startswith('state 1:') for reason in many.reasons) and many[0].ok
    one = quadruped.with_loops(['rear_left'])
    balancing = one.contacts(one.neutral)
    assert not balancing.ok and balancing.lacks and 'no motor' in balancing.reasons[-1]


def test_weights_share_other_torques(quadruped):
    q = quadruped.neutral
    plain = quadruped.inverse_dynamics(q, REST, REST)
    weights = np.ones(12)
    weights[2] = 100.0
    spared = quadruped.inverse_dynamics(q, REST, REST, weights=weights)
    assert abs(spared[2]) < abs(plain[2]) and (spared ** 2).sum() > (plain ** 2).sum()
    forces = quadruped.contacts(q, weights=weights)
    np.testing.assert_allclose(forces.normal.sum(), quadruped.total_mass * 9.81, rtol=1e-9)
    for bad in (np.zeros(12), -weights, np.ones(3)):
        with pytest.raises(rd.InputError, match='weights'):
            quadruped.inverse_dynamics(q, REST, REST, weights=bad)


def test_nothing_goes_through_the_base(quadruped):
    q, qd, qdd = moved(quadruped, np.random.default_rng(6))
    assert np.abs(quadruped.reaction_wrenches(q, qd, qdd)).max() < 1e-9
    through = quadruped.reaction_wrenches(q, qd, qdd, joints='all')
    np.testing.assert_allclose(through[6:, 2], quadruped.inverse_dynamics(q, qd, qdd), atol=1e-9)


def test_motion_keeps_the_feet(quadruped):
    q = quadruped.neutral
    tau = 0.9 * quadruped.inverse_dynamics(q, REST, REST)
    motion = rd.simulate(quadruped, q, REST, tau, 0.1, method='rk4', step=0.005)
    assert motion.value_names == quadruped.value_names and motion.q.shape == (21, 7)
    assert np.abs(quadruped.closure_error(motion.q_tree)).max() < 1e-12
    moved_by = motion.q_tree[-1, 7:] - motion.q_tree[0, 7:]
    np.testing.assert_allclose(motion.energy[-1] - motion.energy[0], tau @ moved_by, rtol=1e-6)
    assert motion.q[-1, 2] < q[2] - 1e-3


def test_what_is_wrong_is_said(quadruped, tmp_path):
    robot = rd.load(URDF / 'quadruped.urdf', base='floating')
    q = quadruped.start
    flat = quadruped.neutral
    flat[3:] = 0.0
    with pytest.raises(rd.InputError, match='quaternion'):
        quadruped.inverse_dynamics(flat, REST, REST)
    with pytest.raises(rd.InputError, match="expected one of 'front_left'"):
        quadruped.with_loops(['tail'])
    with pytest.raises(rd.InputError, match='no loop is left'):
        quadruped.with_loops([])
    with pytest.raises(rd.InputError, match='friction: is not given for'):
        rd.standing(robot, ['rear_left_foot'], q).contacts(np.zeros(1))
    with pytest.raises(rd.InputError, match='feet'):
        rd.standing(robot, ['no_foot'], q)
    with pytest.raises(rd.InputError, match='feet'):
        rd.standing(robot, {'rear_left_foot': 'glue'}, q)
    text = (URDF / 'quadruped.yaml').read_text().replace(
        'robot: quadruped.urdf', f'robot: {URDF}/quadruped.urdf')
    for change, expected in (
            (('[base]', '[base/wx, front_left_hip]'), 'all of wx, wy, wz'),
            (('friction: 0.7', 'friction: -1'), 'friction=-1'),
            (('base/z: 0.3', 'base/qw: 0'), 'quaternion'),
            (('base/z: 0.3', 'base/wx: 0'), "no joint 'base/wx'"),
            (('base: floating', 'base: afloat'), "base='afloat'")):
        file = tmp_path / 'changed.yaml'
        file.write_text(text.replace(*change))
        with pytest.raises(rd.RobotDynamicsError, match=expected):
            rd.load(file)
