"""Fixtures of the tests on mechanisms."""

import numpy as np
import pytest


@pytest.fixture
def rng():
    """Return random numbers that are the same in every run."""
    return np.random.default_rng(2001)
