"""Names of a package that are loaded when they are first used, so that a room's door costs nothing to open."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazily(package: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """A package's `__getattr__`: `homes` has the modules and the names each of them defines.

    >>> get = lazily("evenscale.lazy", {"math": ["tau"]})
    >>> round(get("tau"), 3)
    6.283
    >>> get("phi")
    Traceback (most recent call last):
    ...
    AttributeError: module 'evenscale.lazy' has no attribute 'phi'
    """
    home = {name: module for module, names in homes.items() for name in names}

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(home[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return get
