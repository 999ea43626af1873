"""Difference structures: the four axioms under which intervals between runs can be compared, checked one by one.

A difference structure orders the pairs (a, b) of a finite set by a relation "the difference from a to b is at most that
from c to d". Where it satisfies four axioms (Ferrante et al. 2018, Definition 1), the set has an interval scale,
unique up to a positive affine map (Theorem 1). Pairs are given either by the level of their difference, from which the
first axiom follows, or by any relation at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenscale.errors import BadInput
from evenscale.measures.exact import in_order
from evenscale.orders.axioms import LevelAxioms, RelationAxioms
from evenscale.orders.gaps import Value, gap, same_gap
from evenscale.orders.grading import NotGraded, gradedness
from evenscale.orders.poset import Label, Poset
from evenscale.results import Result
from evenscale.tables import Table

AXIOMS = {
    "weak order": "any two differences can be compared, and the comparison is transitive",
    "sign reversal": "if ab is at most cd then dc is at most ba",
    "weak monotonicity": "if ab is at most a'b' and bc at most b'c' then ac is at most a'c'",
    "solvability": "if aa is at most cd and cd at most ab, there are d' and d'' with ad', cd and d''b all equal",
}
"""The axioms of Ferrante et al. 2018, Definition 1, in their order; ab stands for the difference from a to b."""

Differences: TypeAlias = Sequence[Sequence[Value]] | NDArray[Any] | Callable[[Any, Any], Value]
Relation: TypeAlias = NDArray[np.bool_] | Callable[[tuple[Any, Any], tuple[Any, Any]], bool]


@dataclass(frozen=True)
class Axiom:
    """One axiom: whether it holds and, if not, the elements that break it."""

    name: str
    holds: bool
    elements: tuple[tuple[str, Label], ...] = ()
    """The elements that break it, by the letters of the axiom's statement."""

    @property
    def statement(self) -> str:
        """What the axiom asks for."""
        return AXIOMS[self.name]

    @property
    def sentence(self) -> str:
        """The finding in words."""
        if self.holds:
            return f"{self.name} holds"
        named = ", ".join(f"{letter} = {label}" for letter, label in self.elements)
        return f"{self.name} fails: {self.statement}; not so for {named}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        elements = {letter: list(x) if isinstance(x, tuple) else x for letter, x in self.elements}
        return {"axiom": self.name, "holds": self.holds, "elements": elements, "sentence": self.sentence}


@dataclass(frozen=True, eq=False)
class DifferenceStructure(Result):
    """The four axioms for one set and its differences."""

    labels: tuple[Label, ...]
    axioms: tuple[Axiom, ...]

    @property
    def holds(self) -> bool:
        """Whether all four hold, so that there is an interval scale."""
        return all(axiom.holds for axiom in self.axioms)

    @property
    def broken(self) -> tuple[str, ...]:
        """The names of those that do not hold."""
        return tuple(axiom.name for axiom in self.axioms if not axiom.holds)

    @property
    def frame(self) -> pl.DataFrame:
        """One row an axiom."""
        return pl.DataFrame(
            {
                "axiom": [axiom.name for axiom in self.axioms],
                "holds": [axiom.holds for axiom in self.axioms],
                "sentence": [axiom.sentence for axiom in self.axioms],
            }
        )

    def table(self) -> Table:
        """The axioms as a person wants to see them."""
        rows = [(axiom.name, "yes" if axiom.holds else "no", axiom.sentence) for axiom in self.axioms]
        return Table(("axiom", "holds", "finding"), rows)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "size": len(self.labels),
            "holds": self.holds,
            "axioms": [axiom.to_dict() for axiom in self.axioms],
        }


def difference_structure(labels: Sequence[Label], differences: Differences) -> DifferenceStructure:
    """Check the axioms where every pair of elements has a difference, a number that can be compared.

    >>> difference_structure(range(5), lambda a, b: b - a).holds
    True
    >>> difference_structure((0, 1, 3), lambda a, b: b - a).broken
    ('solvability',)
    """
    if callable(differences):
        differences = [[differences(a, b) for b in labels] for a in labels]
    rows = [list(row) for row in differences]
    if [len(row) for row in rows] != [len(labels)] * len(labels):
        raise BadInput(f"the differences must be a matrix of {len(labels)} by {len(labels)}")
    return _structure(labels, LevelAxioms(_levels(rows)))


