"""Runs the node; ROS may be missing."""

from robot_dynamics.nodes.executables import viewer

viewer()
