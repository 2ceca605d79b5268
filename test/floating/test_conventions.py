"""States of a floating base in Pinocchio's, MuJoCo's, Drake's and ROS's order, and back."""

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from urdf_text import joint, link, robot

import robot_dynamics as rd
from robot_dynamics import conventions

TEXT = robot(link('body'), link('arm'), joint('j', 'body', 'arm', axis='0 1 0', xyz='0.1 0 0.2'))
PAIRS = {'pinocchio': (conventions.to_pinocchio, conventions.from_pinocchio),
         'mujoco': (conventions.to_mujoco, conventions.from_mujoco),
         'drake': (conventions.to_drake, conventions.from_drake)}
RNG = np.random.default_rng(5)


def state(count=()):
    q, qd = RNG.normal(size=(*count, 8)), RNG.normal(size=(*count, 7))
    q[..., 3:7] /= np.linalg.norm(q[..., 3:7], axis=-1, keepdims=True)
    return q, qd


@pytest.mark.parametrize('name', PAIRS)
@pytest.mark.parametrize('count', [(), (4,)])
def test_there_and_back(name, count):
    to, back = PAIRS[name]
    q, qd = state(count)
    for found, expected in zip(back(*to(q, qd)), (q, qd), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-14)


def test_ros_there_and_back():
    q, qd = state()
    pose, twist = conventions.to_ros(q, qd)
    assert pose['orientation'].tolist() == q[3:7].tolist()
    found = conventions.from_ros(pose, twist, q[7:], qd[6:])
    for one, other in zip(found, (q, qd), strict=True):
        np.testing.assert_array_equal(one, other)


def test_pinocchio_moves_alike():
    ours = rd.load(TEXT, base='floating')
    model = pin.buildModelFromXML(TEXT, pin.JointModelFreeFlyer())
    data = model.createData()
    for _ in range(5):
        q, qd = state()
        x, v = conventions.to_pinocchio(q, qd)
        assert pin.computeKineticEnergy(model, data, x, v) == pytest.approx(
            ours.kinetic_energy(q, qd))
        pin.forwardKinematics(model, data, x, v)
        found = pin.getVelocity(model, data, 2, pin.LOCAL_WORLD_ALIGNED).vector
        expected = ours.jacobian(q, 'arm') @ qd
        np.testing.assert_allclose(np.r_[found[3:], found[:3]], expected, atol=1e-12)


def test_mujoco_moves_alike():
    """MuJoCo with the same bodies: energies, velocities and accelerations."""
    ours = rd.load(TEXT, base='floating', friction=False)
    inertial = ('<inertial pos="0 0 0" mass="{m}" fullinertia="{i}"/>')
    parts = []
    for name in ('body', 'arm'):
        frame = ours.model.frames[name]
        T, k = frame.T, frame.body
        m, h, I = (x[k] for x in ours.inertials[:3])
        c = h / m
        central = I + m * (np.outer(c, c) - c @ c * np.eye(3))
        R, p = T[:3, :3].T, T[:3, :3].T @ (c - T[:3, 3])
        A = R @ central @ R.T
        six = ' '.join(repr(float(x)) for x in (A[0, 0], A[1, 1], A[2, 2], A[0, 1], A[0, 2],
                                                A[1, 2]))
        parts.append(inertial.format(m=float(m), i=six).replace(
            'pos="0 0 0"', 'pos="' + ' '.join(repr(float(x)) for x in p) + '"'))
    model = mujoco.MjModel.from_xml_string(f"""<mujoco><compiler angle="radian"/>
      <option gravity="0 0 -9.81" integrator="RK4" timestep="1e-4"/>
      <worldbody><body name="body"><freejoint/>{parts[0]}
      <body name="arm" pos="0.1 0 0.2"><joint axis="0 1 0"/>{parts[1]}</body></body></worldbody>
      </mujoco>""")
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    data = mujoco.MjData(model)
    for _ in range(5):
        q, qd = state()
        data.qpos[:], data.qvel[:] = conventions.to_mujoco(q, qd)
        mujoco.mj_forward(model, data)
        assert data.energy[1] == pytest.approx(ours.kinetic_energy(q, qd))
        h = 1e-6
        space, qdd = ours.model.coordinates, ours.forward_dynamics(q, qd, np.zeros(7))
        later = conventions.to_mujoco(space.integrate(q, h * qd), qd + h * qdd)[1]
        before = conventions.to_mujoco(space.integrate(q, -h * qd), qd - h * qdd)[1]
        np.testing.assert_allclose((later - before) / (2 * h), data.qacc,
                                   atol=1e-6 * np.abs(data.qacc).max())


def test_drake_as_documented():
    """Drake: [qw qx qy qz, x y z], [omega; v] in the world, v of the body's origin."""
    q, qd = state()
    x, v = conventions.to_drake(q, qd)
    R = pin.Quaternion(*(q[[6, 3, 4, 5]])).matrix()
    np.testing.assert_array_equal(x[:7], q[[6, 3, 4, 5, 0, 1, 2]])
    np.testing.assert_allclose(v[:6], np.r_[R @ qd[:3], R @ qd[3:6]])


def test_wrong_states():
    q, qd = state()
    with pytest.raises(rd.InputError, match=r'shapes \(8,\), \(8,\)'):
        conventions.to_pinocchio(q, q)
    with pytest.raises(rd.InputError, match=r'shapes \(6,\), \(5,\)'):
        conventions.from_mujoco(q[:6], qd[:5])
    q[3:7] = 0
    with pytest.raises(rd.InputError, match='quaternion of the base is zero'):
        conventions.to_mujoco(q, qd)
