"""Numbers as people read them: few digits, no exponent where none is needed, a true minus."""

from __future__ import annotations

import math


def short(value: float, digits: int = 4) -> str:
    """Return a number with some digits; the same text reads back as the rounded number.

    >>> short(-3.14159), short(0.0), short(123456.0)
    ('-3.142', '0', '1.235e+05')
    """
    if not math.isfinite(value):
        return 'nan' if math.isnan(value) else 'inf' if value > 0 else '-inf'
    return f'{value + 0.0:.{digits}g}'
