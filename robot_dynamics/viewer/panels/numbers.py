"""Numbers as people read them: few digits, no exponent where none is needed, a true minus."""

from __future__ import annotations

import math

LARGE = 999_999.5  # numbers below it have no exponent


def short(value: float, digits: int = 4) -> str:
    """Return a number with some digits; the same text reads back as the rounded number.

    >>> short(-3.14159), short(0.0), short(3000.0, 3), short(1234567.0)
    ('-3.142', '0', '3000', '1.235e+06')
    """
    if not math.isfinite(value):
        return 'nan' if math.isnan(value) else 'inf' if value > 0 else '-inf'
    text = f'{value + 0.0:.{digits}g}'
    return f'{float(text):.0f}' if 'e+' in text and abs(value) < LARGE else text
