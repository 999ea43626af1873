"""Settings for all tests: no deadlines (machines are noisy), the same examples on every run in CI."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("evenscale", deadline=None, print_blob=True)
settings.register_profile("ci", parent=settings.get_profile("evenscale"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "evenscale")
