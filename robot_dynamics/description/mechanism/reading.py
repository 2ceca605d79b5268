"""Recognises the format of a mechanism and has its reader make a record of it."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from robot_dynamics.description.mechanism.checks import check_description, in_full
from robot_dynamics.description.mechanism.closing_frames import (
    has_closing_frames,
    read_closing_frames,
)
from robot_dynamics.description.mechanism.constraints import has_constraints, read_constraints
from robot_dynamics.description.mechanism.gepetto import is_gepetto, read_gepetto
from robot_dynamics.description.mechanism.mjcf import is_mjcf, read_mjcf
from robot_dynamics.description.mechanism.native import YAML, is_native, names, read_native, values
from robot_dynamics.description.mechanism.records import MechanismRecord
from robot_dynamics.description.mechanism.urdf_plus import is_urdf_plus, read_urdf_plus
from robot_dynamics.description.records import Description
from robot_dynamics.description.safe_yaml import parse_yaml
from robot_dynamics.description.source import as_path, read_bytes, read_root
from robot_dynamics.errors import DescriptionError
from robot_dynamics.inputs import mapping

CHOICES = {'base': ('fixed', 'floating'), 'floating': ('quaternion', 'chain')}  # of rd.load

Formats = dict[str, tuple[Callable[[Any], bool], Callable[..., MechanismRecord]]]

# From format to whether a document is in it and the reader. The document of a YAML file is its
# mapping, that of XML the root element; the first that recognises it reads it.
YAML_FORMATS: Formats = {
    'a mechanism .yaml (robot, loops)': (is_native, read_native),
    "Gepetto's robot.yaml (closed_loop)": (is_gepetto, read_gepetto),
}
XML_FORMATS: Formats = {
    'URDF+ (<loop>, <coupling>)': (is_urdf_plus, read_urdf_plus),
    'a URDF with <constraint>': (has_constraints, read_constraints),
    'a URDF with frames closing_*_1 and closing_*_2': (has_closing_frames, read_closing_frames),
    'MJCF (<equality>)': (is_mjcf, read_mjcf),
}


def read_mechanism(
    source: Any, *, actuated: Sequence[str] | None = None,
    independent: Sequence[str] | None = None,
    start: Mapping[str, float] | None = None, xacro_args: Mapping[str, Any] | None = None,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    options: Mapping[str, Any] | None = None,
) -> MechanismRecord:
    """Read a mechanism in any of the formats into a record.

    source: path of a mechanism .yaml, a Gepetto robot.yaml, a URDF or xacro with loops, an MJCF;
        or the text of one of the last three
    actuated, independent, start: joints, joints, {joint: value}, instead of what the file says
    xacro_args: arguments handed to xacro; packages: {name: folder} of ROS packages, for xacro
    options: of rd.load, before those of the file
    """
    path = as_path(source)
    given = mapping('xacro_args', xacro_args), mapping('packages', packages)
    if path is not None and path.suffix.lower() in YAML:
        document = parse_yaml(read_bytes(path), str(path))
        read = _reader(YAML_FORMATS, document, str(path))
        record = read(document, path, *given)
    else:
        root, where, warnings = read_root(source, xacro_args=given[0], packages=given[1])
        record = _reader(XML_FORMATS, root, where)(root, where, warnings)
        if given[1]:
            record = replace(record, options={**record.options, 'packages': given[1]})
    if actuated is not None:
        record = replace(record, actuated=names(actuated, f'{record.where}: actuated'))
    if independent is not None:
        record = replace(record, independent=names(independent, f'{record.where}: independent'))
    if start is not None:
        record = replace(record, start=values(start, f'{record.where}: start'))
    record = replace(record, options={**record.options, **(options or {})})
    for key, choices in CHOICES.items():
        if record.options.get(key, choices[0]) not in choices:
            raise DescriptionError(f'{record.where}: {key}={str(record.options[key])[:80]!r}: '
                                   f'expected {" or ".join(choices)}')
    if isinstance(record.tree, Description):
        tree = record.tree
        record = in_full(record, tree)
        check_description(record, tree)
    return record


def closes_loops(
    source: Any, *, xacro_args: Mapping[str, Any] | None = None,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
) -> bool:
    """Return whether a source is a mechanism in any of the formats."""
    path = as_path(source)
    if path is not None and path.suffix.lower() in YAML:
        return is_mechanism(path)
    root, _, _ = read_root(source, xacro_args=xacro_args, packages=packages)
    return any(recognises(root) for recognises, _ in XML_FORMATS.values())


def is_mechanism(path: str | os.PathLike[str]) -> bool:
    """Return whether a .yaml is a mechanism; others (a DH file, say) are not."""
    file = Path(path)
    if file.suffix.lower() not in YAML:
        return False
    document = parse_yaml(read_bytes(file), str(file))
    return any(recognises(document) for recognises, _ in YAML_FORMATS.values())


def _reader(formats: Formats, document: Any, where: str) -> Callable[..., MechanismRecord]:
    for recognises, read in formats.values():
        if recognises(document):
            return read
    raise DescriptionError(f'{where}: is no mechanism: it says nothing of closed loops; expected '
                           + ', '.join([*YAML_FORMATS, *XML_FORMATS]))
