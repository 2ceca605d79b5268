"""Fixtures for all tests."""

from pathlib import Path

import pytest


@pytest.fixture
def data_folder() -> Path:
    """Return test/data."""
    return Path(__file__).parent / 'data'
