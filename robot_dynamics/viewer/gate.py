"""Who may see the page: loopback by default, else those who have the token of its address."""

from __future__ import annotations

import contextlib
import io
import ipaddress
import secrets
import socket
import threading
from collections.abc import Callable, Iterator
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import viser
import websockets.asyncio.server
from viser import _messages
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from robot_dynamics.errors import InputError
from robot_dynamics.viewer.policy import content_policy

LOOPBACK = '127.0.0.1'
COOKIE = 'robot_dynamics_{port}'  # browsers send cookies to all ports of a host
PAGE = Path(viser.__file__).parent / 'client' / 'build' / 'index.html'
HEADERS = {'Referrer-Policy': 'no-referrer', 'X-Content-Type-Options': 'nosniff',
           'X-Frame-Options': 'DENY', 'Cache-Control': 'no-store'}
_patching = threading.Lock()


class Gate:
    """Decides on each request of a browser, pages and websockets alike.

    On loopback: only names of this machine may be asked for (a foreign site that makes its own
    name point here is refused), and only pages of this server may open the websocket. Elsewhere:
    only who knows the token, from the address or from the cookie that the address gave.

    token: None lets in whoever comes by a name of this machine
    """

    def __init__(self, token: str | None):
        self.token = token

    def answer(self, request: Request, port: int) -> Response | None:
        """Return the refusal, or the way in for who brings the token; None: go on."""
        host = request.headers.get('Host', '')
        if self.token is None and not is_loopback(_name(host)):
            return _refuse('this page is for this machine alone')
        origin = request.headers.get('Origin')
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return _refuse('opened from another page')
        if self.token is None:
            return None
        return self._check_token(request, port)

    def _check_token(self, request: Request, port: int) -> Response | None:
        assert self.token is not None
        query, name = urlsplit(request.path).query, COOKIE.format(port=port)
        if _same(self.token, _cookie(request, name)):
            return None
        if not _same(self.token, parse_qs(query).get('token', [''])[0]):
            return _refuse('take the address with its token, as it was printed')
        if request.headers.get('Upgrade') == 'websocket':
            return None
        headers = Headers(HEADERS, Location='/')  # the token leaves the address bar
        headers['Set-Cookie'] = f'{name}={self.token}; HttpOnly; SameSite=Lax; Path=/'
        return Response(HTTPStatus.SEE_OTHER, 'See Other', headers, b'')

    def guarding(self, process: Callable[[Any, Request], Any]) -> Callable[[Any, Request], Any]:
        """Return a server's way to answer requests, behind this gate."""
        def process_request(connection: Any, request: Request) -> Any:
            refusal = self.answer(request, connection.local_address[1])
            if refusal is not None:
                return refusal
            response = process(connection, request)
            if isinstance(response, Response):
                for key, value in HEADERS.items():
                    response.headers[key] = value
                response.headers['Content-Security-Policy'] = content_policy(
                    PAGE, request.headers['Host'])
            return response
        return process_request


def open_server(host: str = LOOPBACK, port: int = 0, *, token: str | None = None,
                label: str | None = None) -> tuple[viser.ViserServer, str]:
    """Open a viser server behind a gate; return it and the address to give to a browser.

    viser has no way to refuse anybody and listens to the whole network unless told. What it asks
    the websockets library for is wrapped while it starts: a second server in front would leave
    its own port open to every page in the browser. A viser that starts otherwise is refused.

    host: address to bind to; others than loopback ask for a token
    port: 0 lets the system choose; a taken one gives way to the next that is free
    token: None makes one where it is needed
    raises: InputError where host or port cannot be bound
    """
    _check(host, port)
    if token is None and not is_loopback(host):
        token = secrets.token_urlsafe(24)
    gate, started = Gate(token), []
    serve = websockets.asyncio.server.serve

    def guarded(*arguments: Any, process_request: Any = None, **options: Any) -> Any:
        started.append(process_request)
        return serve(*arguments, process_request=gate.guarding(process_request), **options)

    with _patching, silence():
        websockets.asyncio.server.serve = guarded  # type: ignore[assignment, misc]
        try:
            server = viser.ViserServer(host, port, label=label, verbose=False)
        finally:
            websockets.asyncio.server.serve = serve  # type: ignore[misc]
    if not started or started[0] is None:
        server.stop()
        raise InputError(f'viser {viser.__version__} cannot be used safely: its server does not '
                         'let us check who connects')
    for request in (_messages.ShareUrlRequest, _messages.ShareUrlDisconnect):
        server._websock_server.unregister_handler(request)  # a tunnel to the public internet
    return server, address_of(host, server.get_port(), token)


def address_of(host: str, port: int, token: str | None) -> str:
    """Return the address that a browser opens."""
    if host in ('', '0.0.0.0', '::'):
        host = _own_address()
    name = f'[{host}]' if ':' in host else host
    return f'http://{name}:{port}/' + (f'?token={token}' if token else '')


def is_loopback(host: str) -> bool:
    """Return whether a name or an address is that of this machine alone."""
    if host.lower() == 'localhost':
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Keep what viser prints (addresses without the token) off the terminal."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield


def _check(host: str, port: int) -> None:
    """Refuse what cannot be bound: viser itself would wait for ever."""
    if not 0 <= port < 1 << 16:
        raise InputError(f'port {port}: expected 0 to {(1 << 16) - 1}')
    try:
        family, _, _, _, place = socket.getaddrinfo(
            host or None, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.bind(place)
    except OSError as error:
        raise InputError(f'host {host!r}, port {port}: cannot be bound: {error}') from None


def _own_address() -> str:
    """Return this machine's address towards the network; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(('192.0.2.1', 9))  # set aside for documents
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()


def _name(host: str) -> str:
    """Return the name in a Host header, without the port; '' where it has none."""
    try:
        return urlsplit('//' + host).hostname or ''
    except ValueError:
        return ''


def _cookie(request: Request, name: str) -> str:
    for line in request.headers.get_all('Cookie'):
        try:
            cookies = SimpleCookie(line)
        except CookieError:
            continue
        if name in cookies:
            return cookies[name].value
    return ''


def _same(token: str, given: str) -> bool:
    return secrets.compare_digest(token.encode(), given.encode())


def _refuse(why: str) -> Response:
    headers = Headers(HEADERS)
    headers['Content-Type'] = 'text/plain; charset=utf-8'
    return Response(HTTPStatus.FORBIDDEN, 'Forbidden', headers, f'refused: {why}\n'.encode())
