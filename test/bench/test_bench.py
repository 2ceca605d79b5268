"""The benchmark runs, reports what it should, and draws; no clock is judged here."""

import json

import pytest
from engine.engine_robots import CASES

from robot_dynamics.cli import main
from robot_dynamics.cli.bench import STANDARD, published_table
from robot_dynamics.cli.benchmark import chains
from robot_dynamics.cli.benchmark.measure import SliceTiming, interleaved, timing
from robot_dynamics.cli.benchmark.plot import draw
from robot_dynamics.cli.benchmark.robots import ratios, start_up
from robot_dynamics.cli.benchmark.verbs import PUBLISHED, VERBS


def test_slices_are_interleaved():
    seen = []
    times = interleaved(
        {'a': (lambda: seen.append('a'), 1), 'b': (lambda: seen.append('b'), 4)}, 3)
    assert set(times) == {'a', 'b'}
    assert all(x.low <= x.median <= x.high for x in times.values())
    turns = [x for k, x in enumerate(seen) if k == 0 or seen[k - 1] != x]
    assert turns[-6:] == ['a', 'b'] * 3


def test_median_and_spread():
    assert timing([3.0, 1.0, 2.0]) == SliceTiming(2.0, 1.5, 2.5)
    assert timing([3.0]) == SliceTiming(3.0, 3.0, 3.0)


def test_ratios_are_to_pinocchios_own_call():
    times = {'python': timing([1.0]), 'pinocchio': timing([3.0]), 'mujoco': timing([5.0])}
    assert ratios(times) == {'python': 3.0}
    assert ratios({'python': timing([1.0])}) == {}


def test_chains_have_any_length():
    robot = chains.chain(7)
    assert robot.n == 7
    assert robot.inertia_matrix([0.1] * 7).shape == (7, 7)


@pytest.mark.slow
def test_one_robot_from_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv('ROBOT_DYNAMICS_CACHE', str(tmp_path / 'cache'))
    file = tmp_path / 'robot.urdf'
    file.write_text(chains.chain(2).to_urdf())
    saved = tmp_path / 'bench.json'
    plot = tmp_path / 'bench.png'
    assert main.main(['bench', str(file), '--repetitions', '2', '--save', str(saved), '--plot',
                      str(plot)]) == 0
    assert plot.stat().st_size > 10000
    printed = capsys.readouterr().out
    assert 'inverse_dynamics' in printed
    assert 'peak memory' in printed
    robot, = json.loads(saved.read_text())['robots'].values()
    assert [entry['function'] for entry in robot['functions']] == list(VERBS)
    assert {'udu', 'regressor', 'jacobian_rate', 'inverse_dynamics (external)'} <= set(VERBS)
    for entry in robot['functions']:
        wanted = {'python', 'batch'}
        if entry['function'] in ('inverse_dynamics', 'forward_dynamics', 'inertia_matrix'):
            wanted |= {'python, out=', 'compiled loop'}
        assert wanted <= set(entry['times'])
        assert all(time['median_us'] > 0 for time in entry['times'].values())
    for entry in robot['start_up'].values():
        assert entry['kernel_cached_s'] > 0
        assert entry['code_bytes'] > 1000


def test_repetitions_are_checked(capsys):
    assert main.main(['bench', 'x.urdf', '--repetitions', '0']) == 1
    assert '--repetitions' in capsys.readouterr().err


def test_plot(tmp_path):
    pytest.importorskip('matplotlib')
    row = {'function': 'inverse_dynamics', 'times': {
        'python': {'median_us': 1.0}, 'pinocchio': {'median_us': 2.0}}}
    draw({'chains': {5: [row], 10: [row]}}, str(tmp_path / 'plot.png'))
    assert (tmp_path / 'plot.png').stat().st_size > 1000


def test_start_up_leaves_the_cache_alone(tmp_path, monkeypatch):
    monkeypatch.setenv('ROBOT_DYNAMICS_CACHE', str(tmp_path))

    class Robot:
        _kernels = CASES['two'].kernels()
        inertials = CASES['two'].inertials
        n = 2

    times = start_up(Robot, ('gravity_torque',))
    assert times['gravity_torque']['code_bytes'] > 1000
    assert not list(tmp_path.iterdir())


def test_published_figures_stand_beside_ours():
    times = {'compiled loop': {'median_us': 0.123}}
    robots = {'Panda (arm)': {'functions': [{'function': 'inverse_dynamics', 'times': times}]}}
    printed = '\n'.join(published_table(robots))
    assert '0.12' in printed and 'iiwa' in printed and 'ICRA 2022' in printed
    assert published_table({}) == []
    assert set(PUBLISHED) <= set(STANDARD)
