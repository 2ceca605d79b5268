"""A bar for each joint: its torque against its limit, the parts stacked."""

from __future__ import annotations

from typing import Any

import numpy as np

from robot_dynamics.drawing.arcs import limited
from robot_dynamics.drawing.torque_parts import TorqueParts
from robot_dynamics.viewer.escaping import plain
from robot_dynamics.viewer.motors import ShownMotors
from robot_dynamics.viewer.panels.numbers import short

COLORS = {'gravity': '#4878a8', 'convective': '#8a63b0', 'inertial': '#e08a2c',
          'friction': '#8d8d86', 'external': '#c2447e'}
WIDTH, HALF = 200.0, 100.0  # of the bars, in units of the drawing
LONGEST = 17  # characters of a name
ROUNDING = 1e-14  # of the scale: what is smaller is a zero that was computed


def torque_html(bars: ShownMotors) -> str:
    """Return the bars; right of the middle is positive, the ends are the limits.

    Joints without a limit share the scale of the largest torque among them.
    """
    has = limited(bars.limit)
    sums = sum(np.abs(part) for part in bars.parts)
    most = np.maximum(np.abs(bars.torque), np.asarray(sums) / 1.0)
    free = max(float(most[~has].max(initial=0.0)), 1e-9)
    scale = np.where(has, bars.limit, free)
    height = 26 if len(bars.names) <= 12 else 20
    rows = [_row(bars, k, float(scale[k]), bool(has[k]), height) for k in range(len(bars.names))]
    return (f'<div class="rd-torques" style="{STYLE}">{_legend(bars.parts, has)}' + ''.join(rows)
            + '</div>')


STYLE = 'font-size:12px;line-height:1.25;padding:2px 8px 6px 8px'


def _legend(parts: TorqueParts, has: Any) -> str:
    words = [_mark(COLORS[name], 9, name) for name in parts._fields]
    ends = ('the ends are the limits' if has.all() else 'there are no limits' if not has.any()
            else 'the ends are the limits, where there are some')
    return ('<div style="color:#666;margin-bottom:5px;font-size:11px">' + ''.join(words)
            + f'<div>{_mark("#1a1a1a", 2, "their sum, or what was measured")}{ends}</div></div>')


def _mark(color: str, width: int, text: str) -> str:
    return ('<span style="white-space:nowrap;margin-right:9px"><span style="display:inline-block;'
            f'width:{width}px;height:9px;border-radius:{min(2, width // 3)}px;background:{color};'
            f'margin-right:3px"></span>{text}</span>')


def cut(name: str) -> str:
    """Return a name that fits beside its bar; of long ones the middle is left out.

    >>> cut('left_shoulder_pitch')
    'left_sh…der_pitch'
    """
    return name if len(name) <= LONGEST else f'{name[:LONGEST - 10]}…{name[-9:]}'


def _row(bars: ShownMotors, k: int, scale: float, has: bool, height: int) -> str:
    torque = float(bars.torque[k])
    over = has and abs(torque) > scale * (1 + 1e-9)
    segments, ends = [], {1: HALF, -1: HALF}
    for name, part in zip(bars.parts._fields, bars.parts, strict=True):
        length = float(part[k]) / scale * HALF
        side = 1 if length >= 0 else -1
        start, end = ends[side], min(max(ends[side] + length, 0.0), WIDTH)
        ends[side] = end
        if abs(end - start) > 0.05:
            segments.append(f'<rect x="{min(start, end):.2f}" y="2" width="{abs(end - start):.2f}"'
                            f' height="10" fill="{COLORS[name]}"/>')
    at = min(max(HALF + torque / scale * HALF, 0.0), WIDTH)
    tick = '#c81e28' if over else '#1a1a1a'
    limit = f' / {short(scale, 3)}' if has else ''
    shown = torque if abs(torque) > ROUNDING * scale else 0.0
    unit = bars.units[k]
    drawing = (
        f'<svg viewBox="0 0 {WIDTH:g} 14" preserveAspectRatio="none" style="width:100%;'
        f'height:{height - 12}px;display:block">'
        f'<rect x="0" y="2" width="{WIDTH:g}" height="10" fill="#8882"/>' + ''.join(segments)
        + f'<line x1="{HALF:g}" x2="{HALF:g}" y1="0" y2="14" stroke="#888" stroke-width="0.7"/>'
        f'<rect x="{at - 0.9:.2f}" y="0" width="1.8" height="14" fill="{tick}"/></svg>')
    return (
        f'<div style="display:flex;align-items:center;gap:8px;height:{height}px">'
        f'<div style="width:30%;overflow:hidden;text-overflow:ellipsis;white-space:nowrap" '
        f'title="{plain(bars.names[k], 80)}">{plain(cut(bars.names[k]))}</div>'
        f'<div style="flex:1;min-width:60px">{drawing}</div>'
        f'<div style="width:35%;text-align:right;white-space:nowrap;font-variant-numeric:'
        f'tabular-nums;color:{"#c81e28" if over else "inherit"}">'
        f'<b class="rd-torque" data-joint="{k}">{short(shown)}</b>'
        f'<span style="color:#888">{limit} {unit}</span></div></div>')
