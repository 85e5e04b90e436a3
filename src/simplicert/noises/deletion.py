"""Deletion: every token of a sequence is dropped with probability `rate`, independently.

A uniform number of 53 bits below the rate drops its token. That happens with a probability of
exactly `rate` from 1/2 on, and never with a smaller one: radii grow with the rate, so they hold.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np


def drop_tokens(
    tokens: Sequence[Any], random: np.random.Generator, rows: slice, rate: float
) -> list[tuple[Any, ...]]:
    """Return the copies of a sequence that are these rows of its chunk, each with what is left."""
    copies = []
    for number in range(rows.stop):  # one by one: a sequence may be long
        kept = np.flatnonzero(random.random(len(tokens)) >= rate)
        if number >= rows.start:
            copies.append(tuple(tokens[place] for place in kept.tolist()))
    return copies
