"""What a report shows: its numbers are the library's own, on the sample and on small random campaigns."""

from __future__ import annotations

import hashlib
import json
import statistics
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import campaigns
from evenscale.bundled import Sample, sample
from evenscale.errors import BadFile, BadInput, BadParameter
from evenscale.measures import MEASURES
from evenscale.report.contents import LEVELS, Contents, gather
from evenscale.report.methods import TESTED, written
from evenscale.report.references import REFERENCES
from evenscale.scales import Interval, interval_scale
from evenscale.scores import evaluate
from evenscale.statements import leaderboard_check
from evenscale.stats import TESTS, compare, scores_of
from evenscale.stats.anova import anova2
from evenscale.studies import study
from evenscale.tables import Table

LABELS = ("AP@10", "P@10", "RR@10", "AP")
QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"d": 1, "a": 0}}
GOOD = {"q1": {"c": 2.0, "a": 1.0}, "q2": {"d": 1.0}}
POOR = {"q1": {"b": 2.0, "a": 1.0}}
FAIR = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"x": 3.0, "d": 1.0}}
SMALL = ("AP@3", "P@3", "AP")


@cache
def campaign() -> Sample:
    return sample()


@cache
def contents() -> Contents:
    return gather(*campaign(), LABELS)


@cache
def data() -> dict[str, Any]:
    """As a page would read it."""
    return json.loads(json.dumps(contents().data(), allow_nan=False))


def views() -> list[Any]:
    return [view for part in contents().parts for view in part.views]


def test_means_are_the_evaluation_s() -> None:
    found = evaluate(*campaign(), [*LABELS, *(f"interval({label})" for label in LABELS[:3])]).leaderboard()
    for view in views():
        rows = dict(view.standings.select("system", "mean").iter_rows())
        assert rows == dict(found.select("run", view.label).iter_rows())


def test_places_count_the_better_systems() -> None:
    for view in views():
        means = view.standings["mean"].to_list()
        assert means == pytest.approx(sorted(means, reverse=True))
        better = [1 + sum(round(other, 8) > round(mean, 8) for other in means) for mean in means]
        assert view.standings["place"].to_list() == better


def test_intervals_part_exactly_where_the_test_finds_a_difference() -> None:
    for view in views():
        bounds = {row["system"]: (row["low"], row["high"]) for row in view.standings.iter_rows(named=True)}
        for system, other, significant in view.pairs.select("system", "other", "significant").iter_rows():
            (low, high), (other_low, other_high) = bounds[system], bounds[other]
            assert (low > other_high or other_low > high) == significant


def test_intervals_and_tiers_are_those_of_stats() -> None:
    for view in views():
        scores = scores_of(contents().evaluation, view.label)
        means = anova2(scores).marginal_means(0.05).frame.select("system", "low", "high").sort("system")
        assert view.standings.select("system", "low", "high").sort("system").equals(means)
        kept = ["system", "tier", "group", "beats"]
        tested = compare(scores).frame.select(kept).sort("system")
        assert view.standings.select(kept).sort("system").rows() == tested.rows()


def test_pairs_are_the_comparison_s_turned_to_the_order_of_means() -> None:
    for view in views():
        place = {name: k for k, name in enumerate(view.standings["system"].to_list())}
        known = {}
        for row in view.comparison.comparisons.frame.iter_rows(named=True):
            turned = place[row["system"]] > place[row["other"]]
            key = (row["other"], row["system"]) if turned else (row["system"], row["other"])
            known[key] = (-row["difference"] if turned else row["difference"], row["adjusted"])
        assert len(known) == view.pairs.height == 24 * 23 // 2
        for row in view.pairs.iter_rows(named=True):
            assert (row["difference"], row["p"]) == known[row["system"], row["other"]]
            sign = 0 if row["p"] > 0.05 else 1 if row["difference"] > 0 else -1
            assert row["state"] == {0: "not different", 1: "better", -1: "worse"}[sign]


