"""Examples 9 to 12 of Ferrante, Ferro and Fuhr 2021: what uneven and changing scales do to means."""

from __future__ import annotations

from fractions import Fraction

import pytest

from evenscale.judged import Judged
from evenscale.measures import parse
from evenscale.orders import MixedUniverse, Universe, mixed_check, scale_on
from evenscale.orders.mixed import SET_MEASURES
from evenscale.orders.values import placed

F = Fraction


def _mean(values: list[Fraction]) -> Fraction:
    return sum(values, F(0)) / len(values)


def test_example_9_uneven_reciprocal_ranks_turn_a_comparison_round() -> None:
    universe, measure = Universe(4), parse("RR@4")
    first_at = {rank: tuple(int(k == rank) for k in range(1, 5)) for rank in range(1, 5)}
    found = placed(measure, universe)
    place = dict(zip(found.runs, found.places.tolist(), strict=True))
    systems = {"A": [first_at[1], first_at[4]], "B": [first_at[2], first_at[2]]}
    means = {s: _mean([found.values[place[run]] for run in runs]) for s, runs in systems.items()}
    assert means == {"A": F(5, 8), "B": F(1, 2)}
    ranks = {s: _mean([F(run.index(1) + 1) for run in runs]) for s, runs in systems.items()}
    assert ranks == {"A": F(5, 2), "B": 2}  # a lower rank is better
    # Among the measure's own values the places say the same as the ranks.
    places = {s: _mean([F(place[run]) for run in runs]) for s, runs in systems.items()}
    assert places["A"] < places["B"]
    assert not scale_on(measure, "induced", universe).interval


def test_example_10_uneven_average_precision_judges_one_swap_both_ways() -> None:
    topics = {
        "A": [(1, 1, 1, 0), (1, 0, 0, 1)],
        "B": [(1, 1, 0, 1), (1, 0, 1, 0)],
        "C": [(0, 0, 1, 0), (0, 1, 0, 1)],
        "D": [(0, 0, 0, 1), (0, 1, 1, 0)],
    }
    topic = Universe(4).topic
    means = {s: _mean([parse("AP@4")(Judged(run, topic)) for run in runs]) for s, runs in topics.items()}
    assert {s: round(float(mean), 4) for s, mean in means.items()} == {
        "A": 0.5625,
        "B": 0.5521,
        "C": 0.1667,
        "D": 0.1771,
    }
    assert means["A"] > means["B"] and means["C"] < means["D"]
    assert not scale_on(parse("AP@4"), "induced", Universe(4)).interval


def test_example_11_recall_is_a_different_scale_on_every_topic() -> None:
    for base, values in ((1, [0, 1]), (2, [0, F(1, 2), 1]), (3, [0, F(1, 3), F(2, 3), 1])):
        alone = mixed_check(MixedUniverse((3,), (base,)))
        assert list(alone.images["R"]) == values and alone.interval("R")
    together = mixed_check(MixedUniverse((3,), (1, 2, 3)))
    assert list(together.images["R"]) == [0, F(1, 3), F(1, 2), F(2, 3), 1] and not together.interval("R")
    # A fourth topic with six relevant documents, and runs long enough to find them, makes the values even again.
    fourth = mixed_check(MixedUniverse((6,), (1, 2, 3, 6)))
    assert list(fourth.images["R"]) == [F(k, 6) for k in range(7)] and fourth.interval("R")


@pytest.mark.parametrize(("base", "values"), [(2, (0, F(1, 2), F(1, 2), 1)), (3, (0, F(1, 3), F(1, 3), F(2, 3)))])
def test_example_12_recall_mapped_to_its_ranks_topic_by_topic(base: int, values: tuple[Fraction, ...]) -> None:
    runs = [(0, 0), (0, 1), (1, 0), (1, 1)]
    measure = parse("R")
    scored = [measure(Judged.of(run, relevant=base)) for run in runs]
    assert tuple(scored) == values
    found = placed(lambda run: scored[runs.index(run)], Universe(2))
    assert (found.places + 1).tolist() == [1, 2, 2, 3]
    # The step from one relevant document to two is 1 on the mapped scale of both topics, 1/2 and 1/3 on their own.
    assert (
        scored[3] - scored[2] == F(1, base) == SET_MEASURES["R"](_triple(2, base)) - SET_MEASURES["R"](_triple(1, base))
    )


def _triple(relevant: int, base: int):  # type: ignore[no-untyped-def]
    return next(r for r in MixedUniverse((2,), (base,)).runs() if r.relevant == relevant)
