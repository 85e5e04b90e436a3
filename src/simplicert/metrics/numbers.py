"""Format numbers as text, each rounded to the side on which it claims less."""

from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import isfinite

from simplicert.metrics.intervals import Rate
from simplicert.types.certificates import quantize_float

NONE = "-"  # shown where there is no number
LARGE = 1e6  # larger numbers have three digits and a power of ten
SMALL_P = 1e-3  # smaller p-values have two digits and a power of ten
LEAST_P = 1e-300  # a smaller p-value cannot be told from 0


def format_down(value: float | None, decimals: int = 3) -> str:
    """Round toward minus infinity, for radii, gains and lower ends of intervals."""
    return _format_rounded(value, decimals, ROUND_FLOOR)


def format_up(value: float | None, decimals: int = 3) -> str:
    """Round toward plus infinity, for errors and upper ends of intervals."""
    return _format_rounded(value, decimals, ROUND_CEILING)


def format_toward_zero(value: float | None, decimals: int = 3) -> str:
    """Format a difference with its sign, never larger than it is."""
    text = _format_rounded(value, decimals, ROUND_DOWN)
    return f"+{text}" if value is not None and float(text) > 0 else text


def _format_rounded(value: float | None, decimals: int, direction: str) -> str:
    """Round by exact arithmetic on the float's own value."""
    if value is None:
        return NONE
    if not isfinite(value):
        return f"{value:g}"
    if abs(value) >= LARGE:
        return f"{Context(prec=3, rounding=direction).create_decimal(value):.2e}"
    number = quantize_float(value, decimals, direction)
    return str(number if number else abs(number))  # no minus before a zero


def format_exactly(value: float) -> str:
    """Write a number that a claim is about with all its digits: 0.4999999 is not 0.5."""
    return repr(float(value)).removesuffix(".0")


def format_percent_exactly(share: float) -> str:
    """Write a confidence in percent with all its digits: none but 1 is 100 %."""
    percent = Decimal(repr(float(share))).scaleb(2).normalize()
    return f"{percent:f}" if percent >= Decimal("1e-6") else f"{percent:e}"


def format_share_down(hits: int, total: int, decimals: int = 3) -> str:
    """Round a claimed share by whole numbers: 87 of 300 is 0.290, and 87 / 300 is below it."""
    whole, part = divmod(10**decimals * hits // total, 10**decimals)
    return f"{whole}.{part:0{decimals}d}"


def format_percent_down(rate: Rate) -> str:
    """Round a claimed share down, in percent with one decimal."""
    return f"{1000 * rate.hits // rate.total / 10:.1f}"


def format_percent_up(rate: Rate) -> str:
    """Round an admitted share up, in percent with one decimal."""
    return f"{-(-1000 * rate.hits // rate.total) / 10:.1f}"


def format_percentage_points(net: int, total: int) -> str:
    """Round a difference of shares toward zero, in percentage points with a sign."""
    tenths = 1000 * abs(net) // total
    return f"{'-' if net < 0 < tenths else '+' if tenths else ''}{tenths / 10:.1f}"


def format_rate_difference(first: Rate, second: Rate) -> str:
    """Round second less first toward zero, in percentage points; totals may differ."""
    net = Fraction(second.hits, second.total) - Fraction(first.hits, first.total)
    return format_percentage_points(net.numerator, net.denominator)


def format_percent_range(low: float, high: float) -> str:
    """Format an interval of shares in whole percent, never narrower than it is."""
    return f"{Fraction(low) * 100 // 1}-{-(Fraction(high) * -100 // 1)}"


def format_p_value(p: float) -> str:
    """Round a p-value up, so that it never looks more significant than it is."""
    if p < LEAST_P:
        return f"<{LEAST_P:g}"
    if p < SMALL_P:
        return f"{Context(prec=2, rounding=ROUND_CEILING).create_decimal(p):.1e}"
    return f"{Context(prec=3, rounding=ROUND_CEILING).create_decimal(p):f}"


def find_best_cells(texts: list[str], sign: int = 1) -> set[int]:
    """Find the cells with the largest number, or with sign -1 the smallest, ties included.

    The numbers are compared as printed, so that two cells that read the same are marked the same.
    """
    values = {place: sign * float(text) for place, text in enumerate(texts) if text != NONE}
    top = max(values.values(), default=0.0)
    return {place for place, value in values.items() if value == top}
