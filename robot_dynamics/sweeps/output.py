"""Results of a sweep on disk: a folder with a file for each chunk, and a manifest.

A chunk's file appears whole, under its name, or not at all; which chunks are finished is what
files are there. Nothing is ever written twice, and nothing else has to be kept.
"""

import contextlib
import errno
import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from robot_dynamics.cache_folder import WRITING, write_whole
from robot_dynamics.errors import InputError
from robot_dynamics.inputs import user_path

Arrays = Mapping[str, np.ndarray]
READABLE = 0o666  # by others too, as far as the umask lets them


class Output:
    """A folder of results.

    A contract for whoever writes another format:
    1. `files(chunk)` names the files of a chunk and their sizes [bytes], None where not known.
    2. `write(chunk, arrays)` writes them, each by `write_whole`: (points of the chunk, ...) each.
    3. `MANIFEST` is the file that has the manifest; `head(manifest)` gives all files that are
       there from the beginning, their text by their names, the manifest's among them.
    4. `manifest_of(text)` takes the manifest out of its file; None where there is none in it.
    It can be pickled.
    """

    MANIFEST = ''

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        self.folder, self.manifest = folder, manifest
        self.points, self.chunk = manifest['points'], manifest['chunk']
        self.shapes = {name: tuple(shape) for name, shape, _ in manifest['arrays']}
        self.types = {name: np.dtype(kind) for name, _, kind in manifest['arrays']}

    @property
    def chunks(self) -> int:
        """How many chunks there are."""
        return int(-(-self.points // self.chunk))

    def bounds(self, chunk: int) -> tuple[int, int]:
        """Return the first point of a chunk, and the first behind it."""
        return chunk * self.chunk, min(self.points, (chunk + 1) * self.chunk)

    def room(self) -> dict[str, np.ndarray]:
        """Return arrays for the results of a chunk."""
        return {name: np.zeros((self.chunk, *shape), self.types[name])
                for name, shape in self.shapes.items()}

    def files(self, chunk: int) -> dict[Path, int | None]:
        """Return the files of a chunk and their sizes."""
        raise NotImplementedError

    def write(self, chunk: int, arrays: Arrays) -> None:
        """Write a chunk."""
        raise NotImplementedError

    @classmethod
    def head(cls, manifest: dict[str, Any]) -> dict[str, str]:
        """Return the files that are there from the beginning."""
        raise NotImplementedError

    @classmethod
    def manifest_of(cls, text: str) -> dict[str, Any] | None:
        """Return the manifest of its file."""
        raise NotImplementedError

    def finished(self) -> np.ndarray:
        """Tell which chunks are finished, (chunks,) of bool; remove what is half written."""
        there: dict[Path, int] = {}
        for folder in {path.parent for path in self.files(0)}:
            with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
                for entry in entries:
                    if entry.name.startswith(WRITING):
                        os.unlink(entry.path)
                    else:
                        there[folder / entry.name] = entry.stat().st_size
        return np.array([all(path in there and size in (None, there[path])
                             for path, size in self.files(k).items())
                         for k in range(self.chunks)], bool)


class ZarrOutput(Output):
    """A Zarr group (format 2, which all versions read): an array for each result, not compressed.

    A chunk of the sweep is a chunk of the array: its numbers as they are in memory.
    """

    MANIFEST = '.zattrs'
    KEY = 'robot_dynamics_sweep'

    def files(self, chunk: int) -> dict[Path, int | None]:
        """Return the files of a chunk and their sizes."""
        return {self.folder / name / '.'.join([str(chunk), *'0' * len(shape)]):
                self.chunk * int(np.prod(shape)) * self.types[name].itemsize
                for name, shape in self.shapes.items()}

    def write(self, chunk: int, arrays: Arrays) -> None:
        """Write a chunk; the last one is as long as all others."""
        for file, array in zip(self.files(chunk), arrays.values(), strict=True):
            rest = np.zeros((self.chunk - len(array), *array.shape[1:]), array.dtype)
            write_whole(file, array.reshape(-1).view(np.uint8).data,
                        rest.reshape(-1).view(np.uint8).data, mode=READABLE)

    @classmethod
    def head(cls, manifest: dict[str, Any]) -> dict[str, str]:
        """Return what Zarr wants to know of the group and its arrays, and the manifest."""
        texts: dict[str, Any] = {'.zgroup': {'zarr_format': 2}, cls.MANIFEST: {cls.KEY: manifest}}
        for name, shape, kind in manifest['arrays']:
            texts[f'{name}/.zarray'] = {
                'zarr_format': 2, 'shape': [manifest['points'], *shape],
                'chunks': [manifest['chunk'], *(max(1, size) for size in shape)], 'dtype': kind,
                'compressor': None, 'filters': None, 'order': 'C',
                'fill_value': 'NaN' if np.dtype(kind).kind == 'f' else None}
            texts[f'{name}/.zattrs'] = {  # dimensions as xarray wants to know them
                '_ARRAY_DIMENSIONS': ['point', *(f'{name}_{k}' for k in range(len(shape)))],
                **({'names': manifest['labels'][name]} if name in manifest['labels'] else {})}
        return {name: json.dumps(text, indent=1) for name, text in texts.items()}

    @classmethod
    def manifest_of(cls, text: str) -> dict[str, Any] | None:
        """Return the manifest among the group's attributes."""
        found = json.loads(text)
        return found.get(cls.KEY) if isinstance(found, dict) else None


class ParquetOutput(Output):
    """A folder of Parquet files, one for each chunk: a column for each number of a result.

    A column's name is that of the result and the joint, or the places in it: tau.joint_1,
    inertia_matrix.2.1.
    """

    MANIFEST = '_sweep.json'  # readers of Parquet pass over names that begin so

    def files(self, chunk: int) -> dict[Path, int | None]:
        """Return the file of a chunk."""
        return {self.folder / f'part-{chunk:09d}.parquet': None}

    def write(self, chunk: int, arrays: Arrays) -> None:
        """Write a chunk."""
        pyarrow, parquet = import_parquet()
        columns = {}
        for name, array in arrays.items():
            labels = self.manifest['labels'].get(name)
            for place in np.ndindex(array.shape[1:]):
                key = [labels[place[0]]] if labels else [str(k) for k in place]
                column = array[(slice(None), *place)]
                columns['.'.join([name, *key])] = np.ascontiguousarray(column)
        sink = pyarrow.BufferOutputStream()
        parquet.write_table(pyarrow.table(columns), sink, compression='none',
                            use_dictionary=False)
        write_whole(next(iter(self.files(chunk))), sink.getvalue(), mode=READABLE)

    @classmethod
    def head(cls, manifest: dict[str, Any]) -> dict[str, str]:
        """Return the manifest."""
        import_parquet()
        return {cls.MANIFEST: json.dumps(manifest, indent=1)}

    @classmethod
    def manifest_of(cls, text: str) -> dict[str, Any] | None:
        """Return the manifest."""
        found = json.loads(text)
        return found if isinstance(found, dict) and 'arrays' in found else None


FORMATS: dict[str, type[Output]] = {'.zarr': ZarrOutput, '.parquet': ParquetOutput}


def import_parquet() -> tuple[Any, Any]:
    """Return pyarrow and its Parquet."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise InputError('Parquet needs pyarrow: install the extra cluster') from None
    return pyarrow, pyarrow.parquet


def format_of(output: Any) -> tuple[Path, type[Output]]:
    """Return the folder and the format that its name's ending asks for."""
    folder = Path(os.path.abspath(user_path('output', output)))
    if folder.suffix.lower() not in FORMATS:
        raise InputError(f'output={str(output)[:200]}: the name must end in {", ".join(FORMATS)}')
    return folder, FORMATS[folder.suffix.lower()]


def begun(folder: Path, kind: type[Output]) -> dict[str, Any] | None:
    """Return the manifest of a sweep that was begun, None where there is nothing.

    `InputError`: something else has this name
    """
    if not folder.exists() and not folder.is_symlink():
        return None
    try:
        found = kind.manifest_of((folder / kind.MANIFEST).read_text(encoding='utf-8'))
    except (OSError, ValueError):
        found = None
    if found is None:
        raise InputError(f'{folder}: exists, and holds no results of a sweep: give another '
                         'name')
    return found


def create(folder: Path, kind: type[Output], manifest: dict[str, Any]) -> Output:
    """Make the folder of a sweep; it appears whole."""
    texts = kind.head(manifest)
    with readable_errors(folder):
        made = Path(tempfile.mkdtemp(dir=folder.parent, prefix=WRITING))
        try:
            for name, text in texts.items():
                (made / name).parent.mkdir(exist_ok=True)
                (made / name).write_text(text, encoding='utf-8')
            os.chmod(made, (folder.parent.stat().st_mode & 0o777) | 0o700)
            os.rename(made, folder)
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise
    return kind(folder, manifest)


@contextlib.contextmanager
def readable_errors(folder: Path) -> Iterator[None]:
    """Turn what the system says when something cannot be written into one line."""
    try:
        yield
    except OSError as error:
        raise InputError(f'{folder}: cannot be written: {error.strerror or error}') from None


@contextlib.contextmanager
def alone(output: Output) -> Iterator[IO[str] | None]:
    """Hold a sweep's results for this process; `InputError`: another one has them."""
    file: IO[str] | None = None
    try:
        file = (output.folder / output.MANIFEST).open(encoding='utf-8')
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:  # some network file systems have no locks
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            raise InputError(f'{output.folder}: another process is writing this sweep') from None
    try:
        yield file
    finally:
        if file is not None:
            file.close()
