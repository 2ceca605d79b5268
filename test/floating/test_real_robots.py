"""Every robot of example-robot-data on a floating base is Pinocchio's, in every verb."""

import pytest
from floating.robot_table import compare
from oracle import REAL_URDFS

SOME = ('g1_description/urdf/g1_29dof_rev_1_0.urdf', 'talos_data/robots/talos_full_v2.urdf',
        'anymal_c_simple_description/urdf/anymal.urdf', 'pr2_description/urdf/pr2.urdf',
        'iris_description/robots/iris_simple.urdf')
REFUSED = {'alex_description/urdf/alex_psyonic_hands.urdf',  # a leader that is not there
           'ur_description/urdf/ur3.urdf'}  # without a name: Pinocchio does not read it


@pytest.mark.parametrize('name', SOME)
def test_some_robots(name):
    assert max(compare(name, 2).values()) < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize('name', [name for name in REAL_URDFS if name not in REFUSED])
def test_all_robots(name):
    assert max(compare(name, 20).values()) < 1e-9
