"""States as points of a space: arrays, or files that are read block by block.

.csv: a line of names (q.joint_1, ...) and a line for each point; .npz: arrays (N, ...), not
compressed; .parquet: a file or a folder of them, a column for each number; .zarr: a group of
arrays (N, ...). What a sweep has written can be read again.
"""

import hashlib
import os
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics.errors import InputError
from robot_dynamics.inputs import duplicates, user_path, vector
from robot_dynamics.model.denoc import Array
from robot_dynamics.simulation.csv_files import delimiter_of, numbers, without_unit
from robot_dynamics.sweeps.output import import_parquet
from robot_dynamics.sweeps.space import Space, count, named
from robot_dynamics.words import counted

LINES = 4096  # of a CSV file between two places that are remembered
PIECE = 1 << 22  # bytes that are read at once


class States(Space):
    """Points that are there, in arrays or in files."""

    def __init__(self, shapes: Mapping[str, tuple[int, ...]], points: int,
                 files: tuple[Path, ...]) -> None:
        self.shapes, self.files = dict(shapes), files
        self.points = count(str(files[0]) if files else 'space', points)

    def read(self, start: int, stop: int) -> dict[str, Array]:
        """Return some points as they are."""
        raise NotImplementedError

    def _values(self, start: int, stop: int) -> dict[str, Array]:
        """Return some points; `InputError` where one is not finite or cannot be read."""
        try:
            found = self.read(start, stop)
        except OSError as error:
            raise InputError(f'{self.files[0]}: cannot be read: {error.strerror or error}'
                             ) from None
        for name, array in found.items():
            if not np.isfinite(array).all():
                k = int(np.argwhere(~np.isfinite(array))[0][0])
                raise InputError(f'{self.files[0] if self.files else "space"}: {name} of point '
                                 f'{start + k} has a nan or inf')
        return found

    def _content(self) -> Iterator[bytes]:
        """Give what is in the files: names may change, and folders move."""
        for file in self.files:
            digest = hashlib.sha256()
            with file.open('rb') as stream:
                while piece := stream.read(PIECE):
                    digest.update(piece)
            yield digest.digest()


