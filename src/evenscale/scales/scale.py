"""Interval scales: every value a measure can take, in order, and a run's place among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from evenscale.errors import BadInput, BadParameter
from evenscale.measures import Exact, Measure, Walk
from evenscale.orders.universe import Universe
from evenscale.results import Result
from evenscale.scales.choose import Folded, choose, fold
from evenscale.scales.cumulative import CumulativeEngine, Estimates
from evenscale.scales.engine import Engine, Progress
from evenscale.scales.enumeration import BUDGET, EnumerationEngine
from evenscale.tables import Cell, Table

TieRule: TypeAlias = Literal["unq", "min", "max", "mid"]
TIE_RULES: tuple[str, ...] = get_args(TieRule)

_FROM_TALLIES: dict[str, Callable[[int, int], Fraction]] = {
    "min": lambda below, equal: Fraction(below + 1),
    "max": lambda below, equal: Fraction(below + equal),
    "mid": lambda below, equal: below + Fraction(equal + 1, 2),
}


LADDER_LIMIT = 256
"""The most runs that `ladder` lists."""


@dataclass(frozen=True, slots=True)
class Spacing(Result):
    """What a person wants to know about a scale."""

    measure: str
    depth: int
    grades: int
    recall_base: int | None
    values: int
    runs: int
    lowest: float
    highest: float
    smallest_gap: float
    largest_gap: float
    gaps_exact: bool
    equispaced: bool
    unused_below: float
    unused_above: float
    exact: bool
    surrogate: bool

    @property
    def tied_share(self) -> float:
        """The share of runs beyond one for each value: those that a tie takes away."""
        return float(1 - Fraction(self.values, self.runs))

    def row(self) -> dict[str, Any]:
        """All of it as one row."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__} | {"tied_share": self.tied_share}

    @property
    def frame(self) -> pl.DataFrame:
        return pl.DataFrame({k: [str(v) if isinstance(v, int) and v >= 1 << 63 else v] for k, v in self.row().items()})

    def to_dict(self) -> dict[str, Any]:
        return self.row()

    def table(self) -> Table:
        about = "" if self.gaps_exact else "about "
        rows: list[tuple[str, Cell]] = [
            ("runs in the universe", f"{self.runs:,}"),
            ("distinct values", f"{self.values:,}"),
            ("runs beyond one a value", f"{100 * self.tied_share:.4g} %" if self.tied_share < 0.99 else "over 99 %"),
            ("lowest and highest value", f"{self.lowest:.6g} to {self.highest:.6g}"),
            ("smallest gap", about + f"{self.smallest_gap:.6g}"),
            ("largest gap", about + f"{self.largest_gap:.6g}"),
            ("equally spaced", "yes: it is an interval scale as it is" if self.equispaced else "no"),
            ("unused part of the range", self._unused()),
            ("ranks are", "exact" if self.exact else "computed to double precision, with a bound"),
        ]
        if self.surrogate:
            rows.append(("across topics", "a surrogate: the measure depends on the recall base"))
        title = f"{self.measure} on runs of length {self.depth}, grades 0 to {self.grades}"
        if self.recall_base is not None:
            title += f", at most {self.recall_base} relevant"
        return Table(("", ""), rows, title=title)

    def _unused(self) -> str:
        parts = [
            f"{part:.4g} {where}"
            for part, where in ((self.unused_below, "below"), (self.unused_above, "above"))
            if part > 1e-15
        ]
        return " and ".join(parts) or "none"


