"""Every equation cited in the algorithms is explained in docs/equations.md, and the reverse."""

import re
from pathlib import Path

import pytest
from algorithms.citations import KEYS, citations

ROOT = Path(__file__).parents[2]
LISTED = set(re.findall(rf'^\| `((?:{"|".join(KEYS)}) [^`]+)` \|',
                        (ROOT / 'docs' / 'equations.md').read_text(), re.MULTILINE))
FILES = sorted((ROOT / 'robot_dynamics' / 'algorithms').glob('*.py'))
MOTION = sorted((ROOT / 'robot_dynamics' / 'simulation').glob('*.py'))
STUDIES = [ROOT / 'robot_dynamics' / 'studies' / f'{name}.py' for name in (
    'natural_complement', 'operation_table', 'planar', 'slender_rod')]
SELECTION = sorted((ROOT / 'robot_dynamics' / 'selection').glob('*.py'))
# no equation of a paper is theirs
HELPERS = {'__init__', 'joints', 'mass_blocks', 'citations', 'dyads'}


@pytest.mark.parametrize('file', [*FILES, *MOTION, *SELECTION, *STUDIES],
                         ids=lambda file: file.stem)
def test_each_citation_is_listed(file):
    assert citations(file.read_text()) <= LISTED


@pytest.mark.parametrize('file', FILES, ids=lambda file: file.stem)
def test_each_algorithm_cites(file):
    assert citations(file.read_text()) or file.stem in HELPERS


def test_each_listed_equation_is_cited():
    cited = set().union(*(citations(file.read_text()) for file in [*FILES, *MOTION, *SELECTION,
                                                                       *STUDIES]))
    assert LISTED - cited == set()


def test_lists_and_ranges_are_read():
    found = citations('# Angeles7 (7.36), (7.37) and MohanSaha2007 (30)-(37), Mata2002 step 9')
    assert found == {'Angeles7 (7.36)', 'Angeles7 (7.37)', 'MohanSaha2007 (30)',
                     'MohanSaha2007 (37)', 'Mata2002 step 9'}
