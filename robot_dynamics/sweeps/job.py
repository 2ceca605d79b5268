"""Job: what a worker has to know to compute any chunk of a sweep, and does."""

import atexit
import os
import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics.cache_folder import folder, write_whole
from robot_dynamics.engine.running import cache, store
from robot_dynamics.errors import InputError
from robot_dynamics.sweeps.function import Function
from robot_dynamics.sweeps.output import Output, begun, readable_errors


class Job:
    """A function over a space, and where its results go. It can be pickled."""

    def __init__(self, function: Function, output: Output) -> None:
        self.function, self.output = function, output
        self.inputs = [name for name in output.shapes if name not in function.shapes]
        self.environment, self.kernels = '', dict[str, bytes]()
        self._own = threading.local()

    def __getstate__(self) -> dict[str, Any]:
        """Leave each process and thread its own arrays."""
        return {key: value for key, value in self.__dict__.items() if key != '_own'}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Be as it was."""
        self.__dict__.update(state, _own=threading.local())

    def take_kernels(self) -> None:
        """Take along the kernels that are in use here, as the cache has them."""
        if not store.has_compiler():
            return
        self.environment = cache.environment()
        for found in list(store.STORES.values()):
            for (name, options), slot in list(found.slots.items()):
                if slot.state == 'ready':
                    path = (cache.entry('any robot', 'general', (slot.kind,)) if slot.kind
                            else cache.entry(found.robot, name, options))
                    if path.exists():
                        self.kernels[path.name] = path.read_bytes()

    def leave_kernels(self) -> None:
        """Put the kernels that came along into this machine's cache, if they are for it."""
        if not self.kernels or not store.has_compiler() or self.environment != cache.environment():
            return
        try:
            put(folder(), self.kernels)
        except OSError:  # read-only, full: for this process alone
            own = tempfile.mkdtemp(prefix='robot_dynamics-')
            put(Path(own), self.kernels)
            os.environ['ROBOT_DYNAMICS_CACHE'] = own
            atexit.register(shutil.rmtree, own, ignore_errors=True)

    def prepare(self) -> None:
        """Get ready in a new process: `InputError` where it does not see the results' folder."""
        seen = begun(self.output.folder, type(self.output))
        if seen != self.output.manifest:
            raise InputError(f'{self.output.folder}: is not the same folder here, on '
                             f'{os.uname().nodename}: workers must share it')
        self.leave_kernels()
        self.function.settle()

    def done(self, chunk: int) -> bool:
        """Tell whether a chunk is finished."""
        return all(path.exists() and size in (None, path.stat().st_size)
                   for path, size in self.output.files(chunk).items())

    def run(self, chunk: int) -> float:
        """Compute a chunk and write it; return how long it took [s]."""
        began = time.perf_counter()
        arrays = self.compute(chunk)
        with readable_errors(self.output.folder):
            self.output.write(chunk, arrays)
        return time.perf_counter() - began

    def compute(self, chunk: int) -> dict[str, np.ndarray]:
        """Return the results of a chunk, in arrays that the next one takes again."""
        if not hasattr(self._own, 'room'):
            self._own.room = self.output.room()
        start, stop = self.output.bounds(chunk)
        arrays = {name: array[:stop - start] for name, array in self._own.room.items()}
        points = {name: arrays[name] for name in self.inputs}
        results = {name: array for name, array in arrays.items() if name not in points}
        self.function.fill(start, stop, results, points)
        return arrays


def put(folder: Path, kernels: dict[str, bytes]) -> None:
    """Write kernels into a cache that does not have them."""
    for name, content in kernels.items():
        if not (folder / name).exists():
            write_whole(folder / name, content)
