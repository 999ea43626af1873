"""The table of measures: one line each, in the order of help, docs and reports."""

from __future__ import annotations

from evenscale.measures.average_precision import AP
from evenscale.measures.bpref import Bpref
from evenscale.measures.contract import Measure
from evenscale.measures.counts import NumQ, NumRel, NumRelRet, NumRet
from evenscale.measures.dcg import DCG, nDCG
from evenscale.measures.err import ERR
from evenscale.measures.f_measure import F
from evenscale.measures.generalised import gP, gR
from evenscale.measures.interpolated import IPrec
from evenscale.measures.judged_share import Judged
from evenscale.measures.order_measures import RBPO, RBTO, SBPO, SBTO
from evenscale.measures.precision import P
from evenscale.measures.r_precision import Rprec
from evenscale.measures.rbp import RBP, RBPres
from evenscale.measures.recall import R
from evenscale.measures.reciprocal_rank import RR
from evenscale.measures.success import Success

MEASURES: tuple[type[Measure], ...] = (
    P,
    R,
    F,
    Success,
    RR,
    AP,
    Rprec,
    IPrec,
    DCG,
    nDCG,
    RBP,
    RBPres,
    ERR,
    Bpref,
    gP,
    gR,
    SBTO,
    SBPO,
    RBTO,
    RBPO,
    Judged,
    NumQ,
    NumRet,
    NumRel,
    NumRelRet,
)

ALIASES: dict[str, str] = {
    "MAP": "AP",
    "MRR": "RR",
    "Precision": "P",
    "Recall": "R",
    "SetP": "P",
    "SetR": "R",
    "SetF": "F",
}
"""Other names that are read; what is written is always the name in the table."""
