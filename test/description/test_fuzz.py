"""Thousands of mutants of real URDFs: no crash, no hang, no silent nan."""

import pytest
from description.mutations import run


@pytest.mark.parametrize('count', [1_500, pytest.param(10_000, marks=pytest.mark.slow)])
def test_mutants_load_or_are_refused_clearly(count):
    outcome = run(count, seed=20240607)
    assert outcome['loaded'] > count / 10
    assert outcome['refused'] > count / 10
