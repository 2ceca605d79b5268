"""Every test of the engine works in a cache folder of the session's own."""

import os

import pytest

from robot_dynamics.engine import wait_for_kernels


@pytest.fixture(autouse=True, scope='session')
def _cache_folder(tmp_path_factory):
    """Keep the tests out of the user's cache."""
    before = os.environ.get('ROBOT_DYNAMICS_CACHE')
    os.environ['ROBOT_DYNAMICS_CACHE'] = str(tmp_path_factory.mktemp('kernels'))
    yield
    wait_for_kernels(60)
    if before is None:
        del os.environ['ROBOT_DYNAMICS_CACHE']
    else:
        os.environ['ROBOT_DYNAMICS_CACHE'] = before


@pytest.fixture(scope='session')
def compiled():
    """Return a function that evaluates a kernel once it is compiled."""
    def evaluate(kernels, name, arguments, out=None, options=()):
        kernels._kernels._store.slot(name, options or kernels._options)
        assert wait_for_kernels(120)
        assert kernels._bind(name) is not None, f'{name} was not compiled'
        return kernels.evaluate(name, arguments, out)
    return evaluate
