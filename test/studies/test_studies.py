"""The studies: every cell says something, the figures are drawn, what must agree agrees."""

import json
from pathlib import Path

import numpy as np
import pytest

from robot_dynamics.cli.main import main
from robot_dynamics.studies import puma, straight_line, two_body
from robot_dynamics.studies.catalogue import PAPERS, STUDIES

QUICK = ['puma-torques', 'forward-counts', 'two-body', 'gim-counts']
PINNED = json.loads((Path(__file__).parents[1] / 'data' / 'verdicts.json').read_text())
COUNTED = [name for name in PINNED if name.endswith('counts')]
TIMED = ('puma-time',)  # what a clock says of a busy machine is no verdict


def verdicts(name, report):
    """Return the verdicts on a study's items, with our numbers where they are counted."""
    found = {}
    for row in report[name]['rows']:
        number = f' ({row["ours"]})' if name in COUNTED else ''
        found.setdefault(row['item'], []).append(row['verdict'] + number)
    return found


def test_every_study_is_pinned():
    assert set(PINNED) == set(STUDIES)


@pytest.mark.slow
@pytest.mark.parametrize('name', [name for name in STUDIES if name not in QUICK])
def test_long_studies_have_the_verdicts_that_they_had(name, tmp_path):
    assert main(['reproduce', name, '--output', str(tmp_path)]) == 0
    found = verdicts(name, json.loads((tmp_path / 'results.json').read_text()))
    assert found == PINNED[name] if name not in TIMED else found.keys() == PINNED[name].keys()


@pytest.mark.parametrize('name', QUICK)
def test_reproduce(name, tmp_path, capsys):
    assert main(['reproduce', name, '--output', str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert name in shown
    report = json.loads((tmp_path / 'results.json').read_text())
    rows = report[name]['rows']
    assert verdicts(name, report) == PINNED[name]
    assert all(cell.strip() for row in rows for cell in row.values())
    assert {row['verdict'] for row in rows} <= {'same', 'close', 'better', 'differs', 'no number'}
    assert list(tmp_path.glob('*.png'))


def test_all_studies_are_named_by_paper():
    assert {study.paper for study in STUDIES.values()} == {
        'MohanSaha2007', 'Angeles7', 'SahaSchiehlen2001', 'Mata2002', 'Bhangale2004'}
    assert set(PAPERS.values()) == {study.paper for study in STUDIES.values()}


def test_unknown_study(capsys):
    with pytest.raises(SystemExit):
        main(['reproduce', 'everything'])
    assert 'puma-torques' in capsys.readouterr().err


def test_forced_simulation_follows_while_it_can():
    robot, desired = puma.puma560(), puma.motion()
    for name in (puma.RECURSIVE, puma.NONRECURSIVE):
        found = puma.forced_run(robot, desired, name, 4.0)
        assert np.abs(found.q - desired(found.t)[0]).max() < 1e-7


def test_two_body_in_double_precision(data_folder):
    case = json.loads((data_folder / 'papers.json').read_text())['cases']['ascher_two_body']
    wanted = np.array(case['double_precision']['bar_m2_10']['qdd'])
    for name in ('ABA', 'CRBA', 'GA'):
        found = two_body.accelerations(name, np.float64)[0]
        np.testing.assert_allclose(found, wanted, rtol=1e-9)
    single = two_body.accelerations('ABA', np.float32)[0]
    assert single.dtype == np.float32


def test_the_line_is_straight():
    robot = straight_line.puma560()
    motion = straight_line.line(robot)
    speed = np.linalg.norm(robot.jacobian(motion(2.0)[0])[3:] @ motion(2.0)[1])
    length = np.linalg.norm(np.subtract(straight_line.END, straight_line.START))
    assert speed == pytest.approx(length / straight_line.DURATION, rel=1e-9)
