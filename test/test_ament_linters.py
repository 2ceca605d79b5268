"""What ROS's own linters say, where they are installed: flake8 and pep257; and the license."""

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ['robot_dynamics', 'launch', 'tools']


@pytest.mark.parametrize(('linter', 'arguments'), [
    ('flake8', ['--config', str(ROOT / 'test/data/flake8.ini')]),
    # D401, D402: properties are named by nouns, and a sentence may begin with a function's name
    ('pep257', ['--ignore', 'D102', 'D105', 'D107', 'D203', 'D212', 'D213', 'D401', 'D402', 'D404',
                'D413', '--']),
])
def test_the_linter_is_content(linter, arguments):
    main = pytest.importorskip(f'ament_{linter}.main', reason='an ament linter').main
    folders = [str(ROOT / folder) for folder in FOLDERS]
    assert main([*arguments, *folders]) == 0


def test_the_license_is_the_one_that_is_declared():
    """What ament_copyright looks for in a repository: LICENSE, and the same in package.xml."""
    assert 'Apache License' in (ROOT / 'LICENSE').read_text(encoding='utf-8')[:200]
    for package in (ROOT, ROOT / 'robot_dynamics_interfaces'):
        text = (package / 'package.xml').read_text(encoding='utf-8')
        assert '<license>Apache-2.0</license>' in text


def test_versions_agree():
    version = importlib.import_module('robot_dynamics').__version__
    for name, form in (('setup.cfg', f'version = {version}\n'), ('CITATION.cff', f': {version}\n'),
                       ('package.xml', f'<version>{version}</version>'),
                       ('robot_dynamics_interfaces/package.xml', f'<version>{version}</version>'),
                       ('CHANGELOG.md', f'\n## {version}')):
        assert form in (ROOT / name).read_text(encoding='utf-8'), name
