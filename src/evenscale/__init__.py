"""evenscale: evaluate search systems, and know what you may say about the scores.

Names are loaded when they are first used, so that importing evenscale, and `evenscale --help`, cost nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenscale._version import __version__
from evenscale.lazy import lazily

if TYPE_CHECKING:
    from evenscale.bundled import Sample, sample
    from evenscale.files import Qrels, Run, read_qrels, read_run, read_runs, write_qrels, write_run
    from evenscale.judged import Judged, Policy, Topic
    from evenscale.kinds import Explanation, explain
    from evenscale.measures import MEASURES, Measure
    from evenscale.report.contents import Contents, gather
    from evenscale.report.page import make_report
    from evenscale.scales import IntervalScale, interval, interval_scale, parse
    from evenscale.scores import Evaluation, evaluate
    from evenscale.statements import LeaderboardCheck, Verdict, check, leaderboard_check
    from evenscale.stats import Comparison, Scores, compare, scores_of
    from evenscale.studies import Study, study

_HOMES = {
    "evenscale.files": ("Qrels", "Run", "read_qrels", "read_run", "read_runs", "write_qrels", "write_run"),
    "evenscale.judged": ("Judged", "Policy", "Topic"),
    "evenscale.measures": ("MEASURES", "Measure"),
    "evenscale.scales": ("IntervalScale", "interval", "interval_scale", "parse"),
    "evenscale.kinds": ("Explanation", "explain"),
    "evenscale.bundled": ("Sample", "sample"),
    "evenscale.scores": ("Evaluation", "evaluate"),
    "evenscale.stats": ("Comparison", "Scores", "compare", "scores_of"),
    "evenscale.studies": ("Study", "study"),
    "evenscale.report.contents": ("Contents", "gather"),
    "evenscale.report.page": ("make_report",),
    "evenscale.statements": ("LeaderboardCheck", "Verdict", "check", "leaderboard_check"),
}
__getattr__ = lazily(__name__, _HOMES)

__all__ = [
    "MEASURES",
    "Comparison",
    "Contents",
    "Evaluation",
    "Explanation",
    "IntervalScale",
    "Judged",
    "LeaderboardCheck",
    "Measure",
    "Policy",
    "Qrels",
    "Run",
    "Sample",
    "Scores",
    "Study",
    "Topic",
    "Verdict",
    "__version__",
    "check",
    "compare",
    "evaluate",
    "explain",
    "gather",
    "interval",
    "interval_scale",
    "leaderboard_check",
    "make_report",
    "parse",
    "read_qrels",
    "read_run",
    "read_runs",
    "sample",
    "scores_of",
    "study",
    "write_qrels",
    "write_run",
]


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
