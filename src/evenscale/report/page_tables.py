"""The tables of the page, made from what was gathered. Rows are chosen and joined here; nothing is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from evenscale.oddities import named
from evenscale.report.campaign import InputFile
from evenscale.report.grid import Column, Grid
from evenscale.report.measured import MeasurePart, View
from evenscale.tables import Cell

PAIRS_SHOWN = 100
"""The most pairs of systems in one table of the page."""
TOPICS_FIRST = 10
FILES_FIRST = 10
WIDE = 14
"""A table with more columns is printed in smaller letters."""
FILTERED = 20
"""Tables with more rows can be filtered."""
WINNERS_NAMED = 3

Numbers = Mapping[str, int]
"""The number of each system, by which rows are linked and highlighted."""


def board(parts: Sequence[MeasurePart], numbers: Numbers) -> Grid:
    """All systems and measures, each measure beside its interval version; the first measure gives the order."""
    columns = [Column("system"), Column("place", digits=0, first="ascending", hint=f"place by {parts[0].label}")]
    rows: dict[str, list[Cell]] = {
        row["system"]: [row["system"], row["place"]] for row in parts[0].leaderboard.iter_rows(named=True)
    }
    for part in parts:
        columns += _board_columns(part)
        for row in part.leaderboard.iter_rows(named=True):
            rows[row["system"]] += [row["mean"]]
            if part.interval is not None:
                rows[row["system"]] += [row["interval_mean"], row["moved"]]
    listed = list(rows.values())
    return Grid(
        "board",
        "Means over topics, and on the interval version of each measure",
        columns,
        listed,
        systems=[numbers[name] for name in rows],
        filtered=True,
        anchors=True,
        notes=_best_and_moved(columns, listed),
        classes="tight wide" if len(columns) > WIDE else "tight",
    )


def _board_columns(part: MeasurePart) -> list[Column]:
    plain = [Column("mean" if not part.counts else "total", group=part.label)]
    if part.interval is None:
        return plain
    return [
        *plain,
        Column("interval", group=part.label, hint=f"mean of {part.interval.label}"),
        Column("moved", group=part.label, written="moved", hint="places gained or lost on the interval version"),
    ]


def _best_and_moved(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> dict[tuple[int, int], str]:
    """The best mean of each column stands out; moves are coloured by direction."""
    notes: dict[tuple[int, int], str] = {}
    for k, column in enumerate(columns[2:], 2):
        cells = [row[k] for row in rows]
        known = [cell for cell in cells if isinstance(cell, int | float)]
        for r, cell in enumerate(cells):
            if not isinstance(cell, int | float):
                continue
            if column.written == "moved":
                notes[r, k] = "up" if cell > 0 else "down" if cell < 0 else "same"
            elif cell == max(known):
                notes[r, k] = "best"
    return notes


STANDINGS = {
    "place": Column("place", digits=0, first="ascending"),
    "tier": Column("tier", digits=0, first="ascending", hint="systems of one tier cannot be told apart from its best"),
    "group": Column("letters", hint="systems that share a letter are not significantly different"),
    "mean": Column("mean"),
    "low": Column("low", hint="lower end of the simultaneous interval"),
    "high": Column("high", hint="upper end of the simultaneous interval"),
    "beats": Column("beats", digits=0, hint="systems it is significantly better than"),
}


def standings(part: MeasurePart, numbers: Numbers, anchor: str) -> Grid:
    """Place, tier, letters, mean and simultaneous interval of every system, on both versions."""
    frame = part.leaderboard
    wanted = [name for name in STANDINGS if frame[name].null_count() < frame.height and any(frame[name].to_list())]
    versions = [("", part.label)] if part.interval is None else [("", part.label), ("interval_", part.interval.label)]
    columns = [Column("system")]
    picked = ["system"]
    for prefix, group in versions:
        for name in wanted:
            columns.append(replace(STANDINGS[name], group=group))
            picked.append(prefix + name)
    rows = list(frame.select(picked).iter_rows())
    return Grid(
        anchor,
        f"Standings on {part.label}",
        columns,
        rows,
        systems=[numbers[row[0]] for row in rows],
        filtered=len(rows) > FILTERED,
        classes="tight",
    )


def changed_pairs(part: MeasurePart, anchor: str) -> Grid | None:
    """Pairs that are significant on one version only, or on both in opposite directions; the surest first."""
    if part.interval is None or part.changes is None:
        return None
    before, after = part.measure.pairs, _turned(part.interval.pairs)
    both = before.join(after, on=["system", "other"], suffix="_after", maintain_order="left")
    kinds = (
        pl.when(pl.col("significant") & pl.col("significant_after") & (pl.col("state") != pl.col("state_after")))
        .then(pl.lit("turns round"))
        .when(pl.col("significant") & ~pl.col("significant_after"))
        .then(pl.lit("lost"))
        .when(~pl.col("significant") & pl.col("significant_after"))
        .then(pl.lit("gained"))
    )
    changed = both.with_columns(change=kinds).drop_nulls("change")
    if changed.is_empty():
        return None
    surest = changed.sort(pl.min_horizontal("p", "p_after"), maintain_order=True).head(PAIRS_SHOWN)
    rows = list(
        surest.select("system", "other", "change", "difference", "p", "difference_after", "p_after").iter_rows()
    )
    some = f", the surest {PAIRS_SHOWN} of {changed.height:,}" if changed.height > PAIRS_SHOWN else ""
    return Grid(
        anchor,
        f"Pairs whose significance changes on the interval version{some}",
        [
            Column("system"),
            Column("other"),
            Column("significance"),
            Column("difference", group=part.label),
            Column("p", group=part.label, first="ascending", written="chance"),
            Column("difference", group=part.interval.label),
            Column("p", group=part.interval.label, first="ascending", written="chance"),
        ],
        rows,
        rows_are="pairs",
        filtered=len(rows) > FILTERED,
    )


def _turned(pairs: pl.DataFrame) -> pl.DataFrame:
    """Every pair both ways round, so that it can be looked up whichever system comes first."""
    states = {"better": "worse", "worse": "better", "not different": "not different"}
    other_way = pairs.select(
        system="other", other="system", difference=-pl.col("difference"), p="p", significant="significant",
        state=pl.col("state").replace_strict(states, return_dtype=pl.String),
    )  # fmt: skip
    return pl.concat([pairs, other_way.select(pairs.columns)])


def flips(part: MeasurePart, anchor: str) -> Grid | None:
    """Claims that the interval version turns round, the largest lead first."""
    if part.statements is None or part.interval is None:
        return None
    turned = part.statements.frame.filter(pl.col("category") == "flips")
    if turned.is_empty():
        return None
    first = turned.sort("difference", descending=True, maintain_order=True).head(PAIRS_SHOWN)
    some = f", the largest {PAIRS_SHOWN} of {turned.height:,}" if turned.height > PAIRS_SHOWN else ""
    rows = [
        [system, other, difference, later, _significance(was, now)]
        for system, other, difference, later, was, now in first.select(
            "system", "other", "difference", "interval_difference", "significant", "interval_significant"
        ).iter_rows()
    ]
    columns = [
        Column("ahead"),
        Column("behind"),
        Column("lead", group=part.label),
        Column("lead", group=part.interval.label, first="ascending"),
        Column("significant on"),
    ]
    caption = f"Claims that are the other way round on the interval version{some}"
    return Grid(anchor, caption, columns, rows, rows_are="pairs", filtered=len(rows) > FILTERED)


def _significance(was: bool, now: bool | None) -> str:
    """
    >>> _significance(True, False), _significance(False, None)
    ('the measure', 'neither')
    """
    return {(True, True): "both", (True, False): "the measure", (False, True): "the interval version"}.get(
        (bool(was), bool(now)), "neither"
    )


def curves(frame: pl.DataFrame, numbers: Numbers) -> Grid:
    """Interpolated precision of every system at each recall level, the median of all systems first."""
    levels = frame["recall"].unique().sort().to_list()
    by_system: dict[str | None, list[Cell]] = {}
    for system, precision in frame.sort("recall", maintain_order=True).select("system", "precision").iter_rows():
        by_system.setdefault(system, []).append(precision)
    middle = by_system.pop(None, None)
    known = [name for name in by_system if name is not None]
    rows: list[list[Cell]] = [] if middle is None else [["median of all systems", *middle]]
    systems: list[int | None] = [None] * len(rows)
    rows += [[name, *by_system[name]] for name in known]
    return Grid(
        "curves-table",
        "Interpolated precision at each recall level, mean over topics",
        [Column("system"), *(Column(f"{level:.1f}", group="recall") for level in levels)],
        rows,
        systems=[*systems, *(numbers[name] for name in known)],
        classes="tight",
    )


def correlation(frame: pl.DataFrame) -> Grid:
    """Kendall's tau between measures before and after."""
    rows = list(frame.select("measure", "other", "before", "after", "change").iter_rows())
    columns = [
        Column("measure"),
        Column("other"),
        Column("tau of the measures"),
        Column("tau of the interval versions"),
        Column("change in %", digits=1),
    ]
    return Grid("correlation-table", "Agreement between measures", columns, rows, rows_are="pairs", classes="narrow")


