"""The spelling of measures: `parse(str(m)) == m`, and `str(parse(text))` is the one canonical form.

The names are those of ir_measures (`P@10`, `nDCG@10`, `AP(rel=2)@30`); trec_eval's (`map_cut_30`, `recip_rank`) are
read too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from difflib import get_close_matches
from fractions import Fraction
from functools import cache
from typing import Any

from evenscale.errors import BadParameter, UnknownMeasure, quoted
from evenscale.measures.contract import Measure

_SHAPE = re.compile(r"\s*(?P<name>[A-Za-z_]\w*)\s*(?:\((?P<params>[^()]*)\))?\s*(?:@\s*(?P<at>[^\s@()]+))?\s*")
_PARAM = re.compile(r"\s*(?P<key>\w+)\s*=\s*(?P<value>'[^']*'|\"[^\"]*\"|[^\s,'\"]+)\s*")


_WRAPPER = re.compile(r"\s*(?P<name>\w+)\s*\((?P<inside>.*)\)\s*", flags=re.DOTALL)
_WRAPPERS: dict[str, Callable[[str], Measure]] = {}


def register(name: str, parse_inside: Callable[[str], Measure]) -> None:
    """Make `name(...)` a measure of measures: `parse_inside` gets what stands between the brackets."""
    _WRAPPERS[name] = parse_inside


def parse(text: str | Measure) -> Measure:
    """The measure that a text spells.

    >>> parse("AP(rel=2)@30")
    AP(cutoff=30, rel=2)
    >>> print(parse("ndcg_cut_10"), parse("map"), parse("RBP(p=.5)"))
    nDCG@10 AP RBP(p=0.5)
    >>> parse("APP@10")
    Traceback (most recent call last):
    ...
    evenscale.errors.UnknownMeasure: no measure is called 'APP'; did you mean AP? ('evenscale measures' lists them all)
    """
    if isinstance(text, Measure):
        return text
    if (wrapped := _WRAPPER.fullmatch(text)) and wrapped["name"] in _WRAPPERS:
        return _WRAPPERS[wrapped["name"]](wrapped["inside"])
    if alias := _trec_eval(text.strip()):
        return parse(alias)
    match = _SHAPE.fullmatch(text)
    if not match:
        raise BadParameter(f"cannot read the measure {quoted(text)}: expected a form like AP@30 or RBP(p=0.8)@10")
    name, params, at = match["name"], match["params"], match["at"]
    kind = _find(name)
    given = _parameters(kind, params or "")
    if at is not None:
        given[at_field(kind)] = at
    return kind(**given)


def spell(measure: Measure) -> str:
    """The canonical spelling: parameters that differ from their defaults, then the cut-off."""
    at = at_field(type(measure))
    shown = [
        f"{f.name}={_written(getattr(measure, f.name))}"
        for f in sorted(fields(measure), key=lambda f: f.name == "rel")
        if f.name != at and (f.metadata["always"] or getattr(measure, f.name) != f.default)
    ]
    inside = f"({','.join(shown)})" if shown else ""
    cut = getattr(measure, at)
    return f"{measure.name}{inside}" + (f"@{_written(cut)}" if cut is not None else "")


def at_field(kind: type[Measure]) -> str:
    """The field that stands behind `@`: the cut-off, but for interpolated precision the recall level."""
    return "cutoff" if kind.takes_cutoff else getattr(kind, "at", "cutoff")


def _written(value: Any) -> str:
    """
    >>> [_written(v) for v in (10, Fraction(4, 5), Fraction(1, 3), "jk")]
    ['10', '0.8', '1/3', "'jk'"]
    """
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, Fraction):
        return _decimal(value) or str(value)
    return str(value)


def _decimal(value: Fraction) -> str | None:
    """A terminating decimal, if it is one of at most 17 digits."""
    places = next((k for k in range(18) if (value * 10**k).denominator == 1), None)
    if places is None:
        return None
    digits = str(int(value * 10**places)).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}" if places else digits


def _parameters(kind: type[Measure], text: str) -> dict[str, Any]:
    given: dict[str, Any] = {}
    known = [f.name for f in fields(kind) if f.name != at_field(kind) and (f.name != "cutoff" or kind.takes_cutoff)]
    for part in text.split(",") if text.strip() else []:
        match = _PARAM.fullmatch(part)
        if not match:
            raise BadParameter(f"{kind.name}: expected name=value, got {quoted(part.strip())}")
        key, value = match["key"], match["value"]
        if key not in known:
            raise BadParameter(f"{kind.name} has no parameter {key!r}; it takes {', '.join(known) or 'none'}")
        if key in given:
            raise BadParameter(f"{kind.name}: {key} is given twice")
        given[key] = value[1:-1] if value[0] in "'\"" else value
    return given


@cache
def _names() -> dict[str, type[Measure]]:
    from evenscale.measures.table import ALIASES, MEASURES

    names = {kind.name: kind for kind in MEASURES}
    return names | {alias: names[name] for alias, name in ALIASES.items()}


def _find(name: str) -> type[Measure]:
    names = _names()
    if name in names:
        return names[name]
    folded = {n.casefold(): kind for n, kind in names.items()}
    if name.casefold() in folded:
        return folded[name.casefold()]
    near = list(dict.fromkeys(folded[n].name for n in get_close_matches(name.casefold(), folded, n=3, cutoff=0.6)))
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    raise UnknownMeasure(f"no measure is called {quoted(name)}{hint} ('evenscale measures' lists them all)")


# trec_eval's names, for people who come from there.
_TREC_EVAL: tuple[tuple[str, Callable[[str], str]], ...] = (
    (r"map", lambda k: "AP"),
    (r"map_cut_(\d+)", lambda k: f"AP@{k}"),
    (r"P_(\d+)", lambda k: f"P@{k}"),
    (r"recall_(\d+)", lambda k: f"R@{k}"),
    (r"ndcg", lambda k: "nDCG"),
    (r"ndcg_cut_(\d+)", lambda k: f"nDCG@{k}"),
    (r"recip_rank", lambda k: "RR"),
    (r"success_(\d+)", lambda k: f"Success@{k}"),
    (r"iprec_at_recall_([0-9.]+)", lambda k: f"IPrec@{k}"),
    (r"set_P", lambda k: "P"),
    (r"set_recall", lambda k: "R"),
    (r"set_F", lambda k: "F"),
    (r"num_ret", lambda k: "NumRet"),
    (r"num_rel", lambda k: "NumRel"),
    (r"num_rel_ret", lambda k: "NumRelRet"),
    (r"num_q", lambda k: "NumQ"),
)


def _trec_eval(name: str) -> str | None:
    """
    >>> _trec_eval("ndcg_cut_20"), _trec_eval("AP")
    ('nDCG@20', None)
    """
    for pattern, make in _TREC_EVAL:
        if match := re.fullmatch(pattern, name):
            return make(match[1] if match.groups() else "")
    return None
