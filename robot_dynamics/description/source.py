"""From whatever the user has (path, text, xacro) to a Description."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from robot_dynamics.description.decoding import as_text
from robot_dynamics.description.extensions import is_xacro
from robot_dynamics.description.named_robots import advice, named_file
from robot_dynamics.description.packages import Packages
from robot_dynamics.description.records import Description
from robot_dynamics.description.safe_xml import parse_xml
from robot_dynamics.description.urdf import read_elements
from robot_dynamics.description.xacro_files import expand_xacro
from robot_dynamics.errors import DescriptionError
from robot_dynamics.inputs import user_path

MAX_BYTES = 64 * 1024 * 1024

URDF_TEXT = 'the URDF text'

Data = TypeVar('Data', str, bytes)


def read_description(
    source: Any, *, xacro_args: Mapping[str, Any] | None = None,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
) -> Description:
    """Read a URDF or xacro file, or URDF text, into a Description.

    source: path of a .urdf or .xacro file, or URDF text (str or bytes); xacro is expanded also
        where its file is called .urdf or it comes as a str, but never where it comes as bytes:
        that is what nodes are sent, and xacro runs code
    xacro_args: arguments handed to xacro
    packages: {name: folder} of ROS packages, for xacro
    """
    return read_elements(*read_root(source, xacro_args=xacro_args, packages=packages))


def read_root(
    source: Any, *, xacro_args: Mapping[str, Any] | None = None,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
) -> tuple[Any, str, list[str]]:
    """Return the root element of what read_description takes, its name in messages, warnings."""
    path = as_path(source)
    where = URDF_TEXT if path is None else str(path)
    data = bounded(source, where) if path is None else read_bytes(path)
    text = as_text(data, where)
    warnings: list[str] = []
    if path is None or path.suffix.lower() != '.xacro':
        root = parse_xml(text, where, warnings)
        if not is_xacro(root):
            if xacro_args:
                raise DescriptionError(
                    f'{where}: xacro_args were given, but this is not a .xacro file, nor xacro')
            return root, where, warnings
        if isinstance(source, bytes):
            raise DescriptionError(
                f'{where}: this is xacro that has not been expanded, and descriptions that come '
                'as bytes (from a topic) are never expanded, since xacro runs code: publish what '
                'xacro makes of it')
    urdf = expand_xacro(text, path, xacro_args or {}, Packages(packages, path), where)
    warnings = []  # of what xacro made
    return parse_xml(bounded(urdf, where), where, warnings), where, warnings


def as_path(source: object) -> Path | None:
    """Return the path of a file, or of the robot that goes by this name; None for URDF text."""
    if isinstance(source, os.PathLike):
        return user_path('source', source)
    if isinstance(source, bytes):
        return None
    if not isinstance(source, str):
        raise DescriptionError(
            f'a robot is loaded from a path or URDF text, not from {type(source).__name__}')
    if '<' in source or '\n' in source or '\0' in source:
        return None
    if not source.strip():
        raise DescriptionError('the robot description is empty')
    path = user_path('source', source)
    return path if path.exists() else named_file(source) or path


def read_bytes(path: Path) -> bytes:
    """Return the file's content, or raise a DescriptionError that says why not."""
    try:
        if path.exists() and not path.is_file():
            raise DescriptionError(
                f'{path}: this is no file, but a folder or device; expected a .urdf, .xacro or '
                '.yaml')
        with path.open('rb') as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, 'strerror', None) or error
        hint = advice(str(path)) if isinstance(error, FileNotFoundError) else ''
        raise DescriptionError(f'{str(path)!r}: cannot be read: {reason}{hint}') from None
    return bounded(data, str(path))


def bounded(data: Data, where: str) -> Data:
    """Refuse empty and enormous descriptions."""
    if not data.strip():
        raise DescriptionError(f'{where}: the robot description is empty')
    if len(data) > MAX_BYTES:
        raise DescriptionError(
            f'{where}: larger than {MAX_BYTES // 1024**2} MiB; expected a robot description')
    return data
