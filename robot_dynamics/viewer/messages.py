"""Messages to people: shown to those who look now, and to those who come later."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

import viser

from robot_dynamics.viewer.escaping import visible

LONGEST = 400  # characters of a message
KEPT = 10  # messages that those who come later are shown


class Messages:
    """What the page says; the same thing is not said twice in a row."""

    def __init__(self, server: viser.ViserServer):
        self._server, self._lock = server, threading.Lock()
        self._said: deque[tuple[str, str, Any]] = deque(maxlen=KEPT)
        server.on_client_connect(self._welcome)

    def say(self, text: str, title: str, color: Any) -> None:
        """Show a message until it is closed."""
        message = visible(title), visible(text, LONGEST), color
        with self._lock:
            if self._said and self._said[-1] == message:
                return
            self._said.append(message)
        for client in self._server.get_clients().values():
            show(client, message)

    def _welcome(self, client: viser.ClientHandle) -> None:
        with self._lock:
            said = list(self._said)
        for message in said:
            show(client, message)


def show(client: viser.ClientHandle, message: tuple[str, str, Any]) -> None:
    """Show a message to one browser."""
    title, text, color = message
    client.add_notification(title, text, auto_close_seconds=None, color=color)
