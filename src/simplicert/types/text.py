"""Radii as text: never larger than the number."""

from decimal import ROUND_FLOOR, Context, Decimal

DIGITS = Context(prec=400)  # the largest float has 309 before the point


def rounded_down(radius: float, decimals: int = 4) -> str:
    """A radius with so many decimals, rounded toward zero by exact arithmetic."""
    if not 0 <= radius < float("inf"):
        return f"{radius:g}"
    return str(quantized(radius, decimals, ROUND_FLOOR))


def quantized(value: float, decimals: int, direction: str) -> Decimal:
    """A finite float's own value with so many decimals."""
    return Decimal(value).quantize(Decimal(1).scaleb(-decimals), direction, DIGITS)
