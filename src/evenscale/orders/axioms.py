"""The four axioms of a difference structure on numbers: each check returns the elements that break it, or None.

Elements are 0 to n - 1. `LevelAxioms` knows the level of every pair and checks hundreds of elements; `RelationAxioms`
takes any relation on pairs, which need not be an order, and checks a few dozen.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenscale.errors import BadInput

Broken: TypeAlias = dict[str, int]
"""The elements that break an axiom, by the letters of its statement."""
Levels: TypeAlias = NDArray[np.int64]
Matrix: TypeAlias = NDArray[np.bool_]

MOST_LEVELS = 1 << 11
MOST_ELEMENTS = 24
_CHUNK = 1 << 24


class LevelAxioms:
    """The axioms where pairs are ordered by a level: level[a, b] <= level[c, d]."""

    def __init__(self, level: Levels) -> None:
        self.size = len(level)
        self.level = np.unique(level, return_inverse=True)[1].reshape(level.shape).astype(np.int64)
        self.count = int(self.level.max()) + 1

    def weak_order(self) -> Broken | None:
        """Levels are numbers, so this always holds."""
        return None

    def sign_reversal(self) -> Broken | None:
        """The level of ba must fall as that of ab rises, and be one where that of ab is one."""
        forth, back = self.level.reshape(-1), self.level.T.reshape(-1)
        along = np.lexsort((back, forth))
        # Within a level by rising level of ba, so that a break shows between neighbours or between a level's ends.
        first = {int(forth[k]): int(k) for k in along[::-1]}
        last = {int(forth[k]): int(k) for k in along}
        for level in range(self.count):
            if back[first[level]] != back[last[level]]:
                return self._pairs(last[level], first[level])
        for low, high in pairwise(range(self.count)):
            if back[first[high]] > back[first[low]]:
                return self._pairs(first[low], first[high])
        return None

    def _pairs(self, one: int, other: int) -> Broken:
        """Letters for two pairs such that ab is at most cd, but dc is above ba."""
        (a, b), (c, d) = divmod(one, self.size), divmod(other, self.size)
        if self.level[d, c] <= self.level[b, a]:
            (a, b), (c, d) = (c, d), (a, b)
        return {"a": a, "b": b, "c": c, "d": d}

    def weak_monotonicity(self) -> Broken | None:
        """For all levels p and q: what follows from at most p and at most q is at most what follows from p and q.

        With most[p, q] the highest level of ac where ab and bc have levels up to p and q, and least[p, q] the lowest
        level of a'c' where a'b' and b'c' have levels p and q, the axiom says that most is nowhere above least.
        """
        if self.count > MOST_LEVELS:
            raise BadInput(
                f"weak monotonicity is checked for up to {MOST_LEVELS:,} distinct differences, got {self.count:,}"
            )
        level = self.level.astype(np.int32)
        most = np.full((self.count, self.count), -1, dtype=np.int32)
        least = np.full((self.count, self.count), self.count, dtype=np.int32)
        for b in range(self.size):
            p, q = np.broadcast_arrays(self.level[:, b, None], self.level[None, b, :])
            np.maximum.at(most, (p, q), level)
            np.minimum.at(least, (p, q), level)
        reach = np.maximum.accumulate(np.maximum.accumulate(most, axis=0), axis=1)
        broken = np.argwhere(reach > least)
        if not len(broken):
            return None
        first, second = (int(x) for x in broken[0])
        a, b, c = self._triple(np.less_equal, first, second, int(reach[first, second]))
        a2, b2, c2 = self._triple(np.equal, first, second, int(least[first, second]))
        return {"a": a, "b": b, "c": c, "a'": a2, "b'": b2, "c'": c2}

    def _triple(self, relation: np.ufunc, p: int, q: int, level: int) -> tuple[int, int, int]:
        """Elements with ab and bc in this relation to p and q, and ac of this level."""
        for b in range(self.size):
            fits = relation(self.level[:, b, None], p) & relation(self.level[None, b, :], q) & (self.level == level)
            if fits.any():
                a, c = np.argwhere(fits)[0]
                return int(a), b, int(c)
        raise AssertionError("a level that was found must have elements")

    def solvability(self) -> Broken | None:
        """Every level in use from that of aa to that of ab must occur in the row of a and in the column of b."""
        for a in range(self.size):
            broken = self._unsolved_row(a)
            if broken:
                return broken
        for b in range(self.size):
            broken = self._unsolved_column(b)
            if broken:
                return broken
        return None

    def _unsolved_row(self, a: int) -> Broken | None:
        start, reach = self.level[a, a], int(self.level[a].max())
        absent = np.setdiff1d(np.arange(start, reach + 1), self.level[a])
        if not len(absent):
            return None
        high = np.where(self.level[a] > absent[0], self.level[a], self.count)
        return self._missing(a, int(high.argmin()), int(absent[0]))

    def _unsolved_column(self, b: int) -> Broken | None:
        # A level is missing for (a, b) if it lies between those of aa and ab: compare with the next one that is absent.
        absent = np.setdiff1d(np.arange(self.count), self.level[:, b])
        start, end = self.level.diagonal(), self.level[:, b]
        at = np.searchsorted(absent, start)
        found = np.flatnonzero((at < len(absent)) & (np.append(absent, self.count)[at] < end))
        if not len(found):
            return None
        a = int(found[0])
        return self._missing(a, b, int(absent[at[a]]))

    def _missing(self, a: int, b: int, level: int) -> Broken:
        c, d = (int(x) for x in np.argwhere(self.level == level)[0])
        return {"a": a, "b": b, "c": c, "d": d}


class RelationAxioms:
    """The axioms for any relation on pairs, as a matrix over the pairs (0, 0), (0, 1), ..."""

    def __init__(self, relation: Matrix) -> None:
        self.size = round(len(relation) ** 0.5)
        if self.size > MOST_ELEMENTS:
            raise BadInput(
                f"a relation on pairs is checked for up to {MOST_ELEMENTS} elements, got {self.size}: "
                "give the differences as numbers instead"
            )
        self.relation = np.asarray(relation, dtype=np.bool_)

    def weak_order(self) -> Broken | None:
        """Complete and transitive."""
        missing = np.argwhere(~(self.relation | self.relation.T))
        if len(missing):
            return self._letters(missing[0], ("a", "b", "c", "d"))
        number = self.relation.astype(np.float32)
        broken = np.argwhere((number @ number > 0) & ~self.relation)
        if not len(broken):
            return None
        low, high = broken[0]
        middle = np.flatnonzero(self.relation[low] & self.relation[:, high])[0]
        return self._letters((low, middle, high), ("a", "b", "c", "d", "e", "f"))

    def sign_reversal(self) -> Broken | None:
        """If ab is at most cd then dc is at most ba."""
        turned = np.arange(self.size**2).reshape(self.size, self.size).T.reshape(-1)
        broken = np.argwhere(self.relation & ~self.relation[np.ix_(turned, turned)].T)
        return self._letters(broken[0], ("a", "b", "c", "d")) if len(broken) else None

    def weak_monotonicity(self) -> Broken | None:
        """All pairs of triples, some at a time."""
        a, b, c = (x.reshape(-1) for x in np.indices((self.size,) * 3))
        ab, bc, ac = a * self.size + b, b * self.size + c, a * self.size + c
        some = max(1, _CHUNK // len(a))
        for start in range(0, len(a), some):
            k = slice(start, start + some)
            follows = self.relation[ab[k]][:, ab] & self.relation[bc[k]][:, bc]
            broken = np.argwhere(follows & ~self.relation[ac[k]][:, ac])
            if len(broken):
                one, other = int(broken[0][0]) + start, int(broken[0][1])
                letters = zip("abc", (a[one], b[one], c[one]), strict=True)
                primed = zip(("a'", "b'", "c'"), (a[other], b[other], c[other]), strict=True)
                return {letter: int(x) for letter, x in (*letters, *primed)}
        return None

    def solvability(self) -> Broken | None:
        """For every a and b all differences between aa and ab must be met from a on and up to b."""
        n = self.size
        same = (self.relation & self.relation.T).reshape(n, n, n * n)
        from_here, up_to_here = np.asarray(same.any(axis=1)), np.asarray(same.any(axis=0))
        for a in range(n):
            for b in range(n):
                between = self.relation[a * n + a] & self.relation[:, a * n + b]
                broken = np.flatnonzero(between & ~(from_here[a] & up_to_here[b]))
                if len(broken):
                    return self._letters((a * n + b, broken[0]), ("a", "b", "c", "d"))
        return None

    def _letters(self, pairs: NDArray[np.int64] | tuple[int, ...], letters: tuple[str, ...]) -> Broken:
        numbers = (int(x) for pair in pairs for x in divmod(int(pair), self.size))
        return dict(zip(letters, numbers, strict=True))
