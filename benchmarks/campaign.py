"""A generated campaign of TREC size for benchmarks: 129 systems x 50 topics x 1000 documents as TREC text files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

PREFIXES = ("FT911-", "FBIS3-", "LA010189-", "FR940202-2-0", "CR93E-")
CANDIDATES, POOL = 20_000, 1_700


def make(folder: Path, systems: int = 129, topics: int = 50, depth: int = 1000, seed: int = 1) -> tuple[Path, Path]:
    """Write qrels and runs (once) and return their paths."""
    qrels, runs = folder / "qrels.txt", folder / "runs"
    if (folder / "complete").exists():
        return qrels, runs
    runs.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    names = {t: _names(rng) for t in range(401, 401 + topics)}
    with qrels.open("w") as out:
        for topic, docs in names.items():
            relevant = rng.random(POOL) < 0.06
            out.writelines(f"{topic} 0 {d} {int(r)}\n" for d, r in zip(docs[:POOL], relevant, strict=True))
    for system in range(systems):
        with (runs / f"sys{system:03d}.run").open("w") as out:
            for topic, docs in names.items():
                key = rng.random(CANDIDATES)
                key[:POOL] *= rng.uniform(0.1, 0.5)
                scores = np.sort(rng.gamma(2, 3, depth))[::-1]
                best = docs[np.argsort(key)[:depth]]
                lines = enumerate(zip(best, scores, strict=True), 1)
                out.writelines(f"{topic} Q0 {d} {k} {s:.6f} sys{system:03d}\n" for k, (d, s) in lines)
    (folder / "complete").touch()
    return qrels, runs


def _names(rng: np.random.Generator) -> np.ndarray:
    numbers = rng.choice(90_000, CANDIDATES, replace=False) + 1000
    return np.array([f"{PREFIXES[i % len(PREFIXES)]}{n}" for i, n in enumerate(numbers)])
