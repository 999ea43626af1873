"""The report as a file: it holds the library's own numbers, loads nothing, and shows every name as text."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import numpy as np
import polars as pl
import pytest

from evenscale.bundled import sample
from evenscale.errors import BadFile
from evenscale.report.contents import gather
from evenscale.report.figures import figures_of
from evenscale.report.page import embedded, make_report, page, write_report
from evenscale.scores import evaluate
from evenscale.statements import leaderboard_check
from evenscale.stats import compare, scores_of
from evenscale.stats.anova import anova2
from evenscale.studies import study
from evenscale.tables import shown
from report.pages import (
    HOSTILE,
    MARKUP,
    TOPICS,
    campaign,
    hostile_page,
    lone_page,
    sample_contents,
    sample_page,
    small_contents,
)
from report.parsed import Parsed

pytestmark = pytest.mark.xdist_group("report")
PAGES = {"sample": sample_page, "hostile": hostile_page, "one system, one topic": lone_page}
every_page = pytest.mark.parametrize("name", PAGES)


@pytest.fixture(scope="module")
def read() -> Parsed:
    return Parsed(sample_page())


@pytest.fixture(scope="module")
def evaluation():
    return evaluate(*sample(), ["AP@10", "interval(AP@10)", "P@10", "interval(P@10)"])


def written(values) -> list[str]:
    return [f"{value:.4f}" for value in values]


# --- the numbers are the library's own ------------------------------------------------------------------------------


def test_leaderboard_shows_the_means_of_evaluate(read: Parsed, evaluation) -> None:
    board = read.tables["board"]
    assert board.headings[2:] == ["AP@10", "P@10", "system", "place", *["mean", "interval", "moved"] * 2][2:]
    for column, label in ((2, "AP@10"), (3, "interval(AP@10)"), (5, "P@10"), (6, "interval(P@10)")):
        means = dict(zip(evaluation.runs, evaluation.matrix(label).mean(axis=0), strict=True))
        assert board.column(column) == written(means[system] for system in board.column(0))
    assert board.column(1) == [str(place) for place in range(1, 25)]


def test_leaderboard_rows_are_the_systems_they_link_to(read: Parsed) -> None:
    names = json.loads(read.texts["data"])["systems"]
    board = read.tables["board"]
    assert [names[int(number or 0)] for number in board.systems] == board.column(0)
    assert {f"#s{k}" for k in range(24)} <= set(read.values("href"))


def test_standings_are_those_of_compare(read: Parsed, evaluation) -> None:
    found = compare(scores_of(evaluation, "AP@10")).frame
    table = read.tables["means-0"]
    assert table.column(0) == found["system"].to_list()
    place = table.headings.index("tier") - 1  # two headings span the others
    columns = {name: table.headings.index(name) - 2 for name in ("tier", "letters", "beats", "mean")}
    assert place >= 0
    assert table.column(columns["tier"]) == [str(tier) for tier in found["tier"]]
    assert table.column(columns["letters"]) == found["group"].to_list()
    assert table.column(columns["beats"]) == [str(count) for count in found["beats"]]
    assert table.column(columns["mean"]) == written(found["mean"])


def test_pairs_that_change_are_those_of_two_comparisons(read: Parsed, evaluation) -> None:
    was, now = (
        compare(scores_of(evaluation, label, **digits)).comparisons
        for label, digits in (("AP@10", {}), ("interval(AP@10)", {"digits": 12}))
    )
    names = was.systems
    expected = {
        frozenset((names[i], names[j]))
        for i, j, a, b in zip(was.first, was.second, was.significant, now.significant, strict=True)
        if a != b
    }
    shown_pairs = {frozenset(row[:2]) for row in read.tables["changed-0"].rows}
    assert shown_pairs == expected
    assert expected


def test_topics_show_medians_and_winners(read: Parsed, evaluation) -> None:
    table = read.tables["topics-0"]
    values = evaluation.matrix("AP@10")
    for row in table.rows:
        scores = values[evaluation.topics.index(row[0])]
        assert row[2] == f"{sorted(scores)[11] / 2 + sorted(scores)[12] / 2:.4f}"
        if " more" not in row[-1]:
            best = [system for system, score in zip(evaluation.runs, scores, strict=True) if score == max(scores)]
            assert row[-1].replace(" and ", ", ").split(", ") == best
    assert [float(row[2]) for row in table.rows] == sorted(float(row[2]) for row in table.rows)


def test_wins_add_up(read: Parsed) -> None:
    table = read.tables["wins-0"]
    data = json.loads(read.texts["data"])["measures"][0]["views"]["measure"]
    wins = [sum(k in topic["winners"] for topic in data["topics"]) for k in range(24)]
    assert [int(count) for count in table.column(1)] == [wins[int(number or 0)] for number in table.systems]


def test_embedded_data_are_the_contents(read: Parsed, evaluation) -> None:
    data = json.loads(read.texts["data"])
    assert data == json.loads(json.dumps(sample_contents().data()))
    scores = data["measures"][0]["views"]["measure"]["scores"]
    values = evaluation.matrix("AP@10")
    for k, system in enumerate(data["systems"]):
        expected = values[:, evaluation.runs.index(system)]
        assert scores[k] == pytest.approx(expected.tolist(), abs=1e-5)


def test_summary_tells_the_best_and_the_pairs(read: Parsed, evaluation) -> None:
    found = compare(scores_of(evaluation, "AP@10"))
    text = read.texts["summary"]
    assert found.frame["system"][0] in text
    assert f"{int(found.comparisons.significant.sum())} of 276" in text
    assert f"Significantly better than {found.frame['beats'][0]} of 23 others" in text


def test_curves_show_interpolated_precision(read: Parsed) -> None:
    result = evaluate(*sample(), ["IPrec@0.5"])
    means = dict(result.means().select("run", "value").iter_rows())
    for row in read.tables["curves-table"].rows[1:]:
        assert row[6] == f"{means[row[0]]:.4f}"


def test_taus_are_those_of_the_study(read: Parsed) -> None:
    found = study(*sample(), measures=["AP", "P"], depths=[10])
    taus = dict(found.correlation.select("measure", "tau").iter_rows())
    assert {m: float(tau) for m, tau in read.tables["agreement-table"].rows} == pytest.approx(taus, abs=5e-5)
    (row,) = read.tables["correlation-table"].rows
    between = found.between.row(0, named=True)
    assert row[:4] == [between["measure"], between["other"], f"{between['before']:.4f}", f"{between['after']:.4f}"]


def test_ends_of_intervals_tell_who_differs(read: Parsed, evaluation) -> None:
    """Tukey's comparison intervals: two of them overlap exactly where the pair does not differ."""
    rows = {row[0]: (float(row[5]), float(row[6])) for row in read.tables["means-0"].rows}
    marginal = anova2(scores_of(evaluation, "AP@10")).marginal_means()
    for system, low, high in marginal.frame.select("system", "low", "high").iter_rows():
        assert rows[system] == pytest.approx((low, high), abs=6e-5)
    for one, other, differs in (
        compare(scores_of(evaluation, "AP@10")).comparisons.frame.select("system", "other", "significant").iter_rows()
    ):
        (low, high), (other_low, other_high) = rows[one], rows[other]
        assert differs == (low > other_high or other_low > high)


