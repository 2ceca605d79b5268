"""Tells whether two robot descriptions say the same: no ROS."""

from __future__ import annotations

from pathlib import Path

from lxml import etree

from robot_dynamics.description.decoding import as_text
from robot_dynamics.description.safe_xml import parse_xml
from robot_dynamics.description.source import URDF_TEXT, read_bytes
from robot_dynamics.errors import DescriptionError


def text_of(source: bytes | Path) -> bytes | None:
    """Return the text of a description; None of a file that is a program (xacro) or no URDF."""
    if isinstance(source, bytes):
        return source
    try:
        return read_bytes(source) if source.suffix.lower() == '.urdf' else None
    except DescriptionError:
        return None


def same(one: bytes | None, other: bytes | None) -> bool:
    """Tell whether two texts describe the same robot: equal but for comments and blanks.

    xacro writes a URDF anew, so that the text of robot_state_publisher is not that of the file.
    """
    if one is None or other is None:
        return False
    return one == other or canonical(one) == canonical(other) is not None


def canonical(text: bytes) -> bytes | None:
    """Return a description in the one form that all its writings share, None if it is no XML."""
    try:
        root = parse_xml(as_text(text, URDF_TEXT), URDF_TEXT, [])
        plain: bytes = etree.tostring(root, method='c14n')
        return plain
    except (DescriptionError, etree.LxmlError, ValueError):
        return None
