"""Robot is one of the things that have dynamics."""

import inspect
from pathlib import Path

import numpy as np
import pytest
import urdf_text

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


URDF = Path(__file__).parents[1] / 'urdf'
KINDS = {
    'robot': lambda: rd.Robot.from_dh(ROWS),
    'floating robot': lambda: rd.load(urdf_text.robot(
        urdf_text.link('base'), urdf_text.link('arm'), urdf_text.joint('elbow', 'base', 'arm')),
        base='floating'),
    'mechanism': lambda: rd.load(URDF / 'five_bar.yaml'),
    'mechanism with other motors': lambda: rd.load_mechanism(
        URDF / 'five_bar.yaml', independent=['left_elbow', 'right_elbow']),
}
VERBS = [name for name in MEMBERS if inspect.isfunction(getattr(Dynamics, name))
         and not name.startswith(('with_', 'to_'))]


@pytest.fixture(scope='module')
def kinds():
    return {kind: make() for kind, make in KINDS.items()}


def state(robot):
    """Return q, and three rates, where the robot may be."""
    q = np.array(robot.neutral, float) if not hasattr(robot, 'start') else np.array(
        [robot.start[robot.tree_joint_names.index(name)] for name in robot.joint_names])
    return q, *np.random.default_rng(0).normal(size=(3, robot.n))


@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize('name', VERBS)
def test_every_kind_answers_every_verb(kind, name, kinds):
    """One state and a batch agree; `out` is filled; links, wrenches and forms are taken."""
    robot = kinds[kind]
    assert isinstance(robot, Dynamics)
    q, *rates = state(robot)
    verb, asked = getattr(robot, name), inspect.signature(getattr(Dynamics, name)).parameters
    taken = [key for key in ('q', 'qd', 'qdd', 'tau') if key in asked
             and asked[key].kind == asked[key].POSITIONAL_OR_KEYWORD]
    one = [q if key == 'q' else rates[k] for k, key in enumerate(taken)]
    options = {'link': robot.link_names[-1]} if 'link' in asked else {}
    if name == 'friction_torque':
        options = {'q': q}
    found = verb(*one, **options)
    many = {key: np.tile(x, (3, 1)) if key == 'q' else x for key, x in options.items()}
    batch = verb(*(np.tile(x, (3, 1)) for x in one), **many)
    parts, rows = (x if isinstance(x, tuple) else (x,) for x in (found, batch))
    for part, row in zip(parts, rows, strict=True):
        assert np.shape(row) == (3, *np.shape(part))
        np.testing.assert_allclose(row[1], part, rtol=1e-9, atol=1e-12)
    if 'out' in asked and np.ndim(found):
        out = np.empty(np.shape(found))
        verb(*one, **options, out=out)
        np.testing.assert_allclose(out, found, rtol=1e-9, atol=1e-12)
    if 'external' in asked:
        pulled = verb(*one, external={robot.link_names[-1]: np.ones(6)})
        assert np.shape(pulled[0]) == np.shape(found[0])
    for other in (robot.with_gravity((0, 0, 1)), robot.with_payload(robot.link_names[-1], 1.0)):
        assert isinstance(other, Dynamics) and type(other) is type(robot)
