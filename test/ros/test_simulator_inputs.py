"""What messages tell the simulator."""

from pathlib import Path

import pytest
import urdf_text as urdf
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

import robot_dynamics as rd
from robot_dynamics.errors import InputError
from robot_dynamics.nodes.simulator.inputs import read_efforts, read_joint_command, read_placement
from robot_dynamics.simulation.live.commands import Commands
from robot_dynamics.simulation.live.live_robot import LiveRobot

URDF = Path(__file__).parents[2] / 'urdf'
NAN = float('nan')
THREE = rd.load(urdf.chain({}, {}, {}).replace('j1', 'a').replace('j2', 'b').replace('j3', 'c'))


@pytest.fixture(scope='module')
def panda():
    return rd.load(URDF / 'panda_like.urdf.xacro')


def test_joint_commands_take_what_is_given():
    commands = Commands(3)
    message = JointState(name=['c', 'x', 'a'], position=[NAN] * 3, velocity=[1.0, NAN, 2.0],
                         effort=[3.0, 9.0, 4.0])
    read_joint_command(message, THREE, commands, now=5.0)
    assert commands.kind.tolist() == [2, 0, 2]
    assert commands.velocity.tolist() == [2, 0, 1]
    assert commands.effort.tolist() == [4, 0, 3]


@pytest.mark.parametrize(('message', 'reason'), [
    (JointState(name=['a', 'a'], effort=[1.0, 1.0]), 'twice'),
    (JointState(name=['x'], effort=[1.0]), 'none of the joints'),
    (JointState(name=['a', 'b'], effort=[1.0]), '1 values for 2'),
    (JointState(name=['a', 'b'], effort=[1.0, NAN]),
     "effort of joint 'b': nan is not finite"),
    (JointState(name=['a'], position=[float('inf')]), "joint 'a': inf is not finite"),
    (JointState(name=['a']), 'neither'),
    (JointState(), 'none of the joints'),
])
def test_bad_joint_commands_change_nothing(message, reason):
    commands = Commands(3)
    with pytest.raises(InputError, match=reason):
        read_joint_command(message, THREE, commands, now=5.0)
    assert not commands.kind.any()


def test_efforts_come_in_the_order_of_the_parameter():
    order, names = [2, 0, 1], ('a', 'b', 'c')
    given = Float64MultiArray(data=[1.0, 2.0, 3.0])
    assert read_efforts(given, order, names).tolist() == [3, 1, 2]
    for bad, said in (([1.0], '1 values for 3 joints'), ([1.0, 2.0, NAN], "joint 'a': nan")):
        with pytest.raises(InputError, match=said):
            read_efforts(Float64MultiArray(data=bad), order, names)


def test_a_state_leaves_joints_that_it_does_not_name(panda):
    live = LiveRobot(panda)
    q, qd, _ = read_placement(JointState(name=['joint_2'], position=[0.4], velocity=[1.0]), live)
    assert q[1] == 0.4
    assert q[0] == live.q[0]
    assert qd.tolist() == [0, 1, 0, 0, 0, 0, 0]
