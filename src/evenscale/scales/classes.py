"""Classes of ranks: why the image of an additive measure is a product of small sets.

An additive measure adds `weight(rank) * gain(grade)`. Weights that share an irrational unit (or are rational) form a
*class*, and what a class adds is an integer multiple of a step: its *key*. Keys of different classes do not
interfere, so the image is the product of what the classes can add. Within a class a rank is *settled* when its gain
can be read off the class's key; the other ranks form the *core*, whose sums are listed without repetitions.
The image is then the product of the settled ranks and the cores: every combination is a different value.

What is proved: everything within a class (arithmetic on integers, see `settled`). What is assumed: that the units
1/log 3, 1/log 5, ... and 1 are independent over the rationals, so that different vectors of keys are different
numbers. It is checked wherever two values come closer than some 2^-110 of the range, by evaluating to as many
digits as it takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import accumulate, pairwise
from math import ceil, floor, gcd, lcm, log10
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenscale.errors import BadParameter
from evenscale.measures.contract import Amount, Walk
from evenscale.measures.exact import LogSum, Unit
from evenscale.orders.universe import Universe
from evenscale.scales.engine import Runs, ScaleTooLarge
from evenscale.scales.pairs import LOW, Ints, Table, carried, merged, split

Part: TypeAlias = Unit | None
"""What a weight is a multiple of; None is the number 1."""
Terms: TypeAlias = tuple[tuple[Unit, Fraction], ...]

TABLE_LIMIT = 1 << 21
"""The most distinct sums of one class that are listed."""
_SAFE = 1 << 62


def shown(number: int) -> str:
    """A count for a message, however large.

    >>> shown(786_432), shown(2**1000)
    ('786,432', 'about 2^1000')
    """
    return f"{number:,}" if number < 10**15 else f"about 2^{number.bit_length() - 1}"


# --- classes ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Axis:
    """A class of ranks: integer weights for its columns, and what their integer sums (keys) stand for.

    A class of weights with several parts, like 1 + 1/log2(3), packs one digit for each part into a key; no carry can
    occur, so that equal keys mean equal parts.
    """

    columns: tuple[int, ...]
    weights: tuple[int, ...]
    parts: tuple[Part, ...]
    steps: tuple[Fraction, ...]
    radix: int

    def amounts(self, key: int) -> tuple[Fraction, Terms]:
        """The rational and the irrational part of what a key stands for."""
        rational, terms = Fraction(0), []
        for part, step in zip(self.parts, self.steps, strict=True):
            digit = key if part is self.parts[-1] else (key + self.radix // 2) % self.radix - self.radix // 2
            key = (key - digit) // self.radix
            if digit and part is None:
                rational = digit * step
            elif digit and part is not None:
                terms.append((part, digit * step))
        return rational, tuple(terms)


def _axes(vectors: Sequence[dict[Part, Fraction]], gains: Sequence[int], worth: Fraction) -> list[Axis]:
    """Columns whose weights share a part, directly or through others, belong together."""
    home: dict[Part, tuple[set[Part], list[int]]] = {}
    for column, vector in enumerate(vectors):
        parts, columns = set(vector), [column]
        for others, more in {id(home[part]): home[part] for part in vector if part in home}.values():
            parts, columns = parts | others, [*more, *columns]
        home |= dict.fromkeys(parts, (parts, columns))
    groups = {id(group): group for group in home.values()}.values()
    axes = [_axis(sorted(parts, key=_place), sorted(columns), vectors, gains, worth) for parts, columns in groups]
    return sorted(axes, key=lambda axis: _place(axis.parts[0]))


def _axis(
    parts: Sequence[Part],
    columns: Sequence[int],
    vectors: Sequence[dict[Part, Fraction]],
    gains: Sequence[int],
    worth: Fraction,
) -> Axis:
    rows = [[vectors[column].get(part, Fraction(0)) for column in columns] for part in parts]
    steps = [_common(row) for row in rows]
    digits = [[int(weight / step) for weight in row] for row, step in zip(rows, steps, strict=True)]
    # The difference of two keys must unpack too, hence twice the reach on either side of 0.
    radix = 4 * max(sum(map(abs, row)) for row in digits) * max(map(abs, gains)) + 1
    packed = [sum(d * radix**k for k, d in enumerate(column)) for column in zip(*digits, strict=True)]
    return Axis(tuple(columns), tuple(packed), tuple(parts), tuple(step * worth for step in steps), radix)


def _place(part: Part) -> tuple[int, int]:
    return (0, 0) if part is None else (part.base, part.argument)


def _vector(weight: Amount) -> dict[Part, Fraction]:
    if not isinstance(weight, LogSum):
        return {None: Fraction(weight)}
    rational: dict[Part, Fraction] = {None: weight.rational} if weight.rational else {}
    return rational | dict(weight.terms)


def _common(numbers: Iterable[Fraction]) -> Fraction:
    """The largest number of which all are integer multiples."""
    listed = list(numbers)
    bottom = lcm(*(x.denominator for x in listed))
    return Fraction(gcd(*(int(x * bottom) for x in listed)) or 1, bottom)


# --- settled ranks and cores -----------------------------------------------------------------------------------------


def settled(weights: Sequence[int], gains: Sequence[int]) -> tuple[list[int], list[int]]:
    """Which ranks of a class have a gain that follows from the class's key, and which (the core) may not.

    Two runs with the same key differ by steps d (differences of gains) with sum(weight * d) = 0. A rank is settled if
    that forces its d to 0, given that those settled before have 0: because all other weights are multiples
    of a number that no step can make up for, or because its weight outweighs all others. For weights (a/b)^i this is
    the rational root theorem: binary RBP has nothing but settled ranks for every rational p.

    >>> settled([25, 20, 16], [0, 1])
    ([2, 1, 0], [])
    >>> settled([4, 2, 1], [0, 1, 2])
    ([], [2, 1, 0])
    """
    steps = {abs(a - b) for a in gains for b in gains} - {0}
    core = [i for i, weight in enumerate(weights) if weight and steps]
    before = 0
    while core and len(core) != before:
        before = len(core)
        # Each pass hands the survivors over in the opposite direction, so that chains unravel from either end.
        core = _not_divided(_not_divided(core, weights, steps), weights, steps)
        core = _not_outweighed(core, weights, steps)
    kept = set(core)
    return [i for i in reversed(range(len(weights))) if i not in kept], sorted(core, key=lambda i: abs(weights[i]))


def _not_divided(order: Sequence[int], weights: Sequence[int], steps: set[int]) -> list[int]:
    before = list(accumulate((weights[i] for i in order), gcd, initial=0))
    kept, after = [], 0
    for place in range(len(order) - 1, -1, -1):
        weight, others = weights[order[place]], gcd(before[place], after)
        if others and any(step % (others // gcd(others, weight)) == 0 for step in steps):
            kept.append(order[place])
            after = gcd(after, weight)
    return kept


def _not_outweighed(order: Sequence[int], weights: Sequence[int], steps: set[int]) -> list[int]:
    heavy = sorted(order, key=lambda i: abs(weights[i]))
    rest = sum(abs(weights[i]) for i in heavy)
    while heavy:
        rest -= abs(weights[heavy[-1]])
        if min(steps) * abs(weights[heavy[-1]]) <= max(steps) * rest:
            break
        heavy.pop()
    return heavy


def progression(weights: Iterable[int], gains: Sequence[int]) -> range | None:
    """The sums of a core where they form a progression without holes, however many there are.

    >>> progression([1, 2, 4], [0, 1, 2])
    range(0, 15)
    >>> progression([2, 3], [0, 1]) is None
    True
    """
    listed = sorted(weights, key=abs)
    step = gcd(*(weight * (gain - gains[0]) for weight in listed for gain in gains)) or 1
    first, length = 0, 1
    for weight in listed:
        shifts = sorted({weight * gain for gain in gains})
        if any(b - a > length * step for a, b in pairwise(shifts)):
            return None
        first, length = first + shifts[0], length + (shifts[-1] - shifts[0]) // step
    return range(first, first + length * step, step)


# --- tables ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Factor:
    """A settled rank or a core: what it adds is independent of what the other factors add."""

    axis: int
    columns: tuple[int, ...]
    weights: tuple[int, ...]

    def parts(self) -> Iterator[Factor]:
        """The light and the heavy half, whose sums repeat most among themselves."""
        middle = len(self.columns) // 2
        for part in (slice(middle), slice(middle, None)):
            if self.columns[part]:
                yield Factor(self.axis, self.columns[part], self.weights[part])


class Classes:
    """An additive walk on a universe, taken apart."""

    def __init__(self, walk: Walk, universe: Universe) -> None:
        if walk.weight is None or walk.gain is None:
            raise BadParameter("the walk is not additive: its steps depend on what came before")
        self.universe = universe
        self.constrained = universe.most_relevant < universe.depth
        gains = [Fraction(walk.gain(grade)) for grade in range(universe.grades + 1)]
        worth = _common(gains)
        self.gains = tuple(int(gain / worth) for gain in gains)
        vectors = [_vector(walk.weight(rank)) for rank in range(1, universe.depth + 1)]
        self.axes = tuple(_axes(vectors, self.gains, worth))
        self.factors = tuple(factor for number in range(len(self.axes)) for factor in self._factors(number))

    def _factors(self, number: int) -> Iterable[Factor]:
        axis = self.axes[number]
        alone, core = settled(axis.weights, self.gains)
        for group in [*([i] for i in sorted(alone)), *([core] if core else [])]:
            yield Factor(number, tuple(axis.columns[i] for i in group), tuple(axis.weights[i] for i in group))

    @cached_property
    def line(self) -> range | None:
        """All keys, where the image is one progression without holes."""
        alone = len(self.axes) == 1 and len(self.axes[0].parts) == 1
        return progression(self.axes[0].weights, self.gains) if alone and not self.constrained else None

    @cached_property
    def tables(self) -> list[Table]:
        """The distinct values of each factor, with the fewest relevant documents that attain them."""
        return [self._table(factor) for factor in self.factors]

    @cached_property
    def run_tables(self) -> list[Table]:
        """The same for counting runs: one row for each value and number of relevant documents.

        Counting runs needs no distinct values, so a long core goes in two parts.
        """
        if self.line is None:
            return [self._table(factor, every=True) for factor in self.factors] if self.constrained else self.tables
        return [self._table(part) for factor in self.factors for part in factor.parts()]

    @cached_property
    def size(self) -> int:
        """The number of distinct values of the universe."""
        if self.line is not None:
            return (self.line.stop - self.line.start) // self.line.step
        return self.combinations(self.tables)

    def combinations(self, tables: Iterable[Table]) -> int:
        """How many combinations of rows the universe allows."""
        ways = self.nothing
        for table in tables:
            ways = self.extended(ways, table)
        return sum(ways)

    @property
    def nothing(self) -> list[int]:
        """The one combination of no table, by relevant documents needed (one number where that does not matter)."""
        return [1] + [0] * (self.universe.most_relevant if self.constrained else 0)

    def extended(self, ways: list[int], table: Table) -> list[int]:
        """How many combinations need 0, 1, ... relevant documents when a table joins."""
        costs = table.costs()
        return [sum(ways[k - c] * n for c, n in enumerate(costs) if c <= k) for k in range(len(ways))]

    # --- fixed point ---

    @cached_property
    def ruler(self) -> tuple[int, bool]:
        """Bits behind the point, and whether fixed-point values are then exact: 120 bits cover the range.

        With one class there is one unit only, and the keys themselves are in order.
        """
        far = max(map(abs, self.gains))
        reach = [sum(map(abs, axis.weights)) * far for axis in self.axes]
        if len(reach) == 1 and len(self.axes[0].parts) == 1 and reach[0].bit_length() <= 2 * LOW:
            return 2 * LOW - reach[0].bit_length(), True
        bits, span = 128, 0
        while span.bit_length() < 64:
            bits *= 2
            span = sum(
                1 + max(abs(self.fixed(number, weight * gain, bits)) for gain in self.gains)
                for number, axis in enumerate(self.axes)
                for weight in axis.weights
            )
        return 2 * LOW - (span.bit_length() - bits), False

    @property
    def slack(self) -> int:
        """How far two fixed-point sums of the same number can differ: `fixed` is off by two for a rank at most."""
        return 0 if self.ruler[1] else 4 * self.universe.depth + 4

    def fixed(self, axis: int, key: int, bits: int) -> int:
        """What a key stands for, times 2^bits, to within two."""
        rational, terms = self.axes[axis].amounts(key)
        guard = 128 + max(0, -bits)
        units = sum(_unit_bits(unit, bits + guard) * c.numerator // c.denominator for unit, c in terms)
        return floor(rational * Fraction(2) ** bits) + (units >> guard)

    @property
    def unit(self) -> Fraction:
        """What a key of 1 stands for where there is one class with one unit, irrational units to 400 bits."""
        [axis] = self.axes
        [part], [step] = axis.parts, axis.steps
        return step if part is None else step * Fraction(_unit_bits(part, 400), 1 << 400)

    @property
    def step(self) -> Fraction:
        """What one step of the ruler is worth."""
        bits, exact = self.ruler
        return (self.unit if exact else 1) / Fraction(2) ** bits

    @cached_property
    def _words(self) -> dict[tuple[int, int], tuple[int, int]]:
        """The fixed-point value of every gain in every column."""
        bits, exact = self.ruler
        return {
            (column, gain): split(weight * gain << bits if exact else self.fixed(number, weight * gain, bits))
            for number, axis in enumerate(self.axes)
            for column, weight in zip(axis.columns, axis.weights, strict=True)
            for gain in self.gains
        }

    def words(self, runs: Runs) -> tuple[Ints, Ints]:
        """The fixed-point values of many runs, as high and low words."""
        high, low = np.zeros(len(runs), dtype=np.int64), np.zeros(len(runs), dtype=np.int64)
        for column in range(self.universe.depth):
            both = np.array([self._words[column, gain] for gain in self.gains], dtype=np.int64)[runs[:, column]]
            high, low = carried(high + both[:, 0], low + both[:, 1])
        return high, low

    def keys(self, runs: Runs, factor: Factor | Axis) -> NDArray[Any]:
        """What a factor (or a class as a whole) adds for each run."""
        kind = self._integers(factor.weights)
        gains: NDArray[Any] = np.array(self.gains, dtype=kind)
        return np.asarray(gains[runs[:, list(factor.columns)]] @ np.array(factor.weights, dtype=kind))

    def _integers(self, weights: Sequence[int]) -> type:
        return np.int64 if sum(map(abs, weights)) * max(map(abs, self.gains)) < _SAFE else object

    # --- listing sums ---

    def _table(self, factor: Factor, every: bool = False) -> Table:
        kind = self._integers(self.axes[factor.axis].weights)
        many = object if (self.universe.grades + 1) ** len(factor.columns) >= _SAFE else np.int64
        zero = np.zeros(1, dtype=np.int64)
        limit = TABLE_LIMIT if kind is np.int64 else TABLE_LIMIT >> 4
        table = Table(factor.axis, np.zeros(1, dtype=kind), zero, zero, zero, np.ones(1, dtype=many))
        for column, weight in zip(factor.columns, factor.weights, strict=True):
            letters = [self._letter(table, column, weight, grade) for grade in range(len(self.gains))]
            rows = [np.concatenate(parts) for parts in zip(*letters, strict=True)]
            fits = rows[3] <= self.universe.most_relevant
            table = merged(table.axis, *(row[fits] for row in rows), every=every)
            if len(table) > limit:
                raise ScaleTooLarge(
                    f"{len(factor.columns)} ranks have weights and gains with common multiples and more than "
                    f"{limit:,} different sums (on {shown(self.universe.size)} runs): "
                    "choose a smaller cut-off or fewer grades"
                )
        return table

    def _letter(self, table: Table, column: int, weight: int, grade: int) -> tuple[NDArray[Any], ...]:
        gain = self.gains[grade]
        high, low = self._words[column, gain]
        cost = table.cost + int(self.constrained and grade > 0)
        return (table.keys + weight * gain, *carried(table.high + high, table.low + low), cost, table.ways)


@cache
def _unit_bits(unit: Unit, bits: int) -> int:
    exact = Fraction(unit.digits(ceil(bits * log10(2)) + 5))
    return (exact.numerator << bits) // exact.denominator
