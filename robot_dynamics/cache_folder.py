"""Where things are kept that can be made again: compiled kernels, descriptions once read.

The folder may be read-only (a container's image, a network's disk): what it has is used.
"""

import contextlib
import functools
import os
import tempfile
import time
from pathlib import Path
from typing import Any

WRITING = '.writing-'  # how names of files begin that are not whole
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


def write_whole(path: Path, *content: Any, mode: int = 0o600) -> None:
    """Write a file so that readers see all of it or nothing; make its folder if need be.

    mode: who may read it, less what the umask forbids where others than the owner may
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=WRITING)
    try:
        with os.fdopen(handle, 'wb') as file:
            for part in content:
                file.write(part)
        if mode != 0o600:
            os.chmod(temporary, mode & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


@functools.cache
def _umask() -> int:
    """Return what the process forbids others; it can be asked by setting it alone."""
    found = os.umask(0o077)
    os.umask(found)
    return found


def prune(path: Path, pattern: str, entries: int) -> None:
    """Delete the oldest files of a pattern when there are more than `entries`.

    And what processes that were killed have left half written.
    """
    with contextlib.suppress(OSError):
        for file in path.glob(f'{WRITING}*'):
            if file.stat().st_mtime < time.time() - ABANDONED:
                file.unlink()
    files = list(path.glob(pattern))
    if len(files) > entries:
        with contextlib.suppress(OSError):
            files.sort(key=lambda file: file.stat().st_mtime)
            for file in files[:len(files) - entries]:
                file.unlink()
