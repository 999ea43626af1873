"""Rank-biased overlap: how far two rankings agree, the top first, where either may stop early and items may tie.

Webber, Moffat and Zobel (2010) define the overlap as the expected agreement at the depth a user reaches who goes on to
the next rank with probability p. Corsi and Urbano (2024) give ties a meaning in three variants:

- `w` (Webber's): ties are equality; tied items all stand at the first rank of their group, as in sport.
- `a`: ties are ignorance; the mean overlap over all orders of the tied items.
- `b`: as `a`, corrected for the information that ties hide, so that a ranking agrees fully with itself.

Without ties the three are the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from evenscale.errors import BadInput, BadParameter, quoted
from evenscale.results import Result
from evenscale.stats.correlation import DIGITS, rounded
from evenscale.stats.matrix import Floats, Ints, Scores
from evenscale.tables import Table

Ranking: TypeAlias = Sequence[str | Collection[str]]
"""Items, best first; a collection of items is a group of ties."""

Ties: TypeAlias = Literal["w", "a", "b"]


@dataclass(frozen=True)
class Overlap(Result):
    """Rank-biased overlap of two rankings.

    `min` assumes that beyond the last ranks seen nothing is shared, `max` that all is; `res` is what the unseen ranks
    leave open, and `ext` carries the agreement seen on to the ranks unseen.
    """

    p: float
    ties: Ties
    ext: float
    min: float
    max: float
    label: str = ""
    other: str = ""

    @property
    def res(self) -> float:
        """The residual: what ranks not seen could still add."""
        return self.max - self.min

    @property
    def frame(self) -> pl.DataFrame:
        """One row."""
        return pl.DataFrame([self.to_dict()])

    def table(self) -> Table:
        """The overlap and its bounds."""
        return Table(
            ["p", "ext", "min", "max", "res"], [(self.p, self.ext, self.min, self.max, self.res)], title=self._title
        )

    @property
    def _title(self) -> str:
        between = f" of {self.label} and {self.other}" if self.label and self.other else ""
        return f"Rank-biased overlap{between}, ties {self.ties}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        named = {"ranking": self.label, "other": self.other} if self.label or self.other else {}
        bounds = {"ext": self.ext, "min": self.min, "max": self.max, "res": self.res}
        return {**named, "p": self.p, "ties": self.ties, **bounds}


@dataclass(frozen=True, eq=False)
class _Flat:
    """A ranking item by item, with the first and last rank of each item's group."""

    items: tuple[str, ...]
    top: Ints
    bottom: Ints

    def __len__(self) -> int:
        return len(self.items)


def parse_ranking(text: str) -> list[tuple[str, ...]]:
    """A ranking from text; brackets hold items that tie.

    >>> parse_ranking("red (blue green) pink")
    [('red',), ('blue', 'green'), ('pink',)]
    """
    groups: list[tuple[str, ...]] = []
    for inside, single, stray in re.findall(r"\(([^()]*)\)|([^\s()]+)|([()])", text):
        if stray or not (single or inside.strip()):
            raise BadInput(f"expected items and groups of ties in brackets, found {quoted(text)}")
        groups.append((single,) if single else tuple(inside.split()))
    return groups


def ranking_of(items: Sequence[str], scores: ArrayLike, *, digits: int = DIGITS) -> list[tuple[str, ...]]:
    """Items by score, best first; scores that are equal in `digits` decimals tie.

    >>> ranking_of(["a", "b", "c"], [0.1, 0.3, 0.1 + 1e-12])
    [('b',), ('a', 'c')]
    """
    values = rounded(scores, digits)
    if len(values) != len(items):
        raise BadInput(f"expected {len(items)} scores, found {len(values)}")
    levels, level = np.unique(-values, return_inverse=True)
    groups: list[list[str]] = [[] for _ in levels]
    for item, k in zip(items, level, strict=True):
        groups[k].append(item)
    return [tuple(group) for group in groups]


def rbo(x: Ranking, y: Ranking, p: float = 0.9, ties: Ties = "a") -> Overlap:
    """Rank-biased overlap of two rankings, which need not hold the same items nor be equally long.

    The first 1/(1 - p) ranks or so carry most of the weight. Where ties are ignorance, `a` of a tied ranking with
    itself is below 1 (other orders of the ties are as likely), `b` is 1.

    >>> print(rbo(["a", "b", "c"], ["a", "c", "b"], p=0.5, ties="w"))
    Rank-biased overlap, ties w
    <BLANKLINE>
         p     ext     min     max     res
    0.5000  0.8750  0.8294  0.8750  0.0456
    """
    if not 0 < p < 1:
        raise BadParameter(f"p must lie in (0, 1), got {p}")
    if ties not in get_args(Ties):
        raise BadParameter(f"ties must be one of {', '.join(get_args(Ties))}, got {ties!r}")
    short, long = sorted((_flat(x, "first"), _flat(y, "second")), key=len)
    seen, weight = _shared(short, long, ties), _weights(short, long, ties)
    least, most, carried = _unseen(short, long, ties, float(seen[len(short) - 1] * weight[len(short) - 1]))
    head = p ** np.arange(1, len(long) + 1) * weight
    tails = _tails(len(short), len(long), float(seen[-1]), float(carried[-1]), p)
    low, high, ext = (
        # Rounding must not lead out of the unit interval.
        min(max((1 - p) / p * (float(head @ (seen + extra)) + tail), 0.0), 1.0)
        for extra, tail in zip((least, most, carried), tails, strict=True)
    )
    return Overlap(p, ties, ext, low, high)


