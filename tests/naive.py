"""Naive twins: every measure by its textbook formula, in plain floats, sharing no code with the package."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence

Grades = Sequence[int | None]
Counts = dict[int, int]


def universe(depth: int, alphabet: Sequence[int | None]) -> Iterator[tuple[int | None, ...]]:
    """Every run of a depth over an alphabet of grades."""
    return itertools.product(alphabet, repeat=depth)


def base(counts: Counts, rel: float = 1) -> int:
    return sum(n for g, n in counts.items() if g >= rel)


def is_rel(grade: int | None, rel: float = 1) -> bool:
    return grade is not None and grade >= rel


def cut(grades: Grades, k: int | None) -> Grades:
    return grades[:k] if k else grades


def precision(grades: Grades, counts: Counts, k: int | None = None, rel: float = 1) -> float:
    size = k or len(grades)
    return sum(is_rel(g, rel) for g in cut(grades, k)) / size if size else 0.0


def recall(grades: Grades, counts: Counts, k: int | None = None, rel: float = 1) -> float:
    return sum(is_rel(g, rel) for g in cut(grades, k)) / base(counts, rel) if base(counts, rel) else 0.0


def f_measure(grades: Grades, counts: Counts, k: int | None = None, beta: float = 1, rel: float = 1) -> float:
    p, r = precision(grades, counts, k, rel), recall(grades, counts, k, rel)
    return (1 + beta**2) * p * r / (beta**2 * p + r) if p and r else 0.0


def success(grades: Grades, counts: Counts, k: int | None = None) -> float:
    return float(any(is_rel(g) for g in cut(grades, k)))


def reciprocal_rank(grades: Grades, counts: Counts, k: int | None = None, rel: float = 1) -> float:
    return next((1 / i for i, g in enumerate(cut(grades, k), 1) if is_rel(g, rel)), 0.0)


def average_precision(grades: Grades, counts: Counts, k: int | None = None, rel: float = 1) -> float:
    hits = [i for i, g in enumerate(cut(grades, k), 1) if is_rel(g, rel)]
    return sum(n / i for n, i in enumerate(hits, 1)) / base(counts, rel) if base(counts, rel) else 0.0


def r_precision(grades: Grades, counts: Counts) -> float:
    return precision(grades, counts, base(counts)) if base(counts) else 0.0


def interpolated(grades: Grades, counts: Counts, tenths: int) -> float:
    """Best precision at any rank with at least tenths/10 * R relevant documents, rounded half up."""
    needed = (2 * tenths * base(counts) + 10) // 20
    found = [sum(is_rel(g) for g in grades[:i]) for i in range(1, len(grades) + 1)]
    points = [n / i for i, n in enumerate(found, 1) if n >= needed]
    return max(points, default=0.0) if base(counts) else 0.0


DISCOUNT: dict[str, Callable[[int, int], float]] = {
    "log2": lambda i, b: math.log2(i + 1),
    "exp-log2": lambda i, b: math.log2(i + 1),
    "jk": lambda i, b: max(1.0, math.log(i, b)),
}


def dcg(grades: Grades, counts: Counts, k: int | None = None, kind: str = "log2", b: int = 2) -> float:
    gain = (lambda g: 2**g - 1) if kind == "exp-log2" else (lambda g: g)
    return sum(gain(max(g or 0, 0)) / DISCOUNT[kind](i, b) for i, g in enumerate(cut(grades, k), 1))


def ndcg(grades: Grades, counts: Counts, k: int | None = None, kind: str = "log2", b: int = 2) -> float:
    ideal = sorted((g for g, n in counts.items() for _ in range(n)), reverse=True)
    best = dcg(ideal, counts, k, kind, b)
    return dcg(grades, counts, k, kind, b) / best if best else 0.0


def rbp(
    grades: Grades, counts: Counts, top: int, k: int | None = None, p: float = 0.8, rel: int | None = None
) -> float:
    gain = (lambda g: float(is_rel(g, rel))) if rel else (lambda g: max(g or 0, 0) / top)
    return (1 - p) * sum(p ** (i - 1) * gain(g) for i, g in enumerate(cut(grades, k), 1))


def rbp_residual(grades: Grades, counts: Counts, k: int | None = None, p: float = 0.8) -> float:
    seen = cut(grades, k)
    return p ** len(seen) + sum((1 - p) * p ** (i - 1) for i, g in enumerate(seen, 1) if g is None)


def err(grades: Grades, counts: Counts, top: int, k: int | None = None) -> float:
    value, looking = 0.0, 1.0
    for i, g in enumerate(cut(grades, k), 1):
        stop = (2 ** max(g or 0, 0) - 1) / 2**top
        value += looking * stop / i
        looking *= 1 - stop
    return value


def bpref(grades: Grades, counts: Counts) -> float:
    r = base(counts)
    n = sum(counts.values()) - r
    value = 0.0
    for i, g in enumerate(grades):
        if is_rel(g):
            above = sum(1 for x in grades[:i] if x is not None and not is_rel(x))
            value += 1 - min(above, r) / min(n, r) if above else 1
    return value / r if r else 0.0


def judged_share(grades: Grades, counts: Counts, k: int | None = None) -> float:
    seen = cut(grades, k)
    return sum(g is not None for g in seen) / len(seen) if seen else 0.0


def sbto(grades: Grades, top: int, n: int) -> int:
    """The number of multisets of size n below this one, by listing them all."""
    key = sorted((max(g or 0, 0) for g in (*grades[:n], *[0] * (n - len(grades)))), reverse=True)
    everything = itertools.combinations_with_replacement(range(top + 1), n)
    return sum(sorted(m, reverse=True) < key for m in everything)


def rbto(grades: Grades, top: int, n: int) -> int:
    digits = [max(g or 0, 0) for g in (*grades[:n], *[0] * (n - len(grades)))]
    value = 0
    for digit in digits:
        value = value * (top + 1) + digit
    return value
