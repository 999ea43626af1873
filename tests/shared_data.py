"""Where the real data is, for tests that use it and skip without it."""

from __future__ import annotations

from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
TREC_EVAL = DATA / "trec_eval"
TREC8 = DATA / "trec8"

needs_trec_eval = pytest.mark.skipif(not TREC_EVAL.is_dir(), reason="trec_eval's test data is not on this machine")
needs_trec8 = pytest.mark.skipif(not TREC8.is_dir(), reason="the TREC-8 runs are not on this machine")
