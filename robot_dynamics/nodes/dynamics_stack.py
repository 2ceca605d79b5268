"""All nodes in one process: simulator, inverse_dynamics and gim_diagnostics."""

from __future__ import annotations

if __name__ == '__main__':  # before ROS is asked for: it may be missing
    from robot_dynamics.nodes.executables import dynamics_stack

    dynamics_stack()
    raise SystemExit

import sys

from robot_dynamics.nodes.gim_diagnostics import GimDiagnosticsNode
from robot_dynamics.nodes.inverse_dynamics import InverseDynamicsNode
from robot_dynamics.nodes.model_node import run
from robot_dynamics.nodes.simulator import SWITCH_INTERVAL, SimulatorNode

NODES = (SimulatorNode, InverseDynamicsNode, GimDiagnosticsNode)


def main() -> None:
    """Run the nodes; each has its own parameters, topics and lifecycle as in a process alone."""
    sys.setswitchinterval(SWITCH_INTERVAL)
    run(*NODES)
