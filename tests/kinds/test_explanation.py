"""`explain`: what it says of every measure, held against definitions spelled out over all pairs of runs."""

from __future__ import annotations

from itertools import combinations, pairwise, product
from operator import le

import pytest

from evenscale.errors import BadParameter
from evenscale.judged import Judged
from evenscale.kinds.diagram import diagram
from evenscale.kinds.explanation import Explanation, explain
from evenscale.measures import MEASURES, Measure
from evenscale.measures.exact import compare
from evenscale.orders.orders import NAMES, UniverseTooLarge
from evenscale.orders.universe import Universe

KEYS = (
    *("measure", "depth", "grades", "order", "ordinal", "interval", "injective", "equispaced", "category"),
    *("recall_base", "witness"),
)
UNIVERSES = [(1, 1), (2, 1), (4, 1), (5, 1), (2, 2), (3, 2), (2, 3)]


def spelled(kind: type[Measure], depth: int) -> Measure:
    return kind(cutoff=depth) if kind.takes_cutoff else kind()


def prefix_counts(run: tuple[int, ...], grades: int) -> list[int]:
    return [sum(g >= least for g in run[:rank]) for rank in range(1, len(run) + 1) for least in range(1, grades + 1)]


@pytest.mark.parametrize("kind", MEASURES, ids=lambda kind: kind.name)
@pytest.mark.parametrize(("depth", "grades"), UNIVERSES)
def test_answers_are_what_the_definitions_say(kind: type[Measure], depth: int, grades: int) -> None:
    measure = spelled(kind, depth)
    found = explain(measure, depth=depth, grades=grades)
    topic = Universe(depth, grades).topic
    runs = list(product(range(grades + 1), repeat=depth))
    value = {run: measure(Judged(run, topic)) for run in runs}
    counts = {run: prefix_counts(run, grades) for run in runs}
    below = [(r, s) for r in runs for s in runs if r != s and all(map(le, counts[r], counts[s]))]
    assert found.checks["weak"].ordinal == all(compare(value[r], value[s]) <= 0 for r, s in below)
    assert found.checks["weak"].strict == all(compare(value[r], value[s]) < 0 for r, s in below)
    assert found.checks["strong"].ordinal == all(compare(value[r], value[s]) <= 0 for r, s in combinations(runs, 2))
    assert found.rankings.injective == (len(set(value.values())) == len(runs))
    sets_alike = all(value[r] == value[s] for r, s in product(runs, runs) if sorted(r) == sorted(s))
    assert (found.sets is not None) == sets_alike
    numbers = sorted({float(v) for v in value.values()})
    gaps = [b - a for a, b in pairwise(numbers)]
    assert found.checks["induced"].interval == (not gaps or max(gaps) - min(gaps) < 1e-9)


@pytest.mark.parametrize("kind", MEASURES, ids=lambda kind: kind.name)
@pytest.mark.parametrize("order", NAMES)
def test_plain_data_has_the_promised_keys_and_a_witness_for_every_no(kind: type[Measure], order: str) -> None:
    found = explain(spelled(kind, 4), depth=4, order=order)
    data = found.to_dict()
    assert tuple(data)[: len(KEYS)] == KEYS
    assert data["order"] == order
    assert data["category"] in ("ordinal/pseudometric", "ordinal/metric", "interval/metric")
    if not (data["ordinal"] and data["interval"]):
        assert data["witness"]["scale"]["sentence"]
    if not data["injective"]:
        first, second = data["witness"]["same_value"]
        assert first != second
    if not data["equispaced"]:
        assert data["witness"]["uneven"]["runs"]


def test_published_scale_types() -> None:
    """Ferrante et al. 2018: precision is an interval scale of sets, RBP with p = 1/2 of strong top-heaviness."""
    for name in ("P@4", "R@4", "F@4"):
        assert explain(name, order="set-total").asked.interval
        assert explain(name, order="set-partial").asked.interval
    assert explain("RBP(p=0.5)@4", order="strong").asked.interval
    for name in ("RBP(p=0.4)@4", "AP@4", "DCG(dcg='jk',base=2)@4", "ERR@4"):
        assert not explain(name, order="strong").asked.interval
        assert not explain(name, order="weak").asked.interval
        assert explain(name, order="weak").asked.ordinal
    for name, order in (("SBTO@3", "set-total"), ("SBPO@3", "set-partial"), ("RBTO@3", "strong")):
        for grades in (1, 2, 3):
            assert explain(name, order=order, grades=grades).asked.interval
    assert explain("RBPO@4", order="weak").asked.interval
    assert not explain("RBPO@3", order="weak", grades=2).asked.interval  # the order is not graded


