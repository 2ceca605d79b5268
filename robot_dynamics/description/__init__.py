"""Reads robot descriptions (URDF, xacro, DH files) and validates them; knows no mathematics."""

from robot_dynamics.description.records import Description, Joint, Link, Mimic
from robot_dynamics.description.source import read_description

__all__ = ['Description', 'Joint', 'Link', 'Mimic', 'read_description']
