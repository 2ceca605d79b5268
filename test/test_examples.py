"""The examples in the docstrings of what is public; every function has one."""

import doctest
import inspect
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import robot_dynamics as rd

OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
FOUR_BAR = Path(__file__).parents[1] / 'urdf' / 'four_bar.yaml'
ROW = rd.DHRow(1, 0, 0, 0, mass=1, com=(-0.5, 0, 0))  # 1 m long, 1 kg in its middle
RECORDS = {  # made by others
    'Branch', 'Mimic', 'Robot', 'Mechanism', 'Trajectory', 'DHTable', 'Contacts',
    'Selection'}
HARMLESS = {'DHRow.with_body', 'DHTable.with_payload'}  # raise nothing


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


class Checker(doctest.OutputChecker):
    """Takes -0. for 0."""

    def check_output(self, want, got, flags):
        got = re.sub(r'-0\.(?!\d)', ' 0.', got)
        return super().check_output(
            *(re.sub(r'\[\s+', '[', text) for text in (want, got)), flags)


@pytest.fixture
def names(tmp_path):
    arm = rd.Robot.from_dh([ROW, ROW], gravity=(0, -9.81, 0), name='arm')
    return {'rd': rd, 'np': np, 'arm': arm, 'four_bar': rd.load_mechanism(FOUR_BAR),
            'urdf': FOUR_BAR.parent, 'folder': tmp_path}


@pytest.mark.parametrize('name', FUNCTIONS)
def test_the_example_holds(name, names):
    docstring, said = inspect.getdoc(FUNCTIONS[name]) or '', []
    test = doctest.DocTestParser().get_doctest(docstring, names, name, None, 0)
    assert test.examples or name in RECORDS, f'{name} has no example'
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        doctest.DocTestRunner(Checker(), optionflags=OPTIONS).run(test, out=said.append)
    assert not said, ''.join(said)


@pytest.mark.parametrize('name', FUNCTIONS)
def test_errors_are_said(name):
    """By the function, or once for all by its class."""
    function, key = FUNCTIONS[name], name.split('.')[-1]
    if inspect.isclass(function) or len(inspect.signature(function).parameters) < 2:
        return
    owners = [owner for owner in getattr(rd, name.split('.')[0]).__mro__
              if key in vars(owner)] if '.' in name else []
    texts = [inspect.getdoc(thing) or '' for thing in (function, *owners)]
    assert name in HARMLESS or any('Error' in text for text in texts)
