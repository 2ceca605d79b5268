"""A real Chromium, driven by Playwright: for tests of the page and for pictures of it."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from typing import Any

NAMES = ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable')
# Software graphics: machines of tests have no other. Without a sandbox containers run it too; it
# looks at pages of this machine alone.
ARGUMENTS = ('--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader',
             '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', '--disable-dev-shm-usage')


def missing() -> str:
    """Return what a browser lacks on this machine, '' where nothing does."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return 'playwright is not installed'
    return '' if executable() else f'no browser: none of {", ".join(NAMES)}; CHROMIUM=... names it'


def executable() -> str | None:
    """Return the path of the browser, None where there is none."""
    return os.environ.get('CHROMIUM') or next(filter(None, map(shutil.which, NAMES)), None)


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """Give a browser that is closed afterwards."""
    from playwright.sync_api import sync_playwright
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()
