"""Trajectories against integration with Pinocchio's and MuJoCo's dynamics of the same files."""

import mujoco
import numpy as np
import pytest
from oracle import ROBOTS, Oracle
from scipy.integrate import solve_ivp
from simulation.sim_robots import TEN, bare, load

import robot_dynamics as rd

SECOND = np.linspace(0.0, 1.0, 11)


def start(robot):
    q0 = np.full(robot.n, 0.3)
    q0[robot.model.geometry.prismatic @ np.abs(robot.model.coordinates.G) > 0] = 0.02
    return q0


@pytest.mark.parametrize('name', TEN)
def test_pinocchio(name):
    robot = load(name)
    oracle, n = Oracle(ROBOTS / TEN[name], robot), robot.n

    def rates(t, y):
        return np.concatenate([y[n:], oracle.forward_dynamics(y[:n], y[n:], np.zeros(n))])
    q0 = start(robot)
    theirs = solve_ivp(rates, (0, 1), np.r_[q0, 0 * q0], method='DOP853', rtol=1e-12, atol=1e-13,
                       t_eval=SECOND)
    ours = rd.simulate(robot, q0, np.zeros(n), None, SECOND, method='DOP853', rtol=1e-12,
                       atol=1e-13, limits=False)
    np.testing.assert_allclose(ours.q, theirs.y[:n].T, rtol=0, atol=1e-6)


@pytest.mark.parametrize('name', TEN)
def test_mujoco(name):
    robot = load(name)
    model = mujoco.MjModel.from_xml_string(bare(ROBOTS / TEN[name]))
    flags = mujoco.mjtDisableBit
    model.opt.disableflags = int(flags.mjDSBL_CONTACT | flags.mjDSBL_CONSTRAINT)
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.timestep = 2e-4
    data = mujoco.MjData(model)
    places = [model.joint(joint).qposadr[0] for joint in robot.joint_names]
    q0 = start(robot)
    data.qpos[places] = q0
    mujoco.mj_step(model, data, nstep=5000)
    ours = rd.simulate(robot, q0, np.zeros(robot.n), None, SECOND, method='rk4', step=2e-4,
                       limits=False)
    np.testing.assert_allclose(ours.q[-1], data.qpos[places], rtol=0, atol=1e-6)
