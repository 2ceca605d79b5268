"""Every test of motion works in a cache folder of the session's own."""

import os

import pytest


@pytest.fixture(autouse=True, scope='session')
def _cache_folder(tmp_path_factory):
    """Keep the tests out of the user's cache, unless a folder is set from outside."""
    if 'ROBOT_DYNAMICS_CACHE' not in os.environ:
        os.environ['ROBOT_DYNAMICS_CACHE'] = str(tmp_path_factory.mktemp('kernels'))
