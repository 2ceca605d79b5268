"""view: open a page with what the user has."""

from __future__ import annotations

import webbrowser
from typing import TYPE_CHECKING, Any

from robot_dynamics.errors import InputError
from robot_dynamics.loading import load

if TYPE_CHECKING:
    from robot_dynamics.viewer.page import Page


def make_page(host: str, port: int) -> Page:
    """Return an empty page; `InputError`: viser is not installed."""
    try:
        from robot_dynamics.viewer.page import Page
    except ImportError as error:
        if error.name != 'viser':
            raise
        raise InputError('the viewer needs the package viser: install robot_dynamics[viewer], '
                         'in a clone by python3 tools/setup_env.py --extras viewer') from None
    return Page(host, port)


def view(*robots: Any, host: str = '127.0.0.1', port: int = 8080, browser: bool = True) -> Page:
    """Open a page with robots side by side.

    robots: what `load` gives, or files that it reads
    host, port: where the page is served; a port that is taken gives way to the next, 0 is any
    browser: whether to open it
    Returns the page: `page.show` moves a robot, `page.address` says where it is, `page.close`
    ends it. `InputError`: names, an address that cannot be had, viser not installed

    >>> page = rd.view(arm, browser=False, port=0)
    >>> page.show('arm', [0.1, 0.2])
    >>> page.close()
    """
    page = make_page(host, port)
    for robot in robots:
        page.add_robot(robot if hasattr(robot, 'joint_names') else load(robot))
    if browser:
        webbrowser.open(page.address)
    return page
