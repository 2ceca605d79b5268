"""One warning for each kind, all of them within reach; what robots weigh, roots included."""

import json
import pickle
import warnings

import pinocchio as pin
import pytest
from oracle import PANDA, ROBOTS
from urdf_text import TWO_JOINTS, chain, joint, link, robot

import robot_dynamics as rd
from robot_dynamics.description.notes import Notes


def test_one_warning_for_each_kind():
    text = chain(*[{'axis': '0 0 2'}] * 30).replace('<inertia ixx="0.02"', '<inertia ixx="9"')
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        ours = rd.load(text)
    said = [str(warning.message) for warning in caught]
    assert said == list(ours.warnings)
    assert len(said) == 2
    assert "joint 'j1': the axis has length 2" in said[0]
    assert "(30 of this kind: 'j2', 'j3', 'j4', 'j5', ...)" in said[0]
    assert "link 'l1': inertia breaks the triangle inequality" in said[1]
    assert len(ours.warnings.full) == 60
    assert "joint 'j30': the axis has length 2" in ours.warnings.full[29]
    again = ours.with_gravity([0, 0, 0])
    assert (again.warnings, again.warnings.full) == (ours.warnings, ours.warnings.full)


def test_kinds_are_told_apart_by_words():
    notes = Notes(["a: link 'x': 1 is odd", "a: link 'y': -2.5e-3 is odd", "a: link 'x': is even"])
    assert notes == ("a: link 'x': 1 is odd (2 of this kind: 'y')", "a: link 'x': is even")
    copy = pickle.loads(pickle.dumps(notes))
    assert (copy, copy.full) == (notes, notes.full)


def test_info_tells_all_to_programs(tmp_path, capsys):
    from robot_dynamics.cli.main import main
    path = tmp_path / 'long.urdf'
    path.write_text(chain(*[{'axis': '0 0 2'}] * 9))
    assert main(['info', str(path), '--json']) == 0
    report = json.loads(capsys.readouterr().out)
    assert (len(report['warnings']), len(report['all_warnings'])) == (1, 9)
    assert report['total_mass'] == report['moving_mass'] == 9


@pytest.mark.parametrize('name', [
    'go1_description/urdf/go1.urdf', 'panda_description/urdf/panda.urdf',
    'talos_data/robots/talos_reduced.urdf', 'ur_description/urdf/ur5_robot.urdf'])
def test_masses_are_pinocchios(name):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        ours = rd.load(ROBOTS / name, missing_inertia='zero')
    inertias = list(pin.buildModelFromUrdf(str(ROBOTS / name)).inertias)
    assert ours.total_mass == pytest.approx(sum(body.mass for body in inertias), rel=1e-12)
    assert ours.moving_mass == pytest.approx(sum(body.mass for body in inertias[1:]), rel=1e-12)


def test_what_is_fixed_on_the_root_counts():
    text = robot(link('root', 5.0), link('rack', 2.0), link('arm', 3.0),
                 joint('weld', 'root', 'rack', type='fixed'), joint('j', 'rack', 'arm'))
    ours = rd.load(text)
    assert (ours.total_mass, ours.moving_mass) == (10, 3)
    locked = rd.load(text, locked={'j': 0.2})
    assert (locked.total_mass, locked.moving_mass) == (10, 0)
    with pytest.warns(rd.RobotDynamicsWarning, match='5 kg is cut off'):
        cut = rd.load(text, root='rack')
    assert (cut.total_mass, cut.moving_mass) == (5, 3)
    loaded = ours.with_payload('rack', 4.0).with_payload('arm', 1.0)
    assert (loaded.total_mass, loaded.moving_mass) == (15, 4)
    assert '10 kg' in repr(ours)


def test_dh_files_keep_the_roots_mass(tmp_path):
    ours = rd.load(PANDA)
    path = tmp_path / 'panda.yaml'
    path.write_text(ours.dh.to_yaml())
    assert rd.load(path).total_mass == ours.total_mass > ours.moving_mass
    path.write_text(rd.load(TWO_JOINTS).dh.to_yaml().replace('rows:', 'root_mass: heavy\nrows:'))
    with pytest.raises(rd.DescriptionError, match='root_mass=heavy'):
        rd.load(path)
