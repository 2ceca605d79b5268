"""What lower layers ask for is what upper ones have: mypy checks the types, pytest the members."""

from pathlib import Path

import pytest

import robot_dynamics as rd
from robot_dynamics.dynamics import ClosedDynamics, Dynamics, WholeDynamics, is_closed
from robot_dynamics.mechanism.legged import Legged, LeggedAt
from robot_dynamics.mechanism.looped import Looped, LoopedAt
from robot_dynamics.mechanism.mechanism import Mechanism
from robot_dynamics.mechanism.whole import CompiledLoops, Whole
from robot_dynamics.model.looped_coordinates import LoopedCoordinates, LoopedCoordinatesAt
from robot_dynamics.robot import Robot
from robot_dynamics.robot.stacks import Stack
from robot_dynamics.simulation.online.bodies import Near
from robot_dynamics.simulation.stacks import StackDynamics, is_stack

URDF = Path(__file__).parents[1] / 'urdf'


def dynamics(robot: Robot | Near) -> Dynamics:
    return robot


def closed(mechanism: Mechanism | Near) -> ClosedDynamics:
    return mechanism


def whole(mechanism: Whole) -> WholeDynamics:
    return mechanism


def stacked(stack: Stack) -> StackDynamics:
    return stack


def looped(coordinates: Looped | Legged | CompiledLoops) -> LoopedCoordinates:
    return coordinates


def looped_at(coordinates: LoopedAt | LeggedAt) -> LoopedCoordinatesAt:
    return coordinates


def members(protocol: type) -> list[str]:
    """Return what a protocol and those that it extends ask for."""
    found = {name for kind in protocol.__mro__[:-1] for name in (*vars(kind), *getattr(
        kind, '__annotations__', ())) if not name.startswith('_')}
    return sorted(found)


@pytest.fixture(scope='module')
def mechanism() -> Mechanism:
    return rd.load_mechanism(URDF / 'five_bar.yaml')


def lacks(thing: object, protocol: type) -> list[str]:
    return [name for name in members(protocol) if not hasattr(type(thing), name)
            and name not in vars(thing)]


def test_mechanisms_have_what_is_asked_of_them(mechanism: Mechanism) -> None:
    space = mechanism.whole.space
    assert not lacks(mechanism, ClosedDynamics)
    assert not lacks(mechanism.whole, WholeDynamics)
    assert not lacks(space, LoopedCoordinates)
    assert not lacks(space.at(mechanism.start), LoopedCoordinatesAt)
    assert len(members(ClosedDynamics)) > len(members(Dynamics)) > 30


def test_who_is_closed_and_who_is_a_stack(mechanism: Mechanism) -> None:
    tree = mechanism.tree
    stack = rd.stack([tree, tree])
    assert is_closed(mechanism) and is_closed(Near(mechanism)) and not is_stack(mechanism)
    assert not is_closed(tree) and not is_closed(mechanism.whole) and not is_stack(tree)
    assert is_stack(stack) and not is_closed(stack)
    assert not [name for name in ('kernels', 'damping', 'friction', 'alone')
                if not hasattr(stack, name)]
