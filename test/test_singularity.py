"""When the inertia matrix is singular: one verdict and one error, whatever computes."""

import re

import numpy as np
import pytest
from engine.engine_robots import CASES, states, tree
from urdf_text import joint, link, robot

import robot_dynamics as rd
from robot_dynamics.algorithms import FORWARD
from robot_dynamics.algorithms.pivots import pivot_floor
from robot_dynamics.engine import Kernels
from robot_dynamics.model.denoc import make_inertials
from robot_dynamics.model.linear import Linear


def body(name, mass=1.0, com='0 0 0', inertia=(0.0, 0.0, 0.0)):
    """Return a link with its principal moments."""
    x, y, z = inertia
    return (f'<link name="{name}"><inertial><origin xyz="{com}"/><mass value="{mass}"/>'
            f'<inertia ixx="{x}" ixy="0" ixz="0" iyy="{y}" iyz="0" izz="{z}"/></inertial></link>')


TURNS = ('0 3.141592653 0', '0 1.570796325 -1.570796325', '0 3.141592653 1.570796325',
         '3.141592653 0 1.570796325')  # right angles as people type them
SINGULAR = {  # the joint to blame: a robot
    'pulley': robot(link('base', None), body('wheel', 2), joint(
        'pulley', 'base', 'wheel', xyz='0 .35 .15', rpy='-1.57075 0 0')),
    'wrist': robot(
        link('base', None), *(body(f'l{k}', 0.1 * k) for k in range(1, 5)),
        joint('j1', 'base', 'l1', xyz='0 0 0.06858', rpy=TURNS[0]),
        joint('j2', 'l1', 'l2', xyz='0.002 0 0', rpy=TURNS[1]),
        joint('j3', 'l2', 'l3', xyz='0.14679 0 0', rpy=TURNS[2]),
        joint('wrist', 'l3', 'l4', xyz='0.17751 0 0', rpy=TURNS[3])),
    'rod': robot(link('base', None), link('arm'), joint('j1', 'base', 'arm', axis='0 1 0'),
                 body('drill', 0.3, '0 0 0.05', (1e-3, 1e-3, 0.0)),
                 joint('rod', 'arm', 'drill', xyz='0.18 -0.03 0.3', rpy='0.3 0.2 0.1')),
    'last': robot(link('base', None), link('l1'), joint('j1', 'base', 'l1', axis='0 1 0'),
                  body('l2', 5), joint('j2', 'l1', 'l2', axis='1 1 0', rpy='1 2 3'),
                  body('l3', 2), joint('last', 'l2', 'l3', axis='1 2 3', xyz='0 0 0',
                                       rpy='0.1 0.2 0.3')),
}
REGULAR = {
    'finger': robot(link('base', None), link('arm', 5.0), joint('j1', 'base', 'arm', axis='0 1 0'),
                    body('finger', 1e-3, '0 0 0', (1e-9, 1e-9, 1e-9)),
                    joint('j2', 'arm', 'finger', xyz='1 0 0')),
    'millimetres': robot(
        link('base', None), body('l1', 1e-6, '1e-3 0 0', (1e-13, 1e-13, 1e-13)),
        body('l2', 1e-6, '1e-3 0 0', (1e-13, 1e-13, 1e-13)),
        joint('j1', 'base', 'l1', xyz='0 0 2', axis='0 1 0'),
        joint('j2', 'l1', 'l2', xyz='2e-3 0 0')),
    'massless wrist': robot(
        link('base', None), link('l1', None), link('l2', None), link('hand', 0.5),
        joint('j1', 'base', 'l1'), joint('j2', 'l1', 'l2', axis='0 1 0', xyz='0 0 0'),
        joint('j3', 'l2', 'hand', axis='1 0 0', xyz='0 0 0')),
    'far away': robot(link('base', None), body('l1', 1.0, '0.1 0 0', (1e-3, 1e-3, 1e-3)),
                      joint('j1', 'base', 'l1', xyz='9e4 5e4 0')),
}


def load(text):
    return rd.load(text, missing_inertia='zero')


def calls(robot):
    """Yield every way to ask for what a singular matrix cannot give."""
    q = np.linspace(0.3, 0.5, robot.n)
    for state in (q, np.tile(q, (3, 1))):
        for name in ('auto', *FORWARD):
            yield lambda name=name, state=state: robot.forward_dynamics(
                state, q, q, algorithm=name)
        yield lambda state=state: robot.forward_dynamics_derivatives(state, q, q)
        yield lambda state=state: robot.udu(state)
    for method in ('RK45', 'rk4'):
        yield lambda method=method: rd.simulate(robot, q, q, None, 0.1, method=method,
                                                limits=False)


