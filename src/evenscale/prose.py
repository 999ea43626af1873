"""Lines of prose for a terminal."""

from __future__ import annotations

import re
import textwrap

WIDTH = 100
_RUN = re.compile(r"\([\d, ]+\)")


def wrapped(text: str, first: str = "", rest: str = "") -> str:
    """A paragraph in lines; a run such as (1, 0, 0) is kept on one line.

    >>> print(wrapped("x" * 92 + " (1, 0, 0)", rest="  "))
    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
      (1, 0, 0)
    """
    whole = _RUN.sub(lambda found: found[0].replace(" ", "\u00a0"), text)
    lines = textwrap.fill(
        whole, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )
    return lines.replace("\u00a0", " ")


def counted(number: int, one: str, many: str = "") -> str:
    """A number and what it counts.

    >>> counted(1, "document has", "documents have"), counted(1200, "pair")
    ('1 document has', '1,200 pairs')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
