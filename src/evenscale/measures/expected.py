"""The expected value of a measure over all orders of tied documents, for any path sum.

Within a span of tied ranks every order is equally likely. A dynamic programme carries the probability of each pair of
(the walk's state, what is left of the span's grades) from rank to rank; the expectation is the sum of the expected
increments. McSherry and Najork 2008 give closed forms for six measures; this needs none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from evenscale.judged.topic import Grade, Judged
from evenscale.measures.contract import Measure, State, Walk
from evenscale.measures.exact import Exact, total

Span: TypeAlias = tuple[int, int]
_Left: TypeAlias = tuple[tuple[Grade | None, int], ...]


def expected(measure: Measure, judged: Judged, spans: Sequence[Span]) -> Exact:
    """The exact expected value where the ranks of each span `(first, last)` are in random order.

    >>> from evenscale.measures.reciprocal_rank import RR
    >>> expected(RR(), Judged.of([1, 0, 0]), [(1, 2)])
    Fraction(3, 4)
    """
    walk = measure.walk(judged.topic, len(judged.grades))
    return walk.finish(
        _additive(walk, measure, judged, spans) if walk.weight else _general(walk, measure, judged, spans)
    )


def expected_float(measure: Measure, judged: Judged, spans: Sequence[Span]) -> float:
    """The same in floating point: probabilities and increments are rounded, which makes long spans affordable."""
    walk = measure.walk(judged.topic, len(judged.grades))
    if walk.weight:
        return float(walk.finish(_additive(walk, measure, judged, spans)))
    increments = _general(walk, measure, judged, spans, one=1.0)
    return float(walk.offset) + (increments / float(walk.divisor) if walk.divisor else 0.0)


def _additive(walk: Walk, measure: Measure, judged: Judged, spans: Sequence[Span]) -> Any:
    """Without state, every document of a span counts the span's mean gain at each of its ranks."""
    assert walk.weight and walk.gain
    gains = [Fraction(walk.gain(grade)) for grade in judged.grades]
    for first, last in spans:
        gains[first - 1 : last] = [sum(gains[first - 1 : last], Fraction(0)) / (last - first + 1)] * (last - first + 1)
    return total(walk.weight(rank) * gain for rank, gain in enumerate(gains[: measure.cutoff], 1) if gain)


def _general(walk: Walk, measure: Measure, judged: Judged, spans: Sequence[Span], one: Any = Fraction(1)) -> Any:
    """Carry the distribution of (state, left in span) down the ranks; `one` sets the kind of number."""
    as_number = float if isinstance(one, float) else (lambda x: x)
    starts = dict(spans)
    ahead: dict[tuple[State, _Left], Any] = {(walk.start, ()): one}
    sums: list[Any] = []
    for rank, grade in enumerate(judged.grades[: measure.cutoff], 1):
        if rank in starts:
            left = _left(judged.grades[rank - 1 : starts[rank]])
            ahead = {(state, left): chance for (state, _), chance in ahead.items()}
        behind, ahead = ahead, {}
        for (state, left), chance in behind.items():
            size = sum(n for _, n in left)
            for drawn, n, rest in _draws(left, grade):
                after, increment = walk.step(rank, state, drawn)
                share = chance * n / size if left else chance
                if increment:
                    sums.append(as_number(increment) * share)
                ahead[after, rest] = ahead.get((after, rest), 0) + share
    return sum(sums) if isinstance(one, float) else total(sums)


def _left(grades: Sequence[Grade | None]) -> _Left:
    counts = Counter(grades)
    return tuple(sorted(counts.items(), key=lambda item: (item[0] is not None, item[0] or 0)))


def _draws(left: _Left, grade: Grade | None) -> list[tuple[Grade | None, int, _Left]]:
    """What may come next: outside a span the run's own grade, inside it any grade that is left."""
    if not left:
        return [(grade, 1, ())]
    return [
        (drawn, n, left[:i] + (((drawn, n - 1),) if n > 1 else ()) + left[i + 1 :]) for i, (drawn, n) in enumerate(left)
    ]