def test_quartiles_are_those_of_the_scores(read: Parsed, evaluation) -> None:
    for row in read.tables["boxes-0"].rows:
        scores = evaluation.matrix("AP@10")[:, evaluation.runs.index(row[0])]
        assert row[3:6] == written(np.quantile(scores, [0.25, 0.5, 0.75]))


def test_p_values_of_pairs_that_change(read: Parsed, evaluation) -> None:
    table = read.tables["changed-0"]
    for label, column in (("AP@10", 3), ("interval(AP@10)", 5)):
        frame = compare(scores_of(evaluation, label)).comparisons.frame
        rows = {(r["system"], r["other"]): (r["difference"], r["adjusted"]) for r in frame.iter_rows(named=True)}
        for row in table.rows:
            pair, sign = ((row[0], row[1]), 1) if (row[0], row[1]) in rows else ((row[1], row[0]), -1)
            difference, p = rows[pair]
            assert float(row[column]) == pytest.approx(sign * difference, abs=5e-5)
            assert float(row[column + 1].lstrip("< ")) == pytest.approx(p, abs=6e-5)


def test_claims_that_turn_round_are_those_of_the_leaderboard_check(read: Parsed, evaluation) -> None:
    frame = leaderboard_check(evaluation, "AP@10").frame.filter(pl.col("category") == "flips")
    rows = {(r["system"], r["other"]): (r["difference"], r["interval_difference"]) for r in frame.iter_rows(named=True)}
    shown_rows = read.tables["flips-0"].rows
    assert {(row[0], row[1]) for row in shown_rows} == set(rows)
    for row in shown_rows:
        lead, other = rows[row[0], row[1]]
        assert (float(row[2]), float(row[3])) == pytest.approx((lead, other), abs=5e-5)
    for verdict in sample_contents().part("AP@10").verdicts:
        assert verdict.witness is not None
        assert verdict.witness.text[1:] in read.texts["statements"]
    assert "docs/" not in read.texts["statements"]


