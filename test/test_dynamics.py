"""Robot is one of the things that have dynamics."""

import inspect

import numpy as np
import pytest

import robot_dynamics as rd
from robot_dynamics.dynamics import Dynamics

ROWS = [rd.DHRow(0.3, 0.1, 0.5, 0, mass=1, com=(-0.1, 0, 0), inertia=0.01 * np.eye(3))] * 2
MEMBERS = sorted(name for name in vars(Dynamics) if not name.startswith('_'))


def as_dynamics(robot: rd.Robot) -> Dynamics:
    return robot


def test_a_robot_has_dynamics():
    robot = rd.Robot.from_dh(ROWS)
    assert isinstance(as_dynamics(robot), Dynamics)
    assert not isinstance(robot.model, Dynamics)
    assert (robot.nq, robot.nv, robot.n) == (2, 2, 2)


@pytest.mark.parametrize('name', MEMBERS)
def test_verbs_take_what_the_protocol_says(name):
    ours, asked = getattr(rd.Robot, name, None), getattr(Dynamics, name)
    if not inspect.isfunction(asked):
        return
    parameters = inspect.signature(ours).parameters
    for key, parameter in inspect.signature(asked).parameters.items():
        assert parameters[key].kind == parameter.kind
        assert parameters[key].default == parameter.default
