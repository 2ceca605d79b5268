"""Who may see the page: asked over real sockets, as browsers and others would."""

import asyncio
import http.client

import pytest

viser = pytest.importorskip('viser')

from websockets.asyncio.client import connect  # noqa: E402
from websockets.exceptions import InvalidStatus  # noqa: E402

from robot_dynamics.errors import InputError  # noqa: E402
from robot_dynamics.viewer.gate import address_of, is_loopback, open_server, silence  # noqa: E402

TOKEN = 'a-token-for-tests'
PROTOCOL = f'viser-v{viser.__version__}'


@pytest.fixture(scope='module')
def local():
    server, address = open_server()
    yield server, address
    with silence():
        server.stop()


@pytest.fixture(scope='module')
def public():
    """A server behind a token; it is bound to loopback, for the test's sake."""
    server, address = open_server(token=TOKEN)
    yield server, address
    with silence():
        server.stop()


def get(server, path='/', **headers):
    """Return status, headers and body of a request."""
    connection = http.client.HTTPConnection('127.0.0.1', server.get_port(), timeout=20)
    connection.request('GET', path, headers={k.replace('_', '-'): v for k, v in headers.items()})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, answer.headers, body


def socket_opens(server, path='/', **headers):
    """Return whether a websocket opens and the scene arrives."""
    async def try_it():
        try:
            async with connect(f'ws://127.0.0.1:{server.get_port()}{path}', proxy=None,
                               subprotocols=[PROTOCOL], max_size=None,
                               additional_headers=headers) as socket:
                return bool(await asyncio.wait_for(socket.recv(), 20))
        except InvalidStatus as refusal:
            return {403: False}[refusal.response.status_code]
    return asyncio.run(try_it())


def test_loopback_is_open_to_this_machine_alone(local):
    server, address = local
    assert address == f'http://127.0.0.1:{server.get_port()}/'
    assert server.get_host() == '127.0.0.1'
    assert get(server)[0] == 200
    assert get(server, Host=f'localhost:{server.get_port()}')[0] == 200
    assert get(server, Host='[::1]:9')[0] == 200  # a forwarded port
    for name in ('evil.example', 'evil.example:80', '127.0.0.1.evil.example', '10.0.0.1', '', '['):
        assert get(server, Host=name)[0] == 403, name


def test_other_pages_cannot_open_the_websocket(local):
    server, _ = local
    own = f'127.0.0.1:{server.get_port()}'
    assert socket_opens(server)
    assert socket_opens(server, Origin=f'http://{own}')
    for origin in ('http://evil.example', 'http://127.0.0.1:1', 'null', 'http://localhost'):
        assert not socket_opens(server, Origin=origin), origin


def test_without_the_token_everything_is_refused(public):
    server, address = public
    assert address.endswith(f'/?token={TOKEN}')
    for path in ('/', '/index.html', '/?token=', f'/?token={TOKEN}x', f'/?token={TOKEN[:-1]}',
                 f'/?x={TOKEN}', f'/{TOKEN}', '/?token=%ff', '/../../../../etc/passwd'):
        status, _, body = get(server, path)
        assert status == 403, path
        assert TOKEN.encode() not in body
    assert not socket_opens(server)
    assert not socket_opens(server, '/?token=wrong')
    assert not socket_opens(server, Cookie=f'robot_dynamics_{server.get_port()}=wrong')
    assert not socket_opens(server, Cookie=';;==')


def test_the_token_of_the_address_becomes_a_cookie(public):
    server, _ = public
    status, headers, _ = get(server, f'/?token={TOKEN}')
    assert (status, headers['Location']) == (303, '/')
    cookie = headers['Set-Cookie']
    assert 'HttpOnly' in cookie and 'SameSite=Lax' in cookie
    pair = cookie.partition(';')[0]
    assert get(server, Cookie=pair)[0] == 200
    assert get(server, Cookie=pair, Host='robot.example:1')[0] == 200
    assert socket_opens(server, Cookie=pair)
    assert socket_opens(server, f'/?token={TOKEN}')
    assert not socket_opens(server, Cookie=pair, Origin='http://evil.example')


def test_files_outside_the_page_are_not_served(local):
    server, _ = local
    for path in ('/../../../../../etc/passwd', '/%2e%2e/%2e%2e/%2e%2e/etc/passwd',
                 '/..\\..\\..\\etc\\passwd', '//etc/passwd'):
        status, _, body = get(server, path)
        assert status == 404 and b'root:' not in body, path


def test_the_page_may_run_its_own_scripts_alone(local):
    server, _ = local
    policy = get(server)[1]['Content-Security-Policy']
    scripts = next(part for part in policy.split(';') if 'script-src' in part)
    assert scripts.count('sha256-') == 2 and 'unsafe-inline' not in scripts
    assert "frame-ancestors 'none'" in policy
    sockets = next(part for part in policy.split(';') if 'connect-src' in part)
    assert f'ws://127.0.0.1:{server.get_port()} ' in sockets and '*' not in sockets


def test_no_tunnel_to_the_internet(local):
    server, _ = local
    handlers = {kind.__name__ for kind in server._websock_server._incoming_handlers}
    assert handlers and not any('Share' in name for name in handlers)


def test_hosts_that_are_not_loopback_get_a_token():
    server, address = open_server('0.0.0.0')
    try:
        token = address.partition('?token=')[2]
        assert len(token) >= 32
        assert '0.0.0.0' not in address
        assert get(server)[0] == 403
        assert get(server, f'/?token={token}')[0] == 303
    finally:
        with silence():
            server.stop()


@pytest.mark.parametrize(('host', 'port'), [
    ('192.0.2.1', 0), ('no such host', 0), ('127.0.0.1', -1), ('127.0.0.1', 70000)])
def test_what_cannot_be_bound_is_refused(host, port):
    with pytest.raises(InputError, match='port'):
        open_server(host, port)


def test_addresses():
    assert address_of('::1', 80, None) == 'http://[::1]:80/'
    assert address_of('10.0.0.1', 80, 't') == 'http://10.0.0.1:80/?token=t'
    assert is_loopback('LOCALHOST') and is_loopback('127.9.9.9') and is_loopback('::1')
    assert not is_loopback('') and not is_loopback('0.0.0.0') and not is_loopback('a.localhost.b')
