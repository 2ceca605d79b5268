"""Tests of errors look at what they say: any error of the right kind would do otherwise."""

import ast
import re
from pathlib import Path

import pytest

from robot_dynamics import errors

OURS = {name for name in vars(errors) if name.endswith('Error')}
PACKAGE = Path(errors.__file__).parent
FILES = sorted(Path(__file__).parent.rglob('test_*.py'))


def unsaid(tree):
    """Yield the lines of `pytest.raises(OurError)` that neither match nor keep the error."""
    for node in ast.walk(tree):
        for item in node.items if isinstance(node, ast.With) else ():
            call = item.context_expr
            if not (isinstance(call, ast.Call) and ast.unparse(call.func) == 'pytest.raises'):
                continue
            kinds = {part.attr if isinstance(part, ast.Attribute) else getattr(part, 'id', '')
                     for part in ast.walk(call.args[0])}
            if kinds & OURS and item.optional_vars is None and not any(
                    word.arg == 'match' for word in call.keywords):
                yield node.lineno


@pytest.mark.parametrize('file', FILES, ids=lambda file: file.stem)
def test_the_text_of_errors_is_looked_at(file):
    assert not list(unsaid(ast.parse(file.read_text(encoding='utf-8'))))


def test_the_test_sees_what_it_should():
    tree = ast.parse('with pytest.raises(rd.InputError):\n    f()')
    assert list(unsaid(tree)) == [1]
    assert not list(unsaid(ast.parse('with pytest.raises(rd.InputError, match="x"):\n    f()')))


def test_messages_have_ordinary_words():
    """What the house calls verbs and freedoms are methods and degrees of freedom to others."""
    ours = re.compile(r'\b(nobody|freedoms|verbs?|afloat)\b')
    for file in PACKAGE.rglob('*.py'):
        for node in ast.walk(ast.parse(file.read_text(encoding='utf-8'))):
            if isinstance(node, ast.Call) and getattr(node.func, 'id', '') in (*OURS, 'warn'):
                said = ' '.join(part.value for argument in node.args for part in ast.walk(argument)
                                if isinstance(part, ast.Constant) and isinstance(part.value, str))
                assert not ours.search(said), f'{file}:{node.lineno}: {said}'
