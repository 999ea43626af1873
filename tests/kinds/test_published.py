"""Tables 2 and 3 of Giner 2023: every cell, the corrected ones with their witnesses."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from evenscale.judged import Judged
from evenscale.kinds import classics
from evenscale.kinds.published import DOMAINS, TABLE2, TABLE3, Classic, table2, table3
from evenscale.kinds.taxonomy import category_of
from evenscale.measures import parse
from evenscale.orders.universe import SetUniverse, Universe

PSEUDO, METRIC, INTERVAL = "ordinal/pseudometric", "ordinal/metric", "interval/metric"
LINES = {line.name: line for line in (*TABLE2, *TABLE3)}

PRINTED2 = {
    **dict.fromkeys(
        (
            *("recall", "precision", "fallout", "miss rate", "classification accuracy", "error rate"),
            *("inverse recall", "inverse precision", "specificity", "false discovery rate", "false omission rate"),
        ),
        INTERVAL,
    ),
    "F-measure": METRIC,
    **dict.fromkeys(
        ("generality factor", "coverage ratio", "retrieval recall", "novelty ratio", "recall effort"), PSEUDO
    ),
}
CORRECTED2 = {"F-measure": INTERVAL}

PRINTED3 = {
    **dict.fromkeys(
        (
            *("Prec@r", "R-precision", "sliding ratio", "weighted R-precision", "R-measure", "average precision"),
            *("AWP", "Q-measure", "RR", "DCG, base 2", "RBP, p = 0.8", "RBP, p = 0.618...", "bpref", "nxCG"),
            *("MAnxCG", "gain-recall", "expected search length"),
        ),
        PSEUDO,
    ),
    "modified sliding ratio": METRIC,
    "normalised recall": INTERVAL,
    "normalised precision": METRIC,
    "RBP, p = 0.5": INTERVAL,  # in the text
}
CORRECTED3 = {
    "modified sliding ratio": PSEUDO,
    "normalised recall": PSEUDO,
    "normalised precision": PSEUDO,
    "RBP, p = 0.8": METRIC,
}


def cells(frame: object) -> dict[str, tuple[str | None, str]]:
    return {row["measure"]: (row["print"], row["ours"]) for row in frame.iter_rows(named=True)}  # type: ignore[attr-defined]


def test_table_2_cell_by_cell() -> None:
    found = {name: cell for name, cell in cells(table2().frame).items() if cell[0]}
    assert found == {name: (kind, CORRECTED2.get(name, kind)) for name, kind in PRINTED2.items()}


def test_table_3_cell_by_cell() -> None:
    found = {name: cell for name, cell in cells(table3().frame).items() if cell[0]}
    assert found == {name: (kind, CORRECTED3.get(name, kind)) for name, kind in PRINTED3.items()}


def ranks(run: tuple[int, ...]) -> set[int]:
    return {rank for rank, hit in enumerate(run, 1) if hit}


def first_shared(line: Classic) -> tuple[int, list[set[int]]]:
    """The smallest depth at which two runs share a value, and their ranks of relevant documents."""
    found = next(one for one in line.taxonomy().categories if not one.injective)
    assert found.same
    return found.depth, [ranks(run) for run in found.same]


def test_f_measure_is_equispaced_for_one_size_and_recall_base() -> None:
    """The paper's example: 15 documents, 5 of them relevant, sets of 5. It prints 0, .300, .509."""
    values = [LINES["F-measure"].at(5)(run) for run in SetUniverse(5).runs()]  # type: ignore[operator, call-arg, arg-type]
    assert values == [Fraction(k, 5) for k in range(6)]
    assert [parse("F")(Judged.of(run, relevant=5)) for run in SetUniverse(5).runs()] == values


def test_f_measure_stops_being_one_when_sizes_mix() -> None:
    (mixed,) = DOMAINS["sets of any size"](2)
    found = category_of(LINES["F-measure"].at(2), mixed)
    assert not found.injective and not found.equispaced
    assert found.uneven and found.uneven.values == (Fraction(0), Fraction(1, 2), Fraction(2, 3))


@pytest.mark.parametrize(
    ("name", "depth", "witness"),
    [
        ("modified sliding ratio", 6, [{2}, {3, 6}]),
        ("normalised precision", 6, [{3, 4}, {2, 6}]),
        ("normalised recall", 4, [{2, 3}, {1, 4}]),
        ("RBP, p = 0.618...", 3, [{1}, {2, 3}]),
        ("average precision", 4, [{1}, {2, 4}]),
        ("MAnxCG", 12, [{4, 7}, {5, 6, 12}]),
    ],
)
def test_smallest_depth_and_runs_with_one_value(name: str, depth: int, witness: list[set[int]]) -> None:
    assert first_shared(LINES[name]) == (depth, witness)


def test_normalised_recall_stays_equispaced() -> None:
    assert all(one.equispaced for one in LINES["normalised recall"].taxonomy().categories)
    assert table3().frame.filter(measure="normalised recall")["equispaced"].item() == "yes"


@pytest.mark.parametrize("p", ["0.1", "0.3", "0.5", "0.6", "0.8", "0.95", "1/3"])
def test_rbp_is_one_to_one_for_rational_p(p: str) -> None:
    found = category_of(parse(f"RBP(p={p})@8"), Universe(8))
    assert found.kind == (INTERVAL if p == "0.5" else METRIC)


def test_the_golden_ratio_is_what_the_printed_counterexample_needs() -> None:
    assert abs(classics.golden_rbp((1, 0, 0), ()) - classics.golden_rbp((0, 1, 1), ())) < 1e-15
    for p in (Fraction(61, 100), Fraction(62, 100), Fraction(618, 1000)):
        assert p + p**2 != 1


def test_golden_values_are_far_enough_apart_for_floats() -> None:
    """The values are a + b p: computed here in whole numbers from p^2 = 1 - p, they agree with the floats."""
    powers = [(1, 0), (0, 1)]
    for _ in range(6):
        (a, b), (c, d) = powers[-2], powers[-1]
        powers.append((a - c, b - d))
    exact = {
        run: tuple(sum(part) for part in zip(*(w for w, hit in zip(powers, run, strict=True) if hit), strict=True))
        for run in Universe(8).runs()
    }
    floats = category_of(lambda run: classics.golden_rbp(run, ()), Universe(8))
    assert floats.values == len(set(exact.values()))


def test_printed_metrics_on_fixed_sizes_are_none_when_sizes_mix() -> None:
    """Print takes sets of one size for recall and of any size for the coverage ratio; on one domain they agree."""
    frame = table2().frame
    assert set(frame["mixed"]) == {PSEUDO}
    assert table2().frame.filter(measure="coverage ratio")["ours"].item() == PSEUDO


def test_tables_mark_what_differs() -> None:
    table = table3().table()
    differing = {table.rows[row][0] for row, _ in table.strong}
    assert differing == set(CORRECTED3) == set(table3().differing)
    assert set(table2().differing) == set(CORRECTED2)
    assert "**ordinal/metric**" in table3().to_markdown()
    for result in (table2(), table3()):
        assert len(json.loads(json.dumps(result.to_dict()))["rows"]) == result.frame.height