def difference_relation(labels: Sequence[Label], relation: Relation) -> DifferenceStructure:
    """Check the axioms for any relation on pairs, which need not even be an order.

    It is a function of two pairs, or a matrix over all pairs: (first, first), (first, second), and so on.

    >>> difference_relation((0, 1), lambda ab, cd: ab == cd).broken
    ('weak order',)
    """
    pairs = [(a, b) for a in labels for b in labels]
    if callable(relation):
        relation = np.array([[bool(relation(one, other)) for other in pairs] for one in pairs])
    if relation.shape != (len(pairs), len(pairs)):
        raise BadInput(f"the relation must be a matrix of {len(pairs)} by {len(pairs)}, got {relation.shape}")
    return _structure(labels, RelationAxioms(relation))


def structure_of_values(labels: Sequence[Label], values: Sequence[Value]) -> DifferenceStructure:
    """Check the axioms where the difference of two elements is that of their exact values, b less a.

    Such differences are numbers with ac = ab + bc and ba = -ab, so the first three axioms hold; what is left to check
    is whether the values are evenly spaced, which is what solvability comes to on a finite set.

    >>> structure_of_values("abc", [0, 1, 3]).axioms[3].sentence[:17]
    'solvability fails'
    """
    places = _levels([[gap(low, high) for high in values] for low in values])
    found = LevelAxioms(places).solvability()
    first = [Axiom(name, True) for name in list(AXIOMS)[:3]]
    return DifferenceStructure(tuple(labels), (*first, _axiom("solvability", labels, found)))


def natural_structure(poset: Poset) -> DifferenceStructure:
    """Check the axioms for the natural distances on the maximal chains of a graded order.

    Differences are compared within a maximal chain (Ferrante et al. 2018, sections 5.2 and 6.2). All maximal chains of
    a graded order have one length n, and on each the rank function runs through 0 to n; so they all have the same table
    of differences, and one chain stands for all.

    >>> from evenscale.orders.orders import ORDERS
    >>> from evenscale.orders.universe import Universe
    >>> natural_structure(Poset.of(ORDERS["weak"], Universe(3))).holds
    True
    """
    found = gradedness(poset)
    if not found.graded:
        raise NotGraded(f"the order is not graded, so it has no natural distances: {found.sentence}")
    chain = [min(number for number, covered in enumerate(poset.lower) if not covered)]
    while poset.upper[chain[-1]]:
        chain.append(poset.upper[chain[-1]][0])
    labels = [poset.labels[number] for number in chain]
    return difference_structure(labels, lambda a, b: found.ranks[b] - found.ranks[a])


def _levels(rows: Sequence[Sequence[Value]]) -> NDArray[np.int64]:
    """Differences as places among the distinct ones: equal differences have equal places."""
    distinct = {value for row in rows for value in row}
    floats = any(isinstance(value, float) for value in distinct)
    ordered = sorted(distinct, key=float) if floats else in_order(distinct)
    place: dict[Value, int] = {}
    for before, value in zip([None, *ordered], ordered, strict=False):
        same = floats and before is not None and same_gap(before, value)
        place[value] = 0 if before is None else place[before] + (not same)
    return np.array([[place[value] for value in row] for row in rows], dtype=np.int64)


def _structure(labels: Sequence[Label], checks: LevelAxioms | RelationAxioms) -> DifferenceStructure:
    found = (checks.weak_order(), checks.sign_reversal(), checks.weak_monotonicity(), checks.solvability())
    axioms = (_axiom(name, labels, broken) for name, broken in zip(AXIOMS, found, strict=True))
    return DifferenceStructure(tuple(labels), tuple(axioms))


def _axiom(name: str, labels: Sequence[Label], broken: dict[str, int] | None) -> Axiom:
    if broken is None:
        return Axiom(name, True)
    return Axiom(name, False, tuple((letter, labels[number]) for letter, number in broken.items()))
