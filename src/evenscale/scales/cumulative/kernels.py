"""Compiled loops over pair sums. Only imported where a scale has to be swept: it loads Numba.

A pair sum is `rows[r] + long[p]`. Windows start at a high word `at` and are `width` high words wide; inside, a sum is
kept as its distance from the start: `key` (high word) and, where there are low words, `low`. Arguments named `*_low`
and `lows` may be None; Numba then compiles the loops for one word only. Places in arrays are unsigned, which spares a
test for negative indices at every access.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])
Signed: TypeAlias = NDArray[np.int64]
Places: TypeAlias = NDArray[np.uint64]

U = np.uint64
ZERO, ONE, NONE = U(0), U(1), U((1 << 64) - 1)
DIGIT = U(10)
RADIX = ONE << DIGIT
MASK = RADIX - ONE
SMALL = 48
"""Up to so many elements are sorted by insertion alone."""


def compiled(function: F) -> F:
    """Compiled at the first call and kept on disk; without the global lock, so that threads run side by side."""
    jit: Any = numba.njit
    try:
        return cast(F, jit(cache=True, nogil=True)(function))
    except RuntimeError:  # there is nowhere to keep it
        return cast(F, jit(nogil=True)(function))


@compiled
def reach_for(long: Signed, long_low: Any, p: Any, end: Any, high: Any, low: Any) -> Any:
    """The first place from p on whose sum is at least (high, low): steps that double, then halving."""
    step = ONE
    start, stop = p, p
    while stop < end and _less(long, long_low, stop, high, low):
        start = stop + ONE
        stop = min(stop + step, end)
        step += step
    while start < stop:
        middle = (start + stop) >> ONE
        if _less(long, long_low, middle, high, low):
            start = middle + ONE
        else:
            stop = middle
    return start


@compiled
def _less(long: Signed, long_low: Any, p: Any, high: Any, low: Any) -> Any:
    if long_low is None:
        return long[p] < high
    return long[p] < high or (long[p] == high and long_low[p] < low)


@compiled
def _minus(high: Any, low: Any, rows: Signed, rows_low: Any, r: Any, low_bits: Any) -> Any:
    """(high, low) minus a row."""
    if rows_low is None:
        return high - rows[r], low
    difference = low - rows_low[r]
    if difference < 0:
        return high - rows[r] - 1, difference + (1 << low_bits)
    return high - rows[r], difference


@compiled
def advance(
    rows: Signed,
    rows_low: Any,
    end: Places,
    long: Signed,
    long_low: Any,
    low_bits: int,
    high: int,
    low: int,
    places: Places,
) -> None:
    """Move every row's place on to its first sum that makes (high, low) or more."""
    for r in range(U(len(rows))):
        want, want_low = _minus(np.int64(high), np.int64(low), rows, rows_low, r, low_bits)
        places[r] = reach_for(long, long_low, places[r], end[r], want, want_low)


@compiled
def gather(
    rows: Signed,
    rows_low: Any,
    long: Signed,
    long_low: Any,
    low_bits: int,
    at: int,
    width: int,
    places: Places,
    after: Places,
    keys: Places,
    lows: Any,
) -> int:
    """The pair sums of a window, unsorted, and the places behind them; -1 if there is no room for them."""
    n, room = ZERO, U(len(keys))
    for r in range(U(len(rows))):
        p = places[r]
        high, low = _minus(np.int64(at), np.int64(0), rows, rows_low, r, low_bits)
        key, rest = _offset(long, long_low, p, high, low, low_bits)
        while key < width:
            if n == room:
                return -1
            keys[n] = U(key)
            if lows is not None:
                lows[n] = U(rest)
            n += ONE
            p += ONE
            key, rest = _offset(long, long_low, p, high, low, low_bits)
        after[r] = p
    return np.int64(n)  # type: ignore[return-value]


@compiled
def _offset(long: Signed, long_low: Any, p: Any, high: Any, low: Any, low_bits: Any) -> Any:
    """A long sum minus (high, low)."""
    if long_low is None:
        return long[p] - high, low
    key, rest = long[p] - high, long_low[p] - low
    if rest < 0:
        return key - 1, rest + (1 << low_bits)
    return key, rest


# --- sorting a window -----------------------------------------------------------------------------------------------


@compiled
def _bits(value: Any) -> Any:
    count = ZERO
    while value >> count:
        count += ONE
    return count


