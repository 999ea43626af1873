"""Against trec_eval 10's own expected outputs, to the printed digits, in the modes that the file names say."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

import pytest

from evenscale import Evaluation, evaluate
from evenscale.errors import UnknownMeasure
from evenscale.measures import Measure, parse
from shared_data import TREC_EVAL, needs_trec_eval

pytestmark = needs_trec_eval


class Mode(NamedTuple):
    """One call of trec_eval: its inputs and what its options mean here."""

    qrels: str
    run: str
    options: dict[str, Any]
    level: int = 1


# trec_eval averages over the topics of the run (without -c), takes topics without relevant documents as 0, and reads a
# grade below 0 as "in the pool, not judged".
AS_TREC_EVAL = {"missing": "skip", "barren": "zero", "negative": "unjudged"}
MODES = {
    "out.test": Mode("qrels.test", "results.test", AS_TREC_EVAL),
    "out.test.a": Mode("qrels.test", "results.test", AS_TREC_EVAL),
    "out.test.aq": Mode("qrels.test", "results.test", AS_TREC_EVAL),
    "out.test.aqc": Mode("qrels.test", "results.trunc", AS_TREC_EVAL | {"missing": "zero"}),
    "out.test.aqcM": Mode("qrels.test", "results.trunc", AS_TREC_EVAL | {"missing": "zero", "depth": 100}),
    "out.test.aql": Mode("qrels.rel_level", "results.test", AS_TREC_EVAL, level=2),
    "out.test.meas_params": Mode("qrels.test", "results.test", AS_TREC_EVAL),
    "out.comment.test": Mode("qrels.comment.test", "results.comment.test.gz", AS_TREC_EVAL),
}

# Names that trec_eval prints and evenscale does not have (yet), and rbp, whose printed values are not to be trusted: it
# reads uninitialised memory when several measures are asked for.
OTHERS = re.compile(
    r"runid|gm_map|infAP|gm_bpref|Rprec_mult_.*|utility.*|11pt_avg.*|binG|G|ndcg_rel|Rndcg|ndcg_1=3.*|relative_P_.*"
    r"|set_relative_P|set_map|num_nonrel_judged_ret|rbp|rbp_resid|unj_.*|relstring.*"
)


def ours(name: str, level: int) -> Measure | None:
    """The measure behind a name that trec_eval prints, None for those we do not have."""
    if OTHERS.fullmatch(name):
        return None
    measure = parse(name)
    if level > 1 and hasattr(measure, "rel"):
        return type(measure)(**{**vars(measure), "rel": level})
    return measure


def printed(file: str, level: int) -> list[tuple[Measure, str, str]]:
    rows = [line.split(None, 2) for line in (TREC_EVAL / file).read_text().splitlines()]
    known = [(ours(name, level), topic, value) for name, topic, value in rows]
    return [(measure, topic, value) for measure, topic, value in known if measure is not None]


@cache
def evaluated(file: str) -> Evaluation:
    mode = MODES[file]
    measures = list(dict.fromkeys(m for m, _, _ in printed(file, mode.level)))
    return evaluate(TREC_EVAL / mode.qrels, TREC_EVAL / mode.run, measures, **mode.options)


@pytest.mark.parametrize("file", MODES)
def test_every_shared_measure_agrees_to_the_printed_digits(file: str) -> None:
    result = evaluated(file)
    means = {row["measure"]: row["value"] for row in result.means().to_dicts()}
    scores = {(row["topic"], row["measure"]): row["value"] for row in result.frame.to_dicts()}
    rows = printed(file, MODES[file].level)
    assert len(rows) > 20
    for measure, topic, value in rows:
        got = means[str(measure)] if topic == "all" else scores[topic, str(measure)]
        digits = len(value.partition(".")[2])
        assert f"{got:.{digits}f}" == value, f"{measure} on {topic}"


@pytest.mark.parametrize("file", MODES)
def test_no_name_is_passed_over_by_accident(file: str) -> None:
    for line in (TREC_EVAL / file).read_text().splitlines():
        name = line.split()[0]
        if ours(name, 1) is None and name != "rbp":
            with pytest.raises((UnknownMeasure, ValueError)):
                parse(name)


def test_unjudged_share_is_what_judged_leaves() -> None:
    result = evaluate(TREC_EVAL / "qrels.test", TREC_EVAL / "results.test", ["Judged@5", "Judged@10", "Judged@20"])
    lines = [line.split() for line in (TREC_EVAL / "out.test.aq").read_text().splitlines() if line.startswith("unj_")]
    scores = {(row["topic"], row["measure"]): row["value"] for row in result.frame.to_dicts()}
    for name, topic, value in lines:
        if topic != "all":
            assert f"{1 - scores[topic, 'Judged@' + name[4:]]:.4f}" == value


def test_negative_grades_differ_on_purpose() -> None:
    """By default a grade below 0 is a judgment (non-relevant); trec_eval drops it, which raises Bpref here."""
    qrels = {"q": {"a": 1, "b": 1, "c": -1, "d": 0}}
    run = {"q": {"c": 3.0, "a": 2.0, "d": 1.0}}
    kept, dropped = evaluate(qrels, run, "Bpref"), evaluate(qrels, run, "Bpref", negative="unjudged")
    assert [oddity.kind for oddity in kept.oddities] == ["negative grades"]
    assert kept.values.item() == 0.25
    assert dropped.values.item() == 0.5
