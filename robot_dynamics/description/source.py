"""From whatever the user has (path, text, xacro) to a Description."""

import os
import re
from pathlib import Path

from robot_dynamics.description.records import Description
from robot_dynamics.description.urdf import parse_urdf
from robot_dynamics.errors import DescriptionError
from robot_dynamics.inputs import user_path

_DECLARATION = re.compile(r'^\s*<\?xml[^>]*\?>')
MAX_BYTES = 64 * 1024 * 1024

URDF_TEXT = 'the URDF text'


def read_description(source, *, xacro_args: dict[str, str] | None = None) -> Description:
    """Read a URDF or xacro file, or URDF text, into a Description.

    source: path of a .urdf or .xacro file, or URDF text (str or bytes)
    xacro_args: arguments handed to xacro, for a .xacro file
    """
    path = as_path(source)
    if path is None:
        if xacro_args:
            raise DescriptionError('xacro_args were given, but URDF text is not a .xacro file')
        return parse_urdf(bounded(as_bytes(source), URDF_TEXT), URDF_TEXT)
    if path.suffix.lower() == '.xacro':
        return parse_urdf(bounded(expand_xacro(path, xacro_args or {}), str(path)), str(path))
    if xacro_args:
        raise DescriptionError(f'{path}: xacro_args were given, but this is not a .xacro file')
    return parse_urdf(read_bytes(path), str(path))


def as_bytes(source: str | bytes) -> bytes:
    """Return URDF text as UTF-8; what a str declares as its encoding no longer holds."""
    if isinstance(source, bytes):
        return source
    return _DECLARATION.sub('', source, count=1).encode('utf-8', 'surrogatepass')


def as_path(source) -> Path | None:
    """Return the path that source names, or None where source is URDF text."""
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
    return user_path('source', source)


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
        raise DescriptionError(f'{str(path)!r}: cannot be read: {reason}') from None
    return bounded(data, str(path))


def bounded(data: bytes, where: str) -> bytes:
    """Refuse empty and enormous descriptions."""
    if not data.strip():
        raise DescriptionError(f'{where}: the robot description is empty')
    if len(data) > MAX_BYTES:
        raise DescriptionError(
            f'{where}: larger than {MAX_BYTES // 1024**2} MiB; expected a robot description')
    return data


def expand_xacro(path: Path, arguments: dict[str, str]) -> bytes:
    """Run xacro on the file with the given arguments."""
    read_bytes(path)
    try:
        import xacro
    except ImportError:
        raise DescriptionError(f'{path}: reading a .xacro file needs the package xacro') from None
    mappings = {str(key): str(value) for key, value in arguments.items()}
    try:
        return xacro.process_file(str(path), mappings=mappings).toxml('utf-8')
    except Exception as error:  # xacro raises many kinds, its messages are good
        raise DescriptionError(f'{path}: xacro: {error}') from error
