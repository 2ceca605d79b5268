"""Sweeps on this machine: right, the same bits however they came to be, nothing lost."""

import fcntl
import functools
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import zarr
from sweeps.sweep_functions import die_once, slow_squares, squares

import robot_dynamics as rd
from robot_dynamics.sweeps.function import verbs_of

HERE = Path(__file__).parent
ROW = rd.DHRow(1, 0.1, 0.3, 0.2, mass=1, com=(-0.5, 0, 0.1), inertia=np.diag([0.1, 0.2, 0.3]),
               damping=0.1)
BOX = {'x': ([-1, -1, -1], [1, 1, 1])}


@pytest.fixture(scope='module')
def arm():
    return rd.Robot.from_dh([ROW, ROW], name='arm')


def states_of(robot, names, N=101):
    return rd.Sobol({name: (-np.ones(robot.n), np.ones(robot.n)) for name in names}, N, seed=1)


def read(folder):
    """Return the arrays of a sweep, as zarr reads them."""
    return {name: array[:] for name, array in zarr.open_group(str(folder), mode='r').arrays()}


def contents(folder):
    """Return all files of a folder."""
    return {str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob('*')) if path.is_file()}


@pytest.mark.parametrize('verb', verbs_of(rd.Robot))
def test_every_verb(verb, arm, tmp_path):
    needed = [name for name, need in verbs_of(rd.Robot)[verb].items() if need]
    space = states_of(arm, needed)
    done = rd.sweep(verb, space, tmp_path / 'x.zarr', robot=arm, chunk=17, workers=1)
    assert (done.points, done.chunks, done.computed) == (101, 6, 6)
    expected = getattr(arm, verb)(**space.block(0, 101))
    found = read(tmp_path / 'x.zarr')
    parts = expected if isinstance(expected, tuple) else (expected,)
    manifest = zarr.open_group(str(tmp_path / 'x.zarr')).attrs['robot_dynamics_sweep']
    for (name, *_), part in zip(manifest['arrays'], parts, strict=True):
        assert found.pop(name).tobytes() == np.ascontiguousarray(part).tobytes()
    assert not found


def test_mechanisms_and_points_without_a_result(tmp_path):
    five_bar = rd.load(HERE.parents[1] / 'urdf' / 'five_bar.yaml')
    left, right = five_bar.joint_names
    space = rd.Grid({f'q.{left}': np.linspace(-3, 1, 3), f'q.{right}': np.linspace(-3, 1, 4)})
    options = {'qd': np.zeros(2), 'qdd': np.zeros(2), 'chunk': 5}
    with pytest.raises(rd.RobotDynamicsError, match=r'^point \d+: .*0 of 3 chunks of .* stay$'):
        rd.sweep(five_bar.inverse_dynamics, space, tmp_path / 'a.zarr', workers=1, **options)
    rd.sweep(five_bar.inverse_dynamics, space, tmp_path / 'b.zarr', errors='nan', **options)
    tau, points = read(tmp_path / 'b.zarr')['tau'], space.block(0, 12)
    bad = 0
    for k, q in enumerate(np.column_stack(list(points.values()))):
        try:
            assert np.allclose(tau[k], five_bar.inverse_dynamics(q, [0, 0], [0, 0]))
        except rd.RobotDynamicsError:
            assert np.isnan(tau[k]).all()
            bad += 1
    assert 0 < bad < 12


def test_parquet_zarr_and_inputs_are_the_same_numbers(arm, tmp_path):
    space = states_of(arm, ('q', 'qd', 'qdd'))
    for kind in ('zarr', 'parquet'):
        rd.sweep('inverse_dynamics', space, tmp_path / f'x.{kind}', robot=arm, chunk=40,
                 inputs=True, workers=2)
    found, table = read(tmp_path / 'x.zarr'), rd.states(tmp_path / 'x.parquet').block(0, 101)
    for name, points in space.block(0, 101).items():
        assert found[name].tobytes() == points.tobytes()
    for k, joint in enumerate(arm.joint_names):
        assert np.array_equal(table[f'tau.{joint}'], found['tau'][:, k])
        assert np.array_equal(table[f'q.{k}'], found['q'][:, k])
    back = rd.sweep('forward_dynamics', rd.states({name: found[name] for name in
                                                   ('q', 'qd', 'tau')}),
                    tmp_path / 'y.zarr', robot=arm)
    assert back.computed == back.chunks
    assert np.allclose(read(tmp_path / 'y.zarr')['qdd'], found['qdd'])


