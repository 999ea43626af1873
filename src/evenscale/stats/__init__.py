"""Statistics on matrices of scores: significance, multiplicity, correlation, effect size, power.

```
matrix        what tests get: Scores        result     what they give: Comparisons
pairwise      sign, rank-sum, signed-rank, paired t        resampling   randomisation, bootstrap, randomised Tukey
families      ANOVA, Kruskal-Wallis, Friedman with Tukey-type comparisons        anova   the tables
multiplicity  corrections                   studentised    the studentised range, right in the tail
groups        tiers and letters             compare    one call from scores to tiers
correlation   tau, tau_AP, Spearman         rbo        rank-biased overlap with ties
power         how many topics               standardise    scores by topic
```
"""

from evenscale.stats.compare import TESTS, Comparison, compare, scores_of
from evenscale.stats.matrix import Scores
from evenscale.stats.result import Comparisons

__all__ = ["TESTS", "Comparison", "Comparisons", "Scores", "compare", "scores_of"]
