"""Where things are kept that can be made again: compiled kernels, descriptions once read."""

import contextlib
import functools
import os
import tempfile
from pathlib import Path


def folder() -> Path:
    """Return the folder: $ROBOT_DYNAMICS_CACHE or robot_dynamics in the user's cache folder."""
    chosen = os.environ.get('ROBOT_DYNAMICS_CACHE')
    if chosen:
        return Path(chosen)
    base = os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache'
    return Path(base) / 'robot_dynamics'


@functools.cache
def writable(path: Path) -> Path:
    """Return the folder, made if need be, or a private one for this process if it cannot be."""
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=path):
            return path
    except OSError:
        return Path(tempfile.mkdtemp(prefix='robot_dynamics-'))


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that readers see all of it or nothing."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix='.writing-')
    try:
        with os.fdopen(handle, 'wb') as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def prune(path: Path, pattern: str, entries: int) -> None:
    """Delete the oldest files of a pattern when there are more than `entries`."""
    files = list(path.glob(pattern))
    if len(files) > entries:
        with contextlib.suppress(OSError):
            files.sort(key=lambda file: file.stat().st_mtime)
            for file in files[:len(files) - entries]:
                file.unlink()
