"""Kernels on disk: one file each, in the user's cache folder.

A file's name is the digest of everything its content depends on: the robot's constants, the source
of the algorithms and of the engine, the versions of what compiles and calls it, the processor.
A file appears whole (written elsewhere, then renamed) and carries its own checksum; one that
does not match is as good as none.
"""

import contextlib
import functools
import hashlib
import json
import os
import platform
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics.engine.trace import Spec

ENTRIES = 2000  # more than this many files, and the oldest go
PACKAGE = Path(__file__).resolve().parent.parent
SOURCES = ('algorithms/*.py', 'engine/*.py', 'model/denoc.py')


def folder() -> Path:
    """Return where kernels are kept: $ROBOT_DYNAMICS_CACHE or the user's cache folder."""
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


@functools.cache
def environment() -> str:
    """Return the digest of what is not the robot: sources, versions, processor."""
    import llvmlite
    import llvmlite.binding as llvm

    digest = hashlib.sha256()
    for pattern in SOURCES:
        for path in sorted(PACKAGE.glob(pattern)):
            digest.update(path.name.encode() + path.read_bytes())
    for part in (platform.python_implementation(), platform.python_version(), np.__version__,
                 llvmlite.__version__, platform.machine(), platform.system(),
                 llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()):
        digest.update(part.encode() + b'\n')
    return digest.hexdigest()


def fingerprint(spec: Spec) -> str:
    """Return the digest of a robot's constants."""
    digest = hashlib.sha256()
    for array in (*spec.geometry, spec.expand, spec.offset):
        digest.update(str((array.shape, array.dtype)).encode() + np.ascontiguousarray(array).data)
    digest.update(repr((spec.massless, spec.armature, spec.damping, spec.friction,
                        spec.turning)).encode())
    return digest.hexdigest()


def entry(robot: str, name: str, options: tuple) -> Path:
    """Return the file of a kernel; robot: its fingerprint."""
    text = '\n'.join([environment(), robot, name, repr(options)])
    return writable(folder()) / f'{name}-{hashlib.sha256(text.encode()).hexdigest()[:40]}.kernel'


def store(path: Path, header: dict[str, Any], code: bytes) -> None:
    """Write an entry; readers see all of it or nothing."""
    head = json.dumps(header).encode()
    content = len(head).to_bytes(8, 'little') + head + code
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix='.writing-')
    try:
        with os.fdopen(handle, 'wb') as file:
            file.write(hashlib.sha256(content).digest() + content)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    prune(path.parent)


def load(path: Path) -> tuple[dict[str, Any], bytes] | None:
    """Return header and code of an entry, None if there is none or it is damaged."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    content = data[32:]
    if len(data) < 40 or hashlib.sha256(content).digest() != data[:32]:
        return None
    size = int.from_bytes(content[:8], 'little')
    return json.loads(content[8:8 + size]), content[8 + size:]


def prune(path: Path) -> None:
    """Delete the oldest entries when there are too many."""
    files = list(path.glob('*.kernel'))
    if len(files) > ENTRIES:
        with contextlib.suppress(OSError):
            files.sort(key=lambda file: file.stat().st_mtime)
            for file in files[:len(files) - ENTRIES]:
                file.unlink()
