"""Options of commands that read data whose files leave something open: sizes, columns."""

from typing import Annotated

import typer

INPUTS = "Model and inputs"  # a panel of `--help`

ResizeOption = Annotated[
    int | None,
    typer.Option(
        help="Pictures: pixels of the shorter side, by Pillow's bicubic filter.",
        rich_help_panel=INPUTS,
    ),
]

CropOption = Annotated[
    int | None,
    typer.Option(
        help="Pictures: sides of the square cut out of the middle.", rich_help_panel=INPUTS
    ),
]

LabelColumnOption = Annotated[
    str | None,
    typer.Option(
        help="Tables: the column of labels; default: label; '' for none.", rich_help_panel=INPUTS
    ),
]

ColumnsOption = Annotated[
    str | None,
    typer.Option(
        help="Tables: the columns that are inputs, comma-separated; default: all others.",
        rich_help_panel=INPUTS,
    ),
]