def test_changes_and_correlations_are_the_study_s() -> None:
    found = study(*campaign(), depths=[10], measures=["AP", "P", "RR"], tests=["anova2"])
    for row in found.significance.iter_rows(named=True):
        changes = contents().part(row["measure"]).changes
        assert (changes.significant, changes.s2ns, changes.ns2s) == (row["sig"], row["s2ns"], row["ns2s"])
        assert changes.interval_significant == row["sig"] - row["s2ns"] + row["ns2s"]
    columns = ["measure", "other", "before", "after", "change"]
    ours = contents().correlation.filter(pl.col("after").is_not_null())
    assert ours.rows() == found.between.select(columns).rows()
    taus = dict(found.correlation.select("measure", "tau").iter_rows())
    assert dict(contents().agreement.iter_rows()) == {**taus, "AP": None}


def test_leaderboard_puts_both_versions_side_by_side() -> None:
    part = contents().part("AP@10")
    ours = part.leaderboard.sort("system")
    assert ours["interval_mean"].to_list() == part.interval.standings.sort("system")["mean"].to_list()
    assert ours["moved"].to_list() == (ours["place"] - ours["interval_place"]).to_list()
    assert any(ours["moved"].to_list())
    without = contents().part("AP")
    assert without.interval is None and without.changes is None and "without a cut-off" in without.reason
    assert without.leaderboard.columns == part.leaderboard.columns
    assert without.leaderboard["interval_mean"].is_null().all()


def test_boxes_against_the_standard_library() -> None:
    for view in views()[:3]:
        for row in view.boxes.iter_rows(named=True):
            scores = sorted(view.values[:, contents().evaluation.runs.index(row["system"])].tolist())
            q1, middle, q3 = statistics.quantiles(scores, method="inclusive")
            within = [s for s in scores if q1 - 1.5 * (q3 - q1) <= s <= q3 + 1.5 * (q3 - q1)]
            assert (row["q1"], row["median"], row["q3"]) == pytest.approx((q1, middle, q3))
            assert (row["low"], row["high"]) == (within[0], within[-1])
            assert sorted(within + row["outliers"]) == scores
            assert row["mean"] == pytest.approx(statistics.fmean(scores))


def test_topics_and_wins_are_decided_on_exact_values() -> None:
    evaluation = contents().evaluation
    for label in ("AP@10", "RR@10"):
        view = contents().part(label).measure
        wins = dict.fromkeys(evaluation.runs, 0)
        topics = {row["topic"]: row for row in view.topics.iter_rows(named=True)}
        for t, topic in enumerate(evaluation.topics):
            values = {run: evaluation.exact(label, run, topic) for run in evaluation.runs}
            best = [run for run, value in values.items() if value == max(values.values())]
            winners = best if len(best) < len(values) else []
            assert topics[topic]["winners"] == winners
            assert topics[topic]["median"] == pytest.approx(statistics.median(view.values[t].tolist()))
            for run in winners:
                wins[run] += 1
        assert dict(view.wins.select("system", "wins").iter_rows()) == wins
        assert view.topics["median"].is_sorted()


def test_places_on_a_topic_share_ties() -> None:
    view = contents().part("RR@10").measure
    for part in view.places.partition_by("topic"):
        t = contents().topics.index(part["topic"][0])
        values = dict(zip(contents().evaluation.runs, view.values[t].tolist(), strict=True))
        for system, place in part.select("system", "place").iter_rows():
            above = sum(value > values[system] for value in values.values())
            level = sum(value == values[system] for value in values.values())
            assert place == above + (level + 1) / 2


def test_precision_recall_is_interpolated_precision() -> None:
    curves = contents().precision_recall
    found = evaluate(*campaign(), [f"IPrec@{float(level)}" for level in LEVELS]).means()
    for k, level in enumerate(LEVELS):
        wanted = dict(found.filter(pl.col("measure") == f"IPrec@{float(level):g}").select("run", "value").iter_rows())
        ours = curves.filter(pl.col("recall") == float(level))
        rows = dict(ours.select("system", "precision").iter_rows())
        assert rows.pop(None) == pytest.approx(statistics.median(wanted.values())), k
        assert rows == wanted


def test_scale_pictures_are_the_scales_own() -> None:
    part = contents().part("RR@10")
    assert part.scale.spacing == interval_scale("RR@10", grades=3).spacing()
    assert part.scale.curve.equals(interval_scale("RR@10").curve())
    assert contents().part("AP").scale is None and "without a cut-off" in contents().part("AP").scale_reason


