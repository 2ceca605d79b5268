"""Warnings name the line of who called the package."""

import inspect
import re
import warnings
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest

import robot_dynamics as rd
from robot_dynamics import errors

PACKAGE = Path(rd.__file__).parent
URDF = PACKAGE.parent / 'urdf'
MASSLESS = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/></inertial>
</link><joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"""


def armature():
    row = rd.DHRow(a=1.0, b=0.0, alpha=0.0, theta=0.0, mass=1.0, com=(-0.5, 0, 0),
                   inertia=np.eye(3), armature=0.1)
    return rd.Robot.from_dh([row])


def lines(tmp_path):
    """Return calls that warn, by what they warn of."""
    arm, five_bar = rd.load('panda_like'), rd.load(URDF / 'five_bar.yaml')
    geared, rest = armature(), np.zeros(7)
    table = tmp_path / 'log.csv'
    table.write_text('t,q.joint_1,other\n0,0,0\n1,1,1\n2,2,2\n')
    return {
        'no <inertia>': lambda: rd.load(MASSLESS),
        'rotor inertias': lambda: geared.to_urdf(),
        'effort limits': lambda: rd.simulate(
            arm, rest, rest, rd.ComputedTorque(arm, rest + 1, 1e3), 0.01, limits=False),
        'the simulation stopped': lambda: rd.simulate(
            five_bar, five_bar.neutral, [0, 0], [40, -40], 2.0),
        'not used': lambda: rd.from_file(table, ['joint_1'])}


@pytest.mark.parametrize('what', ['no <inertia>', 'rotor inertias', 'effort limits',
                                  'the simulation stopped', 'not used'])
def test_warnings_name_the_callers_line(what, tmp_path):
    call = lines(tmp_path)[what]
    with pytest.warns(rd.RobotDynamicsWarning, match=re.escape(what)) as caught:
        call()
    code, first = inspect.getsourcelines(call)
    for warning in caught:
        assert warning.filename == __file__
        assert first <= warning.lineno < first + len(code)


def test_what_lies_between_is_passed_over():
    class Thing:
        @cached_property
        def answer(self):
            return eval('warn("hm")', {'__name__': 'robot_dynamics.thing', 'warn': errors.warn})

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('default')
        for _ in range(2):
            Thing().answer  # noqa: B018
    assert [Path(warning.filename).name for warning in caught] == [Path(__file__).name]


def test_the_package_warns_in_one_way():
    for file in PACKAGE.rglob('*.py'):
        assert 'warnings.warn(' not in file.read_text(encoding='utf-8'), file
        assert 'stacklevel' not in file.read_text(encoding='utf-8'), file
