"""Fixtures of the tests on mechanisms."""

import numpy as np
import pytest
import yaml

LINK = """<link name="{0}"><inertial><mass value="1"/><origin xyz="0.1 0 0"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{}" type="continuous"><parent link="{}"/><child link="{}"/>
<origin xyz="{} 0 0"/><axis xyz="0 0 1"/></joint>"""


@pytest.fixture
def rng():
    """Return random numbers that are the same in every run."""
    return np.random.default_rng(2001)


@pytest.fixture
def write_bars(tmp_path):
    """Return a function that writes a four-bar, cut between coupler and rocker [m]."""
    def written(rocker, start):
        text = '<robot name="bars"><link name="ground"/>' + ''.join(
            LINK.format(name) for name in ('crank', 'coupler', 'rocker')) + ''.join((
                JOINT.format('motor', 'ground', 'crank', 0.0),
                JOINT.format('pin', 'crank', 'coupler', 0.2),
                JOINT.format('pivot', 'ground', 'rocker', 0.5))) + '</robot>'
        (tmp_path / 'bars.urdf').write_text(text)
        path = tmp_path / 'bars.yaml'
        path.write_text(yaml.safe_dump({
            'robot': 'bars.urdf', 'actuated': ['motor'], 'start': start,
            'gravity': [0, -9.81, 0],
            'loops': [{'name': 'tip', 'joint': 'revolute', 'between': ['coupler', 'rocker'],
                       'at': [{'xyz': [0.5, 0, 0]}, {'xyz': [rocker, 0, 0]}]}]}))
        return path
    return written