def test_elements_and_constants(arm, tmp_path):
    space = rd.Grid({'qd.1': [1, 2, 3], f'q.{arm.joint_names[1]}': [0.5, 1.0], 'q.0': [0.0, 0.1]})
    rd.sweep('bias', space, tmp_path / 'x.zarr', robot=arm, qd=[7, 8])
    points = space.block(0, 12)
    q = np.column_stack([points['q.0'], points[f'q.{arm.joint_names[1]}']])
    expected = arm.bias(q, np.column_stack([np.full(12, 7.0), points['qd.1']]))
    assert np.array_equal(read(tmp_path / 'x.zarr')['bias'], expected)


@pytest.mark.parametrize('workers', [1, 3])
def test_functions(workers, tmp_path):
    space = rd.LatinHypercube(BOX, 1000)
    rd.sweep(squares, space, tmp_path / 'x.zarr', chunk=64, workers=workers)
    found, x = read(tmp_path / 'x.zarr'), space.block(0, 1000)['x']
    assert np.array_equal(found['squares'], x ** 2)
    assert np.array_equal(found['sum'], x.sum(axis=1))
    assert np.array_equal(found['positive'], x[:, 0] > 0) and found['positive'].dtype == bool


def test_variants_have_one_code(arm, tmp_path, monkeypatch):
    """Also where lengths change slowly, so that all robots of a block have the same."""
    monkeypatch.setenv('ROBOT_DYNAMICS_CACHE', str(tmp_path / 'cache'))
    space = rd.Grid({'a.0': [0.8, 1.0, 1.2], 'alpha.1': [0.0, 0.4], 'mass': [[1, 2], [3, 4]],
                     'q': np.random.default_rng(0).uniform(-1, 1, (5, 2))})
    zero = np.zeros(2)
    done = rd.sweep('inverse_dynamics', space, tmp_path / 'x.zarr', robot=arm, qd=zero, qdd=zero,
                    chunk=5, workers=2)
    assert done.chunks == 12
    assert len(list((tmp_path / 'cache').glob('*.kernel'))) == 1
    monkeypatch.undo()
    tau, points = read(tmp_path / 'x.zarr')['tau'], space.block(0, 60)
    rows = arm.dh.rows
    for k in range(0, 60, 7):
        one = arm.variants(a=[[points['a.0'][k], rows[1].a]], mass=points['mass'][k:k + 1],
                           alpha=[[rows[0].alpha, points['alpha.1'][k]]])[0]
        assert np.allclose(tau[k], one.inverse_dynamics(points['q'][k], zero, zero),
                           rtol=1e-12, atol=1e-12)


def test_variants_for_functions(arm, tmp_path):
    def coupling(robots, q):
        inertia = robots.inertia_matrix(q)
        return {'coupling': inertia[:, 0, 1], 'mass': robots.moving_mass}
    space = rd.Sobol({'q': ([-1, -1], [1, 1]), 'mass.1': (1, 5)}, 50)
    rd.sweep(coupling, space, tmp_path / 'x.zarr', robot=arm, workers=2, chunk=13)
    found, points = read(tmp_path / 'x.zarr'), space.block(0, 50)
    stack = arm.variants(mass=np.column_stack([np.ones(50), points['mass.1']]))
    assert np.array_equal(found['coupling'], stack.inertia_matrix(points['q'])[:, 0, 1])
    assert np.allclose(found['mass'], 1 + points['mass.1'])


SCRIPT = """
import sys
sys.path.insert(0, {here!r})
import robot_dynamics as rd
from sweeps.sweep_functions import disk_full_at, slow_squares
space = rd.LatinHypercube({box!r}, 1000, seed=3)
rd.sweep(slow_squares, space, sys.argv[1], chunk=25, workers={workers})
"""


