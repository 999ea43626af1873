"""What a measure is: on which orders it is a scale and why not, what it can tell apart, and what that permits."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import polars as pl

from evenscale.errors import BadParameter
from evenscale.kinds.every import ignores_order
from evenscale.kinds.taxonomy import Category, Scored, Taxonomy, category_of, taxonomy
from evenscale.measures import Measure
from evenscale.measures.rbp import RBP
from evenscale.orders.checks import ScaleCheck, scale_on
from evenscale.orders.conditions import finite_threshold, interval_parameter, ordinal_threshold
from evenscale.orders.interval_like import IntervalLike, interval_like
from evenscale.orders.orders import NAMES, ORDERS, find_order, refuse_large
from evenscale.orders.universe import SetUniverse, Universe
from evenscale.prose import wrapped
from evenscale.results import Result
from evenscale.scales import Interval, parse
from evenscale.scales.kind import Kind, scale_kind
from evenscale.tables import Table

LIKE_LIMIT = 1 << 7
"""The most runs among which all intervals are compared."""
WHAT_DECIDES = {"induced": "the measure itself", **{name: order.title for name, order in ORDERS.items()}}
SHOWN = ("induced", "weak", "strong", "set-partial", "set-total")


@dataclass(frozen=True, eq=False)
class Explanation(Result):
    """All that computing over a universe of runs says about a measure.

    `order` is the one that was asked for; `checks` has an answer for every order, `rankings` and `sets` the category
    on rankings and, for a measure that ignores the order of documents, on sets.
    """

    measure: Scored
    depth: int
    grades: int
    order: str
    checks: dict[str, ScaleCheck]
    rankings: Category
    sets: Category | None
    by_depth: Taxonomy
    like: IntervalLike | None
    kind: Kind

    @property
    def name(self) -> str:
        """The measure's spelling, or the function's name."""
        return str(self.measure) if isinstance(self.measure, Measure) else getattr(self.measure, "__name__", "it")

    @property
    def title(self) -> str:
        """One line about it: for a function, the first of its own description."""
        if isinstance(self.measure, Measure):
            return self.measure.title + (f" ({self.measure.cite})" if self.measure.cite else "")
        return (getattr(self.measure, "__doc__", None) or "a function of a run").strip().splitlines()[0].rstrip(".")

    @property
    def recall_base(self) -> bool:
        """Whether it depends on how many relevant documents the topic has; a function of the run alone does not."""
        return isinstance(self.measure, Measure) and self.measure.recall_base

    @property
    def asked(self) -> ScaleCheck:
        """The answer for the order that was asked for."""
        return self.checks[self.order]

    @property
    def category(self) -> Category:
        """The category on what the order is about: sets where it is about sets and so is the measure, else rankings."""
        on_sets = self.order in ORDERS and ORDERS[self.order].sets
        return self.sets if on_sets and self.sets is not None else self.rankings

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row per order."""
        return pl.DataFrame([self._row(name) for name in SHOWN])

    def _row(self, name: str) -> dict[str, Any]:
        check = self.checks[name]
        why = check.witness.sentence if check.witness else None
        return {
            "measure": self.name,
            "order": name,
            "ordinal": check.ordinal,
            "strict": check.strict,
            "interval": check.interval,
            "graded": check.graded,
            "scale": check.affine or None,
            "witness": why,
        }

    def table(self) -> Table:
        """One line per order."""
        rows = [(name, WHAT_DECIDES[name], _ordinal(self.checks[name]), _interval(self.checks[name])) for name in SHOWN]
        return Table(("order", "what decides", "ordinal scale", "interval scale"), rows)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: the asked order's answer first, then all of them."""
        check, category = self.asked, self.category
        return {
            "measure": self.name,
            "depth": self.depth,
            "grades": self.grades,
            "order": self.order,
            "ordinal": check.ordinal,
            "interval": check.interval,
            "injective": category.injective,
            "equispaced": category.equispaced,
            "category": category.kind,
            "recall_base": self.recall_base,
            "witness": self._witness(check, category),
            "title": self.title,
            "runs": category.runs,
            "values": category.values,
            "orders": {name: self.checks[name].to_dict() for name in NAMES},
            "sets": self.sets.to_dict() if self.sets else None,
            "by_depth": self.by_depth.to_dict(),
            "interval_like": self.like.to_dict() if self.like else None,
            "permits": self.permits,
        }

    @staticmethod
    def _witness(check: ScaleCheck, category: Category) -> dict[str, Any] | None:
        """The runs behind every "no": not ordinal or not interval on the order, two runs alike, uneven steps."""
        found = {
            "scale": check.witness.to_dict() if check.witness else None,
            "same_value": [list(run) for run in category.same] if category.same else None,
            "uneven": category.uneven.to_dict() if category.uneven else None,
        }
        return found if any(found.values()) else None

    @property
    def permits(self) -> str:
        """What may be said with the measure's numbers, in a sentence or two."""
        version = _version(self.measure, self.depth)
        return _PERMITS[self.kind.interval, self.kind.topicwise].format(name=self.name, version=version)

    @property
    def answer(self) -> str:
        """What was asked, in one sentence: is it ordinal, is it interval, on this order?"""
        check, order = self.asked, f"the order '{self.order}' ({WHAT_DECIDES[self.order]})"
        if check.interval:
            return f"On {order} it is an interval scale: {check.affine.removesuffix(' + 0') or 'a constant'}."
        kind = "ordinal" + ("" if check.strict else ", with ties") + ", but no interval scale"
        return f"On {order} it is {kind if check.ordinal else 'not even ordinal'}."

    def page(self) -> str:
        """The explanation as a page of plain language."""
        return "\n\n".join(f"{head}\n{body}" if head else body for head, body in self.parts())

    def parts(self) -> list[tuple[str, str]]:
        """The page's parts: heading and text."""
        about = (
            f"Runs of length {self.depth} with grades 0 to {self.grades}: {self.rankings.runs:,} runs, "
            f"{self.rankings.values:,} different {'value' if self.rankings.values == 1 else 'values'}."
        )
        found = [
            ("", wrapped(f"{self.name}: {self.title}") + "\n" + wrapped(about)),
            ("", wrapped(self.answer) if self.order != "induced" else ""),
            ("On which orders is it a scale?", _indented(self.table().text())),
            ("Why not?", self._why_not()),
            ("Can it tell runs apart?", self._apart()),
        ]
        if self.like is not None:
            found.append(("Are its differences in order at least?", _item(self.like.sentence)))
        found.append(("For which p?", _item(_persistence(self.measure, self.depth, self.grades))))
        found.append(("Does it depend on the recall base?", _item(self._recall_base())))
        found.append(("What does that permit?", _item(self.permits)))
        return [(head, body) for head, body in found if body.strip()]

    def _why_not(self) -> str:
        lines = []
        for name in SHOWN:
            check = self.checks[name]
            if check.witness is None:
                continue
            what = "not an interval scale" if check.ordinal else "not ordinal"
            also = (
                f" It is not strict either: {check.tie.sentence}." if check.tie and check.witness != check.tie else ""
            )
            lines.append(_item(f"{name}: {what}: {check.witness.sentence}.{also}"))
        return "\n".join(lines)

    def _apart(self) -> str:
        lines = [_item(f"{_APART[self.rankings.kind]}: {self.rankings.sentence}.")]
        lines.append(_item(f"By depth: {self.by_depth.history}."))
        if self.sets is not None:
            lines.append(
                _item(
                    f"It ignores the order of documents. As a measure of sets it is {self.sets.kind}: "
                    f"{self.sets.sentence}."
                )
            )
        return "\n".join(lines)

    def _recall_base(self) -> str:
        if not self.recall_base:
            return "No: a value means the same on every topic."
        return (
            "Yes: on a topic with more relevant documents the same run scores less or more. Every topic has a scale of "
            "its own, and there is no common one across topics."
        )


