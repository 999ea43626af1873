"""Every measure in the table, in several settings, beside its naive twin. One list serves all tests."""

from __future__ import annotations

from collections.abc import Callable

import naive
from evenscale.measures import Measure, parse

Twin = Callable[[naive.Grades, naive.Counts, int], float]

CASES: dict[str, Twin] = {
    "P": lambda g, c, top: naive.precision(g, c),
    "P@3": lambda g, c, top: naive.precision(g, c, 3),
    "P(rel=2)@8": lambda g, c, top: naive.precision(g, c, 8, 2),
    "R": lambda g, c, top: naive.recall(g, c),
    "R@3": lambda g, c, top: naive.recall(g, c, 3),
    "R(rel=2)": lambda g, c, top: naive.recall(g, c, None, 2),
    "F": lambda g, c, top: naive.f_measure(g, c),
    "F(beta=0.5)@4": lambda g, c, top: naive.f_measure(g, c, 4, 0.5),
    "F(beta=2,rel=2)@8": lambda g, c, top: naive.f_measure(g, c, 8, 2, 2),
    "Success@1": lambda g, c, top: naive.success(g, c, 1),
    "Success": lambda g, c, top: naive.success(g, c),
    "RR": lambda g, c, top: naive.reciprocal_rank(g, c),
    "RR@2": lambda g, c, top: naive.reciprocal_rank(g, c, 2),
    "RR(rel=2)@5": lambda g, c, top: naive.reciprocal_rank(g, c, 5, 2),
    "AP": lambda g, c, top: naive.average_precision(g, c),
    "AP@4": lambda g, c, top: naive.average_precision(g, c, 4),
    "AP(rel=2)@8": lambda g, c, top: naive.average_precision(g, c, 8, 2),
    "Rprec": lambda g, c, top: naive.r_precision(g, c),
    "IPrec@0": lambda g, c, top: naive.interpolated(g, c, 0),
    "IPrec@0.3": lambda g, c, top: naive.interpolated(g, c, 3),
    "IPrec@1": lambda g, c, top: naive.interpolated(g, c, 10),
    "DCG": lambda g, c, top: naive.dcg(g, c),
    "DCG@4": lambda g, c, top: naive.dcg(g, c, 4),
    "DCG(dcg='exp-log2')@5": lambda g, c, top: naive.dcg(g, c, 5, "exp-log2"),
    "DCG(dcg='jk',base=2)@6": lambda g, c, top: naive.dcg(g, c, 6, "jk", 2),
    "DCG(dcg='jk',base=4)": lambda g, c, top: naive.dcg(g, c, None, "jk", 4),
    "nDCG": lambda g, c, top: naive.ndcg(g, c),
    "nDCG@3": lambda g, c, top: naive.ndcg(g, c, 3),
    "nDCG(dcg='exp-log2')@5": lambda g, c, top: naive.ndcg(g, c, 5, "exp-log2"),
    "nDCG(dcg='jk',base=3)@6": lambda g, c, top: naive.ndcg(g, c, 6, "jk", 3),
    "RBP(p=0.8)": lambda g, c, top: naive.rbp(g, c, top),
    "RBP(p=0.5,rel=2)@4": lambda g, c, top: naive.rbp(g, c, top, 4, 0.5, 2),
    "RBP(p=0.5,gmax=4)": lambda g, c, top: naive.rbp(g, c, 4, None, 0.5),
    "RBPres(p=0.8)": lambda g, c, top: naive.rbp_residual(g, c),
    "RBPres(p=0.5)@3": lambda g, c, top: naive.rbp_residual(g, c, 3, 0.5),
    "ERR": lambda g, c, top: naive.err(g, c, top),
    "ERR(gmax=4)@3": lambda g, c, top: naive.err(g, c, 4, 3),
    "Bpref": lambda g, c, top: naive.bpref(g, c),
    "gP": lambda g, c, top: sum(x or 0 for x in g) / top / len(g) if g else 0.0,
    "gP(gmax=4)@4": lambda g, c, top: sum(x or 0 for x in g[:4]) / 4 / 4,
    "gR": lambda g, c, top: sum(x or 0 for x in g) / top / naive.base(c) if naive.base(c) else 0.0,
    "gR@2": lambda g, c, top: sum(x or 0 for x in g[:2]) / top / naive.base(c) if naive.base(c) else 0.0,
    "SBTO@4": lambda g, c, top: naive.sbto(g, top, 4),
    "SBTO(gmax=3)@6": lambda g, c, top: naive.sbto(g, 3, 6),
    "SBPO@4": lambda g, c, top: sum(x or 0 for x in g[:4]),
    "RBTO@4": lambda g, c, top: naive.rbto(g, top, 4),
    "RBTO(gmax=3)@7": lambda g, c, top: naive.rbto(g, 3, 7),
    "RBPO@4": lambda g, c, top: sum((4 - i) * (x or 0) for i, x in enumerate(g[:4])),
    "Judged": lambda g, c, top: naive.judged_share(g, c),
    "Judged@3": lambda g, c, top: naive.judged_share(g, c, 3),
    "NumQ": lambda g, c, top: 1,
    "NumRet": lambda g, c, top: len(g),
    "NumRet@3": lambda g, c, top: min(3, len(g)),
    "NumRel": lambda g, c, top: naive.base(c),
    "NumRelRet": lambda g, c, top: sum(naive.is_rel(x) for x in g),
    "NumRelRet(rel=2)@3": lambda g, c, top: sum(naive.is_rel(x, 2) for x in g[:3]),
}

MEASURES: list[Measure] = [parse(text) for text in CASES]
