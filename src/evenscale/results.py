"""What every result can do: become a frame, plain data, or a table for a person."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import polars as pl

from evenscale.tables import Table


class Result(ABC):
    """Base of result objects. Results are rows; everything a person sees is made from `table()`."""

    @property
    @abstractmethod
    def frame(self) -> pl.DataFrame:
        """All rows, in full precision."""

    @abstractmethod
    def table(self) -> Table:
        """The rows as a person wants to see them."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""

    def to_markdown(self) -> str:
        """The table in Markdown."""
        return self.table().markdown()

    def to_latex(self) -> str:
        """The table as a LaTeX tabular in booktabs style."""
        return self.table().latex()

    def _repr_html_(self) -> str:
        """The table in a notebook."""
        return self.table().html()

    def __str__(self) -> str:
        return self.table().text()