@pytest.mark.filterwarnings('ignore::robot_dynamics.RobotDynamicsWarning')
@pytest.mark.parametrize('name', SINGULAR)
def test_no_inertia_but_rounding_is_singular(name):
    robot = load(SINGULAR[name])
    for _ in range(2):  # before and after its kernels are ready
        said = set()
        for call in calls(robot):
            with pytest.raises(rd.SingularityError, match=f"joint '{name}'") as raised:
                call()
            said.add(re.sub(r' \(state . of the batch\)|pivot is \S+', '', str(raised.value)))
        assert len(said) == 1, said
        assert rd.wait_for_kernels(120)


@pytest.mark.filterwarnings('ignore::robot_dynamics.RobotDynamicsWarning')
@pytest.mark.parametrize('name', REGULAR)
def test_little_inertia_is_inertia(name):
    robot = load(REGULAR[name])
    q, qd, tau = np.random.default_rng(1).uniform(0.2, 1, (3, robot.n))
    expected = np.linalg.solve(robot.inertia_matrix(q), tau - robot.bias(q, qd))
    for _ in range(2):
        for algorithm in ('auto', *FORWARD):
            np.testing.assert_allclose(robot.forward_dynamics(q, qd, tau, algorithm=algorithm),
                                       expected, rtol=1e-6)
        for call in calls(robot):
            call()
        assert rd.wait_for_kernels(120)


def test_a_rotor_is_inertia_enough():
    rows = [rd.DHRow(a=0.4, b=0.0, alpha=0.0, theta=None, mass=2.0, com=(-0.4, 0, 0),
                     inertia=np.zeros((3, 3)), armature=armature) for armature in (1e-4, 1e-6)]
    robot = rd.Robot.from_dh(rows)
    q, tau = np.array([0.3, 0.4]), np.array([1.0, 2.0])
    expected = np.linalg.solve(robot.inertia_matrix(q), tau - robot.bias(q, 0 * q))
    for algorithm in ('auto', *FORWARD):
        np.testing.assert_allclose(
            robot.forward_dynamics(q, 0 * q, tau, algorithm=algorithm), expected, rtol=1e-9)


@pytest.mark.parametrize('case', ['ur5', 'chain', 'tree', 'slides'])
def test_every_method_has_the_same_pivots(case):
    case = CASES[case]
    q, qd, tau = states(case.n, seed=4)
    pivots = [method(case.geometry, case.inertials, q, qd, tau)[1] for method in FORWARD.values()]
    for other in pivots[1:]:
        np.testing.assert_allclose(other, pivots[0], rtol=1e-9)


def rescaled(case, length, mass):
    """Return a robot in other units."""
    i = case.inertials
    return case.geometry._replace(d=length * case.geometry.d), make_inertials(
        mass * i.mass, mass * length * i.moment, mass * length ** 2 * i.inertia,
        mass * length ** 2 * i.armature, length * i.base.gravity)


@pytest.mark.parametrize('seed', range(6))
def test_units_do_not_matter(seed):
    """Random trees, some with a point on the axis at a tip, from um to Mm."""
    rng = np.random.default_rng(seed)
    parent = [-1, *(int(rng.integers(0, k)) for k in range(1, 5))]
    case = tree(parent, [False] * 5, seed=seed)
    tip = 4
    if seed % 2:
        inertials = case.inertials
        moment, inertia = inertials.moment.copy(), inertials.inertia.copy()
        moment[tip], inertia[tip] = 0.0, 0.0
        moment[tip, 0] = inertials.mass[tip] * 1e-16  # rounding
        inertia[tip, 2, 2] = inertials.mass[tip] * 1e-32
        case = tree(parent, [False] * 5, seed=seed)
        object.__setattr__(case, 'inertials', inertials._replace(moment=moment, inertia=inertia))
    q, qd, tau = states(5, seed=seed)
    verdicts = set()
    for length in 10.0 ** np.array([-6, -3, 0, 3, 6]):
        for mass in 10.0 ** np.array([-6, 0, 6]):
            geometry, inertials = rescaled(case, length, mass)
            np.testing.assert_allclose(
                pivot_floor(geometry, inertials),
                mass * length ** 2 * pivot_floor(case.geometry, case.inertials), rtol=1e-12)
            kernels = Kernels(geometry, inertials, Linear(case.expand, case.offset),
                              [f'joint_{k}' for k in range(5)])
            try:
                kernels.evaluate('forward_dynamics', (q, qd, mass * length ** 2 * tau))
                verdicts.add('')
            except rd.SingularityError as error:
                verdicts.add(re.search('joint_.', str(error)).group())
    assert verdicts == {f'joint_{tip}' if seed % 2 else ''}
