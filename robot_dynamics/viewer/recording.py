"""Recordings: what is played, as one HTML file that needs neither Python nor a server."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from robot_dynamics.errors import InputError

if TYPE_CHECKING:
    from robot_dynamics.viewer.page import Page

RATE = 30.0  # pictures a second
MOST = 3600  # pictures of a recording


def recorded(page: Page, rate: float = RATE) -> str:
    """Return the runs of all robots, or the scene as it stands, as the text of a web page."""
    player = page.player
    count = int(np.ceil(player.duration * rate)) if player.runs else 0
    if count > MOST:
        raise InputError(f'a recording of {player.duration:g} s has {count} pictures: expected '
                         f'{MOST} at most')
    with page.lock, unseen(page):
        before, player.playing = player.time, False
        page.paint_all()
        server = page.server
        server._websock_server._record_handles.clear()
        serializer = server.get_scene_serializer()
        for k in range(count + 1 if count else 0):
            player.scrub(k / rate)
            page.paint_all()
            serializer.insert_sleep(1 / rate)
        html: str = serializer.as_html()
        player.scrub(before)
    return html


@contextlib.contextmanager
def unseen(page: Page) -> Iterator[None]:
    """Hide what is for hands alone: gizmos."""
    gizmos = [gizmo for gizmo in page.gizmos() if gizmo.visible]
    for gizmo in gizmos:
        gizmo.visible = False
    try:
        yield
    finally:
        for gizmo in gizmos:
            gizmo.visible = True


def write(page: Page, file: Path) -> None:
    """Write a recording; `InputError`: a file that cannot be written."""
    html = recorded(page)
    try:
        file.write_text(html, encoding='utf-8')
    except OSError as error:
        raise InputError(f'{file}: cannot be written: {error.strerror or error}') from None
