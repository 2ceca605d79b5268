"""The GIM as a heat map, with its condition number and the pivots of its factors."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np

from robot_dynamics.model.denoc import Array
from robot_dynamics.viewer.escaping import plain
from robot_dynamics.viewer.panels.numbers import short

NUMBERS = 8  # joints up to which every cell has its number
CELLS = 16  # joints up to which cells are drawn one by one; beyond, the map is a picture
SIDE, WIDEST = 340.0, 75.0  # [px] of the map, of a cell: at most
UNITS = ('kg m²', 'kg m', 'kg')  # of an entry, by how many of its two joints slide
ROUNDING = 1e-13  # of sqrt(I_ii I_jj): what is smaller is a zero that was computed
WHITE, RED, BLUE = np.array([[244, 243, 240], [178, 40, 44], [36, 84, 150]])


def inertia_html(I: Array, pivots: Array, condition: float, names: tuple[str, ...],
                 slides: list[bool]) -> str:
    """Return the map: colours are I_ij / sqrt(I_ii I_jj), -1 blue to 1 red; cells have numbers.

    I: (n, n) [kg m^2, kg m or kg, as joints turn or slide]; pivots: D of U D U^T, (n,)
    """
    n = len(I)
    if not n:
        return '<div style="padding:4px 8px;font-size:12px">no joint moves</div>'
    root = np.sqrt(np.maximum(np.diag(I), 1e-300))
    shares = np.clip(I / np.outer(root, root), -1, 1)
    drawing = (_cells(I, shares, names, slides) if n <= CELLS else
               f'<img class="rd-inertia" alt="{n} x {n} cells" src="{picture(shares)}" '
               'style="width:100%;image-rendering:pixelated">')
    least = np.nanmin(pivots) if np.isfinite(pivots).any() else np.nan
    return (f'<div style="font-size:12px;padding:2px 8px 6px 8px">{drawing}'
            f'{_caption(np.diag(I), slides)}'
            '<div style="display:flex;justify-content:space-between;margin-top:5px">'
            f'<span>condition <b class="rd-condition">{short(condition)}</b></span>'
            f'<span>least pivot <b>{short(float(least))}</b> '
            f'{unit(slides, int(np.nanargmin(pivots))) if np.isfinite(least) else ""}</span></div>'
            + _pivots(pivots, names, slides) + '</div>')


def _cells(I: Array, shares: Array, names: tuple[str, ...], slides: list[bool]) -> str:
    """Return a drawing with a cell for each entry, that says what it is."""
    n = len(I)
    side = min(SIDE, WIDEST * n)
    known = [plain(name, 60) for name in names]
    cells = [_cell(i, j, I, shares, side / n, known, slides) for i in range(n) for j in range(n)]
    return (f'<svg class="rd-inertia" viewBox="0 0 {side:g} {side:g}" style="width:100%;'
            f'max-width:{side:g}px;display:block;margin:0 auto">'
            f'{"".join(cells)}</svg>')


def _caption(diagonal: Array, slides: list[bool]) -> str:
    """Return what colours mean, the units of the entries, and their size where no cell says it."""
    n, ends = len(diagonal), [color(share) for share in (-1.0, -0.5, 0.0, 0.5, 1.0)]
    mixed = len(set(slides)) > 1
    kinds = (f'{UNITS[0]}, {UNITS[1]} with one slide, {UNITS[2]} with two' if mixed
             else UNITS[2 * slides[0]])
    sizes = [f'{short(float(entries.min()), 3)} to {short(float(entries.max()), 3)} {kind}'
             for kind, entries in ((UNITS[2 * slide], diagonal[np.array(slides) == slide])
                                   for slide in (False, True)) if len(entries)]
    range_text = f'<div>diagonal {", ".join(sizes)}</div>' if n > NUMBERS else ''
    return ('<div class="rd-units" style="color:#666;font-size:11px;margin-top:3px">'
            '<div style="display:flex;justify-content:space-between;gap:8px">'
            f'<span>I<sub>ij</sub> in {kinds}</span><span style="white-space:nowrap">'
            'I<sub>ij</sub> / √(I<sub>ii</sub> I<sub>jj</sub>): -1 <span style="display:inline-'
            'block;width:44px;height:8px;border-radius:2px;background:linear-gradient(to right,'
            f'{",".join(ends)})"></span> 1</span></div>{range_text}</div>')


def picture(shares: Array) -> str:
    """Return the map of many joints as a picture of n x n points, in a data address."""
    n = len(shares)
    rows = np.zeros((n, 1 + 3 * n), np.uint8)  # each row begins with its filter, none
    rows[:, 1:] = colors(shares).reshape(n, -1)
    header = struct.pack('>IIBBBBB', n, n, 8, 2, 0, 0, 0)
    parts = ((b'IHDR', header), (b'IDAT', zlib.compress(rows.tobytes())), (b'IEND', b''))
    data = b'\x89PNG\r\n\x1a\n' + b''.join(
        struct.pack('>I', len(body)) + kind + body + struct.pack('>I', zlib.crc32(kind + body))
        for kind, body in parts)
    return 'data:image/png;base64,' + base64.b64encode(data).decode()


def _cell(i: int, j: int, I: Array, shares: Array, size: float, names: list[str],
          slides: list[bool]) -> str:
    n, value = len(I), float(I[i, j]) if abs(shares[i, j]) > ROUNDING else 0.0
    text = ''
    if n <= NUMBERS:
        word = short(value, 3)
        font = min(12.0, 1.6 * size / max(len(word), 4))
        ink = '#fff' if abs(shares[i, j]) > 0.6 else '#333'
        text = (f'<text x="{(j + 0.5) * size:.1f}" y="{(i + 0.5) * size + 3.5:.1f}" '
                f'text-anchor="middle" font-size="{font:.1f}" '
                f'fill="{ink}">{word}</text>')
    kind = unit(slides, i, j)
    return (f'<g class="rd-cell"><rect x="{j * size:.2f}" y="{i * size:.2f}" '
            f'width="{size * 0.97:.2f}" height="{size * 0.97:.2f}" rx="{min(2.0, size / 8):.1f}" '
            f'fill="{color(shares[i, j])}"><title>{names[i]}, {names[j]}: '
            f'{short(value, 5)} {kind}</title></rect>{text}</g>')


def _pivots(pivots: Array, names: tuple[str, ...], slides: list[bool]) -> str:
    """Return the pivots as bars of their logarithms: the shortest is where the GIM degenerates."""
    good = np.where(np.isfinite(pivots) & (pivots > 0), pivots, np.nan)
    if not np.isfinite(good).any():
        return '<div style="color:#c81e28">the GIM is singular here</div>'
    logs = np.log10(good)
    low, high = np.floor(np.nanmin(logs)) - 0.2, np.nanmax(logs)
    parts = []
    for k, value in enumerate(pivots):
        height = 0.0 if not np.isfinite(logs[k]) else 100 * (logs[k] - low) / max(high - low, 0.2)
        parts.append(
            f'<div title="{plain(names[k], 60)}: {short(float(value), 5)} {unit(slides, k)}" '
            f'style="flex:1;height:{height:.0f}%;background:#4878a8;border-radius:1px"></div>')
    return ('<div style="color:#888;margin-top:4px">pivots D of U D U<sup>T</sup>, '
            'logarithmic</div><div class="rd-pivots" style="display:flex;align-items:flex-end;'
            f'gap:2px;height:34px">{"".join(parts)}</div>')


def unit(slides: list[bool], i: int, j: int | None = None) -> str:
    """Return the unit of an entry of the GIM."""
    return UNITS[slides[i] + slides[i if j is None else j]]


def color(share: float) -> str:
    """Return the colour of a share as HTML has it."""
    r, g, b = colors(np.array(share)).tolist()
    return f'#{r:02x}{g:02x}{b:02x}'


def colors(shares: Array) -> Array:
    """Return red, green, blue, (..., 3) from 0 to 255, of shares -1 to 1: blue, white, red."""
    end = np.where(shares[..., None] >= 0, RED, BLUE)
    mixed = WHITE + (end - WHITE) * np.abs(shares[..., None]) ** 0.7
    colors: Array = mixed.round().astype(np.uint8)
    return colors