class ArrayStates(States):
    """Points in arrays: given, or mapped from an .npz file."""

    def __init__(self, arrays: Mapping[str, Array], files: tuple[Path, ...] = ()) -> None:
        sizes = {name: len(array) for name, array in arrays.items()}
        if len(set(sizes.values())) != 1:
            raise InputError(f'{files[0] if files else "space"}: arrays of different lengths: '
                             + ', '.join(f'{name} {size}' for name, size in sizes.items()))
        self.arrays = dict(arrays)
        super().__init__({name: array.shape[1:] for name, array in arrays.items()},
                         next(iter(sizes.values())), files)

    def __getstate__(self) -> dict[str, Any]:
        """Leave what is mapped from a file on the disk."""
        return {**self.__dict__, 'arrays': None if self.files else self.arrays}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Map the file again."""
        self.__dict__.update(state)
        if self.files:
            self.arrays = mapped(self.files[0]).arrays

    def read(self, start: int, stop: int) -> dict[str, Array]:
        """Return some points."""
        return {name: np.array(array[start:stop], float) for name, array in self.arrays.items()}

    def _content(self) -> Iterator[bytes]:
        """Give the arrays, or the file that they are mapped from."""
        if self.files:
            yield from super()._content()
        else:
            yield from (array.tobytes() for array in self.arrays.values())


class CsvStates(States):
    """Points in a text file; where every so many lines begin is remembered."""

    def __init__(self, file: Path) -> None:
        with file.open('rb') as stream:
            first = stream.readline()
        head = first.decode('utf-8-sig', 'replace').strip()
        self.delimiter = delimiter_of([head])
        self.heads = [without_unit(file, word.strip('"')) for word in
                      head.lstrip('# ').split(None if self.delimiter == ' ' else self.delimiter)]
        if not head or (twice := duplicates(self.heads)):
            raise InputError(f'{file}: expected a line of names'
                             + (f', each once: {twice}' if head else ''))
        self.places, lines = places_of_lines(file, len(first))
        super().__init__({name: () for name in self.heads}, lines, (file,))

    def read(self, start: int, stop: int) -> dict[str, Array]:
        """Return some points."""
        file, first = self.files[0], start // LINES
        begin, end = self.places[first], self.places[-(-stop // LINES)]
        with file.open('rb') as stream:
            stream.seek(begin)
            text = stream.read(end - begin).decode('utf-8', 'replace')
        rows = []
        lines = text.splitlines()[start - first * LINES:stop - first * LINES]
        for k, line in enumerate(lines, start + 2):
            cells = line.split(None if self.delimiter == ' ' else self.delimiter)
            if len(cells) != len(self.heads):
                raise InputError(f'{file}: line {k} has {counted(len(cells), "value")}: '
                                 f'expected {len(self.heads)}')
            rows.append((k, cells))
        table = numbers(file, self.heads, rows, self.delimiter != ',')
        return {name: np.ascontiguousarray(table[:, k]) for k, name in enumerate(self.heads)}


def places_of_lines(file: Path, start: int) -> tuple[list[int], int]:
    """Return where every so many lines begin and where the last one ends, and how many."""
    places, lines, at = [start], 0, start
    with file.open('rb') as stream:
        stream.seek(start)
        last = b'\n'
        while piece := stream.read(PIECE):
            ends = np.flatnonzero(np.frombuffer(piece, np.uint8) == 10)
            wanted = ends[(LINES - 1 - lines % LINES)::LINES]
            places += (wanted + at + 1).tolist()
            lines, at, last = lines + len(ends), at + len(piece), piece[-1:]
    lines += last != b'\n'
    if len(places) <= -(-lines // LINES):
        places.append(at)
    return places, lines


class ParquetStates(States):
    """Points in Parquet files, by groups of rows; a column for each number."""

    def __init__(self, path: Path) -> None:
        _, parquet = import_parquet()
        files = tuple(sorted(path.glob('*.parquet'))) if path.is_dir() else (path,)
        if not files:
            raise InputError(f'{path}: has no .parquet files')
        self.groups: list[tuple[int, int, int]] = []  # file, group, first point
        points, heads = 0, []
        for k, file in enumerate(files):
            metadata = parquet.read_metadata(file)
            heads.append(metadata.schema.to_arrow_schema().names)
            for group in range(metadata.num_row_groups):
                self.groups.append((k, group, points))
                points += metadata.row_group(group).num_rows
        if any(head != heads[0] for head in heads):
            raise InputError(f'{path}: its files have different columns')
        super().__init__({name: () for name in heads[0]}, points, files)

    def read(self, start: int, stop: int) -> dict[str, Array]:
        """Return some points."""
        parquet, parts = import_parquet()[1], []
        ends = [*(first for _, _, first in self.groups[1:]), self.points]
        for (k, group, first), end in zip(self.groups, ends, strict=True):
            if first < stop and start < end:
                with parquet.ParquetFile(self.files[k]) as file:
                    table = file.read_row_group(group, use_threads=False)
                begin = max(start, first)
                parts.append(table.slice(begin - first, min(stop, end) - begin))
        return {name: np.concatenate([np.asarray(part[name], float) for part in parts])
                for name in self.shapes}


class ZarrStates(States):
    """Points in the arrays of a Zarr group."""

    def __init__(self, path: Path) -> None:
        self.path = path
        shapes = {name: array.shape for name, array in self.group().arrays()}
        if not shapes or len({shape[:1] for shape in shapes.values()}) != 1:
            raise InputError(f'{path}: expected arrays of one length, found {shapes}')
        super().__init__({name: shape[1:] for name, shape in sorted(shapes.items())},
                         next(iter(shapes.values()))[0],
                         tuple(sorted(file for file in path.rglob('*') if file.is_file())))

    def group(self) -> Any:
        """Open it."""
        try:
            import zarr
        except ImportError:
            raise InputError('Zarr needs zarr: install the extra cluster') from None
        return zarr.open_group(str(self.path), mode='r')

    def read(self, start: int, stop: int) -> dict[str, Array]:
        """Return some points."""
        group = self.group()
        return {name: np.asarray(group[name][start:stop], float) for name in self.shapes}


def mapped(file: Path) -> ArrayStates:
    """Return the points of an .npz file, which stay on the disk."""
    arrays: dict[str, Any] = {}
    with zipfile.ZipFile(file) as archive:
        for entry in archive.infolist():
            if entry.compress_type != zipfile.ZIP_STORED:
                raise InputError(f'{file}: is compressed: expected what np.savez writes')
            with archive.open(entry) as stream:
                version = np.lib.format.read_magic(stream)
                header = np.lib.format.read_array_header_1_0 if version == (1, 0) else (
                    np.lib.format.read_array_header_2_0)
                shape, fortran, kind = header(stream)
                offset = stream.tell()
            if not shape or fortran and len(shape) > 1 or kind.kind not in 'fiub':
                raise InputError(f'{file}: {entry.filename}: expected numbers (N, ...)')
            with file.open('rb') as raw:  # the entry's own header stands before it
                raw.seek(entry.header_offset + 26)
                sizes = np.frombuffer(raw.read(4), '<u2')
            begin = entry.header_offset + 30 + int(sizes.sum()) + offset
            arrays[entry.filename.removesuffix('.npy')] = np.memmap(
                file, kind, 'r', begin, shape)
    return ArrayStates(arrays, (file,))


READERS: dict[str, Any] = {'.csv': CsvStates, '.npz': mapped, '.parquet': ParquetStates,
                           '.zarr': ZarrStates}


def states(source: Any) -> States:
    """Return states as a space: of a file, or of arrays by name.

    `InputError`: what cannot be read.

    >>> rd.states({'q': np.zeros((5, 2))}).shapes
    {'q': (2,)}
    """
    if isinstance(source, Mapping):
        return ArrayStates({name: vector(name, array, np.shape(array))
                            for name, array in named(source, 'space').items()})
    file = Path(os.path.abspath(user_path('space', source)))
    if file.suffix.lower() not in READERS:
        raise InputError(f'space={str(source)[:200]}: the name must end in {", ".join(READERS)}')
    try:
        found: States = READERS[file.suffix.lower()](file)
        return found
    except InputError:
        raise
    except OSError as error:
        raise InputError(f'{file}: cannot be read: {error.strerror or error}') from None
    except Exception as error:  # of zarr, pyarrow, zipfile
        raise InputError(f'{file}: cannot be read: {str(error).splitlines()[0]}') from None
