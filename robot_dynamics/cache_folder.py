"""Where things are kept that can be made again: compiled kernels, descriptions once read.

The folder may be read-only (a container's image, a network's disk): what it has is used.
"""

import contextlib
import os
import tempfile
import time
from pathlib import Path

ABANDONED = 3600.0  # [s] nobody writes one file for so long


def folder() -> Path:
    """Return the folder: $ROBOT_DYNAMICS_CACHE or robot_dynamics in the user's cache folder."""
    chosen = os.environ.get('ROBOT_DYNAMICS_CACHE')
    if chosen:
        return Path(chosen)
    try:
        base = os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache'
    except RuntimeError:  # a user without a home: nothing can be kept
        base = os.devnull
    return Path(base) / 'robot_dynamics'


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that readers see all of it or nothing; make its folder if need be."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
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
    """Delete the oldest files of a pattern when there are more than `entries`.

    And what processes that were killed have left half written.
    """
    with contextlib.suppress(OSError):
        for file in path.glob('.writing-*'):
            if file.stat().st_mtime < time.time() - ABANDONED:
                file.unlink()
    files = list(path.glob(pattern))
    if len(files) > entries:
        with contextlib.suppress(OSError):
            files.sort(key=lambda file: file.stat().st_mtime)
            for file in files[:len(files) - entries]:
                file.unlink()
