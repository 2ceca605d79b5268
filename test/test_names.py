"""One word per thing: no class name stands twice in the package."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / 'robot_dynamics'


def test_no_class_name_stands_twice():
    places = {}
    for file in PACKAGE.rglob('*.py'):
        for node in ast.walk(ast.parse(file.read_text(encoding='utf-8'))):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(str(file.relative_to(PACKAGE)))
    assert not {name: found for name, found in places.items() if len(found) > 1}
