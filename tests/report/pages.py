"""Campaigns whose reports are looked at, each gathered once."""

from __future__ import annotations

from functools import cache
from typing import Any

from evenscale.bundled import sample
from evenscale.report.contents import Contents, gather
from evenscale.report.page import page
from shared_data import TREC8

MARKUP = "<script>alert(1)</script>"
HOSTILE = (
    MARKUP,
    '"><img src=x onerror=alert(2)>',
    "</style></title></script><script>alert(3)</script>",
    "two\nlines\tand a tab",
    "a" * 300,
    "'; alert(4); //",
    "{{ 7 * 7 }}{% raw %}",
    "\u2028sep \u202eturned",
    "&lt;b&gt; & \\end{tabular} $x$ | *y* _z_ `w`",
    'fill="#1b4965" opacity="1" --> ]]> <!--',
)
TOPICS = ("<i>q1</i>", '"q2"', "q3\nx", "&amp;", "<!--")


@cache
def sample_contents() -> Contents:
    """The sample on a measure that is no interval scale, and on one that is."""
    return gather(*sample(), ["AP@10", "P@10"])


@cache
def sample_page() -> str:
    return page(sample_contents())


def campaign(systems: tuple[str, ...], topics: tuple[str, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Every system finds the relevant documents of every topic a little differently."""
    docs = [f"<u>d{k}</u>" for k in range(8)]
    qrels = {topic: {doc: int((k + t) % 3 == 0) for k, doc in enumerate(docs)} for t, topic in enumerate(topics)}
    runs = {
        name: {
            topic: {doc: float((k * (s + 2) * 5 + t) % 11) for k, doc in enumerate(docs)}
            for t, topic in enumerate(topics)
        }
        for s, name in enumerate(systems)
    }
    return qrels, runs


@cache
def small_contents() -> Contents:
    return gather(*campaign(("a", "b"), ("q1", "q2", "q3")), ["P@5"])


@cache
def hostile_page() -> str:
    return page(gather(*campaign(HOSTILE, TOPICS), ["AP@5"]), title=MARKUP, date="<b>today</b>")


@cache
def lone_page() -> str:
    """One system with a hostile name on one topic."""
    return page(gather(*campaign(HOSTILE[:1], TOPICS[:1]), ["AP@5", "AP"]))


@cache
def trec8_page() -> str:
    measures = ["AP@30", "nDCG@10", "P@10", "RR@10", "RBP(p=0.8)@10"]
    return page(gather(TREC8 / "qrels.trec8.adhoc.gz", TREC8 / "runs", measures), title="TREC-8 ad hoc")
