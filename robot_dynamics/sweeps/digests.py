"""Digests of functions and robots: what tells a sweep from another one."""

import inspect
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def source_of(function: Any) -> str:
    """Return a function's name and text; what it calls is not seen."""
    name = f'{getattr(function, "__module__", "")} {getattr(function, "__qualname__", "")}'
    try:
        return f'{name}\n{inspect.getsource(function)}'
    except (OSError, TypeError):
        code = getattr(function, '__code__', None)
        return f'{name}\n{code.co_code.hex()}' if code else f'{name} {type(function)}'


def feed(digest: Any, thing: Any) -> None:
    """Digest a thing that is made of plain parts; others count by their kind and `key`."""
    if isinstance(thing, np.ndarray):
        digest.update(f'{thing.shape} {thing.dtype}'.encode() + np.ascontiguousarray(thing).data)
    elif is_dataclass(thing) and not isinstance(thing, type):
        feed(digest, [(field.name, getattr(thing, field.name)) for field in fields(thing)])
    elif isinstance(thing, Mapping):
        feed(digest, list(thing.items()))
    elif isinstance(thing, (tuple, list)):
        digest.update(f'{len(thing)}('.encode())
        for part in thing:
            feed(digest, part)
    elif isinstance(thing, (str, bytes, int, float, complex, type(None), np.generic)):
        digest.update(repr(thing).encode() + b',')
    else:
        digest.update(f'{type(thing).__name__} {getattr(thing, "key", "")!r}'.encode())