def overlap(a: Scores, b: Scores, p: float = 0.9, ties: Ties = "a", *, digits: int = DIGITS) -> Overlap:
    """Rank-biased overlap of the systems ranked by their means; means equal in `digits` decimals tie.

    >>> a = Scores.of([[0.3, 0.2, 0.1]], measure="AP")
    >>> b = Scores.of([[0.3, 0.1, 0.2]], measure="P@10")
    >>> round(overlap(a, b, p=0.5).ext, 3)
    0.875
    """
    x, y = (ranking_of(scores.systems, scores.means, digits=digits) for scores in (a, b))
    found = rbo(x, y, p, ties)
    return Overlap(p, ties, found.ext, found.min, found.max, a.measure, b.measure)


def _flat(ranking: Ranking, which: str) -> _Flat:
    groups = [(group,) if isinstance(group, str) else tuple(group) for group in ranking]
    items = tuple(item for group in groups for item in group)
    if not items:
        raise BadInput(f"the {which} ranking has no items")
    if len(set(items)) != len(items):
        twice = next(item for k, item in enumerate(items) if item in items[:k])
        raise BadInput(f"the {which} ranking has item {quoted(str(twice))} more than once")
    sizes = np.array([len(group) for group in groups], dtype=np.int64)
    last = np.cumsum(sizes)
    return _Flat(items, np.repeat(last - sizes + 1, sizes), np.repeat(last, sizes))


def _presence(top: Ints, bottom: Ints, depths: Ints, ties: Ties) -> Floats:
    """How much of each item (rows) is within each depth (columns): the contributions of Corsi and Urbano (2024).

    In variants a and b an item of a group cut by the depth is there with the share of its group that is: the chance
    that it is within the depth when the order is drawn at random.
    """
    if ties == "w":
        return (depths >= top[:, None]).astype(np.float64)
    return np.clip((depths - top[:, None] + 1) / (bottom - top + 1)[:, None], 0.0, 1.0)


def _shared(short: _Flat, long: _Flat, ties: Ties) -> Floats:
    """The overlap seen at each depth of the longer ranking."""
    place = {item: k for k, item in enumerate(long.items)}
    pairs = [(k, place[item]) for k, item in enumerate(short.items) if item in place]
    i, j = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    depths = np.arange(1, len(long) + 1)
    here = _presence(short.top[i], short.bottom[i], depths, ties)
    there = _presence(long.top[j], long.bottom[j], depths, ties)
    return np.asarray(np.einsum("id,id->d", here, there))


def _sizes(flat: _Flat, depths: int, ties: Ties) -> Floats:
    """The size of a ranking cut at each depth, in the variant's sense; unseen items are taken to be untied."""
    sizes = np.arange(1, depths + 1, dtype=np.float64)
    if ties == "w":
        sizes[: len(flat)] = flat.bottom
    if ties == "b":
        inside = sizes[: len(flat)] - flat.top + 1
        sizes[: len(flat)] = flat.top - 1 + inside**2 / (flat.bottom - flat.top + 1)
    return sizes


def _weights(short: _Flat, long: _Flat, ties: Ties) -> Floats:
    """What turns overlap into agreement at each depth: 1 over the mean of the sizes (w), or their geometric mean."""
    here, there = _sizes(short, len(long), ties), _sizes(long, len(long), ties)
    return 2 / (here + there) if ties == "w" else 1 / np.sqrt(here * there)


def _unseen(short: _Flat, long: _Flat, ties: Ties, agreement: float) -> tuple[Floats, Floats, Floats]:
    """What the shorter ranking's unseen items add to the overlap at each depth: at least, at most, and extrapolated.

    At most: they are the longer ranking's own items, from the top. Extrapolated: as many of them are shared as the
    agreement at the shorter's end says, each with the mean presence of the candidates (Corsi and Urbano 2024).
    """
    s, n = len(short), len(long)
    least, most, carried = np.zeros(n), np.zeros(n), np.zeros(n)
    if s < n:
        known = set(short.items)
        own = np.array([k for k, item in enumerate(long.items) if item not in known], dtype=np.int64)
        presence = _presence(long.top[own], long.bottom[own], np.arange(s + 1, n + 1), ties)
        slots = np.arange(1, n - s + 1)
        most[s:] = np.where(np.arange(len(own))[:, None] < slots, presence, 0.0).sum(axis=0)
        # No division by zero: a ranking cut at d > s holds more than s items, so one of them at least is its own.
        carried[s:] = slots * agreement * presence.sum(axis=0) / (presence > 0).sum(axis=0)
    return least, most, carried


def _tails(s: int, n: int, shared: float, carried: float, p: float) -> tuple[float, float, float]:
    """The sums over the depths beyond both rankings: at least, at most, extrapolated (Webber et al. 2010)."""
    depths = np.arange(1, n + 1)
    least = shared * (-np.log1p(-p) - float(np.sum(p**depths / depths)))
    full = n + s - round(shared)  # the depth at which everything could be shared
    rising = np.arange(n + 1, full + 1)
    most = float(np.sum((2 * rising - full) / rising * p**rising)) + p ** (full + 1) / (1 - p)
    return float(least), most, (shared + carried) / n * p ** (n + 1) / (1 - p)
