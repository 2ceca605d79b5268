"""Fixtures for all tests, and the order in which they run."""

import os
from pathlib import Path

import pytest

from robot_dynamics.engine.running import background

MOST_WORKERS = 4
background.IDLE = 100.0  # [s]: what compiles is not started anew for every test
background.DELAY = 2.0  # [s]: kernels of robots that are gone by then are not compiled
LONG = ('test_closed_loop', 'test_browser', 'test_mechanism', 'test_documented',
        'test_parallel_legs', 'test_page', 'test_robots_at_rest', 'test_live_mechanisms',
        'test_stacks', 'test_verbs', 'test_studies', 'test_fuzz', 'test_injection', 'test_cluster')


@pytest.fixture
def data_folder() -> Path:
    """Return test/data."""
    return Path(__file__).parent / 'data'


@pytest.fixture(scope='module')
def panda():
    """Return the Panda, its fingers locked."""
    from oracle import PANDA

    import robot_dynamics as rd
    return rd.load(PANDA, locked={'panda_finger_joint1': 0.02})


@pytest.fixture(scope='module')
def oracle():
    """Return the Panda with its fingers, and Pinocchio's view of it."""
    from oracle import PANDA, Oracle

    import robot_dynamics as rd
    robot = rd.load(PANDA, friction=False)
    return robot, Oracle(PANDA, robot)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Tests of nodes mostly wait: one worker more than there are processors."""
    return min(len(os.sched_getaffinity(0)) + 1, MOST_WORKERS)


def pytest_collection_modifyitems(items: list) -> None:
    """Long files go first, then what waits while others compute: none is left for the end."""
    def rank(item: pytest.Item) -> int:
        if item.path.stem in LONG:
            return LONG.index(item.path.stem)
        return len(LONG) + ('ros' not in item.path.parts)
    items.sort(key=rank)
