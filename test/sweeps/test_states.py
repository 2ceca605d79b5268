"""Files of states as spaces: every format gives the same points, block by block."""

import pickle

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zarr

import robot_dynamics as rd

N = 10_001
RANDOM = np.random.default_rng(0)
Q, QD = RANDOM.uniform(-1, 1, (2, N, 2))
COLUMNS = {'q.a': Q[:, 0], 'q.b': Q[:, 1], 'qd.a': QD[:, 0], 'qd.b': QD[:, 1]}


def write_csv(path, delimiter=',', end='\n', last=True):
    lines = [delimiter.join(COLUMNS), *(delimiter.join(map(repr, row)) for row in
                                        np.column_stack(list(COLUMNS.values())).tolist())]
    path.write_bytes((end.join(lines) + (end if last else '')).encode())


def write_zarr(path):
    group = zarr.open_group(str(path), mode='w')
    for name, array in (('q', Q), ('qd', QD)):
        if hasattr(group, 'create_array'):
            group.create_array(name, shape=array.shape, chunks=(999, 2), dtype='f8')[:] = array
        else:
            group.create_dataset(name, data=array, chunks=(999, 2))


def write_parquet(path):
    pq.write_table(pa.table(COLUMNS), path, row_group_size=777)


def write_parts(path):
    path.mkdir()
    for k, start in enumerate(range(0, N, 4000)):
        pq.write_table(pa.table({name: column[start:start + 4000]
                                 for name, column in COLUMNS.items()}), path / f'{k}.parquet')


FORMATS = {
    'x.csv': write_csv, 'semicolons.csv': lambda path: write_csv(path, ';', '\r\n'),
    'no_end.csv': lambda path: write_csv(path, last=False),
    'x.npz': lambda path: np.savez(path, q=Q, qd=QD), 'x.zarr': write_zarr,
    'x.parquet': write_parquet, 'parts.parquet': write_parts}


@pytest.mark.parametrize('name', FORMATS)
def test_formats(name, tmp_path):
    FORMATS[name](tmp_path / name)
    space = rd.states(tmp_path / name)
    assert len(space) == N
    copied = pickle.loads(pickle.dumps(space))
    assert len(pickle.dumps(space)) < 20_000  # the points stay on the disk
    assert copied.digest == space.digest
    for start, stop in ((0, N), (4095, 4097), (0, 1), (N - 1, N), (8192, N), (3000, 9000)):
        block = copied.block(start, stop)
        if 'q' not in block:
            block = {key: np.column_stack([block[f'{key}.a'], block[f'{key}.b']])
                     for key in ('q', 'qd')}
        assert np.array_equal(block['q'], Q[start:stop])
        assert np.array_equal(block['qd'], QD[start:stop])


@pytest.mark.parametrize('name', ['x.csv', 'x.npz', 'x.parquet', 'x.zarr'])
def test_the_digest_is_of_what_is_inside(name, tmp_path):
    (tmp_path / 'moved').mkdir()
    for folder in (tmp_path, tmp_path / 'moved'):
        FORMATS[name](folder / name)
    before = rd.states(tmp_path / name).digest
    assert rd.states(tmp_path / 'moved' / name).digest == before
    Q[5000, 0] += 1e-9
    try:
        FORMATS[name](tmp_path / 'moved' / f'y.{name[2:]}')
    finally:
        Q[5000, 0] -= 1e-9
    assert rd.states(tmp_path / 'moved' / f'y.{name[2:]}').digest != before


@pytest.mark.parametrize(('name', 'text', 'message'), [
    ('a.csv', '', 'expected a line of names'),
    ('b.csv', 'q.a,q.a\n1,2\n', 'each once: q.a'),
    ('c.csv', 'q.a,q.b\n', 'c.csv: 0 points'),
    ('d.csv', 'q.a,q.b\n1,2\n1\n', 'line 3 has 1 value: expected 2'),
    ('e.csv', 'q.a,q.b\n1,2\n1,x\n', "line 3, column 'q.b': could not convert 'x'"),
    ('f.csv', 'q.a,q.b\n1,2\n1,nan\n', 'f.csv: q.b of point 1 has a nan'),
    ('g.csv', 'q.a [deg],q.b\n1,2\n', 'expected seconds, radians and metres'),
    ('a.npz', 'no archive', 'a.npz: cannot be read'),
    ('a.parquet', 'no table', 'a.parquet: cannot be read'),
    ('a.zarr', 'no folder', 'a.zarr: cannot be read'),
])
def test_wrong_files(name, text, message, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(rd.InputError, match=message):
        rd.states(tmp_path / name).block(0, 2)


def test_compressed_archives_are_refused(tmp_path):
    np.savez_compressed(tmp_path / 'x.npz', q=Q)
    with pytest.raises(rd.InputError, match=r'x.npz: is compressed: expected what np.savez'):
        rd.states(tmp_path / 'x.npz')
