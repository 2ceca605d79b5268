"""Loading floating robots: the base, joints in the tree, tables, copies, payloads, errors."""

import pickle

import numpy as np
import pinocchio as pin
import pytest
from floating_oracle import SWAP, FreeOracle, random_states
from oracle import ROBOTS
from urdf_text import joint, link, robot

import robot_dynamics as rd

SOLO = ROBOTS / 'solo_description/robots/solo12.urdf'
TWO = robot(link('base'), link('arm'), link('free'), link('tip'),
            joint('turn', 'base', 'arm', axis='0 1 0', xyz='0.1 0.2 0'),
            joint('fly', 'arm', 'free', type='floating', xyz='0.3 0.1 -0.2'),
            joint('last', 'free', 'tip', axis='1 0 0', xyz='0 0 0.4'))


@pytest.fixture(scope='module')
def solo():
    return rd.load(SOLO, base='floating', friction=False)


@pytest.fixture(scope='module')
def state(solo):
    return [x[0] for x in random_states(solo, np.random.default_rng(8), 1)]


def same(one, other, state, tolerance=1e-11):
    q, qd, qdd, tau = state
    for verb, arguments in (('inverse_dynamics', (q, qd, qdd)), ('inertia_matrix', (q,)),
                            ('forward_dynamics', (q, qd, tau))):
        expected = getattr(other, verb)(*arguments)
        np.testing.assert_allclose(getattr(one, verb)(*arguments), expected, rtol=0,
                                   atol=tolerance * np.abs(expected).max())


def test_tables_and_copies(solo, state, tmp_path):
    file = tmp_path / 'solo.yaml'
    file.write_text(solo.dh.to_yaml())
    again = rd.load(file, friction=False)
    assert again.dh == solo.dh and again.joint_names == solo.joint_names
    same(again, solo, state, 1e-15)
    copy = pickle.loads(pickle.dumps(solo))
    same(copy, solo, state, 1e-15)
    assert 'base/wx' in str(solo.dh)
    np.testing.assert_array_equal(solo.neutral[:7], [0, 0, 0, 0, 0, 0, 1])


@pytest.mark.filterwarnings('ignore:.*massless')
def test_to_urdf(solo, state):
    text = solo.to_urdf()
    assert text.count('type="floating"') == 1 and 'base/wx' not in text
    same(rd.load(text), solo, state, 1e-10)


def test_payload_and_gravity(solo, state):
    q, qd, qdd, _ = state
    base = solo.link_names[1]
    inertia = np.diag([0.1, 0.2, 0.25])
    loaded = solo.with_payload(base, 1.5, (0.1, -0.2, 0.3), inertia)
    oracle = FreeOracle(SOLO, solo)
    oracle.model.inertias[1] += pin.Inertia(1.5, np.array([0.1, -0.2, 0.3]), inertia)
    same(loaded, oracle, state, 1e-10)
    assert loaded.total_mass == pytest.approx(solo.total_mass + 1.5)
    moon = loaded.with_gravity((0.1, 0.2, -1.6))
    oracle.model.gravity.linear = np.array([0.1, 0.2, -1.6])
    np.testing.assert_allclose(moon.inverse_dynamics(q, qd, qdd),
                               oracle.inverse_dynamics(q, qd, qdd), atol=1e-10)


def test_a_floating_joint_within_the_tree():
    ours = rd.load(TWO)
    six = [f'fly/{x}' for x in ('wx', 'wy', 'wz', 'vx', 'vy', 'vz')]
    assert ours.joint_names == ('turn', *six, 'last') and (ours.nq, ours.nv) == (9, 8)
    model = pin.buildModelFromXML(TWO)
    data, rng = model.createData(), np.random.default_rng(1)
    swap = np.r_[0, 1 + SWAP, 7]
    for _ in range(5):
        q, (qd, qdd) = rng.normal(size=9), rng.normal(size=(2, 8))
        q[4:8] /= np.linalg.norm(q[4:8])
        tau = pin.rnea(model, data, q, qd[swap], qdd[swap])[swap]
        np.testing.assert_allclose(ours.inverse_dynamics(q, qd, qdd), tau, atol=1e-11)
        np.testing.assert_allclose(ours.forward_dynamics(q, qd, tau), qdd, atol=1e-9)
        moved = pin.integrate(model, q, 0.7 * qd[swap])
        space = ours.model.coordinates
        np.testing.assert_allclose(space.integrate(q, 0.7 * qd), moved, atol=1e-13)
        np.testing.assert_allclose(
            space.difference(q, moved), pin.difference(model, q, moved)[swap], atol=1e-12)
    assert rd.load(ours.to_urdf()).joint_names == ours.joint_names


