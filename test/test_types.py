"""Signatures say what they take: a robot, a mechanism, a model, never anything."""

import ast
import inspect
from pathlib import Path

import pytest

import robot_dynamics as rd

PACKAGE = Path(__file__).parents[1] / 'robot_dynamics'
FILES = sorted(PACKAGE.rglob('*.py'))
NAMES = {'robot', 'mechanism', 'model', 'dynamics', 'arm', 'arms', 'stack', 'whole'}


def untyped(source):
    """Yield line, name and annotation of what is called a robot and said to be anything."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.arg):
            name, annotation = node.arg, node.annotation
        elif isinstance(node, ast.AnnAssign):
            target = node.target
            name = target.attr if isinstance(target, ast.Attribute) else getattr(target, 'id', '')
            annotation = node.annotation
        else:
            continue
        if name.lstrip('_') in NAMES and annotation is not None:
            said = ast.unparse(annotation).strip('\'"')
            if said.removeprefix('typing.').removesuffix(' | None') in ('Any', 'object'):
                yield node.lineno, name, said


@pytest.mark.parametrize('file', FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_robots_mechanisms_and_models_have_types(file):
    found = [f'{file.name}:{line}: {name}: {said}'
             for line, name, said in untyped(file.read_text(encoding='utf-8'))]
    assert not found, found


@pytest.mark.parametrize('source', [
    'def f(robot: Any): ...', 'def f(*, mechanism: "Any" = None): ...', 'model: Any = 1',
    'def f(self, _robot: typing.Any | None): ...', 'class A:\n    def f(self):\n'
    '        self.robot: Any = 1', 'def f(*robot: object): ...'])
def test_what_is_untyped_is_found(source):
    assert list(untyped(source))


def verbs():
    """Yield the name and function of all that is public."""
    for name in rd.__all__:
        thing = getattr(rd, name)
        if inspect.isclass(thing):
            members = [inspect.getattr_static(thing, key) for key in dir(thing)
                       if not key.startswith('_') or key == '__init__']
            found = [getattr(member, '__func__', getattr(member, 'fget', member))
                     for member in members]
        else:
            found = [thing]
        yield from ((f'{name}: {f.__name__}', f) for f in found if inspect.isfunction(f))


def test_help_shows_signatures_as_they_are_written():
    found = dict(verbs())
    assert len(found) > 200
    for name, function in found.items():
        said = str(inspect.signature(function))
        for expanded in ('numpy._typing', 'ndarray[', 'Union['):
            assert expanded not in said, f'{name}{said}'
