"""Options of commands that take many runs: the inputs they share, and the runs that stand out."""

from typing import Annotated

import typer

CommonOption = Annotated[
    bool, typer.Option("--common", help="Only the inputs that all runs hold, by number and label.")
]

HighlightOption = Annotated[
    list[str] | None,
    typer.Option(help="Name or folder of a run that stands out; the others are faint."),
]
