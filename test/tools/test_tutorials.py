"""What tutorials print is compared by words and, loosely, by numbers."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / 'tools'))
from tutorials import EXAMPLES, KEPT, difference


@pytest.mark.parametrize(('kept', 'now'), [
    ('error: 1.5e-13 rad', 'error: 0.0e+00 rad'),  # rounding
    ('poles: [-14.48+0.j  -2.76-0.6j]', 'poles: [ -14.4+0.j  -2.77-0.6j]'),
    ('---\njoint_1  0.432', '-----\njoint_1    0.4321'),
])
def test_texts_that_say_the_same(kept, now):
    assert not difference(kept, now)


@pytest.mark.parametrize(('kept', 'now', 'said'), [
    ('16 of 16 chunks', '16 of 16 parts', "'chunks' is now 'parts'"),
    ('found 5.0', 'found 5.2', '5.0 is now 5.2'),
    ('joint_1 0.4', 'joint_2 0.4', "'joint_1' is now 'joint_2'"),
    ('a b', 'a', "'b' is now 'the end'"),
])
def test_texts_that_do_not(kept, now, said):
    assert said in difference(kept, now)


def test_each_example_has_its_text_and_no_other():
    assert {file.stem for file in KEPT.glob('*.txt')} == set(EXAMPLES)
    assert {file.stem for file in KEPT.glob('*.png')} == set(EXAMPLES) - {'viewer'}