def agreement(frame: pl.DataFrame) -> Grid:
    """Kendall's tau between each measure and its own interval version."""
    rows = list(frame.select("measure", "tau").iter_rows())
    columns = [Column("measure"), Column("tau")]
    caption = "Agreement of each measure with its own interval version"
    return Grid("agreement-table", caption, columns, rows, rows_are="measures", classes="narrow")


def boxes(view: View, numbers: Numbers, anchor: str) -> Grid:
    """Quartiles and whiskers of every system."""
    frame = view.boxes.with_columns(beyond=pl.col("outliers").list.len().cast(pl.Int64))
    names = ("mean", "low", "q1", "median", "q3", "high")
    rows = list(frame.select("system", *names, "beyond").iter_rows())
    titles = ("mean", "lower whisker", "lower quartile", "median", "upper quartile", "upper whisker")
    columns = [Column("system"), *map(Column, titles), Column("outliers", digits=0)]
    return Grid(
        anchor,
        f"Scores of each system on {view.label}",
        columns,
        rows,
        systems=[numbers[row[0]] for row in rows],
        exported=False,
    )


def topics(view: View, anchor: str) -> Grid:
    """Topics, the hardest first, with who wins them."""
    frame = view.topics
    names = ("relevant", "median", "q1", "q3", "worst", "best", "spread")
    rows: list[list[Cell]] = [
        [row["topic"], *(row[name] for name in names), named(row["winners"], WINNERS_NAMED) or "none: all are equal"]
        for row in frame.iter_rows(named=True)
    ]
    titles = ("median", "lower quartile", "upper quartile", "worst", "best", "spread")
    columns = [
        Column("topic"),
        Column("relevant", digits=0, hint="relevant documents"),
        *(Column(title, first="ascending") for title in titles),
        Column("won by"),
    ]
    return Grid(
        anchor, f"Topics by {view.label}, the hardest first", columns, rows, rows_are="topics", limit=TOPICS_FIRST,
        filtered=len(rows) > TOPICS_FIRST, classes="topics",
    )  # fmt: skip


