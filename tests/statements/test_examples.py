"""Examples 5 to 10 of Ferrante, Ferro and Fuhr 2021."""

from __future__ import annotations

import pytest

from evenscale.scores import Evaluation, evaluate
from evenscale.statements import check
from evenscale.stats import Scores
from evenscale.studies.judged import campaign_of

PARIS, ROME = [2, 2, 4, 8, 36], [1, 2, 4, 15, 34]


def two(x: list[float], y: list[float], names: tuple[str, str], **about: str) -> Scores:
    return Scores.of(list(zip(x, y, strict=True)), systems=names, **about)  # type: ignore[arg-type]


def judged(**runs: list[list[int]]) -> Evaluation:
    """Binary runs of length 4 on two topics with four relevant documents each."""
    return evaluate(*campaign_of(runs, recall_bases=[4, 4]), ["RR@4", "AP@4"])


@pytest.mark.parametrize("statement", ["mean", "median", "quantile", "gmean", "mode", "topics", "percent"])
def test_example_5_names_have_no_order(statement: str) -> None:
    """Countries as numbers: which of two is higher depends on the numbers given to them."""
    people = two([1, 1, 4, 3, 2], [1, 4, 4, 1, 1], ("here", "there"), measure="country")
    found = check(people, "here", "there", statement=statement, scale="nominal")
    assert found.verdict == "inexpressible"
    assert "nominal" in found.reason


def test_example_6_wines() -> None:
    wines = two([6, 6, 12, 17, 32], [3, 3, 3, 12, 50], ("X", "Y"), measure="sweetness")
    median, mean = (check(wines, "X", "Y", statement=s) for s in ("median", "mean"))
    assert (median.true_as_computed, median.verdict) == (True, "meaningful")
    assert (mean.true_as_computed, mean.verdict) == (True, "depends")
    assert (mean.computed.values["X"], mean.computed.values["Y"]) == pytest.approx((14.6, 14.2))
    squared = two([36, 36, 144, 289, 1024], [9, 9, 9, 144, 2500], ("X", "Y"))
    assert check(squared, "X", "Y").true_as_computed is False
    assert check(squared, "X", "Y", statement="median").true_as_computed is True


def test_example_7_temperatures() -> None:
    celsius = two(PARIS, ROME, ("Paris", "Rome"), scale="interval")
    fahrenheit = two(*([9 * x / 5 + 32 for x in city] for city in (PARIS, ROME)), ("Paris", "Rome"), scale="interval")  # type: ignore[arg-type]
    for degrees in (celsius, fahrenheit):
        median = check(degrees, "Paris", "Rome", statement="median")
        assert (median.true_as_computed, median.verdict) == (False, "meaningful")
        assert median.computed.values["Paris"] == median.computed.values["Rome"]
        mean = check(degrees, "Rome", "Paris")
        assert (mean.true_as_computed, mean.verdict) == (True, "meaningful")
        assert check(degrees, "Paris", "Rome", statement="gmean").verdict == "depends"
    values = {d: check(s, "Paris", "Rome", statement="gmean") for d, s in (("C", celsius), ("F", fahrenheit))}
    assert [v.true_as_computed for v in values.values()] == [True, False]
    assert values["C"].computed.values["Paris"] == pytest.approx(5.40, abs=0.005)
    assert values["F"].computed.values["Rome"] == pytest.approx(48.17, abs=0.005)


def test_example_7_twice_the_difference() -> None:
    names = ["Rome", "Oslo", "Rome then", "Oslo then"]
    for today in ([20, 10, 12, 7], [68, 50, 53.6, 44.6]):
        scores = Scores.of([today], systems=names, scale="interval")
        for times, true in ((1.9, True), (2.0, False)):
            found = check(scores, "Rome", "Oslo", statement="lead", c="Rome then", d="Oslo then", times=times)
            assert (found.true_as_computed, found.verdict) == (true, "meaningful")


def test_example_8_distances_and_kelvin() -> None:
    far = Scores.of([[2000, 400]], systems=["Oslo", "Padua"], scale="ratio")
    found = check(far, "Oslo", "Padua", statement="percent", by=400)
    assert (found.true_as_computed, found.verdict) == (True, "meaningful")
    kelvin, celsius = ([546.0, 273.0], [272.85, -0.15])
    for degrees, scale, verdict in ((kelvin, "ratio", "meaningful"), (celsius, "interval", "inexpressible")):
        scores = Scores.of([degrees], systems=["hot", "cold"], scale=scale)  # type: ignore[arg-type]
        assert check(scores, "hot", "cold", statement="percent", by=100).verdict == verdict
    cities = two(PARIS, ROME, ("Paris", "Rome"), scale="ratio")
    assert check(cities, "Paris", "Rome", statement="gmean").verdict == "meaningful"


def test_example_9_reciprocal_rank_says_a_and_ranks_say_b() -> None:
    campaign = judged(A=[[1, 0, 0, 0], [0, 0, 0, 1]], B=[[0, 1, 0, 0], [0, 1, 0, 0]])
    found = check(campaign, "A", "B", measure="RR@4")
    assert found.true_as_computed is True
    assert dict(found.computed.values) == {"A": 0.625, "B": 0.5}
    assert found.verdict == "depends"
    assert found.interval is not None
    assert found.interval["true"] is False
    # interval(RR@4) counts ranks from the bottom: a first hit at rank r scores (5 - r) / 4
    assert found.interval["values"] == {"A": (5 - 2.5) / 4, "B": (5 - 2) / 4}
    assert found.interval["surrogate"] is False


def test_example_10_the_same_swap_counts_differently() -> None:
    campaign = judged(
        A=[[1, 1, 1, 0], [1, 0, 0, 1]],
        B=[[1, 1, 0, 1], [1, 0, 1, 0]],
        C=[[0, 0, 1, 0], [0, 1, 0, 1]],
        D=[[0, 0, 0, 1], [0, 1, 1, 0]],
    )
    first, second = check(campaign, "A", "B", measure="AP@4"), check(campaign, "C", "D", measure="AP@4")
    assert (first.true_as_computed, second.true_as_computed) == (True, False)
    means = {**first.computed.values, **second.computed.values}
    assert [round(means[s], 4) for s in "ABCD"] == [0.5625, 0.5521, 0.1667, 0.1771]
    assert (first.verdict, second.verdict) == ("depends", "depends")
    assert first.topicwise
