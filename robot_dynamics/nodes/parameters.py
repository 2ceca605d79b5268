"""The parameters of all nodes, without starting one: for --help, and for telling typos."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

from rclpy.parameter import Parameter

from robot_dynamics.nodes.gim_diagnostics import settings as gim_diagnostics
from robot_dynamics.nodes.inverse_dynamics import settings as inverse_dynamics
from robot_dynamics.nodes.shared.models import MODEL_SETTINGS
from robot_dynamics.nodes.shared.settings import Setting
from robot_dynamics.nodes.simulator.settings import make_settings
from robot_dynamics.nodes.viewer import settings as viewer

WIDTH = 99
STACK = ('simulator', 'inverse_dynamics', 'gim_diagnostics')
SETTINGS = {
    'simulator': make_settings(lambda: None),
    'inverse_dynamics': inverse_dynamics.SETTINGS,
    'gim_diagnostics': gim_diagnostics.SETTINGS,
    'viewer': viewer.SETTINGS,
}


def all_names() -> set[str]:
    """Return the names of the parameters of all nodes."""
    return {setting.name for settings in (MODEL_SETTINGS, *SETTINGS.values())
            for setting in settings}


def parameter_help(name: str) -> str:
    """Return the parameters of an executable's nodes: name, type, default and what it is."""
    nodes = STACK if name == 'dynamics_stack' else (name,)
    parts = [f'parameters of {"every node" if len(nodes) > 1 else name}:', *_lines(MODEL_SETTINGS)]
    for node in nodes:
        parts += [f'parameters of {node}:'] if len(nodes) > 1 else []
        parts += _lines(SETTINGS[node])
    return '\n'.join(parts)


def _lines(settings: Iterable[Setting]) -> list[str]:
    return [textwrap.fill(f'{setting.name} ({_kind(setting.default)}, {_shown(setting.default)}): '
                          + '; '.join([setting.description, *_bounds(setting)]),
                          WIDTH, initial_indent='  ', subsequent_indent='      ',
                          break_on_hyphens=False)
            for setting in settings]


def _bounds(setting: Setting) -> list[str]:
    """Return what limits a value, in words; nothing where it has none."""
    low, high = setting.low, setting.high
    bounds = [] if low is None else [
        f'{low:g} or more' if high is None or high >= 1e9 else f'{low:.10g} to {high:.10g}']
    return [*bounds, *([f'one of {", ".join(setting.choices)}'] if setting.choices else []),
            *(['read at start'] if setting.read_only else [])]


def _kind(default: Any) -> str:
    """Return the type of a parameter as ROS calls it."""
    if isinstance(default, Parameter.Type):  # a list that is empty unless given
        return str(default.name).lower().replace('_array', '[]')
    if isinstance(default, list):
        return f'{_kind(default[0]) if default else "string"}[]'
    return {bool: 'bool', int: 'integer', float: 'double', str: 'string'}[type(default)]


def _shown(default: Any) -> str:
    """Return a default as it is written in a parameter file."""
    if isinstance(default, Parameter.Type):
        return '[]'
    return str(default).lower() if isinstance(default, bool) else (
        repr(default) if isinstance(default, str) else str(default))
