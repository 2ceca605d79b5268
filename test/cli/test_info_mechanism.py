"""robot-dynamics info on mechanisms: tree, loops, freedoms by count and by rank, what is wrong."""

import json
from pathlib import Path

import numpy as np
import pytest
import yaml

from robot_dynamics.cli.main import main
from robot_dynamics.simulation import skeleton

ROOT = Path(__file__).parents[2]
DATA = ROOT / 'test' / 'data' / 'mechanisms'


def report(capsys, *arguments):
    """Return what is said; whoever asks whether a mechanism loads is told by the status."""
    status = main(['info', *map(str, arguments), '--json'])
    found = json.loads(capsys.readouterr().out)
    assert status == (0 if found['mechanism']['formulation'] else 1)
    return found


@pytest.mark.parametrize(('name', 'freedoms', 'gruebler'), [
    ('four_bar', 1, -2), ('five_bar', 2, -1), ('delta', 3, 3), ('stewart', 6, 6),
    ('palletizer', 4, -5), ('gripper', 1, -5)])
def test_shipped_mechanisms_work(name, freedoms, gruebler, capsys):
    found = report(capsys, ROOT / 'urdf' / f'{name}.yaml')['mechanism']
    assert (found['freedoms'], found['gruebler']) == (freedoms, gruebler)
    assert not found['problems'] and not found['open']
    assert found['formulation'].startswith('orthogonal complement')


def test_people_see_tree_and_loops(capsys):
    assert main(['info', str(ROOT / 'urdf' / 'five_bar.yaml')]) == 0
    text = capsys.readouterr().out
    assert 'o left_elbow -> left_forearm ~ tip' in text
    assert 'left_forearm -- right_forearm' in text
    assert "degrees of freedom: 2 by rank; by Gruebler's count -1 (5 equations, 3 of them" in text
    assert 'needs attention' not in text


def test_other_formats_and_what_they_cannot_say(capsys):
    found = report(capsys, DATA / 'closing.urdf', '--start', 'joint_1=0.52', '--start',
                   'joint_2=-0.08', '--start', 'joint_3=-2.29')
    assert 'not given which joints are actuated' in found['mechanism']['problems'][0]
    assert found['mechanism']['freedoms'] == 1
    assert 'taken as revolute' in found['warnings'][0]
    found = report(capsys, DATA / 'closing.urdf', '--actuated', 'joint_1', '--start',
                   'joint_1=0.52', '--start', 'joint_2=-0.08', '--start', 'joint_3=-2.29')
    assert not found['mechanism']['problems']
    assert report(capsys, DATA / 'urdf_plus.urdf')['mechanism']['loops'][1]['joint'] == 'coupling'


def test_what_is_wrong_is_said_with_names(capsys, tmp_path):
    document = yaml.safe_load((ROOT / 'urdf' / 'five_bar.yaml').read_text())
    document['robot'] = str(ROOT / 'urdf' / 'five_bar.urdf')
    path = tmp_path / 'm.yaml'

    def problems(**changes):
        path.write_text(json.dumps({**document, **changes}))
        return ' '.join(report(capsys, path)['mechanism']['problems'])

    assert 'left_elbow, right_shoulder, right_elbow move' in problems(actuated=['left_shoulder'])
    assert 'follow from the other ones: right_elbow' in problems(
        actuated=['left_shoulder', 'right_shoulder', 'right_elbow'])
    again = {**document['loops'][0], 'name': 'again'}
    assert 'close nothing that the others leave open: tip, again' in problems(
        loops=[document['loops'][0], again])
    far = {**document['loops'][0], 'at': [{'xyz': [9, 0, 0]}, {}]}
    assert "loop 'tip' stays open by" in problems(loops=[far])
    assert main(['info', str(path)]) == 1
    assert 'this mechanism needs attention' in capsys.readouterr().out


def test_options_of_the_other_kind_are_refused(capsys):
    assert main(['info', str(ROOT / 'urdf' / 'rp.urdf'), '--actuated', 'joint_1']) != 0
    assert '--actuated: is for mechanisms' in capsys.readouterr().err
    assert main(['info', str(ROOT / 'urdf' / 'five_bar.yaml'), '--tip', 'left_arm']) != 0
    assert '--tip: is not for mechanisms' in capsys.readouterr().err


@pytest.mark.parametrize('name', ['five_bar', 'delta', 'palletizer', 'gripper'])
def test_loops_are_closed_in_the_picture(name, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(skeleton, 'save_figure', lambda figure, path, dpi: drawn.append(figure))
    assert main(['info', str(ROOT / 'urdf' / f'{name}.yaml'), '--plot',
                 str(tmp_path / 'x.png')]) == 0
    (figure,) = drawn
    assert figure.get_suptitle().endswith('assembled near its start')
    ends = [np.ravel(dots._offsets3d) for dots in figure.axes[0].collections
            if dots.get_label() == 'loop closes']
    assert len(ends) > 1
    for end in ends:  # each dot has another upon it: the first and the second link's
        assert sum(np.abs(end - other).max() < 1e-6 for other in ends) > 1


def test_an_open_mechanism_is_said_to_be(tmp_path, monkeypatch):
    document = yaml.safe_load((ROOT / 'urdf' / 'five_bar.yaml').read_text())
    document['robot'] = str(ROOT / 'urdf' / 'five_bar.urdf')
    document['loops'][0]['at'][0]['xyz'] = [9.0, 0, 0]
    path, drawn = tmp_path / 'm.yaml', []
    path.write_text(json.dumps(document))
    monkeypatch.setattr(skeleton, 'save_figure', lambda figure, path, dpi: drawn.append(figure))
    assert main(['info', str(path), '--plot', str(tmp_path / 'x.png')]) == 1
    assert drawn[0].get_suptitle().endswith('open, at its start')