@pytest.mark.parametrize('workers', [1, 2])
def test_killed_and_resumed(workers, tmp_path):
    """Bit for bit an undisturbed run; finished chunks stay, none is half written."""
    script, folder = tmp_path / 'script.py', tmp_path / 'killed.zarr'
    script.write_text(SCRIPT.format(here=str(HERE.parent), box=BOX, workers=workers))
    process = subprocess.Popen([sys.executable, str(script), str(folder)])
    chunks = folder / 'squares'
    while len(list(chunks.glob('[0-9]*'))) < 10:
        assert process.poll() is None
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    time.sleep(0.5)  # forked workers end with their chunk
    (chunks / '.writing-left').write_bytes(b'half')
    before = {path: path.stat().st_mtime_ns for path in folder.rglob('[0-9]*')}
    assert 30 <= len(before) < 120
    space = rd.LatinHypercube(BOX, 1000, seed=3)
    done = rd.sweep(slow_squares, space, folder, workers=4)
    assert done.chunks == 40
    assert 40 - done.computed in (len(before) // 3, len(before) // 3 - 1)
    whole = [path for path in before if path.stat().st_mtime_ns == before[path]]
    assert len(before) - len(whole) < 3 * workers  # those whose chunk lacked an array
    rd.sweep(slow_squares, space, tmp_path / 'whole.zarr', chunk=25, workers=8)
    assert contents(folder) == contents(tmp_path / 'whole.zarr')
    assert rd.sweep(slow_squares, space, folder).computed == 0


def test_a_worker_that_dies_is_replaced(tmp_path):
    space, flag = rd.LatinHypercube(BOX, 2000), str(tmp_path / 'died')
    given = {'chunk': 20, 'workers': 2, 'flag': flag, 'parent': os.getpid()}
    rd.sweep(die_once, space, tmp_path / 'x.zarr', **given)
    assert Path(flag).exists()
    assert np.array_equal(read(tmp_path / 'x.zarr')['squares'], space.block(0, 2000)['x'] ** 2)
    with pytest.raises(rd.InputError, match=r'^chunk \d+: its worker was ended 3 times .*stay$'):
        rd.sweep(die_once, space, tmp_path / 'y.zarr', again=True, **given)


def test_a_full_disk(tmp_path):
    script, folder = tmp_path / 'script.py', tmp_path / 'full.zarr'
    text = SCRIPT.format(here=str(HERE.parent), box=BOX, workers=1)
    script.write_text(re.sub(
        r'space = .*\n.*\n',
        "space = rd.Grid({'x': [[k, 0, 0] for k in range(100)]})\n"
        'rd.sweep(disk_full_at, space, sys.argv[1], chunk=10, workers=1, at=int(sys.argv[2]))\n',
        text))
    run = functools.partial(subprocess.run, capture_output=True, text=True)
    failed = run([sys.executable, str(script), str(folder), '35'])
    assert failed.stderr.splitlines()[-1] == (
        f'robot_dynamics.errors.InputError: {folder}: cannot be written: File too large; 3 of 10 '
        f'chunks of {folder} are finished and stay')
    assert sorted(path.name for path in (folder / 'squares').glob('[!.]*')) == [
        '0.0', '1.0', '2.0']
    assert not list(folder.rglob('.writing*'))
    again = run([sys.executable, str(script), str(folder), '35'])
    assert 'cannot be written' in again.stderr  # the same sweep, and the disk is still full
    assert len(list((folder / 'squares').glob('[!.]*'))) == 3


def test_another_sweep_has_another_output(arm, tmp_path):
    space, folder = states_of(arm, ('q',)), tmp_path / 'x.zarr'
    rd.sweep('gravity_torque', space, folder, robot=arm, chunk=20)
    before = contents(folder)
    changed = rd.Sobol({'q': ([-1, -1], [1, 1.01])}, 101, seed=1)
    for options, message in [
            ({'space': changed}, 'another space'),
            ({'function': 'potential_energy'}, 'another function or other arguments'),
            ({'function': 'pose', 'link': 'link_1'}, 'another function'),
            ({'robot': arm.with_payload('link_2', 0.1)}, 'another robot'),
            ({'robot': arm.with_gravity((0, 0, -1.6))}, 'another robot'),
            ({'chunk': 21}, 'another size of chunks'), ({'inputs': True}, 'inputs')]:
        given = {'function': 'gravity_torque', 'space': space, 'robot': arm, **options}
        with pytest.raises(rd.InputError, match=f'was begun with {message}.*give another output'):
            rd.sweep(given.pop('function'), given.pop('space'), folder, **given)
    assert contents(folder) == before
    assert rd.sweep('gravity_torque', space, folder, robot=arm).computed == 0


def test_only_one_at_a_time(arm, tmp_path):
    folder, space = tmp_path / 'x.zarr', states_of(arm, ('q',))
    rd.sweep('gravity_torque', space, folder, robot=arm)
    with (folder / '.zattrs').open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(rd.InputError, match='another process is writing this sweep'):
            rd.sweep('gravity_torque', space, folder, robot=arm)
    assert rd.sweep('gravity_torque', space, folder, robot=arm).computed == 0


def test_an_output_that_is_something_else(arm, tmp_path):
    file, other = tmp_path / 'a.zarr', tmp_path / 'b.zarr'
    file.write_text('precious')
    zarr.open_group(str(other), mode='w').attrs['mine'] = 1
    (tmp_path / 'c.parquet').mkdir()
    space = states_of(arm, ('q',))
    for folder in (file, other, tmp_path / 'c.parquet'):
        with pytest.raises(rd.InputError, match='holds no results of a sweep'):
            rd.sweep('gravity_torque', space, folder, robot=arm)
    assert file.read_text() == 'precious'
    assert zarr.open_group(str(other), mode='r').attrs['mine'] == 1


@pytest.mark.parametrize(('change', 'message'), [
    ({'function': 'inverse_dynamic'}, "function='inverse_dynamic': expected one of .*'bias'"),
    ({'function': 'with_payload'}, "function='with_payload': expected one of"),
    ({'function': 3}, 'function=3: expected the name of a robot'),
    ({'robot': None}, 'give robot='),
    ({'robot': 'arm.urdf'}, 'robot=arm.urdf: expected one robot'),
    ({'function': 'inverse_dynamics'}, 'qd, qdd: neither in the space nor given'),
    ({'link': 'tool'}, "gravity_torque: argument='link': expected one of"),
    ({'function': 'pose', 'link': 'x'}, "point 0: link='x'"),
    ({'space': {'q': np.zeros((5, 3))}}, r'q: shape \(3,\) of a point: expected \(2,\)'),
    ({'space': {'q.0': np.zeros(5)}}, 'q: 1 of 2 numbers are in the space: give q='),
    ({'space': {'q.elbow': np.zeros(5)}}, 'q.elbow: expected one of joint_1, joint_2, or 0 to 1'),
    ({'space': {'q.0': np.zeros(5), 'q': np.zeros((5, 2))}}, 'as a whole and by its elements'),
    ({'space': {'q.0': np.zeros(5), 'q.joint_1': np.zeros(5)}}, 'q.joint_1: is there twice'),
    ({'space': {'q': np.zeros((5, 2)), 'colour': np.zeros(5)}}, "'colour' is no argument"),
    ({'space': {'q': np.zeros((5, 2)), 'mass.9': np.zeros(5)}}, 'mass.9: expected one of'),
    ({'space': {'q': np.zeros((5, 2)), 'mass.1': -np.ones(5)}}, 'point 0: mass: -1'),
    ({'space': {'q': np.zeros((5, 2)), 'qd': np.zeros((4, 2))}}, 'arrays of different lengths'),
    ({'space': 'states.xlsx'}, 'the name must end in .csv, .npz, .parquet, .zarr'),
    ({'space': 'none.csv'}, 'none.csv: cannot be read: No such file'),
    ({'output': 'x.hdf5'}, r'x.hdf5: the name must end in \.zarr, \.parquet'),
    ({'output': '/proc/x.zarr'}, '/proc/x.zarr: cannot be written'),
    ({'output': 'none/x.zarr'}, 'cannot be written: No such file'),
    ({'chunk': 0}, 'chunk: 0 points: expected 1'), ({'chunk': 'x'}, 'chunk=x'),
    ({'workers': 0}, 'workers=0'), ({'errors': 'skip'}, "errors='skip'"),
    ({'function': lambda q: q[:1]}, r"result 'result' of float64, shape \(1, 2\)"),
])
def test_wrong_input(change, message, arm, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = {'function': 'gravity_torque', 'space': {'q': np.zeros((5, 2))}, 'output': 'x.zarr',
             'robot': arm, **change}
    if callable(given['function']):
        given['robot'] = None
    with pytest.raises(rd.InputError, match=message):
        rd.sweep(given.pop('function'), given.pop('space'), given.pop('output'), **given)
    assert not list(tmp_path.iterdir())
