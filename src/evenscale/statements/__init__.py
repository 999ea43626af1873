"""What may be said about scores: statements, verdicts, and the rescalings that turn them round.

```
campaign       scores and their scale        bends          which rescalings turn a sum round
verdict        the answer                    statement      what every statement is
averages       means, leads                  middles        medians, quantiles, modes
ratios         geometric means, percentages  counting       better on most topics
significance   significant under a test      extremes       the largest and smallest t on all rescalings
rankings       rankings, correlations        table          all statements, and `check`
leaderboard    all pairs at once             partial_order  what survives of the order
```
"""

from typing import TYPE_CHECKING

from evenscale.lazy import lazily

if TYPE_CHECKING:
    from evenscale.statements.leaderboard import LeaderboardCheck, leaderboard_check
    from evenscale.statements.table import STATEMENTS, check
    from evenscale.statements.verdict import Verdict, Witness

_HOMES = {
    "evenscale.statements.leaderboard": ("LeaderboardCheck", "leaderboard_check"),
    "evenscale.statements.table": ("STATEMENTS", "check"),
    "evenscale.statements.verdict": ("Verdict", "Witness"),
}
__getattr__ = lazily(__name__, _HOMES)

__all__ = ["STATEMENTS", "LeaderboardCheck", "Verdict", "Witness", "check", "leaderboard_check"]
