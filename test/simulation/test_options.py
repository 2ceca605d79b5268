"""Options that a method does not need are looked at all the same, and so are batches of none."""

import numpy as np
import pytest

import robot_dynamics as rd
from robot_dynamics import InputError


@pytest.fixture(scope='module', params=['pr', 'five_bar'])
def robot(request):
    """Return a robot or a mechanism with two freedoms."""
    return rd.load(request.param)


def fails(robot, match, q=None, qd=None, torque=None, t=0.1, **options):
    """Check that a simulation is refused with these words."""
    q, qd = (robot.neutral if q is None else q), (np.zeros(2) if qd is None else qd)
    with pytest.raises(InputError, match=match):
        rd.simulate(robot, q, qd, torque, t, limits=False, **options)


@pytest.mark.parametrize('method', ['rk4', 'DOP853'])
def test_options_of_other_methods(robot, method):
    fails(robot, 'rtol: expected real numbers', method=method, rtol='abc')
    fails(robot, 'atol=-1: expected a positive number', method=method, atol=-1.0)
    fails(robot, 'near: ', method=method, near='abc')
    fails(robot, 't=True: expected a duration', method=method, t=True)
    fails(robot, 't=.*True.: expected a duration', method=method, t=[False, True])


def test_batches_of_none(robot):
    none = np.zeros((0, 2))
    for q, qd in ((none, none), (None, none), (none, None)):
        for torque in (None, none, lambda t, q, qd: np.zeros(2)):
            fails(robot, 'no robots', q, qd, torque, method='rk4')


def test_near_is_for_mechanisms():
    arm = rd.load('pr')
    fails(arm, 'near: is for mechanisms', near=arm.neutral)


def test_batches_of_none_that_float():
    body = rd.load('panda_like', base='floating')
    with pytest.raises(InputError, match='no robots'):
        rd.simulate(body, np.zeros((0, body.nq)), np.zeros((0, body.n)), None, 0.1, method='rk4')
