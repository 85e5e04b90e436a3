"""What may be asked of a table."""

from dataclasses import dataclass

RADII = tuple(0.25 * step for step in range(9))  # 0, 0.25, ... 2, as most papers print


@dataclass(frozen=True)
class Choices:
    """What may be asked of a table; a style takes some of it, and None is its own default."""

    kind: str | None = None  # multinomial or softmax; each run's declared one
    column: str | None = None  # of the certificates
    population: str | None = None  # all or correct
    radii: tuple[float, ...] | None = None
    inclusive: bool | None = None  # radius >= r instead of radius > r
    intervals: bool | None = None  # a second line with them
