"""What one cell of a log says; each function raises ValueError where it says something else."""

from datetime import timedelta
from decimal import Decimal, InvalidOperation
from math import isfinite

NOTHING = ("", "none", "nan", "null", "na")  # how logs write that there is no number
SWITCHES = {"true": 1, "false": 0}
MOST = 2**53  # integers stay exact as float64, as everywhere here


def whole(text: str) -> int:
    """An integer, also as "[3]" (a label that was an array) or "3.0" (a column with gaps)."""
    number = Decimal(checked(text.strip("[]")))
    if abs(number) >= MOST or number != int(number):
        raise ValueError(text)
    return int(number)


def chosen_class(text: str) -> int:
    """A class; negative, or nothing at all, where the log gives none."""
    return -1 if text.lower() in NOTHING else whole(text)


def switch(text: str) -> int:
    """0 or 1, True or False; any other integer is taken as it is, for the audit to judge."""
    return SWITCHES[text.lower()] if text.lower() in SWITCHES else whole(text)


def number_text(text: str) -> str:
    """The text of a finite number, kept as it is printed; "" where there is none."""
    return "" if text.lower() in NOTHING else checked(text)


def seconds(text: str) -> float:
    """Plain seconds, H:MM:SS.ffffff, or Python's "1 day, H:MM:SS"; NaN where there is none."""
    if text.lower() in NOTHING:
        return float("nan")
    days, _, clock = text.rpartition(", ")
    parts = [float(checked(part)) for part in clock.split(":")]
    if len(parts) == 1:
        return parts[0]
    hours, minutes, rest = parts
    whole_days = int(days.split()[0]) if days else 0
    return timedelta(days=whole_days, hours=hours, minutes=minutes, seconds=rest).total_seconds()


def checked(text: str) -> str:
    """The text, if it is that of a finite number."""
    try:
        finite = isfinite(float(Decimal(text)))
    except InvalidOperation:
        finite = False
    if not finite:
        raise ValueError(text)
    return text