_APART = {
    "ordinal/pseudometric": "Not all of them (ordinal/pseudometric)",
    "ordinal/metric": "Yes, each has a value of its own, but steps differ (ordinal/metric)",
    "interval/metric": "Yes, in equal steps (interval/metric)",
}
_PERMITS = {
    (True, False): (
        "{name} is an interval scale of its own order: means, differences, t tests and ANOVA have a meaning. "
        "Percentages and ratios do not: where its zero lies is a convention."
    ),
    (True, True): (
        "Within one topic {name} is an interval scale of its own order. Across topics its unit changes, so a mean over "
        "topics adds up different units; what holds on every topic may be said without more. {version}"
    ),
    (False, False): (
        "{name} is an ordinal scale: who is better on a topic, on how many topics, medians, and sign tests have a "
        "meaning. Means, t tests, ANOVA and the signed-rank test can change when the scale is redrawn. {version}"
    ),
    (False, True): (
        "{name} is an ordinal scale, a different one on every topic: who is better on a topic, on how many topics, and "
        "sign tests have a meaning. Means, medians over topics, t tests, ANOVA and the signed-rank test can change "
        "when the scale is redrawn. {version}"
    ),
}


def _persistence(measure: Scored, depth: int, grades: int) -> str:
    """For which p RBP is a scale on strong top-heaviness; nothing for other measures."""
    if not isinstance(measure, RBP) or measure.gmax is not None:
        return ""
    gains = range(2 if measure.rel is not None else grades + 1)
    bound, here = ordinal_threshold(gains), finite_threshold(gains, depth)
    at_most = "any p" if here.low == 1 else f"p up to {float(here.low):.4g}"
    return (
        f"On strong top-heaviness RBP is ordinal for p up to {bound} at every depth, at depth {depth} for {at_most}; "
        f"from depth 2 on it is an interval scale for p = {interval_parameter(gains)} only (Ferrante et al. 2018, "
        "section 6.1)."
    )


