"""Numbers as a log prints them: where the number itself may lie, given its text.

`{:.3}` prints three significant digits and drops zeros at the end, so that "1.2" stands for 1.195
to 1.205; `{:.3f}` prints three decimals, so that "0.012" stands for 0.0115 to 0.0125. One text
does not tell which; the texts of one log together do: no number of it was rounded more coarsely
than both the most significant digits and the most decimals seen in that log allow.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from simplicert.types import Floats


class Printed(NamedTuple):
    """What the texts say, and the ends of what they may stand for; NaN where there is no text."""

    value: Floats  # (N,)
    lower: Floats  # (N,) rounded down
    upper: Floats  # (N,) rounded up


def printed(texts: Sequence[str]) -> Printed:
    """The intervals of the numbers that print as these texts; "" stands for no number."""
    numbers = [Decimal(text) if text else None for text in texts]
    units = last_units([number for number in numbers if number is not None])
    value, lower, upper = (np.full(len(texts), np.nan) for _ in range(3))
    rows = [row for row, number in enumerate(numbers) if number is not None]
    for row, unit in zip(rows, units, strict=True):
        number = Decimal(texts[row])
        value[row] = float(number)
        lower[row] = np.nextafter(float(number - unit / 2), -np.inf)
        upper[row] = np.nextafter(float(number + unit / 2), np.inf)
    return Printed(value, lower, upper)


def last_units(numbers: Sequence[Decimal]) -> list[Decimal]:
    """The unit of the last digit each number was rounded to: never smaller than it was."""
    digits = max((len(n.as_tuple().digits) for n in numbers if n), default=1)
    finest = min((exponent(n) for n in numbers), default=0)
    return [
        Decimal((0, (1,), max(finest, n.adjusted() - digits + 1 if n else finest))) for n in numbers
    ]


def exponent(number: Decimal) -> int:
    """The power of ten of the last digit in the text."""
    power = number.as_tuple().exponent
    assert isinstance(power, int)  # a finite number: cells.py refuses the others
    return power
