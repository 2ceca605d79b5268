"""Motions of mechanisms whose motors are not their freedoms, up to singular loops."""

import numpy as np
import pytest
import yaml

import robot_dynamics as rd
from robot_dynamics.simulation import METHODS

START = {'A': 1.0, 'B': -1.0, 'C': 1.5, 'D': -0.5, 'E': -0.8}
LENGTHS = {'a': 0.5, 'b': 0.7, 'c': 0.5, 'd': 0.5, 'e': 0.5}  # [m]
JOINTS = [('A', 'base', 'a', '0 0 0'), ('B', 'a', 'b', '.5 0 0'), ('C', 'base', 'c', '1 0 0'),
          ('D', 'base', 'd', '.4 .9 0'), ('E', 'd', 'e', '.5 0 0')]
LOOPS = [('one', ('b', 'c'), (0.7, 0.5)), ('two', ('b', 'e'), (0.35, 0.5))]
LINK = """<link name="{}"><inertial><origin xyz="{} 0 0"/><mass value="1"/>
<inertia ixx=".01" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{}" type="continuous"><parent link="{}"/><child link="{}"/>
<origin xyz="{}"/><axis xyz="0 0 1"/></joint>"""


@pytest.fixture(scope='module')
def six_bar(tmp_path_factory):
    """Return a linkage of Stephenson's with one freedom and three motors."""
    folder = tmp_path_factory.mktemp('six_bar')
    (folder / 'six.urdf').write_text('<robot name="six"><link name="base"/>' + ''.join(
        [LINK.format(name, length / 2) for name, length in LENGTHS.items()]
        + [JOINT.format(*joint) for joint in JOINTS]) + '</robot>')
    (folder / 'six.yaml').write_text(yaml.safe_dump({
        'robot': 'six.urdf', 'gravity': [0, -9.81, 0], 'actuated': ['A', 'C', 'D'],
        'independent': ['A'], 'start': START,
        'loops': [{'name': name, 'joint': 'revolute', 'between': list(between),
                   'at': [{'xyz': [x, 0, 0]} for x in at]} for name, between, at in LOOPS]}))
    return rd.load_mechanism(folder / 'six.yaml')


@pytest.mark.filterwarnings('ignore:the simulation stopped')
@pytest.mark.parametrize('method', METHODS)
@pytest.mark.parametrize('torque', [np.zeros(3), lambda t, q, qd: np.zeros(3), None],
                         ids=['constant', 'function', 'none'])
@pytest.mark.parametrize('grid', [2.0, np.linspace(0.0, 2.0, 41)], ids=['duration', 'times'])
def test_motion_ends_where_loops_become_singular(six_bar, method, torque, grid):
    """Whatever drives it, every method ends at the pose where A does not determine the rest."""
    found = rd.simulate(six_bar, six_bar.neutral, [0.0], torque, grid, method=method,
                        events=lambda t, q, qd: q[0])
    assert found.stopped[0].reason.startswith('the loops are singular')
    late = 0.02 if method == 'semi_implicit_euler' else 2e-3  # of first order
    assert abs(found.stopped[0].time - 0.6332) < late
    assert found.t[-1] == found.stopped[0].time
    assert len(found.events) == 1
    for part in (found.q_tree, found.qd, found.qdd, found.tau, found.energy):
        assert len(part) == len(found.t)
        assert np.isfinite(part).all()


@pytest.mark.filterwarnings('ignore:the simulation stopped')
def test_law_that_meets_a_singular_pose_ends_the_motion(six_bar):
    """A function that asks for what singular loops do not have is not to blame."""
    def law(t, q, qd):
        if q[0] < 0.5:
            raise rd.SingularityError('no torques there')
        return np.zeros(3)
    for method in ('rk4', 'DOP853'):
        found = rd.simulate(six_bar, six_bar.neutral, [0.0], law, 1.0, method=method)
        assert found.q[-1][0] >= 0.5
        assert 'no torques there' in found.stopped[0].reason
    with pytest.raises(rd.SingularityError, match='no torques there'):
        rd.simulate(six_bar, [0.4], [0.0], law, 1.0)


def test_pd_over_three_motors_holds_one_freedom(six_bar):
    """The torques are those of least squares that hold the linkage."""
    q, rest = six_bar.neutral, np.zeros(1)
    law = rd.PDGravity(six_bar, q, 500.0, 50.0)
    np.testing.assert_allclose(law(0.0, q, rest), six_bar.inverse_dynamics(q, rest, rest))
    found = rd.simulate(six_bar, q - 0.05, rest, law, 2.0, method='rk4', saturate=False)
    assert abs(found.q[-1][0] - q[0]) < 1e-3
