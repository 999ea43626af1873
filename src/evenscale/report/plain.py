"""The contents of a report as plain data: small enough to embed, rounded to what a page can show.

Systems and topics are numbers into the lists `systems` and `topics`. A missing number is null.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from evenscale.report.measured import MeasurePart, View
from evenscale.stats import TESTS

if TYPE_CHECKING:
    from evenscale.report.contents import Contents

SCORE_DIGITS = 5
MEAN_DIGITS = 6
P_DIGITS = 3
"""Significant ones, for p-values."""
SIGNS = {"better": "+", "not different": ".", "worse": "-"}


def plain(contents: Contents) -> dict[str, Any]:
    """All of it, ready for `json.dumps(..., allow_nan=False)`."""
    systems = {name: k for k, name in enumerate(contents.systems)}
    topics = {name: k for k, name in enumerate(contents.topics)}
    numbers = {"system": systems, "other": systems, "topic": topics}
    testing = contents.testing
    return {
        "about": contents.about.to_dict(),
        "test": {
            "name": testing.test,
            "title": testing.title,
            "needs": TESTS[testing.test].needs,
            "alpha": testing.alpha,
            "correction": testing.correction,
        },
        "systems": list(contents.systems),
        "topics": list(contents.topics),
        "measures": [_part(part, contents, numbers) for part in contents.parts],
        "precision_recall": _curves(contents),
        "correlation": rows(contents.correlation, {}),
        "agreement": rows(contents.agreement, {}),
        "methods": contents.methods.to_dict(),
    }


def _curves(contents: Contents) -> dict[str, Any] | None:
    """Precision at each level of recall: one list per system, in the order of `systems`, and the median over them."""
    parts = contents.precision_recall.partition_by("system", maintain_order=True)
    if not parts:
        return None
    curves = {part["system"][0]: tidy(part["precision"].to_list(), SCORE_DIGITS) for part in parts}
    return {
        "recall": parts[0]["recall"].to_list(),
        "median": curves[None],
        "systems": [curves[system] for system in contents.systems],
    }


def rows(frame: pl.DataFrame, numbers: Mapping[str, Mapping[str, int]]) -> list[dict[str, Any]]:
    """A frame's rows; names become numbers where a column has them, numbers are rounded."""
    return [
        {key: _number(value, numbers[key]) if key in numbers else tidy(value) for key, value in row.items()}
        for row in frame.iter_rows(named=True)
    ]


def _number(name: str | None, numbers: Mapping[str, int]) -> int | None:
    return None if name is None else numbers[name]


def tidy(value: Any, digits: int = MEAN_DIGITS) -> Any:
    """A number rounded, or null where it is none; all else as it is.

    >>> tidy([0.12345678, float("nan"), 3, "a"])
    [0.123457, None, 3, 'a']
    """
    if isinstance(value, float):
        return round(value, digits) if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [tidy(item, digits) for item in value]
    if isinstance(value, dict):
        return {key: tidy(item, digits) for key, item in value.items()}
    return value


def significant_digits(p: float | None, digits: int = P_DIGITS) -> float | None:
    """
    >>> significant_digits(0.00012345), significant_digits(None)
    (0.000123, None)
    """
    return None if p is None or not math.isfinite(p) else float(f"{p:.{digits}g}")


def _part(part: MeasurePart, contents: Contents, numbers: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    kind = {"interval": part.kind.interval, "topicwise": part.kind.topicwise, "reason": part.kind.reason}
    scale = part.scale
    return {
        "label": part.label,
        "title": part.title,
        "cite": part.cite,
        "kind": kind,
        "counts": part.counts,
        "surrogate": part.surrogate,
        "interval_label": part.interval.label if part.interval is not None else None,
        "reason": part.reason,
        "leaderboard": rows(part.leaderboard, numbers),
        "changes": part.changes.row() if part.changes is not None else None,
        "views": {view.version: _view(view, contents, numbers) for view in part.views},
        "scale": {"curve": rows(scale.curve, {}), "spacing": tidy(scale.spacing.to_dict(), 12)} if scale else None,
        "scale_reason": part.scale_reason,
        "statements": _statements(part, numbers),
        "witnesses": [verdict.to_dict() for verdict in part.verdicts],
        "statements_reason": part.statements_reason,
    }


def _statements(part: MeasurePart, numbers: Mapping[str, Mapping[str, int]]) -> dict[str, Any] | None:
    """What becomes of the claims about pairs; the pairs themselves are too many, those that flip are listed."""
    check = part.statements
    if check is None:
        return None
    place = numbers["system"]
    order = check.order
    flips = check.frame.filter(pl.col("category") == "flips")
    return {
        "categories": check.categories,
        "significance": tidy(check.significance),
        "sentences": check.sentences(),
        "covers": [[place[above], place[below]] for above, below in order["covers"]],
        "longest_chain": [place[name] for name in order["longest_chain"]],
        "undominated": [place[name] for name in order["undominated"]],
        "flips": [[place[a], place[b]] for a, b in flips.select("system", "other").iter_rows()],
    }


def _view(view: View, contents: Contents, numbers: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    topics = view.topics.with_columns(
        winners=pl.Series([[numbers["system"][name] for name in names] for names in view.topics["winners"].to_list()])
        if view.topics.height
        else pl.col("winners")
    )
    return {
        "label": view.label,
        "untested": view.untested,
        "significant": view.significant,
        "order": [numbers["system"][name] for name in view.standings["system"].to_list()],
        "pairs": _pairs(view),
        "boxes": rows(view.boxes, numbers),
        "topics": rows(topics, numbers),
        "wins": rows(view.wins, numbers),
        "places": _places(view, numbers),
        "scores": _scores(view, contents),
    }


def _pairs(view: View) -> dict[str, Any]:
    """The pairs in the order of `order`: first with second, third, ..., then second with third, and so on.

    `states` has one sign for each: + better, - worse, . not different.
    """
    return {
        "states": "".join(SIGNS[state] for state in view.pairs["state"].to_list()),
        "p": [significant_digits(p) for p in view.pairs["p"].to_list()],
    }


def _places(view: View, numbers: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    """The systems of the heat map, and for each its place on every topic, in the order of `topics`."""
    by_system = view.places.partition_by("system", maintain_order=True)
    return {
        "systems": [numbers["system"][part["system"][0]] for part in by_system],
        "place": [tidy(part["place"].to_list()) for part in by_system],
    }


def _scores(view: View, contents: Contents) -> list[list[float | None]]:
    """One list per system, in the order of `systems`, with one score per topic."""
    place = {run: s for s, run in enumerate(contents.evaluation.runs)}
    columns = view.values.T.tolist()
    return [tidy(columns[place[system]], SCORE_DIGITS) for system in contents.systems]
