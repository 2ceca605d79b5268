"""Descriptions that say the same, joints outside their limits, commands of joints that mimic."""

from pathlib import Path

import numpy as np
import pytest
import urdf_text as urdf
import xacro
from sensor_msgs.msg import JointState

import robot_dynamics as rd
from robot_dynamics.description.comparison import same, text_of
from robot_dynamics.errors import InputError
from robot_dynamics.nodes.simulator.inputs import read_joint_command
from robot_dynamics.simulation.live.commands import Commands
from robot_dynamics.simulation.online.limit_watch import LimitWatch

PUMA = Path(__file__).parents[2] / 'urdf' / 'puma560.urdf'
MIMIC = ('<mimic joint="left" multiplier="-1"/>',)
NAMES = ['arm', 'left', 'right']


@pytest.fixture(scope='module')
def gripper():
    return rd.load(urdf.robot(
        urdf.link('base'), urdf.link('hand'), urdf.link('finger'), urdf.link('thumb'),
        urdf.joint('arm', 'base', 'hand'), urdf.joint('left', 'hand', 'finger'),
        urdf.joint('right', 'hand', 'thumb', extra=MIMIC[0])))


def test_what_xacro_writes_anew_is_the_same():
    written = xacro.process_file(str(PUMA)).toprettyxml(indent='  ').encode()
    assert written != PUMA.read_bytes()
    assert same(written, text_of(PUMA))
    assert not same(written.replace(b'xyz="0.02 0 0"', b'xyz="0.03 0 0"'), text_of(PUMA))
    assert not same(None, None)
    assert not same(b'<robot', b'<robot ')


def test_joints_outside_their_limits_are_said_once(gripper):
    watch = LimitWatch(gripper)
    assert watch.look(np.array([1.9, -2.0009]), 'joint_states') == ''
    text = watch.look(np.array([1.0, 57.3]), 'joint_states')
    for part in ('joint_states', 'left', '57.3', '-2 to 2 ', 'degrees'):
        assert part in text
    assert 'arm' not in text
    assert watch.look(np.array([1.0, 60.0]), 'joint_states') == ''
    text = watch.look(np.array([[1.0, 60.0], [-2.1, 0.0]]), 'trajectory')
    assert 'arm' in text and 'left' not in text


@pytest.mark.parametrize('positions', [[0.1, 0.2], [0.1, 0.2, -0.2]])
def test_commands_may_leave_out_joints_that_mimic(gripper, positions):
    for names in (NAMES, ['right', *NAMES[:2]], ['arm', 'right', 'left']):
        commands = Commands(2)
        values = dict(zip(NAMES, positions, strict=False))
        read_joint_command(JointState(name=names, position=[
            values[name] for name in names if name in values]), gripper, commands, now=1.0)
        assert commands.kind.tolist() == [3, 3]
        assert commands.position.tolist() == [0.1, 0.2]


def test_commands_that_leave_out_others_are_refused(gripper):
    with pytest.raises(InputError, match='1 values for 3'):
        read_joint_command(JointState(name=NAMES, position=[0.1]), gripper, Commands(2), now=1.0)