def test_statements_are_those_of_the_room() -> None:
    part = contents().part("RR@10")
    check = leaderboard_check(contents().evaluation, "RR@10")
    assert part.statements.frame.equals(check.frame)
    assert part.surviving == check.order["covers"]
    flips = set(check.frame.filter(pl.col("category") == "flips").select("system", "other").iter_rows())
    assert 0 < len(part.verdicts) <= 4
    for verdict in part.verdicts:
        assert verdict.verdict == "depends" and verdict.interval["true"] is False
        assert any(verdict.statement == f"mean RR@10 of {a} is above {b}'s" for a, b in flips)
    counts = contents().claims.filter(pl.col("measure") == "RR@10")
    assert dict(counts.select("category", "pairs").iter_rows()) == check.categories


def test_data_holds_the_same_numbers() -> None:
    assert data()["systems"] == list(contents().systems) and data()["topics"] == list(contents().topics)
    runs = [contents().evaluation.runs.index(system) for system in contents().systems]
    for part, plain in zip(contents().parts, data()["measures"], strict=True):
        for view in part.views:
            kept = plain["views"][view.version]
            assert np.abs(np.array(kept["scores"]).T - view.values[:, runs]).max() <= 0.5e-5
            names = [data()["systems"][k] for k in kept["order"]]
            assert names == view.standings["system"].to_list()
            states, ps = iter(kept["pairs"]["states"]), iter(kept["pairs"]["p"])
            rows = view.pairs.iter_rows(named=True)
            for i, first in enumerate(names):
                for second in names[i + 1 :]:
                    row = next(rows)
                    assert (row["system"], row["other"]) == (first, second)
                    assert next(states) == {"better": "+", "worse": "-", "not different": "."}[row["state"]]
                    assert next(ps) == pytest.approx(row["p"], rel=1e-2, abs=1e-300)
        for row, ours in zip(plain["leaderboard"], part.leaderboard.iter_rows(named=True), strict=True):
            assert data()["systems"][row["system"]] == ours["system"]
            assert row["mean"] == pytest.approx(ours["mean"], abs=1e-6)
            assert (row["place"], row["moved"], row["interval_tier"]) == tuple(
                ours[key] for key in ("place", "moved", "interval_tier")
            )
    assert len(json.dumps(contents().data())) < 1_000_000


