"""What a study hands back: the paper's numbers beside ours, and a judgement of each."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, SupportsFloat

from robot_dynamics.errors import InputError

SAME, CLOSE, BETTER, DIFFERS, OURS = 'same', 'close', 'better', 'differs', 'no number'


class Row(NamedTuple):
    """One number, or one group of numbers."""

    item: str  # where the paper has it
    paper: str
    ours: str
    verdict: str  # SAME, CLOSE, BETTER (fewer operations), DIFFERS, OURS (the paper prints none)
    why: str  # said plainly

    def check(self) -> 'Row':
        """Return the row; every cell must say something."""
        if not all(cell.strip() for cell in self):
            raise InputError(f'{self.item}: an empty cell')
        return self


class Study(NamedTuple):
    """One command of `robot-dynamics reproduce`."""

    title: str
    paper: str  # key
    run: Callable[[Path], list[Row]]  # of the folder for its figures


def pair(multiplications: SupportsFloat, additions: SupportsFloat) -> str:
    """Return an operation count as text."""
    def word(x: SupportsFloat) -> str:
        return f'{float(x):.1f}'.removesuffix('.0')
    return f'{word(multiplications)} M {word(additions)} A'


def compare(ours: tuple[float, float], paper: tuple[float, float]) -> str:
    """Return the verdict on an operation count."""
    if ours == paper:
        return SAME
    if ours[0] <= paper[0] and ours[1] <= paper[1]:
        return BETTER
    return DIFFERS
