"""The process that compiles: `python -m robot_dynamics.engine.running.worker`.

It reads pickled jobs (environment, path, spec, name, options) from its input, writes each kernel
into the cache and answers with a pickled pair: what went wrong, empty if nothing did, and the
cache's entry itself where the cache cannot take it. It ends when its input ends.
"""

import contextlib
import gc
import os
import pickle
import signal
import sys
from pathlib import Path
from typing import Any

from robot_dynamics.engine.emission.build import build
from robot_dynamics.engine.large.general import build_general
from robot_dynamics.engine.running import cache

CHANGED = 'the package on disk is not the one that asks: it changed since that was started'

SELDOM = 300_000  # new objects between looks for garbage: a trace has none until it is done


def answer(job: tuple[Any, ...]) -> tuple[str, bytes | None]:
    """Do one job and return the answer."""
    environment, path, spec, name, options = job
    try:
        if environment != cache.environment():
            return CHANGED, None
        entry = Path(path)
        if cache.load(entry) is not None:
            return '', None
        content = cache.pack(*(build_general(*options) if name == 'general'
                               else build(spec, name, options)))
        try:
            cache.store(entry, content)
        except OSError:  # read-only, full: nothing is lost
            return '', content
        return '', None
    except Exception as error:  # whatever it is, the caller goes on without this kernel
        return f'{type(error).__name__}: {error}'.replace('\n', ' '), None


def main() -> None:
    """Work until the input ends, giving way to everything else on the machine."""
    with contextlib.suppress(OSError, AttributeError):
        os.nice(10)
    gc.set_threshold(SELDOM)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent's end is ours, nothing else
    replies = os.fdopen(os.dup(1), 'wb')
    with contextlib.suppress(OSError):  # where there is no stderr
        os.dup2(2, 1)  # nothing else may write where replies go
    while True:
        try:
            job = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        reply = answer(job)
        try:
            pickle.dump(reply, replies)
            replies.flush()
        except BrokenPipeError:  # nobody waits any more; the kernel is in the cache all the same
            os._exit(0)


if __name__ == '__main__':
    main()
