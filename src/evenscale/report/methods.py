"""The methods paragraph of a paper, made from the options that were really used, with its references."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evenscale.oddities import named
from evenscale.prose import counted
from evenscale.report.campaign import About
from evenscale.report.measured import MeasurePart
from evenscale.report.references import REFERENCES
from evenscale.stats.testing import Testing
from evenscale.tables import latex_safe

CORRECTED = {
    "bonferroni": "Bonferroni's correction [[Dunn 1961]]",
    "holm": "Holm's correction [[Holm 1979]]",
    "bh": "the correction of Benjamini and Hochberg [[Benjamini and Hochberg 1995]] for the false discovery rate",
    "by": "the correction of Benjamini and Yekutieli [[Benjamini and Yekutieli 2001]] for the false discovery rate",
}
"""Corrections as a paper names them."""
_CITE = re.compile(r" ?\[\[([^\]]+)\]\]")
"""A citation in a sentence that is being made: works by their names, separated by semicolons."""

TIES = {
    "trec_eval": "Documents were ranked by score, those with equal scores by identifier in descending order.",
    "float32": (
        "Documents were ranked by score in single precision, those with equal scores by identifier in descending order."
    ),
    "rank": "Documents were ranked as the rank column of each run says.",
    "expected": "Where documents had equal scores, we took the mean over all their orders.",
}
UNJUDGED = {
    "nonrelevant": "Retrieved documents without a judgment count as non-relevant.",
    "removed": "Retrieved documents without a judgment were removed before ranks were counted.",
    "lower": "Scores are lower bounds: judging the retrieved documents that have no judgment could only raise them.",
    "upper": "Scores are upper bounds: judging the retrieved documents that have no judgment could only lower them.",
}
MISSING = {
    "zero": "A topic that a run lacks scores 0.",
    "skip": "A topic that a run lacks was left out of the mean of that run.",
}
BARREN = {
    "skip": "Topics without relevant documents were left out.",
    "zero": "Topics without relevant documents count as 0.",
}

TESTED = {
    "anova2": (
        "two-way analysis of variance with topics and systems as factors [[Tague-Sutcliffe and Blustein 1995]], "
        "followed by Tukey's HSD test [[Tukey 1949]]"
    ),
    "anova1": "one-way analysis of variance, followed by Tukey's HSD test [[Tukey 1949]]",
    "friedman": "Friedman's test [[Friedman 1937]] with Tukey-type comparisons of mean ranks",
    "kruskal": "the Kruskal-Wallis test [[Kruskal and Wallis 1952]] with Tukey-type comparisons of mean ranks",
    "scheffe": (
        "two-way analysis of variance with topics and systems as factors, followed by Scheffé's comparisons "
        "[[Scheffé 1953]]"
    ),
    "tukey-random": "a randomised Tukey HSD test [[Carterette 2012]]",
    "t": "paired t-tests [[Student 1908]]",
    "signed-rank": "Wilcoxon's signed-rank test [[Wilcoxon 1945]]",
    "sign": "the sign test [[Dixon and Mood 1946]]",
    "rank-sum": "Wilcoxon's rank-sum test [[Wilcoxon 1945]]",
    "randomisation": "paired randomisation tests [[Smucker, Allan and Carterette 2007]]",
    "bootstrap": "paired bootstrap tests [[Sakai 2006]]",
}
"""How each test is described; the tests have a check that none is missing."""


@dataclass(frozen=True, slots=True)
class Methods:
    r"""How the numbers came about, in words ready for a paper.

    `text` is plain, with citations as (Authors Year); `latex` the same with `\cite` commands; `references` are
    (key, text) pairs in the order they are first cited, `bibtex` the same for BibTeX.
    """

    text: str
    latex: str
    references: tuple[tuple[str, str], ...]
    bibtex: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        references = [{"key": key, "text": text} for key, text in self.references]
        return {"text": self.text, "latex": self.latex, "references": references, "bibtex": self.bibtex}


def methods(about: About, parts: Sequence[MeasurePart], testing: Testing) -> Methods:
    """Write the paragraph."""
    sentences = [
        *_campaign(about),
        *_measures(parts),
        *_intervals(parts),
        *_tests(parts, testing),
        f"All numbers were computed with evenscale {about.versions['evenscale']}.",
    ]
    return written(" ".join(sentences))


def written(marked: str) -> Methods:
    r"""A paragraph whose citations stand in double brackets, in both forms.

    >>> paragraph = written("We used t-tests [[Student 1908]] at 5%.")
    >>> print(paragraph.text)
    We used t-tests (Student 1908) at 5%.
    >>> print(paragraph.latex)
    We used t-tests~\cite{Student1908} at 5\%.
    """
    cited = [name.strip() for group in _CITE.findall(marked) for name in group.split(";")]
    works = [REFERENCES[name] for name in dict.fromkeys(cited)]
    text = _CITE.sub(lambda m: f" ({'; '.join(REFERENCES[n.strip()].cited for n in m[1].split(';'))})", marked)
    pieces = _CITE.split(marked)
    latex = "".join(_cited(piece) if k % 2 else latex_safe(piece) for k, piece in enumerate(pieces))
    references = tuple((work.key, work.text()) for work in works)
    return Methods(text, latex, references, "\n\n".join(work.bibtex() for work in works))


def _cited(group: str) -> str:
    return f"~\\cite{{{','.join(REFERENCES[name.strip()].key for name in group.split(';'))}}}"


def _campaign(about: About) -> Iterator[str]:
    grades = [_number(grade) for grade in about.grades["grade"].to_list()]
    scale = f"with grades {grades[0]} to {grades[-1]}" if len(grades) > 1 else f"all with grade {grades[0]}"
    low, middle, high = about.relevant
    yield (
        f"We evaluated {counted(about.systems, 'system')} on {counted(about.topics, 'topic')} with "
        f"{counted(about.judgments, 'relevance judgment')} {scale}; "
        + (f"a topic has {low} to {high} relevant documents (median {middle:g})." if high > low else _same(low))
    )
    policy = about.policy
    yield TIES[str(policy["ties"])]
    yield UNJUDGED[str(policy["unjudged"])]
    kinds = {oddity.kind for oddity in about.oddities}
    if "negative grades" in kinds:
        yield f"Grades below 0 count as {policy['negative']}."
    if "missing topic" in kinds:
        yield MISSING[str(policy["missing"])]
    if "no relevant documents" in kinds:
        yield BARREN[str(policy["barren"])]
    if policy["depth"] is not None:
        yield f"Only the first {policy['depth']} documents of each topic were looked at."


def _same(relevant: int) -> str:
    return f"every topic has {counted(relevant, 'relevant document')}."


def _number(grade: float) -> str:
    return f"{grade:g}"


def _measures(parts: Sequence[MeasurePart]) -> Iterator[str]:
    listed = [f"{part.label} [[{part.cite}]]" if part.cite else part.label for part in parts]
    yield f"We report {_listed(listed)}, averaged over topics."


def _listed(items: Sequence[str]) -> str:
    """
    >>> _listed(["a"]), _listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def _intervals(parts: Sequence[MeasurePart]) -> Iterator[str]:
    having = [part for part in parts if part.interval is not None]
    if having:
        which = "each of them" if len(having) == len(parts) else _listed([part.label for part in having])
        yield (
            f"Beside {which} we report the interval version [[Ferrante, Ferro and Fuhr 2021]]: a run's place, from 0 "
            "to 1, among all values that the measure can take at its cut-off, a scale on which differences and means "
            "have a meaning."
        )
    surrogates = [part.label for part in having if part.surrogate]
    if surrogates:
        one = len(surrogates) == 1
        verb = "depends" if one else "depend"
        whose = "its interval version is a surrogate" if one else "their interval versions are surrogates"
        yield (
            f"{_listed(surrogates)} {verb} on the number of relevant documents, so that topics have no common scale "
            f"and {whose} across topics."
        )


def _tests(parts: Sequence[MeasurePart], testing: Testing) -> Iterator[str]:
    tested = [part for part in parts if part.measure.comparison is not None]
    if not tested:
        reasons = dict.fromkeys(part.measure.untested for part in parts)
        yield f"No significance test was made: {named(reasons, limit=1)}."
        return
    yield f"All pairs of systems were compared by {TESTED[testing.test]}, {_level(testing)}."
    # Where the test is not Tukey's after the same analysis of variance, the intervals need their own citation.
    source = "one-way" if testing.test == "anova1" else "two-way"
    yield (
        f"Intervals around means are Tukey's comparison intervals after {source} analysis of variance [[Tukey 1949]]: "
        "two of them do not overlap exactly where Tukey's HSD test finds a difference."
    )
    if len(parts) > 1:
        yield "Agreement between measures is Kendall's tau (b) between the means of the systems [[Kendall 1945]]."


def _level(testing: Testing) -> str:
    if testing.joint:
        return f"with a family-wise error rate of {testing.alpha:g}"
    if testing.correction == "none":
        return f"each at level {testing.alpha:g}, without correction for the number of pairs"
    return f"at level {testing.alpha:g} after {CORRECTED[testing.correction]}"
