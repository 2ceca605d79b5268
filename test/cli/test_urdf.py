"""robot-dynamics urdf: a robot, or a mechanism's tree, as URDF text."""

from pathlib import Path

import pytest

import robot_dynamics as rd
from robot_dynamics.cli.main import main

URDF = Path(__file__).parents[2] / 'urdf'


@pytest.mark.parametrize('name', ['five_bar', 'stewart', 'gripper'])
def test_the_tree_of_a_mechanism_with_what_is_seen(name, capsys):
    assert main(['urdf', str(URDF / f'{name}.yaml')]) == 0
    text = capsys.readouterr().out
    mechanism = rd.load_mechanism(URDF / f'{name}.yaml')
    assert rd.load(text, gravity=(0, 0, 0)).joint_names == mechanism.tree_joint_names
    assert text.count('<visual>') == (URDF / f'{name}.urdf').read_text().count('<visual>')


@pytest.mark.parametrize('name', ['five_bar', 'panda_like'])
def test_robots_are_found_by_name(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(['urdf', name]) == 0
    assert f'<robot name="{name}"' in capsys.readouterr().out


def test_loops_in_the_urdf_itself_are_left_out(tmp_path, capsys):
    tree = (URDF / 'four_bar.urdf').read_text()
    file = tmp_path / 'plus.urdf'
    links = [line.split('"')[1] for line in tree.splitlines() if '<link ' in line]
    file.write_text(tree.replace('</robot>', f"""<loop name="cut" type="revolute">
      <predecessor link="{links[1]}"><origin xyz="0 0 0"/></predecessor>
      <successor link="{links[-1]}"><origin xyz="0 0 0"/></successor><axis xyz="0 0 1"/></loop>
      </robot>"""))
    assert main(['urdf', str(file)]) == 0
    text = capsys.readouterr().out
    assert '<loop' not in text
    assert rd.load(text).joint_names == rd.load(URDF / 'four_bar.urdf').joint_names


def test_arguments_of_xacro_in_its_own_words(capsys):
    assert main(['urdf', str(URDF / 'panda_like.urdf.xacro'), 'damping:=0.25']) == 0
    assert 'damping="0.25"' in capsys.readouterr().out


def test_a_file_that_is_no_robot(tmp_path, capsys):
    (tmp_path / 'x.urdf').write_text('<robot/')
    assert main(['urdf', str(tmp_path / 'x.urdf')]) == 1
    assert 'x.urdf' in capsys.readouterr().err
