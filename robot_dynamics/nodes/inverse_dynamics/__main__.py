"""Runs the node; ROS may be missing."""

from robot_dynamics.nodes.executables import inverse_dynamics

inverse_dynamics()
