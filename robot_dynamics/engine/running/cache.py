"""Kernels on disk: one file each, in the user's cache folder.

A file's name is the digest of everything its content depends on: the robot's constants, the source
of the algorithms and of the engine, the versions of what compiles and calls it, the processor.
A file appears whole (written elsewhere, then renamed) and carries its own checksum; one that
does not match is as good as none.
"""

import functools
import hashlib
import json
import platform
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics.cache_folder import folder, prune, write_whole
from robot_dynamics.engine.tracing.trace import Spec

ENTRIES = 2000  # more than this many files, and the oldest go
PACKAGE = Path(__file__).resolve().parents[2]
SOURCES = ('algorithms/*.py', 'engine/**/*.py', 'model/*.py', 'mechanism/*.py', 'rigid_body.py')


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
    for array in spec.geometry:
        digest.update(str((array.shape, array.dtype)).encode() + np.ascontiguousarray(array).data)
    digest.update(repr((spec.coordinates.key, spec.massless, *spec.variant,
                        spec.stacked, spec.varied)).encode())
    return digest.hexdigest()


def entry(robot: str, name: str, options: tuple[Any, ...]) -> Path:
    """Return the file of a kernel; robot: its fingerprint."""
    text = '\n'.join([environment(), robot, name, repr(options)])
    return folder() / f'{name}-{hashlib.sha256(text.encode()).hexdigest()[:40]}.kernel'


def pack(header: dict[str, Any], code: bytes) -> bytes:
    """Return the content of an entry, its checksum first."""
    head = json.dumps(header).encode()
    content = len(head).to_bytes(8, 'little') + head + code
    return hashlib.sha256(content).digest() + content


def unpack(data: bytes) -> tuple[dict[str, Any], bytes] | None:
    """Return header and code of an entry's content, None if it is damaged."""
    content = data[32:]
    if len(data) < 40 or hashlib.sha256(content).digest() != data[:32]:
        return None
    size = int.from_bytes(content[:8], 'little')
    return json.loads(content[8:8 + size]), content[8 + size:]


def store(path: Path, content: bytes) -> None:
    """Write an entry; readers see all of it or nothing."""
    write_whole(path, content)
    prune(path.parent, '*.kernel', ENTRIES)


def load(path: Path) -> tuple[dict[str, Any], bytes] | None:
    """Return header and code of an entry, None if there is none or it is damaged."""
    try:
        return unpack(path.read_bytes())
    except OSError:
        return None