def text(found: Explanation) -> str:
    return " ".join(found.page().split())


def test_page_says_what_and_why() -> None:
    page = text(explain("AP@5"))
    assert page.startswith("AP@5: average precision")
    assert "strong: not ordinal: (0, 0, 0, 1, 1) is below (0, 0, 1, 0, 0), but scores 13/100 against 1/15." in page
    assert "Every topic has a scale of its own" in page
    assert "interval(AP@5) is its interval version" in page
    assert "As a measure of sets it is interval/metric" in text(explain("P@3"))
    assert "percentages" in text(explain("P@3")).lower()
    assert "On the order 'weak' (counts at every rank and grade) it is ordinal, but no interval scale." in text(
        explain("AP@3", order="weak")
    )
    assert "it is not even ordinal." in text(explain("AP@3", order="strong"))
    assert "it is an interval scale: 1/3 * rank." in text(explain("P@3", order="set-total"))
    assert "it is ordinal, with ties, but no interval scale." in text(explain("RR@3", order="weak"))
    assert all(len(line) <= 100 for line in explain("nDCG@4", grades=2).page().splitlines())


def test_interval_versions_are_explained_too() -> None:
    found = explain("interval(RR@4)")
    assert found.checks["induced"].interval
    assert found.depth == 4


def test_a_function_of_a_run_is_explained_like_a_measure() -> None:
    def squares(run: tuple[int, ...]) -> int:
        """The square of the number of relevant documents."""
        return sum(run) ** 2

    found = explain(squares, depth=4)
    assert found.to_dict()["measure"] == "squares"
    assert text(found).startswith("squares: The square of the number of relevant documents Runs of length 4")
    assert found.asked.ordinal and not found.asked.interval
    assert found.sets is not None and found.sets.kind == "ordinal/metric"
    assert "interval_scale(function, depth=4)" in found.permits
    assert explain(lambda run: sum(run) / 3, depth=3).asked.interval
    with pytest.raises(BadParameter, match="depth="):
        explain(squares)


def test_a_function_and_the_measure_it_spells_out_get_the_same_answers() -> None:
    measure = explain("RBPO@4")
    same = explain(lambda run: sum((4 - k) * grade for k, grade in enumerate(run)), depth=4)
    for name in NAMES:
        one, other = measure.checks[name], same.checks[name]
        assert (one.ordinal, one.strict, one.interval) == (other.ordinal, other.strict, other.interval)
    assert measure.rankings.kind == same.rankings.kind


def test_a_universe_too_large_is_refused_with_its_size_and_the_depth_that_works() -> None:
    with pytest.raises(UniverseTooLarge, match=r"1,073,741,824 runs.*depth 12 would work"):
        explain("AP@30")
    with pytest.raises(UniverseTooLarge, match="depth 7 would work"):
        explain("nDCG@20", grades=2)


def test_a_length_is_needed_and_must_agree() -> None:
    with pytest.raises(BadParameter, match="write AP@5, say"):
        explain("AP")
    with pytest.raises(BadParameter, match="--depth"):
        explain("Rprec")
    with pytest.raises(BadParameter, match="has the cut-off 5, got depth 4"):
        explain("AP@5", depth=4)
    with pytest.raises(BadParameter, match="the order must be one of"):
        explain("AP@5", order="week")
    assert explain("AP", depth=3).to_dict()["measure"] == "AP@3"


def test_diagram_of_figure_2() -> None:
    """Ferrante, Ferro and Fuhr 2021, Figure 2: all runs of length 4."""
    found = diagram("weak", 4)
    assert found.graded
    levels = dict(zip(found.nodes["label"].to_list(), found.nodes["level"].to_list(), strict=True))
    assert len(levels) == 16
    assert all(level == sum((4 - i) * int(c) for i, c in enumerate(run)) for run, level in levels.items())
    assert not diagram("weak", 3, grades=2).graded
    assert diagram("induced", 3, measure="P@3").nodes["label"].to_list() == ["000", "001 010 100", "011 101 110", "111"]
