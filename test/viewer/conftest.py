"""A real browser, one for all tests of the page; where there is none, it is said."""

import pytest

from tools.browser import chromium, missing


@pytest.fixture(scope='module')  # while it is there, no other event loop can run in the thread
def browser():
    """Chromium; tests that need it are skipped with what is missing."""
    if why := missing():
        pytest.skip(why)
    with chromium() as found:
        yield found
