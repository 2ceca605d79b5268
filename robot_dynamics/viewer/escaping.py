"""Texts of others on the page: names of joints, messages, paths. None of them is markup."""

from __future__ import annotations

LONGEST = 2000  # characters of one text on the page


def plain(text: object, longest: int = LONGEST) -> str:
    """Return a text as it is shown in viser's markdown and HTML, and nothing but shown.

    Both run what they are given, scripts too. A character reference is text in either: all that
    is neither letter, digit nor space becomes one. Lines become one line.

    >>> plain('<b>elbow</b>')
    '&#60;b&#62;elbow&#60;&#47;b&#62;'
    """
    shown = visible(text, longest)
    return ''.join(c if c.isalnum() or c == ' ' else f'&#{ord(c)};' for c in shown)


def visible(text: object, longest: int = LONGEST) -> str:
    r"""Return a text for labels, which are never markup: one line, no controls, not too long.

    >>> visible('a\x1b[31m\nb')
    'a [31m b'
    """
    shown = ''.join(c if c.isprintable() else ' ' for c in str(text))
    return shown if len(shown) <= longest else shown[:longest - 1] + '…'