def test_tables_for_papers_hold_the_same_numbers(read: Parsed) -> None:
    board = read.tables["board"]
    latex, markdown = read.texts["board-latex"], read.texts["board-markdown"]
    assert latex.startswith("\\begin{tabular}") and markdown.startswith("| system")
    for row in board.rows:
        assert any(line.startswith(row[0]) and row[2] in line for line in latex.splitlines())
        assert any(line.startswith(f"| {row[0]} ") and row[2] in line for line in markdown.splitlines())


def test_every_figure_of_the_library_is_on_the_page(read: Parsed) -> None:
    drawn = [attributes["id"] for attributes in read.all("div") if "drawing" in (attributes.get("class") or "")]
    figures = figures_of(sample_contents())
    assert len(drawn) == len(figures) == len(set(drawn))
    titles = [read.texts[anchor or ""] for anchor in drawn]
    for chart in figures.values():
        assert any(chart.to_dict()["title"]["text"] in title for title in titles)


# --- one file, nothing loaded, nothing from the clock ---------------------------------------------------------------


@every_page
def test_page_loads_nothing(name: str) -> None:
    read = Parsed(PAGES[name]())
    assert read.values("src") == []
    assert all(target.startswith("#") for target in read.values("href"))
    assert not read.all("link") and not read.all("iframe") and not read.all("img")
    style = "".join(re.findall(r"<style>(.*?)</style>", PAGES[name](), flags=re.DOTALL))
    assert "url(" not in style and "@import" not in style
    urls = re.findall(r"https?://[^\"'<\s]+", PAGES[name]())
    assert {url for url in urls if not url.startswith("http://www.w3.org/")} <= {u for u in urls if "doi.org" in u}


@every_page
def test_only_the_page_s_own_script_may_run(name: str) -> None:
    text = PAGES[name]()
    script = re.findall(r"<script>(.*?)</script>", text, flags=re.DOTALL)
    assert len(script) == 1
    policy = next(meta["content"] for meta in Parsed(text).all("meta") if "http-equiv" in meta)
    digest = base64.b64encode(hashlib.sha256(script[0].encode()).digest()).decode()
    assert policy is not None and f"script-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")


@every_page
def test_page_is_well_formed(name: str) -> None:
    read = Parsed(PAGES[name]())
    assert read.mistakes == []
    ids = read.values("id")
    assert len(ids) == len(set(ids))
    wanted = [target.removeprefix("#") for target in read.values("href")]
    for attribute in ("aria-labelledby", "aria-controls", "data-copies", "data-grows", "data-opens", "data-filters"):
        wanted += [word for value in read.values(attribute) for word in value.split()]
    assert set(wanted) <= set(ids)


def test_the_check_of_form_sees_mistakes() -> None:
    assert Parsed("<div><p>a</div>").mistakes
    assert Parsed("<div>").mistakes == ["<div> is not closed"]


