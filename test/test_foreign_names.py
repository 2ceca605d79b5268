"""Verbs as other libraries call them are answered with ours; names of ours cost no more."""

import copy
import pickle

import numpy as np
import pytest

import robot_dynamics as rd
from robot_dynamics.robot.foreign_names import FOREIGN_NAMES, ForeignName

PAIRS = [(name, ours) for ours, names in FOREIGN_NAMES.items() for name in names]


@pytest.fixture(scope='module')
def robots():
    arm, five_bar = rd.load('panda_like'), rd.load('five_bar')
    return [arm, five_bar, rd.stack([arm, arm])]


@pytest.mark.parametrize(('name', 'ours'), PAIRS)
def test_the_error_says_what_it_is_here(robots, name, ours):
    for robot in robots:
        with pytest.raises(AttributeError, match='has no attribute') as error:
            getattr(robot, name)
        assert str(error.value).startswith(f"'{type(robot).__name__}' object has no attribute "
                                           f'{name!r}: it is {ours} here')
        assert error.value.name == name
        assert not hasattr(robot, name) and name not in dir(robot)
    assert not hasattr(rd.Robot, name) and name not in dir(rd.Robot)


def test_what_is_said_is_there(robots):
    assert len({name for name, _ in PAIRS}) == len(PAIRS)
    for ours in FOREIGN_NAMES:
        word = ours.partition('(')[0]
        if word.startswith('rd.'):
            assert callable(getattr(rd, word[3:]))
        else:
            assert all(hasattr(robot, word) and word in dir(robot) for robot in robots)


def test_other_names_are_as_they_were(robots):
    arm = robots[0]
    with pytest.raises(AttributeError, match="^'Robot' object has no attribute 'xyzzy'$"):
        arm.xyzzy  # noqa: B018
    for made in (copy.copy(arm), copy.deepcopy(arm), pickle.loads(pickle.dumps(arm))):
        np.testing.assert_array_equal(made.gravity_torque(np.zeros(7)),
                                      arm.gravity_torque(np.zeros(7)))
    assert not any('__getattr__' in vars(kind) for kind in type(arm).__mro__)
    assert not any(isinstance(value, ForeignName) for value in vars(arm).values())


def test_who_derives_may_have_such_a_name():
    class Shown(rd.Robot):
        def show(self):
            return 'shown'
    arm = rd.load('panda_like')
    shown = Shown(arm.model, arm.dh)
    assert shown.show() == 'shown' and 'show' in dir(shown) and 'show' in dir(Shown)
    with pytest.raises(AttributeError, match="'Shown' object .* it is inverse_dynamics here"):
        shown.rnea  # noqa: B018
