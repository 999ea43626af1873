"""Pictures made of characters, for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

# A cell is two dots wide and four high; these are the bits of the Braille patterns' dots.
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))


def sketch(xs: Sequence[float], ys: Sequence[float], *, across: str, up: str, width: int = 64, height: int = 14) -> str:
    """Points in a frame, with the ends of both axes written out.

    >>> print(sketch([0, 1, 2], [0, 1, 2], across="place", up="value", width=4, height=2))
    value
    2 ┤   ⠈
    0 ┤⡀ ⠁
      └────
       0  2
       place
    """
    low, high = (min(ys), max(ys)) if len(ys) else (0.0, 1.0)
    left, right = (min(xs), max(xs)) if len(xs) else (0.0, 1.0)
    cells = [[0] * width for _ in range(height)]
    for x, y in zip(xs, ys, strict=True):
        column = round(_share(x, left, right) * (2 * width - 1))
        row = round((1 - _share(y, low, high)) * (4 * height - 1))
        cells[row // 4][column // 2] |= _DOTS[row % 4][column % 2]
    names = [f"{high:.4g}", *[""] * (height - 2), f"{low:.4g}"]
    margin = max(map(len, names))
    lines = [
        f"{name.rjust(margin)} {'┤' if name else '│'}{''.join(chr(0x2800 + c) if c else ' ' for c in row)}".rstrip()
        for name, row in zip(names, cells, strict=True)
    ]
    ends = f"{left:.4g}", f"{right:.4g}"
    below = ends[0] + ends[1].rjust(width - len(ends[0]))
    pad = " " * margin
    return "\n".join([up, *lines, f"{pad} └{'─' * width}", f"{pad}  {below}", f"{pad}  {across}"])


def _share(value: float, low: float, high: float) -> float:
    return (value - low) / (high - low) if high > low else 0.0
