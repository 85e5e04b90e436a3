"""Options that name a threat: a noise, a norm, and the numbers that a radius needs beside them."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from simplicert.mechanisms.threats import Threat

NoiseOption = Annotated[
    str, typer.Option(help="gaussian, or another that `simplicert radius` knows, such as laplace.")
]

NormOption = Annotated[
    str | None, typer.Option(help="What radii measure; default: the noise's first.")
]

SizeOption = Annotated[int | None, typer.Option(help="Features of an input, for linf and l0.")]

KeepOption = Annotated[int | None, typer.Option(help="Features that ablation keeps.")]

RateOption = Annotated[
    float | None, typer.Option(help="Probability with which deletion drops a token.")
]


def read_threat(
    noise: str, norm: str | None, size: int | None, keep: int | None, rate: float | None
) -> "Threat":
    """Return the threat that these options name."""
    from simplicert.mechanisms.threats import find_threat

    return find_threat(noise, norm, size=size, keep=keep, rate=rate)
