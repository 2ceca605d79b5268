"""Robots that the tests of motion share."""

import warnings
import xml.etree.ElementTree as ET
from functools import cache

import numpy as np
from oracle import ROBOTS

import robot_dynamics as rd

PANDA = ROBOTS / 'panda_description/urdf/panda.urdf'
FINGERS = ('panda_finger_joint1', 'panda_finger_joint2')
PANDA_START = np.array([0.1, 0.3, 0.2, -1.5, 0.3, 1.0, 0.0])

# Ten robots on fixed bases, every joint turning or sliding.
TEN = {
    'panda': 'panda_description/urdf/panda.urdf', 'ur3': 'ur_description/urdf/ur3_robot.urdf',
    'ur5': 'ur_description/urdf/ur5_robot.urdf', 'ur10': 'ur_description/urdf/ur10_robot.urdf',
    'kinova': 'kinova_description/robots/kinova.urdf', 'z1': 'z1_description/urdf/z1.urdf',
    'xarm7': 'xarm_description/urdf/xarm7.urdf', 'so100': 'so_arm_description/urdf/so100.urdf',
    'so101': 'so_arm_description/urdf/so101.urdf',
    'pendulum': 'double_pendulum_description/urdf/double_pendulum.urdf',
}


@cache
def load(name):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        fingers = {'locked': {FINGERS[0]: 0.0}} if name == 'panda' else {}
        return rd.load(ROBOTS / TEN[name], friction=False, **fingers)


@cache
def panda():
    """The arm alone: seven joints."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return rd.load(PANDA, tip='panda_link8', friction=False)


@cache
def pendulum():
    return load('pendulum')


def bare(path):
    """The URDF without meshes and friction, as MuJoCo can read it."""
    root = ET.parse(path).getroot()
    for link in root.iter('link'):
        for name in ('visual', 'collision'):
            for element in link.findall(name):
                link.remove(element)
    for joint in root.iter('joint'):
        if joint.get('name') in FINGERS:
            joint.set('type', 'fixed')
        for element in joint.findall('dynamics'):
            joint.remove(element)
    return ET.tostring(root, encoding='unicode')