def wins(view: View, numbers: Numbers, anchor: str) -> Grid:
    """On how many topics each system is best."""
    rows = list(view.wins.select("system", "wins", "alone").iter_rows())
    columns = [Column("system"), Column("wins", digits=0), Column("alone", digits=0, hint="without a tie")]
    return Grid(
        anchor,
        f"Topics won on {view.label}",
        columns,
        rows,
        systems=[numbers[row[0]] for row in rows],
        classes="narrow",
    )


def files(sources: Sequence[InputFile]) -> Grid:
    """The input with sizes and hashes."""
    columns = [Column("role"), Column("file"), Column("bytes", digits=0, written="count"), Column("SHA-256")]
    rows = [[source.role, source.name, source.size, source.sha256] for source in sources]
    return Grid(
        "files",
        "Where the judgments and runs came from",
        columns,
        rows,
        named=1,
        rows_are="files",
        limit=FILES_FIRST,
        exported=False,
        classes="files",
    )


def kinds(parts: Sequence[MeasurePart]) -> Grid:
    """What each measure is: title, source, and whether it is an interval scale."""
    rows = [[part.label, part.title, _kind(part), part.cite or None] for part in parts]
    columns = [Column("measure"), Column("name"), Column("scale"), Column("source")]
    return Grid("kinds", "The measures", columns, rows, rows_are="measures", exported=False, classes="words")


def _kind(part: MeasurePart) -> str:
    said = "an interval scale" if part.kind.interval else "not an interval scale"
    topicwise = "; every topic has a scale of its own" if part.kind.topicwise else ""
    return f"{said}: {part.kind.reason}{topicwise}"