def test_about_counts_what_was_read(tmp_path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 a 2\nq2 0 c 1\nq2 0 d 1\n")
    (tmp_path / "one.run").write_text("q1 Q0 a 1 2.5 one\nq2 Q0 c 1 1.5 one\n")
    (tmp_path / "two.run").write_text("q1 Q0 b 1 2.5 two\n")
    runs = [tmp_path / "one.run", tmp_path / "two.run"]
    steps = []
    found = gather(tmp_path / "qrels.txt", runs, ["P@2"], title="mine", progress=lambda *step: steps.append(step)).about
    assert steps == [(1, 3), (2, 3), (3, 3)]
    assert (found.title, found.systems, found.topics, found.judgments) == ("mine", 2, 2, 5)
    assert found.grades.rows() == [(0, 1), (1, 3), (2, 1)]
    assert found.relevant == (1, 2.0, 3)
    assert [file.role for file in found.files] == ["qrels", "run", "run"]
    for file in found.files:
        content = (tmp_path / file.name.split("/")[-1]).read_bytes()
        assert (file.size, file.sha256) == (len(content), hashlib.sha256(content).hexdigest())
    assert found.oddities == evaluate(tmp_path / "qrels.txt", runs, ["P@2", "interval(P@2)"]).oddities
    assert sum(found.oddity_counts().values()) == len(found.oddities) > 0
    memory = gather(QRELS, {"good": GOOD}, ["P@2"]).about.files
    assert [file.name for file in memory] == ["in memory", "good (in memory)"]
    assert all(file.sha256 is None for file in memory)


def test_tables_are_latex_and_markdown() -> None:
    table = contents().table()
    assert table.columns == [
        *("system", "AP@10", "interval(AP@10)†", "P@10", "interval(P@10)", "RR@10", "interval(RR@10)", "AP")
    ]
    assert isinstance(contents().leaderboard_table("AP"), Table)
    assert contents().frame.height == 24 * len(LABELS)
    assert "\\toprule" in contents().to_latex()
    with pytest.raises(BadParameter, match="no measure 'R@5'"):
        contents().part("R@5")


# --- methods --------------------------------------------------------------------------------------------------------


def test_every_test_and_every_measure_can_be_cited() -> None:
    assert set(TESTED) == set(TESTS)
    for words in TESTED.values():
        assert written(words).text
    for measure in (*MEASURES, Interval):
        for name in measure.cite.split(";"):
            assert not name or name.strip() in REFERENCES, name
    assert len({work.key for work in REFERENCES.values()}) == len(REFERENCES)


def test_methods_say_what_was_done() -> None:
    ours = contents().methods
    for words in ("24 systems on 50 topics", "AP@10 and nothing", "Tukey's HSD", "error rate of 0.05", "scores 0"):
        assert (words in ours.text) == (words != "AP@10 and nothing")
    assert "AP@10 depends on the number of relevant documents" in ours.text
    assert "Ferrante, Ferro and Fuhr 2021" in ours.text and "\\cite{FerranteEtAl2021}" in ours.latex
    for key, text in ours.references:
        assert key in ours.latex and key in ours.bibtex and text
    assert all(name not in ours.text for name in ("[[", "]]"))
    other = gather(
        QRELS, [GOOD, POOR, FAIR], ["P@3"], test="t", alpha=0.01, ties="expected", unjudged="removed", depth=7
    ).methods.text
    for words in ("paired t-tests (Student 1908)", "level 0.01, without correction", "mean over all their orders"):
        assert words in other
    assert "were removed" in other and "first 7 documents" in other and "interval version" not in other


# --- degenerate campaigns -------------------------------------------------------------------------------------------

RUNS = {"good": GOOD, "poor": POOR, "fair": FAIR}
ONE_TOPIC = {"q1": QRELS["q1"]}
DEGENERATE: dict[str, tuple[Any, Any, Any, dict[str, Any], str]] = {
    "one system": (QRELS, {"good": GOOD}, SMALL, {}, "at least 2 systems"),
    "one topic": (ONE_TOPIC, RUNS, SMALL, {}, "at least 2 topics"),
    "one of each": (ONE_TOPIC, {"good": GOOD}, SMALL, {}, "at least 2 topics"),
    "missing topics left out": (QRELS, RUNS, SMALL, {"missing": "skip"}, "every system needs a finite score"),
    "nothing in common": (QRELS, {"a": GOOD, "b": {"q9": {"a": 1.0}}}, SMALL, {"missing": "skip"}, "finite score"),
    "all equal": (QRELS, {"a": GOOD, "b": GOOD, "c": GOOD}, SMALL, {}, ""),
    "two systems": (QRELS, {"a": GOOD, "b": POOR}, SMALL, {}, ""),
    "a count": (QRELS, RUNS, ["NumRelRet"], {}, "a count is not tested"),
    "expected ties": (QRELS, RUNS, SMALL, {"ties": "expected"}, ""),
    "bounds": (QRELS, RUNS, SMALL, {"unjudged": "upper"}, ""),
    "fractional grades": ({"q1": {"a": 0.5, "b": 1}, "q2": {"d": 1}}, RUNS, ["P@3"], {}, ""),
    "ranks": (QRELS, RUNS, SMALL, {"test": "friedman"}, ""),
    "resampling": (QRELS, RUNS, ["P@3"], {"test": "tukey-random"}, ""),
}


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_campaigns_are_gathered(name: str) -> None:
    qrels, runs, measures, options, untested = DEGENERATE[name]
    found = gather(qrels, runs, measures, **options)
    for view in (view for part in found.parts for view in part.views):
        assert untested in view.untested and bool(view.untested) == bool(untested)
        assert (view.pairs.height == 0) == (view.comparison is None) == bool(untested)
        assert view.standings["tier"].is_null().all() == bool(untested)
        assert view.standings.height == view.boxes.height == len(found.systems)
        assert view.topics.height == len(found.topics)
    json.dumps(found.data(), allow_nan=False)
    assert found.methods.text


def test_equal_systems_share_a_place_and_nobody_wins() -> None:
    part = gather(QRELS, {"a": GOOD, "b": GOOD, "c": GOOD}, ["P@3"]).parts[0]
    assert part.leaderboard["place"].to_list() == [1, 1, 1] and part.leaderboard["tier"].to_list() == [1, 1, 1]
    assert part.measure.wins["wins"].sum() == 0 and part.measure.places["place"].to_list() == [2.0] * 6
    assert part.changes.significant == 0


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"ties": "expected"}, "ties='expected'"),
        ({"unjudged": "lower"}, "unjudged='lower'"),
        ({"measures": ["interval(P@3)"]}, "already"),
        ({"measures": ["AP@60"]}, "smaller cut-off"),
        ({"measures": ["NumRel"]}, "count"),
        ({"measures": ["Bpref"]}, "without a cut-off"),
    ],
)
def test_a_measure_without_interval_version_says_why(options: dict[str, Any], reason: str) -> None:
    part = gather(QRELS, RUNS, **{"measures": ["P@3"], **options}).parts[0]
    assert part.interval is None and reason in part.reason


