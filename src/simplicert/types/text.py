"""Radii as text: never larger than the number."""

from decimal import ROUND_FLOOR, Decimal


def rounded_down(radius: float, decimals: int = 4) -> str:
    """A radius with so many decimals, rounded toward zero by exact arithmetic."""
    if not 0 <= radius < float("inf"):
        return f"{radius:g}"
    return str(Decimal(radius).quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_FLOOR))
