"""Options that name the norm of a run's radii, for every command that certifies runs."""

from typing import Annotated

import typer

RunNormOption = Annotated[
    str | None,
    typer.Option(help="Of the radii: one that the noise certifies; default: its usual one."),
]

RunSizeOption = Annotated[
    int | None,
    typer.Option(help="Features of an input, for norm linf of a run that did not record them."),
]
