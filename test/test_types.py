"""Signatures say what they take: a robot, a mechanism, a model, never anything."""

import ast
from pathlib import Path

import pytest

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
