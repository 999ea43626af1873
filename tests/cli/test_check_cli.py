"""`evenscale check`, and the line that `evaluate` and `compare` say about scales, as a user meets them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cli.test_cli import Call, call  # noqa: F401 - a fixture
from evenscale.bundled import sample
from evenscale.files import write_qrels, write_run

KEYS = ["statement", "true_as_computed", "verdict", "reason", "witness", "interval"]
MATRIX = "topic,A,B,C\nt1,1.0,0.5,0.0\nt2,0.25,0.5,0.0\n"


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    path.write_text(MATRIX)
    return path


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("campaign")
    qrels, runs = sample()
    write_qrels(qrels, folder / "qrels.txt")
    for run in runs:
        if run.name in ("cherry", "fir", "oak"):
            write_run(run, folder / f"{run.name}.run")
    return folder


def ask(call: Call, campaign: Path, *options: str, runs: tuple[str, ...] = ("cherry", "fir")):  # type: ignore[no-untyped-def]  # noqa: F811
    return call("check", campaign / "qrels.txt", *(campaign / f"{run}.run" for run in runs), "-q", *options)


def test_a_pair_in_prose(call: Call, campaign: Path) -> None:  # noqa: F811
    answer = ask(call, campaign)
    lines = re.sub(r"\n  (?=\S)(?!topic|\d)", " ", answer.out).splitlines()  # paragraphs, whatever their width
    assert answer.code == 0 and answer.err == ""
    assert lines[0] == "mean AP@30 of cherry is above fir's: true as computed (0.4697 against 0.4545)"
    assert lines[1].startswith("depends on the scale: AP@30 has a scale of its own on every topic")
    assert lines[2].startswith("witness: ")
    assert lines[-1].startswith(
        "on interval(AP@30): false (0.5058 against 0.5204), difference -0.0146, paired t p = 0.6"
    )
    assert "surrogate" in lines[-1]


def test_json_has_the_keys(call: Call, campaign: Path) -> None:  # noqa: F811
    data = json.loads(ask(call, campaign, "--json", "-m", "RR@10").out)
    assert list(data)[:6] == KEYS
    assert data["verdict"] == "meaningful"
    assert data["witness"] is None
    assert data["interval"]["measure"] == "interval(RR@10)"
    uncut = json.loads(ask(call, campaign, "--json", "-m", "AP").out)
    assert uncut["interval"] is None
    assert "cut-off" in uncut["no_interval"]


def test_a_leaderboard_counts_verdicts(call: Call, campaign: Path) -> None:  # noqa: F811
    words = ("check", campaign / "qrels.txt", campaign / "*.run", "--leaderboard", "-m", "P@10", "-q")
    data = json.loads(call(*words, "--json").out)
    assert data["verdicts"] == {"meaningful": 3, "depends": 0, "inexpressible": 0}
    assert len(data["rows"]) == data["pairs"] == 3
    assert "hold on any permissible rescaling" in call(*words).out
    assert call(*words, "--csv").out.startswith("system,other,difference,verdict,category")


def test_a_matrix_is_ordinal_unless_declared(call: Call, matrix: Path) -> None:  # noqa: F811
    words = ("check", "--matrix", matrix, "--pair", "A", "B", "--json")
    free, declared, topics = (
        json.loads(call(*words, *more).out) for more in ((), ("--scale", "interval"), ("--topic-wise",))
    )
    assert (free["verdict"], free["scale"], free["topicwise"]) == ("depends", "ordinal", False)
    assert free["witness"]["bend"] == 0.2
    assert free["interval"] is None
    assert declared["verdict"] == "meaningful"
    assert (topics["verdict"], topics["topicwise"]) == ("depends", True)


@pytest.mark.parametrize(
    "words",
    [
        ("--statement", "median"),
        ("--statement", "quantile", "--at", "0.1"),
        ("--statement", "gmean"),
        ("--statement", "mode"),
        ("--statement", "topics"),
        ("--statement", "significant", "--test", "sign"),
        ("--statement", "percent", "--by", "10"),
        ("--statement", "lead", "--over", "B", "C", "--times", "2"),
        ("--statement", "ranking"),
    ],
)
def test_every_statement_has_its_options(call: Call, matrix: Path, words: tuple[str, ...]) -> None:  # noqa: F811
    answer = call("check", "--matrix", matrix, "--pair", "A", "B", *words, "--json")
    assert answer.code == 0, answer.err
    assert json.loads(answer.out)["kind"] == words[1]


def test_correlation_takes_another_measure(call: Call, campaign: Path) -> None:  # noqa: F811
    answer = ask(call, campaign, "--statement", "correlation", "--other", "RR@10", "--across", "topic", "--json")
    assert json.loads(answer.out)["verdict"] == "meaningful"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--pair", "A", "D"), "there is no system 'D'; there are A, B, C"),
        (("--pair", "A", "A"), "the two systems must differ"),
        ((), "expected two systems, found 3: name two with --pair A B"),
        (("--pair", "A", "B", "--at", "0.3"), "--at belongs to --statement quantile"),
        (("--pair", "A", "B", "--alpha", "7"), "alpha must lie in (0, 1), got 7"),
        (("--pair", "A", "B", "--statement", "correlation"), "a correlation needs another measure"),
        (("qrels",), "not both"),
    ],
)
def test_what_is_refused(call: Call, matrix: Path, words: tuple[str, ...], said: str) -> None:  # noqa: F811
    answer = call("check", "--matrix", matrix, *words)
    assert answer.code == 2
    assert said in answer.err
    assert answer.out == ""


def test_one_topic_and_no_runs(call: Call, tmp_path: Path) -> None:  # noqa: F811
    (tmp_path / "one.csv").write_text("A,B\n0.5,0.4\n")
    assert "meaningful" in call("check", "--matrix", tmp_path / "one.csv").out
    significant = call("check", "--matrix", tmp_path / "one.csv", "--statement", "significant")
    assert (significant.code, significant.err) == (2, "error: the test needs at least 2 topics, found 1\n")
    assert call("check").code == 2


def test_two_runs_of_one_name_are_told_apart(call: Call, campaign: Path) -> None:  # noqa: F811
    answer = ask(call, campaign, runs=("cherry", "cherry"))
    assert answer.code == 0
    assert "meaningful" in answer.out and "the same scores" in answer.out


# --- the line about scales in other commands ------------------------------------------------------------------------


def scored(call: Call, campaign: Path, command: str, *options: str):  # type: ignore[no-untyped-def]  # noqa: F811
    return call(command, campaign / "qrels.txt", campaign / "cherry.run", campaign / "fir.run", *options)


@pytest.mark.parametrize(
    ("command", "options", "said"),
    [
        ("evaluate", ("-m", "RR@10"), "means need an interval scale, which RR@10 is not: --interval takes"),
        ("evaluate", ("-m", "R@10"), "means need an interval scale common to all topics, which R@10 is not"),
        ("evaluate", ("-m", "AP"), "which AP has with a cut-off only"),
        ("compare", ("-m", "RR@10", "--test", "t"), "paired t needs an interval scale, which RR@10 is not"),
        ("compare", ("-m", "AP@30", "--test", "kruskal"), "needs one scale for all topics, which AP@30 has not"),
        ("compare", ("-m", "AP@30", "--anova"), "two-way ANOVA (topic + system), Tukey HSD needs"),
    ],
)
def test_a_scale_that_is_missing_is_spoken_of(
    call: Call,  # noqa: F811
    campaign: Path,
    command: str,
    options: tuple[str, ...],
    said: str,
) -> None:
    loose, quiet, strict = (
        scored(call, campaign, command, *options, *more) for more in ((), ("-q",), ("-q", "--strict"))
    )
    assert loose.code == quiet.code == 0
    assert [line for line in loose.err.splitlines() if line.startswith("note: ") and said in line]
    assert said not in quiet.err
    assert strict.code == 3
    assert strict.err.startswith("error: ") and said in strict.err
    assert strict.out == quiet.out != ""


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("evaluate", ("-m", "P@10", "-m", "NumRel")),
        ("evaluate", ("-m", "RR@10", "--interval")),
        ("evaluate", ("-m", "interval(AP@10)")),
        ("evaluate", ("-m", "AP@30", "--per-topic")),
        ("compare", ("-m", "P@10")),
        ("compare", ("-m", "RR@10", "--interval")),
        ("compare", ("-m", "AP@30", "--test", "sign")),
        ("compare", ("-m", "RR@10", "--test", "rank-sum")),
    ],
)
def test_nothing_is_said_where_the_scale_is_there(
    call: Call,  # noqa: F811
    campaign: Path,
    command: str,
    options: tuple[str, ...],
) -> None:
    answer = scored(call, campaign, command, *options, "--strict", "-q")
    assert (answer.code, answer.err) == (0, "")
