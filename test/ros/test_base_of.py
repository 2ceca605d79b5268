"""What the root link of a node's model is on."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from robot_dynamics.nodes.shared.models import base_of

URDF = Path(__file__).parents[2] / 'urdf'


@pytest.mark.parametrize(('base', 'file', 'found'), [
    ('fixed', '', 'fixed'), ('floating', '', 'floating'), ('imu', '', 'imu'),
    ('fixed', str(URDF / 'quadruped.yaml'), 'floating'), ('fixed', 'quadruped', 'floating'),
    ('imu', str(URDF / 'quadruped.yaml'), 'imu'), ('fixed', str(URDF / 'five_bar.yaml'), 'fixed'),
    ('fixed', 'no such file.yaml', 'fixed')])
def test_a_mechanism_file_that_floats_is_believed(base, file, found):
    assert base_of(SimpleNamespace(base=base, mechanism_file=file)) == found
