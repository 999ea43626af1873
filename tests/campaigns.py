"""Random small campaigns for Hypothesis: ties, missing topics, unjudged documents, several grades."""

from __future__ import annotations

from typing import TypeAlias

from hypothesis import strategies as st

Qrels: TypeAlias = dict[str, dict[str, int]]
RunDict: TypeAlias = dict[str, dict[str, float]]

DOCS = [f"d{i}" for i in range(12)]
TOPICS = ["q1", "q2", "q10"]
SCORES = st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0, -1.0, 1 / 3])


def qrels(grades: st.SearchStrategy[int], relevant: bool = True) -> st.SearchStrategy[Qrels]:
    """Judgments for every topic, with something relevant in each if asked."""
    judged = st.dictionaries(st.sampled_from(DOCS), grades, min_size=1, max_size=10)
    if relevant:
        judged = judged.filter(lambda topic: max(topic.values()) > 0)
    return st.fixed_dictionaries(dict.fromkeys(TOPICS, judged))


def runs(every_topic: bool = False) -> st.SearchStrategy[RunDict]:
    """A run with tied scores; topics may be missing."""
    ranked = st.dictionaries(st.sampled_from(DOCS), SCORES, min_size=1, max_size=12)
    if every_topic:
        return st.fixed_dictionaries(dict.fromkeys(TOPICS, ranked))
    return st.dictionaries(st.sampled_from(TOPICS), ranked, min_size=1)
