"""Orders on runs: which of two runs is better, whatever a measure says, and what kind of scale a measure is on them."""

from typing import TYPE_CHECKING

from evenscale.lazy import lazily

if TYPE_CHECKING:
    from evenscale.orders.antichains import widest_antichain, width
    from evenscale.orders.checks import ScaleCheck, Witness, same_value_pair, scale_on, uneven_gaps
    from evenscale.orders.conditions import (
        finite_threshold,
        interval_parameter,
        largest_ordinal,
        ordinal_threshold,
        scan,
        smallest_gap,
    )
    from evenscale.orders.differences import (
        DifferenceStructure,
        difference_relation,
        difference_structure,
        natural_structure,
        structure_of_values,
    )
    from evenscale.orders.grading import Gradedness, NotGraded, gradedness, natural_distance, rank_function
    from evenscale.orders.mixed import MixedCheck, MixedUniverse, mixed_check
    from evenscale.orders.orders import ORDERS, Order, UniverseTooLarge, find_order, induced, refuse_large
    from evenscale.orders.poset import Poset
    from evenscale.orders.universe import SetUniverse, Universe
    from evenscale.orders.values import Placed, Run, placed

_HOMES = {
    "evenscale.orders.checks": (
        "ScaleCheck",
        "Witness",
        "same_value_pair",
        "scale_on",
        "uneven_gaps",
    ),
    "evenscale.orders.conditions": (
        "finite_threshold",
        "interval_parameter",
        "largest_ordinal",
        "ordinal_threshold",
        "scan",
        "smallest_gap",
    ),
    "evenscale.orders.differences": (
        "DifferenceStructure",
        "difference_relation",
        "difference_structure",
        "natural_structure",
        "structure_of_values",
    ),
    "evenscale.orders.grading": (
        "Gradedness",
        "NotGraded",
        "gradedness",
        "natural_distance",
        "rank_function",
    ),
    "evenscale.orders.mixed": (
        "MixedCheck",
        "MixedUniverse",
        "mixed_check",
    ),
    "evenscale.orders.orders": (
        "ORDERS",
        "Order",
        "UniverseTooLarge",
        "find_order",
        "induced",
        "refuse_large",
    ),
    "evenscale.orders.values": (
        "Placed",
        "Run",
        "placed",
    ),
    "evenscale.orders.poset": ("Poset",),
    "evenscale.orders.universe": (
        "SetUniverse",
        "Universe",
    ),
    "evenscale.orders.antichains": (
        "widest_antichain",
        "width",
    ),
}
__getattr__ = lazily(__name__, _HOMES)

__all__ = [
    "ORDERS",
    "DifferenceStructure",
    "Gradedness",
    "MixedCheck",
    "MixedUniverse",
    "NotGraded",
    "Order",
    "Placed",
    "Poset",
    "Run",
    "ScaleCheck",
    "SetUniverse",
    "Universe",
    "UniverseTooLarge",
    "Witness",
    "difference_relation",
    "difference_structure",
    "find_order",
    "finite_threshold",
    "gradedness",
    "induced",
    "interval_parameter",
    "largest_ordinal",
    "mixed_check",
    "natural_distance",
    "natural_structure",
    "ordinal_threshold",
    "placed",
    "rank_function",
    "refuse_large",
    "same_value_pair",
    "scale_on",
    "scan",
    "smallest_gap",
    "structure_of_values",
    "uneven_gaps",
    "widest_antichain",
    "width",
]
