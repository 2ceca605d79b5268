"""Makes the page of the nodes: each is started, and asked what it has."""

import contextlib
import os
from typing import Any

import rclpy

os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'OFF')  # nobody need hear of them

from robot_dynamics.nodes.gim_diagnostics.node import GimDiagnosticsNode
from robot_dynamics.nodes.inverse_dynamics.node import InverseDynamicsNode
from robot_dynamics.nodes.simulator.node import SimulatorNode

NODES = (InverseDynamicsNode, SimulatorNode, GimDiagnosticsNode)
PLUMBING = ('rcl_interfaces/', 'lifecycle_msgs/', 'type_description_interfaces/', 'rosgraph_msgs/')
HIDDEN = ('qos_overrides', 'use_sim_time', 'start_type_description_service')


def node_pages() -> str:
    """Return the page as Markdown."""
    parts = ['# Nodes: topics, services, parameters\n\nWhat each node says of itself when it is '
             'asked (`ros2 node info`, `ros2 param describe`). `~` is the name of the node. Every '
             'node has the services of a lifecycle node and of parameters as well. '
             '`dynamics_stack` runs the three in one process; the `viewer` node serves a page.\n']
    rclpy.init(args=[])
    try:
        for kind in NODES:
            parts.append(describe(kind()))
        with contextlib.suppress(ImportError):  # without viser
            parts.append(viewer())
    finally:
        rclpy.try_shutdown()
    return '\n'.join(parts)


def viewer() -> str:
    """Return the part of the viewer's node, which needs a page to draw on."""
    from robot_dynamics.nodes.viewer.node import ViewerNode
    from robot_dynamics.viewer.page import Page
    page = Page('127.0.0.1', 0)
    try:
        return describe(ViewerNode(page, allowed=True))
    finally:
        page.close()


def describe(node: Any) -> str:
    """Return the part of a node, which is configured for it and then ended."""
    node.trigger_configure()
    try:
        return '\n'.join(described(node))
    finally:
        node.destroy_node()


def described(node: Any) -> list[str]:
    """Return the lines on a configured node."""
    name = node.get_name()
    lines = [f'## {name}\n', (type(node).__doc__ or '').strip().split('\n')[0], '']
    for title, pairs in (('Subscriptions', node.get_subscriber_names_and_types_by_node(name, '/')),
                         ('Publications', node.get_publisher_names_and_types_by_node(name, '/')),
                         ('Services', node.get_service_names_and_types_by_node(name, '/'))):
        found = sorted((topic.replace(f'/{name}/', '~/'), types[0].replace('/msg/', '/').replace(
            '/srv/', '/')) for topic, types in pairs
            if not types[0].startswith(PLUMBING) and '/_action/' not in topic)
        lines += table([title, 'type'], [[f'`{a}`', f'`{b}`'] for a, b in found])
    rows = []
    for key in sorted(node._parameters):
        if key.startswith(HIDDEN):
            continue
        about = node.describe_parameter(key)
        bounds = [f'{r.from_value:g} to {r.to_value:g}' if r.to_value < 1e9 else
                  f'{r.from_value:g} or more'
                  for r in (*about.integer_range, *about.floating_point_range)]
        limits = '; '.join(filter(None, [*bounds, about.additional_constraints,
                                         'when it starts' if about.read_only else '']))
        rows.append([f'`{key}`', f'`{shown(node.get_parameter_or(key).value)}`', about.description,
                     limits])
    return [*lines, *table(['parameter', 'default', 'is', 'within'], rows)]


def shown(value: Any) -> str:
    """Return a parameter's value as it is written in a parameter file."""
    if isinstance(value, bool):
        return str(value).lower()
    if value is None or (hasattr(value, '__len__') and not isinstance(value, str)):
        return str(list(value or []))
    return repr(value)


def table(heads: list[str], rows: list[list[str]]) -> list[str]:
    """Return a table as Markdown, nothing where it has no rows."""
    if not rows:
        return []
    cells = [heads, ['---'] * len(heads), *rows]
    return ['| ' + ' | '.join(cell.replace('|', '\\|') for cell in row) + ' |'
            for row in cells] + ['']