@compiled
def _sort_by(
    digits: Places,
    spare_digits: Places,
    keys: Places,
    lows: Any,
    spare: Places,
    spare_lows: Any,
    n: Any,
    shift: Any,
) -> None:
    """Radix sort by the two digits of `digits` (the keys or the lows) above `shift`; the result ends where it began."""
    counts = np.zeros((2, RADIX), np.uint64)
    for i in range(n):
        both = digits[i] >> shift
        counts[0, both & MASK] += ONE
        counts[1, (both >> DIGIT) & MASK] += ONE
    _scatter(keys, lows, spare, spare_lows, n, digits, shift, ZERO, counts[0])
    _scatter(spare, spare_lows, keys, lows, n, spare_digits, shift, DIGIT, counts[1])


@compiled
def _scatter(
    keys: Places, lows: Any, out: Places, out_lows: Any, n: Any, digits: Places, shift: Any, more: Any, counts: Places
) -> None:
    """One pass of a radix sort, by a digit whose values are counted. In two shifts: one by 64 or more is undefined."""
    start = ZERO
    for digit in range(RADIX):
        length = counts[digit]
        counts[digit] = start
        start += length
    for i in range(n):
        digit = ((digits[i] >> shift) >> more) & MASK
        place = counts[digit]
        out[place] = keys[i]
        if lows is not None:
            out_lows[place] = lows[i]
        counts[digit] = place + ONE


@compiled
def _above(keys: Places, lows: Any, j: Any, key: Any, low: Any) -> Any:
    if lows is None:
        return keys[j] > key
    return keys[j] > key or (keys[j] == key and lows[j] > low)


@compiled
def _insert(keys: Places, lows: Any, n: Any, most: Any) -> Any:
    """Insertion sort, for what is almost sorted; False where it would have to move more than `most`."""
    moves = ZERO
    for i in range(ONE, n):
        key = keys[i]
        low = ZERO
        if lows is not None:
            low = lows[i]
        j: Any = i
        while j > ZERO and _above(keys, lows, j - ONE, key, low):
            keys[j] = keys[j - ONE]
            if lows is not None:
                lows[j] = lows[j - ONE]
            j -= ONE
        keys[j] = key
        if lows is not None:
            lows[j] = low
        moves += i - j
        if moves > most:
            return False
    return True


@compiled
def _sort(keys: Places, lows: Any, spare: Places, spare_lows: Any, n: Any, width: Any, low_bits: Any) -> None:
    """Sort the first n sums. By the two leading digits leaves little to insert, unless the sums cluster."""
    bits = _bits(U(width - 1))
    if n > U(SMALL):
        shift = bits - min(bits, DIGIT + DIGIT)
        _sort_by(keys, spare, keys, lows, spare, spare_lows, n, shift)
    if not _insert(keys, lows, n, U(4) * n + U(SMALL * SMALL)):
        if lows is not None:
            for shift in range(ZERO, U(low_bits), DIGIT + DIGIT):
                _sort_by(lows, spare_lows, keys, lows, spare, spare_lows, n, shift)
        for shift in range(ZERO, bits, DIGIT + DIGIT):
            _sort_by(keys, spare, keys, lows, spare, spare_lows, n, shift)


@compiled
def _squeeze(keys: Places, lows: Any, n: Any) -> Any:
    """Keep one of each among n sorted sums; how many there are. No branches: what repeats is not predictable."""
    if n == ZERO:
        return ZERO
    last = ZERO
    if lows is None:
        for i in range(ONE, n):
            last += U(keys[i] != keys[i - ONE])
            keys[last] = keys[i]
    else:
        for i in range(ONE, n):
            last += U((keys[i] != keys[i - ONE]) | (lows[i] != lows[i - ONE]))
            keys[last] = keys[i]
            lows[last] = lows[i]
    return last + ONE


@compiled
def settle(keys: Places, lows: Any, spare: Places, spare_lows: Any, n: int, width: int, low_bits: int) -> int:
    """Sort the first n sums of a window and keep one of each; how many are left."""
    count = U(n)
    _sort(keys, lows, spare, spare_lows, count, width, low_bits)
    return np.int64(_squeeze(keys, lows, count))  # type: ignore[return-value]


# --- sweeping -------------------------------------------------------------------------------------------------------


@compiled
def _note(gaps: Places, high: Any, low: Any) -> None:
    """Widen the range of gaps: least high, least low, most high, most low."""
    if high < gaps[0] or (high == gaps[0] and low < gaps[1]):
        gaps[0], gaps[1] = high, low
    if high > gaps[2] or (high == gaps[2] and low > gaps[3]):
        gaps[2], gaps[3] = high, low


