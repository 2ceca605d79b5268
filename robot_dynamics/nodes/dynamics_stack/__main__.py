"""Runs the nodes; ROS may be missing."""

from robot_dynamics.nodes.executables import dynamics_stack

dynamics_stack()
