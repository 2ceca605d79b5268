"""What the tutorials' examples print and draw: docs/tutorials/*.txt and *.png.

    python tools/tutorials.py [NAME ...]

A test runs the examples and compares what they print with the texts. The page of `viewer` shows a
picture of tools/gallery.py.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / 'docs' / 'tutorials'
EXAMPLES = {file.stem.split('_', 1)[1]: file
            for file in sorted((ROOT / 'examples').glob('[0-9]*.py'))}
NUMBER = re.compile(r'(?<![\w.])[-+]?\d+\.?\d*(?:e[-+]?\d+)?')
PORT = re.compile(r'(127\.0\.0\.1):\d+')


def printed(file: Path, folder: Path) -> str:
    """Run an example in a folder; return what it prints, with the port that a page mostly has."""
    words = ['--no-browser'] if '--no-browser' in file.read_text(encoding='utf-8') else []
    done = subprocess.run(
        [sys.executable, file, *words], cwd=folder, check=False, capture_output=True, text=True,
        timeout=600, env={**os.environ, 'PYTHONWARNINGS': 'ignore', 'PYTHONPATH': os.pathsep.join(
            [str(ROOT), os.environ.get('PYTHONPATH', '')])})
    if done.returncode:
        raise RuntimeError(f'{file.name}: {done.stdout[-500:]}{done.stderr[-2000:]}')
    return PORT.sub(r'\1:8080', re.sub(r'\s+\n', '\n', done.stdout))


def difference(kept: str, now: str) -> str:
    """Return how two texts differ: other words, or numbers by more than 2 %; '' where they agree.

    What is below 1e-6 in both is rounding, and blanks are as wide as numbers leave them.
    """
    def words(text: str) -> list[str]:
        return re.sub(r'[\s-]+', ' ', NUMBER.sub('#', text)).replace('[ ', '[').split()

    for a, b in zip([*words(kept), 'the end'], [*words(now), 'the end'], strict=False):
        if a != b:
            return f'{a!r} is now {b!r}'
    for old, new in zip(NUMBER.findall(kept), NUMBER.findall(now), strict=True):
        if abs(float(old) - float(new)) > 1e-6 + 0.02 * abs(float(old)):
            return f'{old} is now {new}'
    return ''


def main() -> int:
    """Run the examples that are asked for; keep their texts, and their pictures made small."""
    from gallery import shrink
    parser = argparse.ArgumentParser(description=(__doc__ or '').splitlines()[0])
    parser.add_argument('names', nargs='*', metavar='NAME', help=', '.join(EXAMPLES))
    for name in parser.parse_args().names or EXAMPLES:
        with tempfile.TemporaryDirectory() as folder:
            text, picture = printed(EXAMPLES[name], Path(folder)), Path(folder, f'{name}.png')
            (KEPT / f'{name}.txt').write_text(text, encoding='utf-8')
            if picture.exists():
                shrink(picture)
                (KEPT / picture.name).write_bytes(picture.read_bytes())
        print(name)
    return 0


if __name__ == '__main__':
    sys.exit(main())
