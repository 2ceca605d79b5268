"""Efforts of computed_torque in a loop that is late."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sensor_msgs.msg import JointState

import robot_dynamics as rd
from robot_dynamics.nodes.inverse_dynamics.efforts import Efforts
from robot_dynamics.simulation.online.bodies import Body

PUMA = Path(__file__).parents[2] / 'urdf' / 'puma560.urdf'
GAIN, LIMIT = 40.0, 0.3


@pytest.mark.filterwarnings('ignore::robot_dynamics.RobotDynamicsWarning')
def test_the_controller_slows_down_with_its_delay_and_then_only_holds():
    puma = rd.load(PUMA)
    settings = SimpleNamespace(
        mode='computed_torque', gain=GAIN, gain_delay_limit=LIMIT, filter_cutoff=30.0,
        wrench_timeout=1.0, observer_gain=50.0)
    q, qd, rest = np.linspace(-0.8, 0.8, 6), np.linspace(0.2, -0.2, 6), np.zeros(6)

    def answer(age):
        efforts = Efforts(Body(puma), settings, lambda state: 0.0)
        efforts.at(JointState(name=puma.joint_names, position=q, velocity=rest))
        return efforts.at(JointState(
            name=puma.joint_names, position=q + 0.01, velocity=qd), age)

    def torque(gain, ahead):
        a = -2 * gain * qd - gain**2 * np.full(6, 0.01)
        return puma.inverse_dynamics(q + 0.01 + ahead * qd, qd, a)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr('robot_dynamics.nodes.inverse_dynamics.efforts.monotonic', lambda: 0.0)
        np.testing.assert_allclose(answer(0.001), torque(GAIN, 0.0), atol=1e-9)
        np.testing.assert_allclose(answer(0.03), torque(10.0, 0.03), atol=1e-9)
        np.testing.assert_allclose(answer(0.08), puma.inverse_dynamics(
            q + 0.01 + 0.08 * qd, rest, -2 * (LIMIT / 0.08) * qd), atol=1e-9)
