"""The width of an order: the most elements of which no two are comparable."""

from __future__ import annotations

from evenscale.orders.poset import Label, Poset, lowest_bit


def width(poset: Poset) -> int:
    """The size of the largest antichain, which is the least number of chains that cover the order (Dilworth 1950).

    >>> width(Poset.of_relation([1, 2, 3, 5, 6, 10, 15, 30], lambda a, b: b % a == 0))
    3
    """
    return len(widest_antichain(poset))


def widest_antichain(poset: Poset) -> tuple[Label, ...]:
    """A largest set of elements of which no two are comparable.

    Every element stands on both sides of a bipartite graph, joined to what is above it. A largest matching covers the
    order with as few chains as can be; by König's theorem the elements on neither side of the smallest vertex cover are
    an antichain with one element in each.

    >>> widest_antichain(Poset.of_relation([1, 2, 3, 6], lambda a, b: b % a == 0))
    (2, 3)
    """
    matching = _Matching(poset)
    matching.begin()
    for low in range(poset.size):
        if matching.high[low] < 0:
            matching.extend(low)
    lost = matching.lost
    left = [high < 0 or bool(lost >> high & 1) for high in matching.high]
    return tuple(poset.labels[number] for number in range(poset.size) if left[number] and not lost >> number & 1)


class _Matching:
    """A matching of elements with elements above them, made larger along alternating paths; sets are bits of integers.

    What a search in vain has seen can be left out of all later ones: no path to a free element leads through it. These
    right sides are `lost`, and in the end they are all that can be reached from unmatched left sides.
    """

    def __init__(self, poset: Poset) -> None:
        self.poset = poset
        self.above = [reach ^ (1 << number) for number, reach in enumerate(poset.above)]
        self.high = [-1] * poset.size
        self.low = [-1] * poset.size
        self.free = (1 << poset.size) - 1
        self.lost = 0

    def begin(self) -> None:
        """Match elements with covers of theirs as long as any is free."""
        for low, covering in enumerate(self.poset.upper):
            free = [high for high in covering if self.low[high] < 0]
            if free:
                self.match(low, free[0])

    def match(self, low: int, high: int) -> None:
        """Match two elements, whatever they were matched with."""
        self.high[low], self.low[high] = high, low
        self.free &= ~(1 << high)

    def extend(self, start: int) -> None:
        """Search for an alternating path from an unmatched element to a free one, breadth first, and turn it over."""
        came_from: dict[int, int] = {}
        seen, waiting = self.lost, [start]
        for low in waiting:
            fresh = self.above[low] & ~seen
            if fresh & self.free:
                self.turn(low, lowest_bit(fresh & self.free), came_from)
                return
            seen |= fresh
            while fresh:
                high = lowest_bit(fresh)
                fresh &= fresh - 1
                came_from[self.low[high]] = low
                waiting.append(self.low[high])
        self.lost = seen

    def turn(self, low: int, high: int, came_from: dict[int, int]) -> None:
        """Match along the path that led here."""
        while True:
            before = self.high[low]
            self.match(low, high)
            if before < 0:
                return
            low, high = came_from[low], before
