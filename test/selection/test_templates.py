"""Templates: variants as by hand, nothing compiled for each, errors that name the key."""

import numpy as np
import pytest
import yaml
from selection import arms

import robot_dynamics as rd
from robot_dynamics.errors import RobotDynamicsError
from robot_dynamics.selection.templates import variants


@pytest.fixture
def folder(tmp_path):
    (tmp_path / 'arm.yaml').write_text(arms.two_r().dh.to_yaml())
    return tmp_path


def template(folder, **content):
    file = folder / 'template.yaml'
    file.write_text(yaml.safe_dump({'base': 'arm.yaml', **content}))
    return file


def test_a_grid_of_lengths(folder):
    file = template(folder, sampling='grid', ranges={
        'a.joint_1': [0.5, 1.0, 3], 'mass.joint_2': [1, 2, 2]})
    found = rd.select(file, criteria=['condition', 'workspace'], weights={'condition': 1})
    assert found.names == tuple(f'template[{i}]' for i in range(6))
    np.testing.assert_allclose(found.columns['workspace'],
                               4 * np.pi * 0.6 * np.repeat([0.5, 0.75, 1.0], 2))
    assert found.parameters['a.joint_1'].tolist() == [0.5, 0.5, 0.75, 0.75, 1.0, 1.0]
    best = found.table[found.chosen]
    assert best['condition'] == min(found.columns['condition'])
    assert best['mass.joint_2'] in (1.0, 2.0)


@pytest.mark.parametrize('kind', ['sobol', 'latin'])
def test_samples_fill_the_ranges(folder, kind):
    file = template(folder, sampling=kind, samples=64, seed=3, ranges={'a.joint_1': [0.5, 1.0]})
    values = rd.select(file, criteria=['coupling']).parameters['a.joint_1']
    assert np.histogram(values, 8, (0.5, 1.0))[0].tolist() == [8] * 8


def test_scaled_bodies_are_rods():
    def rod(length):
        return rd.DHRow(length, 0, 0, 0, mass=2 * length, com=(-length / 2, 0, 0),
                        inertia=np.diag([0, 1, 1]) * 2 * length ** 3 / 12)
    base = rd.Robot.from_dh([rod(0.4), rod(0.5)])
    stack, values = variants(base, {'bodies': 'scaled', 'samples': 4, 'ranges': {
        'a.joint_1': [0.1, 0.9], 'a.joint_2': [0.1, 0.9]}}, 'template')
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 2))
    for i in range(4):
        alone = rd.Robot.from_dh([rod(values['a.joint_1'][i]), rod(values['a.joint_2'][i])])
        np.testing.assert_allclose(stack.inverse_dynamics(q, qd, qdd)[i],
                                   alone.inverse_dynamics(q, qd, qdd), rtol=1e-10)


@pytest.mark.parametrize(('content', 'word'), [
    ({'ranges': {'a.joint_7': [0, 1]}}, 'joint_1'), ({'ranges': {'size.joint_1': [0, 1]}}, 'mass'),
    ({'ranges': {}}, 'column.joint'), ({'ranges': {'a.joint_1': [1]}}, r'expected \(2,\)'),
    ({'ranges': {'a.joint_1': [1, 0]}}, 'low to high'), ({'range': {}, 'ranges': {}}, 'unknown'),
    ({'ranges': {'a.joint_1': [0, 1]}, 'sampling': 'dice'}, 'sobol'),
    ({'ranges': {'a.joint_1': [0, 1, 5]}, 'sampling': 'grid', 'seed': 1}, 'not for a grid'),
    ({'ranges': {'a.joint_1': [0, 1, 2.5]}, 'sampling': 'grid'}, 'whole number'),
    ({'ranges': {'a.joint_1': [0, 1]}, 'base': 'gone.yaml'}, 'gone.yaml'),
    ({'ranges': {'mass.joint_1': [-1, 1]}}, '0 or more')])
def test_wrong_templates_are_told_what_is_wrong(folder, content, word):
    with pytest.raises(RobotDynamicsError, match=word):
        rd.select(template(folder, **content), criteria=['condition'])
