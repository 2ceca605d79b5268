"""What is loaded, or put on a link, and looks wrong: MJCF, payloads."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import robot_dynamics as rd

MJCF = Path(__file__).parent / 'data' / 'mechanisms' / 'four_bar.xml'


# Payloads that no body is

def turned(moments, rng):
    """Return an inertia with these principal moments, about axes anywhere."""
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    I = R @ np.diag(moments) @ R.T
    return (I + I.T) / 2


def test_payloads_break_the_triangle_inequality_as_links_do():
    arm, rng = rd.load('panda_like'), np.random.default_rng(0)
    link, said = arm.link_names[-1], 'payload: inertia breaks the triangle inequality'
    for I in (np.diag([1, 1, 5]), turned([1, 1, 5], rng), turned([0, 0, 1e-6], rng)):
        for call in (lambda I=I: arm.with_payload(link, 1.0, inertia=I),
                     lambda I=I: rd.stack([arm, arm]).with_payload(link, 1.0, inertia=I)):
            with pytest.warns(rd.RobotDynamicsWarning, match=said):
                call()
    with pytest.warns(rd.RobotDynamicsWarning, match=r'moments 1, 1, 5 .* \(robot 1 of the st'):
        arm.with_payload(link, [1.0, 2.0], inertia=[np.eye(3), np.diag([1, 1, 5])])


def test_payloads_of_bodies_are_not_warned_of():
    arm, rng = rd.load('panda_like'), np.random.default_rng(1)
    link = arm.link_names[-1]
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        for moments in ([1, 1, 2], [0, 1, 1], [0, 0, 0], [2, 3, 4]):
            for scale in (1e-8, 1.0, 1e3):
                arm.with_payload(link, 1.0, inertia=scale * np.diag(moments))
                for _ in range(10):
                    arm.with_payload(link, 1.0, inertia=scale * turned(moments, rng))
        for _ in range(50):  # of some points
            S = np.cov(rng.normal(size=(3, 5)))
            I = np.trace(S) * np.eye(3) - S
            arm.with_payload(link, 1.0, inertia=(I + I.T) / 2)
        arm.with_payload(link, [1.0, 2.0], inertia=[np.diag([1, 1, 2]), np.eye(3)])


# MJCF

def test_mjcf_with_loops_is_loaded_as_any_mechanism():
    text = MJCF.read_text()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        asked = rd.load_mechanism(MJCF)
        for source in (MJCF, str(MJCF), text, text.encode()):
            robot = rd.load(source, locked={})
            assert isinstance(robot, rd.Mechanism)
            np.testing.assert_array_equal(robot.gravity_torque([0.4]), asked.gravity_torque([0.4]))
        level = rd.load(MJCF, gravity=(0, 0, -9.81))
        np.testing.assert_allclose(level.gravity_torque([0.4]), 0, atol=1e-12)


def test_mjcf_that_is_not_read_says_why():
    text = MJCF.read_text()
    with pytest.raises(rd.DescriptionError, match=r'name them \(actuated=\[...\]\), out of joint'):
        rd.load(re.sub('<actuator>.*</actuator>', '', text, flags=re.DOTALL))
    with pytest.raises(rd.DescriptionError, match='MJCF has no <equality>.*expected a URDF'):
        rd.load(re.sub('<equality>.*</equality>', '', text, flags=re.DOTALL))


def test_urdf_with_an_element_for_mujoco_is_a_urdf():
    urdf = rd.load('panda_like').to_urdf()
    robot = rd.load(urdf.replace('</robot>', '<mujoco><compiler/></mujoco></robot>'))
    assert robot.n == 7
