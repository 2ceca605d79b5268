"""Warnings about one robot: a sentence for each thing, or one for each kind of thing.

A description made by a program has the same flaw in every link. Sentences that differ in names
and numbers alone are of one kind: the first is said, with how many there are and who is meant.
"""

import re
from collections.abc import Iterable

SHOWN = 4  # names beside the first
_NAME = re.compile(r"'(?:[^'\\]|\\.)*'")
_NUMBER = re.compile(r'[-+]?\d[\d.]*(?:e[-+]?\d+)?', re.IGNORECASE)


class Notes(tuple[str, ...]):
    """One sentence for each kind of warning; `full` has them all."""

    full: tuple[str, ...]

    def __new__(cls, sentences: Iterable[str] = ()) -> 'Notes':
        """Gather the sentences, in the order in which their kinds first come."""
        full = tuple(sentences)
        kinds: dict[str, list[str]] = {}
        for sentence in full:
            kinds.setdefault(_NUMBER.sub('#', _NAME.sub("''", sentence)), []).append(sentence)
        notes = super().__new__(cls, map(_gathered, kinds.values()))
        notes.full = full
        return notes

    def __reduce__(self) -> tuple[type['Notes'], tuple[tuple[str, ...]]]:
        """Pickle by what it was made of."""
        return type(self), (self.full,)


def _gathered(sentences: list[str]) -> str:
    first, *others = sentences
    if not others:
        return first
    names = [match.group(0) for match in map(_NAME.search, others[:SHOWN]) if match]
    meant = f': {", ".join(names)}{", ..." if len(others) > SHOWN else ""}' if names else ''
    return f'{first} ({len(sentences)} of this kind{meant})'
