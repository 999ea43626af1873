"""Tables 2 and 3 of Giner 2023 again: the printed category of every measure beside the computed one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations_with_replacement
from typing import Any, Literal, TypeAlias

import polars as pl

from evenscale.judged import Topic
from evenscale.kinds import classics
from evenscale.kinds.taxonomy import Kind, Listed, Scored, Taxonomy, category_of, weakest
from evenscale.measures.exact import Exact
from evenscale.orders.universe import SetUniverse, Universe
from evenscale.orders.values import Run, Runs
from evenscale.results import Result
from evenscale.scales import parse
from evenscale.tables import Table

DEPTH = 8
"""The greatest depth that the tables look at, but for measures whose category changes further down."""

Domain: TypeAlias = Literal["sets", "sets of any size", "users", "users, sets of any size", "rankings", "full rankings"]


def _sets_to(depth: int, grades: int) -> tuple[Run, ...]:
    """All sets of one document to so many, by their grades from high to low."""
    sizes = (combinations_with_replacement(range(grades, -1, -1), size) for size in range(1, depth + 1))
    return tuple(run for of_size in sizes for run in of_size)


def _mixed_sets(depth: int, grades: int) -> list[Runs]:
    """Sets of any size to a depth, where there is more than one size."""
    return [Listed(_sets_to(depth, grades), SetUniverse(depth, grades).topic)] if depth > 1 else []


def _with_relevant(depth: int, relevant: int) -> Listed:
    runs = tuple(run for run in Universe(depth).runs() if sum(run) == relevant)
    return Listed(runs, Topic.of({0: depth - relevant, 1: relevant}))


DOMAINS: dict[Domain, Callable[[int], list[Runs]]] = {
    "sets": lambda depth: [SetUniverse(depth)],
    "sets of any size": lambda depth: _mixed_sets(depth, 1),
    "users": lambda depth: [SetUniverse(depth, 2)],
    "users, sets of any size": lambda depth: _mixed_sets(depth, 2),
    "rankings": lambda depth: [Universe(depth)],
    "full rankings": lambda depth: [_with_relevant(depth, relevant) for relevant in range(1, depth)],
}
"""The universes of a depth. *Full rankings* rank every document of a collection, so the number of relevant ones is
fixed; each number is a universe of its own, and the weakest category counts."""


@dataclass(frozen=True)
class Classic:
    """A line of the tables: `at` gives the measure for outputs of a length; `printed` is None where print has none."""

    name: str
    cite: str
    domain: Domain
    printed: Kind | None
    at: Callable[[int], Scored]
    remark: str = ""
    depth: int = DEPTH

    def taxonomy(self, domain: Domain | None = None) -> Taxonomy:
        """The category at every depth."""
        over = DOMAINS[domain or self.domain]
        found = tuple(
            weakest(category_of(self.at(length), universe) for universe in over(length))
            for length in range(1, self.depth + 1)
            if over(length)
        )
        on: dict[str, Literal["rankings", "sets", "users"]] = {"sets": "sets", "users": "users"}
        return Taxonomy(self.name, 1, on.get(self.domain, "rankings"), found)


# --- the lines --------------------------------------------------------------------------------------------------------


def _of_counts(measure: classics.SetMeasure) -> Callable[[int], Scored]:
    """For sets of `depth` documents from a collection three times as large, a third of it relevant."""

    def at(depth: int) -> Scored:
        return lambda run: measure(classics.Contingency.of(run, relevant=depth, collection=3 * depth))

    return at


def _of_users(measure: classics.UserMeasure) -> Callable[[int], Scored]:
    """For sets of `depth` documents where the user knew of as many relevant ones."""

    def at(depth: int) -> Scored:
        return lambda run: measure(run, depth)

    return at


def _of_gains(measure: Callable[[Run, Run], Exact | float]) -> Callable[[int], Scored]:
    """For rankings of `depth` documents and as many relevant ones on the topic."""

    def at(depth: int) -> Scored:
        return lambda run: measure(run, (1,) * depth)

    return at


def _own(text: str) -> Callable[[int], Scored]:
    """A measure of our own table, cut at the depth."""
    return lambda depth: parse(text.format(depth))


PSEUDO: Kind = "ordinal/pseudometric"
METRIC: Kind = "ordinal/metric"
INTERVAL: Kind = "interval/metric"

_SET_CITES = {"F-measure": "van Rijsbergen 1979"}
_SET_REMARKS = {
    "F-measure": "print: 0, .300, .509 for 15 documents with 5 relevant; it is 2 tp / (size + 5): 0, .2, .4, ..."
}
_SET_PRINTED: dict[str, Kind] = {"F-measure": METRIC, "generality factor": PSEUDO}
_USER_REMARKS = {"novelty ratio": "0 where nothing relevant is retrieved"}

TABLE2: tuple[Classic, ...] = (
    *(
        Classic(
            name,
            _SET_CITES.get(name, "Giner 2023"),
            "sets",
            _SET_PRINTED.get(name, INTERVAL),
            _of_counts(measure),
            _SET_REMARKS.get(name, ""),
        )
        for name, measure in classics.SET_MEASURES.items()
    ),
    *(
        Classic(name, "Korfhage 1997", "users", PSEUDO, _of_users(measure), _USER_REMARKS.get(name, ""))
        for name, measure in classics.USER_MEASURES.items()
    ),
    Classic(
        *("utility (5, 3, 2, 1)", "Salton and McGill 1983", "sets", None, _of_counts(classics.utility(5, 3, 2, 1))),
        "in print's text: a metric in general, an interval scale for some weights",
    ),
    Classic(
        *("utility (4, 3, 2, 1)", "Salton and McGill 1983", "sets", None, _of_counts(classics.utility(4, 3, 2, 1))),
        "print's text calls it a metric when the four weights differ; these do",
    ),
)

TABLE3: tuple[Classic, ...] = (
    Classic("Prec@r", "Giner 2023", "rankings", PSEUDO, _own("P@{}")),
    Classic(
        *("R-precision", "Buckley and Voorhees 2005", "rankings", PSEUDO, _own("Rprec")),
        "R is the topic's number of relevant documents; print counts those retrieved",
    ),
    Classic("sliding ratio", "Pollock 1968", "rankings", PSEUDO, _of_gains(classics.sliding_ratio)),
    Classic(
        *("modified sliding ratio", "Sagara 2002", "rankings", METRIC, _of_gains(classics.modified_sliding_ratio)),
        "1/2 = 1/3 + 1/6",
    ),
    Classic(
        *("normalised recall", "Rocchio 1964", "full rankings", INTERVAL, lambda _: classics.normalised_recall),
        "only the sum of the ranks counts",
    ),
    Classic(
        *("normalised precision", "Rocchio 1964", "full rankings", METRIC, lambda _: classics.normalised_precision),
        "only the product of the ranks counts",
    ),
    Classic("weighted R-precision", "Kando 2001", "rankings", PSEUDO, _of_gains(classics.weighted_r_precision)),
    Classic("R-measure", "Sakai 2004", "rankings", PSEUDO, _of_gains(classics.r_measure)),
    Classic("average precision", "Buckley and Voorhees 2005", "rankings", PSEUDO, _own("AP@{}")),
    Classic(
        *("AWP", "Kando 2001", "rankings", PSEUDO, _of_gains(classics.average_weighted_precision)),
        "print's witness needs 4 relevant documents, not the 2 that it names",
    ),
    Classic("Q-measure", "Sakai 2004", "rankings", PSEUDO, _of_gains(classics.q_measure)),
    Classic("RR", "Voorhees 1999", "rankings", PSEUDO, _own("RR@{}")),
    Classic(
        *("ERR", "Chapelle et al. 2009", "rankings", None, _own("ERR@{}")),
        "the cascade measure; print's text takes ERR for the mean of RR over queries",
    ),
    Classic("DCG, base 2", "Järvelin and Kekäläinen 2002", "rankings", PSEUDO, _own("DCG(dcg='jk',base=2)@{}")),
    Classic(
        *("DCG, log2(rank + 1)", "Burges et al. 2005", "rankings", None, _own("DCG@{}")),
        "not in print; two runs first share a value at depth 63: a hit at rank 3, and hits at ranks 7 and 63",
    ),
    Classic(
        *("RBP, p = 0.8", "Moffat and Zobel 2008", "rankings", PSEUDO, _own("RBP(p=0.8)@{}")),
        "binary runs; for every rational p no two of them share a value",
    ),
    Classic(
        *("RBP, p = 0.618...", "Moffat and Zobel 2008", "rankings", PSEUDO, _of_gains(classics.golden_rbp)),
        "print's counterexample, 1 = p + p^2, has this irrational p only; scores without the factor 1 - p",
    ),
    Classic(
        *("RBP, p = 0.5", "Moffat and Zobel 2008", "rankings", INTERVAL, _own("RBP(p=0.5)@{}")),
        "in print's text",
    ),
    Classic(
        *("bpref", "Buckley and Voorhees 2004", "rankings", PSEUDO, _own("Bpref")),
        "with its clauses, over the topic's relevant documents; print's witness (1, 0, ...) and (1, 1, ...) is none",
    ),
    Classic("nxCG", "Kazai and Lalmas 2006", "rankings", PSEUDO, _of_gains(classics.extended_gain)),
    Classic(
        *("MAnxCG", "Kazai and Lalmas 2006", "rankings", PSEUDO, _of_gains(classics.mean_extended_gain)),
        "print's witness (1, 0, 0, 0) and (0, 1, 0, 0) is none; with 2 relevant documents there is one at depth 4",
        depth=12,
    ),
    Classic("gain-recall", "Kazai and Lalmas 2006", "rankings", PSEUDO, _of_gains(classics.gain_recall)),
    Classic(
        *("expected search length", "Cooper 1968", "rankings", PSEUDO, _of_gains(classics.search_length)),
        "one relevant document wanted, no ties",
    ),
)


# --- the tables -------------------------------------------------------------------------------------------------------

_MIXED: dict[Domain, Domain] = {"sets": "sets of any size", "users": "users, sets of any size"}


@dataclass(frozen=True, eq=False)
class Published(Result):
    """A published table with our own verdict beside every cell; `mixed` is that for sets of any size."""

    title: str
    lines: tuple[Classic, ...]
    found: tuple[Taxonomy, ...]
    mixed: tuple[Taxonomy | None, ...]

    @property
    def differing(self) -> tuple[str, ...]:
        """The measures for which print says something else."""
        rows = self.frame.filter(pl.col("agree").not_())
        return tuple(rows["measure"].to_list())

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row per measure."""
        rows = [self._row(*parts) for parts in zip(self.lines, self.found, self.mixed, strict=True)]
        return pl.DataFrame(rows, infer_schema_length=None)

    def _row(self, line: Classic, found: Taxonomy, mixed: Taxonomy | None) -> dict[str, Any]:
        ours = found.last.kind
        return {
            "measure": line.name,
            "cite": line.cite,
            "domain": line.domain,
            "print": line.printed,
            "ours": ours,
            "agree": None if line.printed is None else line.printed == ours,
            "since_depth": found.settled.depth,
            "to_depth": found.last.depth,
            "equispaced": found.spacing,
            "history": found.history,
            "witness": found.settled.witness,
            "mixed": mixed.last.kind if mixed else None,
            "mixed_witness": mixed.settled.witness if mixed else None,
            "remark": line.remark,
        }

    def table(self) -> Table:
        """As a person wants to see it; a verdict stands out where print says something else."""
        columns = {"measure": "measure", "print": "print", "ours": "ours", "since_depth": "from depth"}
        columns |= {"equispaced": "equi-spaced", "witness": "witness"}
        if any(self.mixed):
            columns |= {"mixed": "sizes mixed", "mixed_witness": "witness when mixed"}
        columns["remark"] = "remark"
        rows = list(self.frame.select(*columns).iter_rows())
        differs = [number for number, agree in enumerate(self.frame["agree"].to_list()) if agree is False]
        return Table(list(columns.values()), rows, strong={(number, 2) for number in differs})

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"title": self.title, "rows": self.frame.to_dicts()}


def _published(title: str, lines: tuple[Classic, ...]) -> Published:
    mixed = tuple(line.taxonomy(_MIXED[line.domain]) if line.domain in _MIXED else None for line in lines)
    return Published(title, lines, tuple(line.taxonomy() for line in lines), mixed)


@cache
def table2() -> Published:
    """Set-based measures: Table 2 of Giner 2023 beside the computed categories.

    Sets have one size; the collection is three times as large and a third of it relevant, which at size 5 is the
    paper's example. What becomes of each measure when sets of all sizes are compared is said beside it.

    >>> table2().differing
    ('F-measure',)
    """
    return _published("Table 2 of Giner 2023", TABLE2)


@cache
def table3() -> Published:
    """Rank-based measures: Table 3 of Giner 2023 beside the computed categories.

    Runs are all binary rankings of a length for a topic with as many relevant documents. Normalised recall and
    precision are defined for rankings of a whole collection, so there the number of relevant documents is fixed.

    >>> table3().differing
    ('modified sliding ratio', 'normalised recall', 'normalised precision', 'RBP, p = 0.8')
    """
    return _published("Table 3 of Giner 2023", TABLE3)
