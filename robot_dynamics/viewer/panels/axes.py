"""The axes of plots: ticks and their label side by side, neither over the other."""

from __future__ import annotations

import viser.uplot

LABEL = 20  # [px] of a label
TICKS = 36, 58  # [px] of the numbers below and beside a plot


def time_axes(label: str) -> tuple[viser.uplot.Axis, viser.uplot.Axis]:
    """Return the axes of a plot over time, whose values have a label with their unit."""
    x, y = (viser.uplot.Axis(label=text, labelSize=LABEL, labelGap=0, size=size)
            for text, size in zip(('t [s]', label), TICKS, strict=True))
    return x, y