@compiled
def _count(keys: Places, lows: Any, n: Any, low_bits: Any, gaps: Places) -> Any:
    """How many different sums there are among n sorted ones; notes the gaps between them."""
    count = ONE
    if lows is None:
        least, most = NONE, ZERO
        for i in range(ONE, n):
            gap = keys[i] - keys[i - ONE]
            count += U(gap != ZERO)
            least = min(least, gap - ONE)  # no gap at all wraps around to the largest number
            most = max(most, gap)
        if count > ONE:
            _note(gaps, least + ONE, ZERO)
            _note(gaps, most, ZERO)
    else:
        for i in range(ONE, n):
            high, low = _apart(keys[i], lows[i], keys[i - ONE], lows[i - ONE], low_bits)
            if high != ZERO or low != ZERO:
                count += ONE
                _note(gaps, high, low)
    return count


@compiled
def _apart(high: Any, low: Any, below: Any, below_low: Any, low_bits: Any) -> Any:
    """How far two sums are apart, the larger first."""
    if low < below_low:
        return high - below - ONE, low + (ONE << U(low_bits)) - below_low
    return high - below, low - below_low


@compiled
def _room(like: Any, n: int) -> Any:
    """Room for low words, where there are any."""
    if like is None:
        return None
    return np.empty(n, np.uint64)


@compiled
def _rounded(width: Any) -> Any:
    """Down to five leading bits: edges of windows then take little space on disk."""
    shift = 0
    while width >> (shift + 5):
        shift += 1
    return max(1, (width >> shift) << shift)


@compiled
def _next_width(width: Any, n: Any, target: Any) -> Any:
    """The width that would have held `target` pairs, but at most four times as wide as the last one."""
    width = min(width, 1 << 58)
    if n * 4 < target:
        return _rounded(width * 4)
    return _rounded(max(1, int(width * (target / n))))


@compiled
def _longer(array: Signed) -> Signed:
    result = np.empty(2 * len(array), np.int64)
    result[: len(array)] = array
    return result


@compiled
def sweep(
    rows: Signed,
    rows_low: Any,
    begin: Places,
    end: Places,
    long: Signed,
    long_low: Any,
    low_bits: int,
    at: int,
    stop: int,
    target: int,
) -> tuple[Signed, Signed, int, Places, Places]:
    """Count the distinct sums from the high word `at` up to but not including `stop`, window by window.

    Widths follow the density of the sums, so that a window holds about `target` pairs. Returns where the windows start,
    how many distinct sums each holds, the number of pairs, the gaps (see `_note`), and the first and the last sum as
    distances from `at`.
    """
    room = max(2 * target, len(rows) + 1)
    keys, lows = np.empty(room, np.uint64), _room(long_low, room)
    spare, spare_lows = np.empty(room, np.uint64), _room(long_low, room)
    places, after = begin.copy(), np.empty_like(begin)
    advance(rows, rows_low, end, long, long_low, low_bits, at, 0, places)
    starts, found = np.empty(64, np.int64), np.empty(64, np.int64)
    gaps = np.array([NONE, NONE, ZERO, ZERO])
    ends = np.array([NONE, ZERO, ZERO, ZERO])
    here, pairs, windows = at, 0, 0
    width = _rounded((stop - at) // 16 + 1)
    while here < stop:
        width = min(width, stop - here)
        n = gather(rows, rows_low, long, long_low, low_bits, here, width, places, after, keys, lows)
        if n < 0 and width > 1:
            width = _rounded(width // 2)
            continue
        if n < 0:  # more sums in one high word than there is room for: only with two words
            room *= 2
            keys, lows = np.empty(room, np.uint64), _room(long_low, room)
            spare, spare_lows = np.empty(room, np.uint64), _room(long_low, room)
            continue
        if windows == len(starts):
            starts, found = _longer(starts), _longer(found)
        starts[windows], found[windows] = here, 0
        if n > 0:
            _sort(keys, lows, spare, spare_lows, U(n), width, low_bits)
            found[windows] = _count(keys, lows, U(n), low_bits, gaps)
            _join(keys, lows, U(n), U(here - at), low_bits, gaps, ends)
        windows += 1
        pairs += n
        places, after = after, places
        here += width
        width = _next_width(width, n, target)
    return starts[:windows], found[:windows], pairs, gaps, ends


@compiled
def _join(keys: Places, lows: Any, n: Any, base: Any, low_bits: Any, gaps: Places, ends: Places) -> None:
    """Note the gap between what came before and a sorted window, and its last sum."""
    first_low, last_low = ZERO, ZERO
    if lows is not None:
        first_low, last_low = lows[ZERO], lows[n - ONE]
    if ends[0] == NONE:
        ends[0], ends[1] = base + keys[ZERO], first_low
    else:
        high, low = _apart(base + keys[ZERO], first_low, ends[2], ends[3], low_bits)
        _note(gaps, high, low)
    ends[2], ends[3] = base + keys[n - ONE], last_low
