"""The leaderboard of TREC-8 at AP@30: the figures of docs/statements.md."""

from __future__ import annotations

import pytest

from evenscale.scores import Evaluation, evaluate
from evenscale.statements import leaderboard_check
from shared_data import TREC8, needs_trec8

pytestmark = needs_trec8


@pytest.fixture(scope="module")
def trec8() -> Evaluation:
    """Scores sorted as float32, as trec_eval did at the time."""
    return evaluate(TREC8 / "qrels.trec8.adhoc.gz", TREC8 / "runs", ["AP@30", "RR@10"], ties="float32")


def test_ap_30(trec8: Evaluation) -> None:
    found = leaderboard_check(trec8, "AP@30")
    assert (len(found.systems), len(found.first)) == (129, 8256)
    assert found.categories == {"any": 265, "interval": 7314, "flips": 675, "level": 0, "depends": 0, "tie": 2}
    assert found.verdicts == {"meaningful": 267, "depends": 7989, "inexpressible": 0}
    s = found.significance
    assert (s["significant"], s["any"], s["survive"], s["s2ns"], s["ns2s"]) == (2506, 252, 2336, 170, 563)
    assert len(found.order["longest_chain"]) == 3
    assert len(found.order["undominated"]) == 109