def _version(measure: Scored, depth: int) -> str:
    if isinstance(measure, Interval):
        return ""
    if not isinstance(measure, Measure):
        return f"interval_scale(function, depth={depth}) has its interval version."
    if not measure.takes_cutoff:
        return "'evenscale check' tells which of your claims survive."
    surrogate = " (a surrogate, since topics have no common scale)" if measure.recall_base else ""
    return f"interval({measure}) is its interval version{surrogate}; 'evenscale check' tells which claims survive."


def _ordinal(check: ScaleCheck) -> str:
    return ("yes" if check.strict else "yes, with ties") if check.ordinal else "no"


def _interval(check: ScaleCheck) -> str:
    if not check.interval:
        return "no"
    return f"yes: {check.affine.removesuffix(' + 0')}" if check.affine else "yes"


def _item(text: str) -> str:
    return wrapped(text, "  ", "    ")


def _indented(text: str) -> str:
    return textwrap.indent(text, "  ")


def explain(measure: str | Scored, *, depth: int | None = None, grades: int = 1, order: str = "induced") -> Explanation:
    """Say what a measure is, from its exact values on all runs of a length.

    `measure` is a spelling, a Measure, or any function from a tuple of grades to a number. `depth` is the runs' length,
    by default the measure's cut-off; `grades` the highest grade. A universe that is too large is refused with the
    depth that would work.

    >>> found = explain("AP@4", order="weak")
    >>> found.asked.ordinal, found.asked.interval, found.category.kind
    (True, False, 'ordinal/pseudometric')
    >>> print(found)
    order        what decides                         ordinal scale  interval scale
    induced      the measure itself                   yes            no
    weak         counts at every rank and grade       yes            no
    strong       the first differing rank decides     no             no
    set-partial  counts at or above every grade       no             no
    set-total    the highest differing grade decides  no             no
    """
    if order not in NAMES:
        find_order(order)
    chosen, length = _at_depth(parse(measure) if isinstance(measure, str) else measure, depth)
    universe = Universe(length, grades)
    refuse_large(universe)
    if isinstance(chosen, Measure):
        chosen.check(tuple(range(grades + 1)))
    on_sets = ignores_order(chosen, length, grades)
    return Explanation(
        measure=chosen,
        depth=length,
        grades=grades,
        order=order,
        checks={name: _checked(chosen, name, length, grades, on_sets) for name in NAMES},
        rankings=(rankings := category_of(chosen, universe)),
        sets=category_of(chosen, SetUniverse(length, grades)) if on_sets else None,
        by_depth=taxonomy(chosen, grades=grades, up_to=length),
        like=interval_like(chosen, universe) if universe.size <= LIKE_LIMIT else None,
        kind=scale_kind(chosen, grades) if isinstance(chosen, Measure) else Kind(rankings.equispaced, False, ""),
    )


def _at_depth(measure: Scored, depth: int | None) -> tuple[Scored, int]:
    """A measure with its runs' length as cut-off, and that length."""
    if not isinstance(measure, Measure):
        if depth is None:
            raise BadParameter("a function has no cut-off: give the length of the runs with depth=")
        return measure, depth
    own = measure.measure.cutoff if isinstance(measure, Interval) else measure.cutoff
    if own is None and depth is None:
        hint = f"write {measure}@5, say" if measure.takes_cutoff else "give the length of the runs with depth (--depth)"
        raise BadParameter(f"{measure} has no runs to look at until they have a length: {hint}")
    if own is not None and depth is not None and own != depth:
        raise BadParameter(f"{measure} has the cut-off {own}, got depth {depth}")
    length = own or depth or 0
    return (replace(measure, cutoff=length) if measure.takes_cutoff else measure), length


def _checked(measure: Scored, name: str, depth: int, grades: int, on_sets: bool) -> ScaleCheck:
    """On orders of sets, a measure that looks at ranks is checked on rankings, where it takes sets apart."""
    order = find_order(name, measure)
    if name in ORDERS and ORDERS[name].sets and not on_sets:
        return scale_on(measure, order, Universe(depth, grades))
    return scale_on(measure, order, order.universe(depth, grades))