@dataclass(frozen=True, eq=False)
class IntervalScale:
    """A measure's interval scale on a universe of runs.

    `rank` is the number of distinct attainable values at or below a run's own, one-based, without holes (`unq`,
    equation 2 of Ferrante, Ferro and Fuhr 2021); `score` is the same between 0 and 1. The rules `min`, `max` and `mid`
    rank runs instead of values, as statistics packages do; the result is then not equally spaced, so no interval scale.

    >>> scale = interval_scale("DCG(dcg='jk',base=10)@4")
    >>> scale.size, scale.rank([1, 0, 0, 1]), scale.score([1, 0, 0, 1])
    (5, 3, 0.5)
    """

    label: str
    universe: Universe
    engine: Engine
    walk: Walk | None
    ties: TieRule = "unq"
    surrogate: bool = False
    bounds: tuple[Exact, Exact] | None = None

    @property
    def size(self) -> int:
        """The number of distinct values, exactly."""
        return self.engine.size

    @property
    def exact(self) -> bool:
        """Whether ranks are exact; if not, `error` bounds how far a score can be off."""
        return self.engine.exact

    @property
    def error(self) -> float:
        """The most that a score can be off; 0 where ranks are exact."""
        return self.engine.error

    def rank(self, run: Sequence[int | None]) -> int | Fraction:
        """The rank of one run; short runs are filled up with non-relevant documents."""
        rank: int | Fraction = self._ranks(self._rows([run]))[0]
        return rank

    def ranks(self, runs: ArrayLike) -> NDArray[Any]:
        """The ranks of many runs: int64, float64 for halves, or Python integers where those are too small."""
        return _as_array(self._ranks(self._rows(runs)))

    def score(self, run: Sequence[int | None]) -> float:
        """The rank between 0 and 1."""
        return float(self._scores(self._rows([run]))[0])

    def scores(self, runs: ArrayLike) -> NDArray[np.float64]:
        """The ranks of many runs, each between 0 and 1."""
        return self._scores(self._rows(runs))

    def _scores(self, rows: NDArray[np.int8]) -> NDArray[np.float64]:
        lowest, highest = self._ends
        span = highest - lowest
        ranks = self._ranks(rows)
        return np.array([float(Fraction(rank - lowest) / span) if span else 0.0 for rank in ranks], dtype=np.float64)

    def estimate(self, runs: ArrayLike, *, rng: np.random.Generator | int = 0, confidence: float = 0.95) -> Estimates:
        """Scores from a sample of the scale, with confidence intervals, where an exact scale is beyond the budget.

        For cumulative measures too deep to sweep, such as AP@40; never exact, and labelled so.
        """
        engine, rows = self.engine, self._rows(runs)
        if isinstance(engine, Folded):
            rows, engine = engine.folded(rows), engine.inner
        if not isinstance(engine, CumulativeEngine) or self.ties != "unq":
            raise BadParameter(f"{self.label}: scores of this scale are computed, not estimated; ask for scores()")
        generator = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(rng)
        return engine.estimate(rows, generator, confidence=confidence)

    def values(self) -> list[Exact]:
        """All attainable values of the measure, ascending and exact, where they are not too many."""
        return [self._finish(value) for value in self.engine.values()]

    def quantile(self, share: float) -> Exact:
        """The lowest value whose score is at least this share (ranks by `unq`)."""
        if not 0 <= share <= 1:
            raise BadParameter(f"a share must lie in [0, 1], got {share}")
        return self._finish(self.engine.at(1 + ceil(Fraction(share) * (self.size - 1))))

    def value(self, run: Sequence[int | None]) -> Exact:
        """The exact value of the measure, for a topic with as many relevant documents as a run can hold."""
        row = self._rows([run])[0].tolist()
        if self.walk is None:
            return self.engine.at(self.engine.ranks(np.array([row]))[0])
        return self.walk.value(row)

    def spacing(self) -> Spacing:
        """Numbers about the scale: how many values, how far apart, how much of the range they use."""
        lowest, highest = float(self._finish(self.engine.at(1))), float(self._finish(self.engine.at(self.size)))
        gaps = self.engine.gaps()
        per = self._per_unit()
        low, high = (float(b) for b in self.bounds) if self.bounds else (lowest, highest)
        return Spacing(
            self.label,
            self.universe.depth,
            self.universe.grades,
            self.universe.recall_base,
            self.size,
            self.universe.size,
            lowest,
            highest,
            gaps.smallest * per,
            gaps.largest * per,
            gaps.exact,
            gaps.exact and gaps.largest - gaps.smallest <= 1e-9 * gaps.largest,
            max(0.0, lowest - low),
            max(0.0, high - highest),
            self.exact,
            self.surrogate,
        )

    def curve(self, points: int = 400) -> pl.DataFrame:
        """Value against place: `place` from 0 to 1 in equal steps, `value` the measure's at that place.

        A straight line is an interval scale; all values are there where they are no more than `points`.
        """
        n = min(points, self.size)
        ranks = [1 + (k * (self.size - 1)) // max(n - 1, 1) for k in range(n)]
        span = max(self.size - 1, 1)
        return pl.DataFrame(
            {
                "place": [float(Fraction(rank - 1, span)) for rank in ranks],
                "value": [float(self._finish(self.engine.at(rank))) for rank in ranks],
            }
        )

    def ladder(self) -> pl.DataFrame:
        """Every value with its rank and the runs that have it, for universes small enough to look at."""
        if self.universe.size > LADDER_LIMIT:
            raise BadParameter(f"a ladder shows at most {LADDER_LIMIT} runs, {self.label} has {self.universe.size:,}")
        runs = list(self.universe.runs())
        ranks = self.engine.ranks(np.array(runs, dtype=np.int8))
        by_rank: dict[int, list[str]] = {}
        for run, rank in zip(runs, ranks, strict=True):
            by_rank.setdefault(rank, []).append("".join(map(str, run)))
        ordered = sorted(by_rank)
        return pl.DataFrame(
            {
                "rank": ordered,
                "value": [float(self._finish(self.engine.at(rank))) for rank in ordered],
                "runs": [" ".join(by_rank[rank]) for rank in ordered],
            }
        )

    @cached_property
    def _ends(self) -> tuple[int | Fraction, int | Fraction]:
        """The ranks of the worst and the best run."""
        if self.ties == "unq":
            return 1, self.size
        low = self.engine.tallies(self._rows([[0] * self.universe.depth]))[0]
        if low[0]:
            raise BadInput(f"{self.label}: the run without relevant documents is not the lowest of the scale")
        equal_at_top = self.universe.size - self._below_top()
        rule = _FROM_TALLIES[self.ties]
        return rule(*low), rule(self.universe.size - equal_at_top, equal_at_top)

    def _below_top(self) -> int:
        most = self.universe.most_relevant
        best = [self.universe.grades] * most + [0] * (self.universe.depth - most)
        below, equal = self.engine.tallies(self._rows([best]))[0]
        if below + equal != self.universe.size:
            raise BadInput(f"{self.label}: the ideal run is not the highest of the scale")
        return below

    def _ranks(self, rows: NDArray[np.int8]) -> list[Any]:
        if self.ties == "unq":
            return self.engine.ranks(rows)
        return [_FROM_TALLIES[self.ties](*tally) for tally in self.engine.tallies(rows)]

    def _finish(self, raw: Any) -> Exact:
        value: Exact = self.walk.finish(raw) if self.walk is not None else raw
        return value

    def _per_unit(self) -> float:
        """What one unit of raw value is worth in the measure."""
        return 1 / float(self.walk.divisor) if self.walk is not None and self.walk.divisor else 1.0

    def _rows(self, runs: Any) -> NDArray[np.int8]:
        """Runs as rows of the universe's length: unjudged counts as 0, short runs are filled up, long ones cut."""
        n = self.universe.depth
        if isinstance(runs, np.ndarray) and runs.ndim == 2 and runs.dtype.kind in "iu":
            rows = runs[:, :n]
            filled = np.zeros((len(rows), n), dtype=np.int8)
            filled[:, : rows.shape[1]] = np.clip(rows, -1, 127)
        else:
            listed = [[0 if g is None else g for g in run][:n] for run in runs]
            if any(g != int(g) for run in listed for g in run):
                raise BadInput(f"{self.label}: a run holds a grade that is no whole number")
            filled = np.array([run + [0] * (n - len(run)) for run in listed], dtype=np.int8).reshape(-1, n)
        if filled.size and (filled.min() < 0 or filled.max() > self.universe.grades):
            wrong = int(filled.min()) if filled.min() < 0 else int(filled.max())
            raise BadInput(f"{self.label}: grades must be 0 to {self.universe.grades}, found {wrong}")
        if (
            self.universe.recall_base is not None
            and (np.count_nonzero(filled, axis=1) > self.universe.most_relevant).any()
        ):
            raise BadInput(f"{self.label}: a run holds more than {self.universe.most_relevant} relevant documents")
        return filled


def interval_scale(
    measure: str | Measure | Callable[[tuple[int, ...]], Any],
    *,
    grades: int = 1,
    depth: int | None = None,
    ties: TieRule = "unq",
    recall_base: int | None = None,
    budget: int = BUDGET,
    tolerance: float = 1e-12,
    progress: Progress | None = None,
) -> IntervalScale:
    """The interval scale of a measure on runs of its cut-off's length over the grades 0 to `grades`.

    `measure` is a spelling, a Measure, or a function from a tuple of grades to a number; a function, and a measure that
    takes no cut-off, need `depth`. `recall_base` restricts the universe to runs that a topic with so many relevant
    documents can produce. A function's values are listed within `budget` runs; floats closer than `tolerance` count as
    equal.

    >>> interval_scale("AP@10").size
    810
    >>> interval_scale(lambda run: sum(run) ** 2, depth=3).rank([1, 1, 0])
    3
    """
    if ties not in TIE_RULES:
        raise BadParameter(f"ties must be one of {', '.join(TIE_RULES)}, got {ties!r}")
    if not isinstance(measure, str | Measure):
        if depth is None:
            raise BadParameter("a function has no cut-off: give depth=")
        universe = Universe(depth, grades, recall_base)
        engine = EnumerationEngine(measure, universe, budget=budget, tolerance=tolerance, progress=progress)
        return IntervalScale(getattr(measure, "__name__", "function"), universe, engine, None, ties)
    from evenscale.scales.interval import parse

    chosen = parse(measure)
    return _scale(chosen, Universe(_depth(chosen, depth), grades, recall_base), ties, progress)


_KEPT: dict[tuple[Measure, Universe, bool], Engine] = {}


def _scale(measure: Measure, universe: Universe, ties: TieRule, progress: Progress | None) -> IntervalScale:
    measure.check(tuple(range(universe.grades + 1)))
    walk = measure.walk(universe.topic, universe.depth)
    key = (measure, universe, ties == "unq")
    if key not in _KEPT:
        _KEPT[key] = _engine(measure, walk, universe, ties, progress)
    bounds = measure.bounds(universe.topic, universe.depth)
    return IntervalScale(str(measure), universe, _KEPT[key], walk, ties, measure.recall_base, bounds)


def _engine(measure: Measure, walk: Walk, universe: Universe, ties: TieRule, progress: Progress | None) -> Engine:
    if ties != "unq":
        return choose(walk, universe, label=str(measure), progress=progress)
    fewer, folded, digit = fold(walk, universe)
    engine = choose(fewer, folded, label=str(measure), progress=progress)
    return engine if folded == universe else Folded(engine, digit)


def _depth(measure: Measure, depth: int | None) -> int:
    if measure.cutoff is None and depth is None:
        hint = f"write {measure}@10, say" if measure.takes_cutoff else "give depth="
        raise BadParameter(f"{measure} has no scale until its runs have a length: {hint}")
    if measure.cutoff is not None and depth is not None and depth != measure.cutoff:
        raise BadParameter(f"{measure} has the cut-off {measure.cutoff}, got depth={depth}")
    return measure.cutoff or depth or 0


@lru_cache(maxsize=1)
def _int64() -> int:
    return int(np.iinfo(np.int64).max)


def _as_array(ranks: list[Any]) -> NDArray[Any]:
    largest = max((abs(rank) for rank in ranks), default=0)
    if all(isinstance(rank, int) or rank.denominator == 1 for rank in ranks):
        whole = [int(rank) for rank in ranks]
        return np.array(whole, dtype=np.int64 if largest <= _int64() else object)
    return np.array([float(r) for r in ranks]) if largest < 1 << 52 else np.array(ranks, dtype=object)
