"""All nodes in one process: simulator, inverse_dynamics and gim_diagnostics."""

from __future__ import annotations

import sys

from robot_dynamics.nodes.gim_diagnostics.node import GimDiagnosticsNode
from robot_dynamics.nodes.inverse_dynamics.node import InverseDynamicsNode
from robot_dynamics.nodes.shared.model_node import run
from robot_dynamics.nodes.simulator.node import SWITCH_INTERVAL, SimulatorNode

NODES = (SimulatorNode, InverseDynamicsNode, GimDiagnosticsNode)


def main() -> None:
    """Run the nodes; each has its own parameters, topics and lifecycle as in a process alone."""
    sys.setswitchinterval(SWITCH_INTERVAL)
    run(*NODES)
