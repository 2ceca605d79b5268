"""Imports point one way: up the list of layers, never down."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / 'robot_dynamics'
FILES = sorted(PACKAGE.rglob('*.py'))

# Each layer may import itself and those before it; function-level imports count too.
LAYERS = [
    {'errors'},
    {'inputs', 'share', 'cache_folder', 'rigid_body', 'words'},
    {'description'},
    {'model'},
    {'dynamics'},  # what robots and mechanisms have in common
    {'algorithms'},
    {'engine', 'drawing'},
    {'simulation'},
    {'robot', 'mechanism', 'loading', 'conventions'},
    {'selection', 'sweeps', 'viewer'},  # what many robots, or people, are for
    {'__init__'},  # what `import robot_dynamics` gives
    {'nodes', 'cli', 'studies'},
]
DEPTH = {name: depth for depth, layer in enumerate(LAYERS) for name in layer}
ORACLES = {'pinocchio', 'mujoco', 'example_robot_data'}


def imports(file):
    """Yield the dotted name of everything that a file imports."""
    for node in ast.walk(ast.parse(file.read_text(encoding='utf-8'))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f'{file.name}:{node.lineno}: relative import'
            if node.module == PACKAGE.name:
                yield from (f'{PACKAGE.name}.{alias.name}' for alias in node.names)
            else:
                yield node.module


def layer_of_import(parts):
    """Return the layer of `robot_dynamics.<parts>`; what is no layer comes from __init__."""
    return parts[0] if parts and parts[0] in DEPTH else '__init__'


def layer_of_file(file):
    """Return the layer's name: the first folder, or the file itself, below the package."""
    return file.relative_to(PACKAGE).parts[0].removesuffix('.py')


@pytest.mark.parametrize('file', FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_imports_point_up(file):
    own = layer_of_file(file)
    assert own in DEPTH, f'{own} has no place in the list of layers'
    for name in imports(file):
        package, *parts = name.split('.')
        if package == PACKAGE.name:
            assert DEPTH[layer_of_import(parts)] <= DEPTH[own], f'{own} imports {name}'


@pytest.mark.parametrize('file', FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_who_imports_rclpy_and_viser_and_nothing_imports_an_oracle(file):
    found = {name.split('.')[0] for name in imports(file)}
    assert not found & ORACLES
    if layer_of_file(file) != 'nodes':
        assert 'rclpy' not in found
    if layer_of_file(file) != 'viewer':
        assert 'viser' not in found
