"""A browser without a picture: speaks with the page as viser's own client does."""

import asyncio
import time

import msgspec
import viser
import zstandard
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosedOK

PROTOCOL = f'viser-v{viser.__version__}'
CAMERA = {'type': 'ViewerCameraMessage', 'wxyz': (1.0, 0.0, 0.0, 0.0), 'position': (3.0, 0.0, 1.0),
          'fov': 1.0, 'near': 0.01, 'far': 1000.0, 'image_height': 600, 'image_width': 800,
          'look_at': (0.0, 0.0, 0.0), 'up_direction': (0.0, 0.0, 1.0)}


class PageClient:
    """One connection; `seen` gets each message as a dict, with the time of its arrival [s]."""

    def __init__(self, seen):
        self.seen, self.socket = seen, None
        self._zstd = zstandard.ZstdDecompressor()

    async def open(self, address, window=()):
        """Connect, and say as a browser does from where it looks; window: its size, if another."""
        host = address.partition('://')[2]
        self.socket = await connect(f'ws://{host}', subprotocols=[PROTOCOL], proxy=None,
                                    max_size=None, compression=None)
        await self.send({**CAMERA, **dict(window)})

    async def send(self, message):
        """Send a message as viser's client would."""
        await self.socket.send(msgspec.msgpack.encode(message))

    async def set(self, uuid, value):
        """Move an element of the page: a slider, a checkbox, a button."""
        await self.send({'type': 'GuiUpdateMessage', 'uuid': uuid, 'updates': {'value': value}})

    async def listen(self, until):
        """Take messages until a time of time.monotonic()."""
        while (left := until - time.monotonic()) > 0:
            try:
                data = await asyncio.wait_for(self.socket.recv(), left)
            except (asyncio.TimeoutError, ConnectionClosedOK):
                return
            self.take(data, time.monotonic())

    def take(self, data, now):
        """Unpack a window of messages."""
        size = int.from_bytes(data[8:16], 'little')
        window = msgspec.msgpack.decode(self._zstd.decompress(data[16:16 + size]))
        for message in window['messages']:
            self.seen(message, now)

    async def close(self):
        await self.socket.close()
