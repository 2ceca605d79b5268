"""What is loaded, or put on a link, and looks wrong: payloads."""

import warnings

import numpy as np
import pytest

import robot_dynamics as rd


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