def test_page_depends_on_contents_alone() -> None:
    once, again = (page(gather(*campaign(("a", "b"), ("q1", "q2", "q3")), ["P@5"])) for _ in range(2))
    assert once == again
    assert '<p class="about">15 November 2026</p>' in page(small_contents(), date="15 November 2026")
    assert once.count('class="about"') == 1


def test_sample_is_small() -> None:
    assert len(sample_page().encode()) < 1_500_000


# --- names are data -------------------------------------------------------------------------------------------------


def test_hostile_names_are_text_in_every_table() -> None:
    read = Parsed(hostile_page())
    assert [attributes.get("type") for attributes in read.all("script")] == ["application/json", None]
    names = {shown(name, 0) for name in HOSTILE}
    for table in ("board", "means-0", "boxes-0", "wins-0", "curves-table"):
        assert names <= set(read.tables[table].column(0)), table
    assert {shown(topic, 0) for topic in TOPICS} == set(read.tables["topics-0"].column(0))
    assert not {"b", "i", "u"} & {tag for tag, _ in read.elements}
    assert not [attribute for _, attributes in read.elements for attribute in attributes if attribute.startswith("on")]


def test_hostile_names_survive_in_the_data_and_the_exports() -> None:
    read = Parsed(hostile_page())
    assert set(json.loads(read.texts["data"])["systems"]) == set(HOSTILE)
    assert "<script>alert(1)" not in re.sub(r"<script", "", read.texts["data"])
    assert "&lt;script&gt;alert(1)" in read.texts["board-markdown"]
    assert "\\textless{}script\\textgreater{}" in read.texts["board-latex"]


def test_hostile_title_and_date_are_text() -> None:
    read = Parsed(hostile_page())
    assert hostile_page().count(f"<title>{MARKUP}") == 0
    assert "&lt;b&gt;today&lt;/b&gt;" in hostile_page()
    assert "h1" in [tag for tag, _ in read.elements]


def test_a_name_in_a_page_without_escaping_would_be_seen() -> None:
    """The checks above fail on a page that puts a name in as it is."""
    spoilt = hostile_page().replace("<h1>&lt;script&gt;alert(1)&lt;/script&gt;", f"<h1>{MARKUP}")
    assert spoilt != hostile_page()
    assert len(Parsed(spoilt).all("script")) == 3


def test_embedded_json_cannot_end_its_element() -> None:
    text = embedded({"name": "</script><!--\u2028\u2029&"})
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == {"name": "</script><!--\u2028\u2029&"}


# --- small campaigns ------------------------------------------------------------------------------------------------


def test_one_system_on_one_topic() -> None:
    read = Parsed(lone_page())
    assert len(read.tables["board"].rows) == 1
    assert "was not tested" in read.texts["summary"]
    assert "AP has no interval version" in read.texts["summary"]


def test_equal_systems_and_counts() -> None:
    qrels, runs = campaign(("a", "b", "c"), ("q1", "q2", "q3"))
    same = dict.fromkeys(runs, runs["a"])
    read = Parsed(page(gather(qrels, same, ["P@5", "NumRel"])))
    assert read.mistakes == []
    assert len(set(read.tables["board"].column(2))) == 1


# --- files ----------------------------------------------------------------------------------------------------------


def test_make_report_writes_the_page(tmp_path) -> None:
    qrels, runs = campaign(("a", "b"), ("q1", "q2", "q3"))
    path = make_report(qrels, runs, ["P@5"], output=tmp_path / "x.html", title="Two systems")
    assert path.read_text() == page(small_contents(), title="Two systems")


def test_no_folder_no_page(tmp_path) -> None:
    with pytest.raises(BadFile, match="no such folder"):
        write_report(small_contents(), tmp_path / "nowhere" / "x.html")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "taken").touch()
    with pytest.raises(BadFile, match="cannot make this folder"):
        write_report(small_contents(), tmp_path / "x.html", figures=tmp_path / "taken")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