def test_manifold_identities(solo):
    space, rng = solo.model.coordinates, np.random.default_rng(2)
    q = random_states(solo, rng, 6)[0]
    v = rng.normal(size=(6, solo.n))
    np.testing.assert_allclose(space.integrate(q, 0 * v), q, atol=1e-15)
    np.testing.assert_allclose(space.difference(q, space.integrate(q, v)), v, atol=1e-12)
    np.testing.assert_allclose(space.difference(q, q), 0 * v, atol=1e-15)
    small = 1e-9 * v
    np.testing.assert_allclose(space.difference(q, space.integrate(q, small)), small, atol=1e-15)
    half = q.copy()
    half[:, 3:7] = np.roll(q[:, 3:7], 1, axis=1) * [-1, 1, -1, 1]  # far turns
    np.testing.assert_allclose(
        np.abs((space.integrate(q, space.difference(q, half))[:, 3:7]
                * half[:, 3:7]).sum(axis=1)), 1, atol=1e-12)
    h = 1e-6
    for row, rate in zip(q, v, strict=True):
        moved = (space.integrate(row, h * rate) - space.integrate(row, -h * rate)) / (2 * h)
        np.testing.assert_allclose(space.tangent(row) @ rate, moved, atol=1e-8)
        np.testing.assert_allclose(space.velocity(row, rate), space.tangent(row) @ rate,
                                   atol=1e-14)
    far = q.copy()
    far[:, :3] += 1e3
    np.testing.assert_allclose(solo.centroidal_momentum_matrix(far),
                               solo.centroidal_momentum_matrix(q), atol=1e-9)


def test_pose_of_the_base_does_not_change_the_inertia(solo, state):
    other = state[0].copy()
    other[:7] = 5, 6, 7, 0, 0, 0, 1
    np.testing.assert_allclose(solo.inertia_matrix(other), solo.inertia_matrix(state[0]),
                               atol=1e-14)


@pytest.mark.parametrize(('options', 'message'), [
    ({'base': 'free'}, "base='free': expected one of 'fixed', 'floating'"),
    ({'floating': 'euler'}, "floating='euler': expected one of 'quaternion', 'chain'")])
def test_wrong_options(options, message):
    with pytest.raises(rd.InputError, match=message):
        rd.load(SOLO, **options)


def test_what_floats_already():
    free = robot(link('w', None), link('b'), joint('root', 'w', 'b', type='floating'))
    with pytest.raises(rd.InputError, match="floats already, by joint 'root'"):
        rd.load(free, base='floating')
    assert rd.load(free).joint_names[0] == 'root/wx'
    world = robot(link('world', None), link('b'), joint('j', 'world', 'b'))
    with pytest.raises(rd.SingularityError, match="singular at joint 'base"):
        rd.load(world, base='floating').forward_dynamics(*np.eye(8)[6:7, :], *np.zeros((2, 7)))


def test_a_table_that_is_no_floating_joint(solo):
    text = solo.dh.to_yaml()
    for wrong in (text.replace('base/wy', 'base/wi'), text.replace('floating: base', '', 1)):
        with pytest.raises(rd.DescriptionError, match='floating|base/w'):
            rd.model.dh.table.DHTable.from_yaml(wrong)


def test_export_c_and_counts(solo, state, tmp_path):
    files = solo.export_c(tmp_path, ['inverse_dynamics', 'inertia_matrix'])
    header = next(path for path in files if path.suffix == '.h').read_text()
    assert 'const double *q' in header
    count = solo.operation_count('inverse_dynamics')
    fixed = rd.load(SOLO, friction=False).operation_count('inverse_dynamics')
    assert count.multiplications < fixed.multiplications + 400
    assert solo.operation_count('forward_dynamics', algorithm='denoc').multiplications > 0


def test_reaction_wrench_of_the_base_is_its_torque(solo, state):
    q, qd, qdd, _ = state
    tau = solo.inverse_dynamics(q, qd, qdd)
    wrenches = solo.reaction_wrenches(q, qd, qdd)
    assert wrenches.shape == (solo.n, 6)
    prismatic = np.array(solo.model.geometry.prismatic)
    along = np.where(prismatic, wrenches[:, 5], wrenches[:, 2])
    np.testing.assert_allclose(along, tau, atol=1e-10)
