"""The process that compiles: `python -m robot_dynamics.engine.worker`.

It reads pickled jobs (path, spec, name, options) from its input, writes each kernel into the cache
and answers with a line: `ok`, or what went wrong. It ends when its input ends.
"""

import contextlib
import os
import pickle
import sys
from pathlib import Path

from robot_dynamics.engine import cache
from robot_dynamics.engine.build import build
from robot_dynamics.engine.general import build_general


def answer(job: tuple) -> str:
    """Do one job and return the line to answer."""
    path, spec, name, options = job
    try:
        entry = Path(path)
        if cache.load(entry) is None:
            cache.store(entry, *(build_general(*options) if name == 'general'
                                 else build(spec, name, options)))
        return 'ok'
    except Exception as error:  # whatever it is, the caller goes on without this kernel
        return f'{type(error).__name__}: {error}'.replace('\n', ' ')


def main() -> None:
    """Work until the input ends, giving way to everything else on the machine."""
    with contextlib.suppress(OSError, AttributeError):
        os.nice(10)
    replies, sys.stdout = sys.stdout, sys.stderr  # nothing else may write where replies go
    while True:
        try:
            job = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        reply = answer(job)
        try:
            replies.write(reply + '\n')
            replies.flush()
        except BrokenPipeError:  # nobody waits any more; the kernel is in the cache all the same
            os._exit(0)


if __name__ == '__main__':
    main()
