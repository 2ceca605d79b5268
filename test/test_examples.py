"""The examples in the docstrings of what is public; every function has one."""

import doctest
import inspect
import warnings

import numpy as np
import pytest

import robot_dynamics as rd

OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
ROW = rd.DHRow(1, 0, 0, 0, mass=1, com=(-0.5, 0, 0))  # 1 m long, 1 kg in its middle


def public():
    """Yield name and function of all that users call."""
    for name in rd.__all__:
        thing = getattr(rd, name)
        if inspect.isfunction(thing):
            yield name, thing
        elif inspect.isclass(thing) and not issubclass(thing, (Exception, Warning)):
            yield name, thing
            for key, method in inspect.getmembers(thing, inspect.isroutine):
                if not key.startswith('_') and method.__module__.startswith('robot_dynamics'):
                    yield f'{name}.{key}', method


FUNCTIONS = dict(public())
RECORDS = {'Branch', 'Mimic', 'Robot', 'Mechanism', 'Trajectory', 'DHTable'}  # made by others


@pytest.fixture
def names(tmp_path):
    arm = rd.Robot.from_dh([ROW, ROW], gravity=(0, -9.81, 0), name='arm')
    return {'rd': rd, 'np': np, 'arm': arm, 'folder': tmp_path}


@pytest.mark.parametrize('name', FUNCTIONS)
def test_the_example_holds(name, names):
    parser, docstring = doctest.DocTestParser(), inspect.getdoc(FUNCTIONS[name]) or ''
    test = parser.get_doctest(docstring, names, name, None, 0)
    if name not in RECORDS:
        assert test.examples, f'{name} has no example'
    said = []
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=said.append)
    assert not said, ''.join(said)


@pytest.mark.parametrize('name', FUNCTIONS)
def test_shapes_units_and_errors_are_said(name):
    text = inspect.getdoc(FUNCTIONS[name]) or ''
    code = inspect.unwrap(FUNCTIONS[name])
    if inspect.isclass(code) or len(inspect.signature(code).parameters) < 2:
        return
    assert 'Error' in text or 'InputError' in (inspect.getdoc(
        getattr(rd, name.split('.')[0])) or '') or 'Kinematics' in code.__qualname__, name
