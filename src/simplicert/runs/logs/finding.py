"""Finding: one thing that the audit of a log says, and how it says it."""

from typing import NamedTuple

import numpy as np

from simplicert.types import Bools, Ints

SHOWN = 5  # indices that a sentence names
# Codes of findings after which the stated sigma, alpha or number of draws cannot all be true. The
# others are remarks: on rounding (E0 is read from the lower end), on rows that are missing, come
# twice or are left out, on a bound that is not used because the count beside it is.
DISPROVING = frozenset({"above_cap", "sigma"})


class Finding(NamedTuple):
    """A short code, one sentence, and the rows (counted from 0) that it speaks of."""

    code: str
    sentence: str
    rows: tuple[int, ...] = ()

    @property
    def disproves(self) -> bool:
        """Whether no certificate can be as the log says at the settings stated with it."""
        return self.code in DISPROVING


def about(rows: Bools, code: str, sentence: str) -> Finding:
    """A finding about the rows marked."""
    return Finding(code, sentence, tuple(np.flatnonzero(rows).tolist()))


def number_of(rows: Bools, word: str = "row") -> str:
    """How many, in words: "1 row", "3 rows"."""
    total = int(np.sum(rows))
    return f"{total} {word}{'' if total == 1 else 's'}"


def first_of(indices: Ints) -> str:
    """The first few, in words."""
    more = ", ..." if indices.size > SHOWN else ""
    return ", ".join(str(i) for i in indices[:SHOWN]) + more
