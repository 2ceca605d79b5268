"""Which scripts viser's page may run: its own, by their hashes, and none that came as text."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from pathlib import Path

import numpy as np

# viser's page is one file: a loader, and what it unpacks, in base 88 (printable ASCII without
# what HTML has uses for): four bytes in five characters.
ALPHABET = [c for c in range(0x21, 0x7f) if chr(c) not in '"&<>\'`']
LOADER = re.compile(r'<script data-p="([^"]*)" data-ss="(\d+)" data-cs="(\d+)">(.*?)</script>',
                    re.DOTALL)
LARGEST = 1 << 28  # [bytes] no page has more

POLICY = ("default-src 'none'; {scripts}style-src 'unsafe-inline'; img-src 'self' data: blob:; "
          "font-src data:; worker-src blob: data:; connect-src 'self' {sockets} data: blob:; "
          "frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
ANY_SCRIPT = "script-src 'unsafe-inline' 'unsafe-eval'; "


def content_policy(page: Path, host: str) -> str:
    """Return the Content-Security-Policy of viser's page, for who came by a host's name.

    Names and texts of robots are escaped where they are shown; should one slip through, the
    browser still runs nothing. Nor does the page speak with other servers than its own.

    page: viser's index.html
    host: the Host of the request, where its websocket is too
    """
    return POLICY.format(scripts=_scripts(page), sockets=f'ws://{host} wss://{host}')


@functools.lru_cache(maxsize=4)
def _scripts(page: Path) -> str:
    """Return which scripts may run: those of the page; any, where it is packed in another way."""
    found = LOADER.findall(page.read_text(encoding='utf-8'))
    if len(found) != 1:
        return ANY_SCRIPT
    packed, styles, code, loader = found[0]
    try:
        text = _unpacked(packed)[int(styles):int(styles) + int(code)]
    except ValueError:
        return ANY_SCRIPT
    hashes = ' '.join(f"'{_hash(part)}'" for part in (loader.encode(), text))
    return f"script-src {hashes} 'unsafe-eval'; "  # its libraries make functions of text


def _unpacked(packed: str) -> bytes:
    """Return what a loader unpacks: styles, then code."""
    import zstandard  # viser's own

    values = np.full(128, -1, dtype=np.int64)
    values[ALPHABET] = np.arange(len(ALPHABET))
    digits = values[np.frombuffer(packed.encode('ascii'), dtype=np.uint8)]
    if digits.min(initial=0) < 0:
        raise ValueError('not in base 88')
    whole = len(digits) // 5 * 5
    powers = 88 ** np.arange(4, -1, -1)
    data = (digits[:whole].reshape(-1, 5) @ powers).astype('>u4').tobytes()
    rest = len(digits) - whole  # k characters hold k - 1 bytes
    if rest:
        number = int(digits[whole:] @ powers[5 - rest:])
        data += number.to_bytes(rest, 'big')[1:]
    try:
        return zstandard.ZstdDecompressor().decompress(data, max_output_size=LARGEST)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from None


def _hash(script: bytes) -> str:
    return 'sha256-' + base64.b64encode(hashlib.sha256(script).digest()).decode()