def test_what_cannot_be_reported_is_an_error(tmp_path) -> None:
    with pytest.raises(BadInput, match="no topic has a relevant document"):
        gather({"q1": {"a": 0}}, {"good": GOOD}, ["P@3"])
    with pytest.raises(BadParameter, match="test must be one of"):
        gather(QRELS, RUNS, ["P@3"], test="z")
    with pytest.raises(BadParameter, match="alpha must lie"):
        gather(QRELS, RUNS, ["P@3"], alpha=1.0)
    with pytest.raises(BadParameter, match="no measure"):
        gather(QRELS, RUNS, [])
    with pytest.raises(BadFile, match="no such file"):
        gather(QRELS, str(tmp_path / "none.run"), ["P@3"])


@settings(max_examples=12, deadline=None)
@given(campaigns.qrels(st.integers(0, 2)), st.lists(campaigns.runs(), min_size=1, max_size=4))
def test_random_campaigns(qrels: campaigns.Qrels, runs: list[campaigns.RunDict]) -> None:
    named = {f"s{k}": run for k, run in enumerate(runs)}
    found = gather(qrels, named, ["AP@3", "RR@2"])
    board = evaluate(qrels, named, ["AP@3", "interval(AP@3)", "RR@2", "interval(RR@2)"]).leaderboard()
    for part in found.parts:
        for view in part.views:
            means = dict(view.standings.select("system", "mean").iter_rows())
            assert means == dict(board.select("run", view.label).iter_rows())
            best = view.values.max(axis=1, keepdims=True)
            shared = (view.values == best).sum(axis=1)
            # Floats tell these small fractions apart, so they may stand for the exact values here.
            assert view.wins["wins"].sum() == int(shared[shared < len(named)].sum())
            assert view.wins["alone"].sum() == (int((shared == 1).sum()) if len(named) > 1 else 0)
    json.dumps(found.data(), allow_nan=False)


@pytest.mark.parametrize("correction", ["none", "holm", "bh"])
def test_correction_reaches_every_part(correction: str) -> None:
    found = gather(*sample(), ["RR@10"], test="t", correction=correction)
    own = compare(scores_of(evaluate(*sample(), "RR@10"), "RR@10"), test="t", correction=correction)
    part = found.part("RR@10")
    assert part.measure.significant == int(own.comparisons.significant.sum())
    assert part.statements.significance["significant"] == part.measure.significant
    assert found.data()["test"]["correction"] == correction
    said = {
        "none": "without correction",
        "holm": "Holm's correction (Holm 1979)",
        "bh": "(Benjamini and Hochberg 1995)",
    }
    assert said[correction] in found.methods.text


def test_a_correction_that_the_test_makes_itself_is_refused() -> None:
    with pytest.raises(BadParameter, match="accounts for the number of pairs already"):
        gather(*sample(), ["P@10"], correction="holm")
    with pytest.raises(BadParameter, match="correction must be one of"):
        gather(*sample(), ["P@10"], test="t", correction="hope")
