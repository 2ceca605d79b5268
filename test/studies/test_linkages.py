"""The linkages of SahaSchiehlen2001: what its figures show, pinned."""

import json

import numpy as np
import pytest

from robot_dynamics.cli.main import main
from robot_dynamics.studies import five_bar, four_bar, linkages


@pytest.fixture(scope='module')
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp('reproduction')
    assert main(['reproduce', '002', '--output', str(folder), '--overwrite']) == 0
    assert len(list(folder.glob('002_figure_*.png'))) == 6
    return json.loads((folder / 'results.json').read_text())


def test_both_linkages_are_of_paper_002(report):
    assert set(report) == {'four-bar', 'five-bar'}
    assert all(cell.strip() for study in report.values() for row in study['rows']
               for cell in row.values())


def test_verdicts(report):
    verdicts = {name: {row['item']: row['verdict'] for row in study['rows']
                       if row['verdict'] != 'no number'} for name, study in report.items()}
    ours = {'IDA-1 to IDA-3, (20) to (24)': 'same', 'FDA-1 to FDA-3, (27) to (34)': 'same',
            'law (37), lambda = 1': 'same'}
    assert verdicts['four-bar'] == {
        **ours, 'Figure 7, period by quadrature of the energy': 'same',
        'Figure 8, open loop': 'differs', 'Figure 8, open loop, held': 'differs'}
    assert verdicts['five-bar'] == {
        **ours, 'Figure 12, free fall from 80 and 70 degrees': 'close',
        'Figure 12, free fall from 1.4 and 1.22 rad': 'close',
        'Figure 13, open loop': 'differs', 'Figure 13, open loop, held': 'close'}


def test_the_five_bar_falls_into_a_singular_pose(data_folder):
    case = json.loads((data_folder / 'papers.json').read_text())['cases']['five_bar']
    wanted = case['configurations']['side+1_mode-1']['free_fall_deg80_70']
    fall = linkages.run(five_bar.five_bar(), np.radians([80.0, 70.0]), np.zeros(2), 2.0,
                        method='DOP853', tolerance=1e-10)
    assert fall.stopped
    assert fall.stopped[0].time == pytest.approx(wanted['t_singular'], abs=1e-4)
    for row in wanted['rows'][:-1]:
        found = fall.q[np.argmin(np.abs(fall.t - row['t']))]
        np.testing.assert_allclose(found, [row['theta1_1'], row['theta1_2']], atol=1e-6)


def test_torques_of_the_four_bar(data_folder):
    case = json.loads((data_folder / 'papers.json').read_text())['cases']['four_bar']
    data = linkages.samples(four_bar.four_bar())
    for row in case['inverse_dynamics']['open']:
        k = np.argmin(np.abs(data['t'] - row['t']))
        assert data['tau'][k, 0] == pytest.approx(row['tau1'], rel=1e-9)
        np.testing.assert_allclose(data['theta'][k], row['theta'][:3], rtol=1e-9)
        np.testing.assert_allclose(data['theta_d'][k], row['thetad'], atol=1e-12)
        np.testing.assert_allclose(data['theta_dd'][k], row['thetadd'], atol=1e-12)
