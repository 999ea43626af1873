"""What kind of scale a measure is, in words, with the runs that decide it."""

from evenscale.kinds.diagram import Diagram, diagram
from evenscale.kinds.every import interval_like_table, taxonomy_table
from evenscale.kinds.explanation import Explanation, explain
from evenscale.kinds.taxonomy import Category, Taxonomy, category_of, taxonomy

__all__ = [
    "Category",
    "Diagram",
    "Explanation",
    "Taxonomy",
    "category_of",
    "diagram",
    "explain",
    "interval_like_table",
    "taxonomy",
    "taxonomy_table",
]
