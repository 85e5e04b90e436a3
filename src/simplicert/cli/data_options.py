"""Options of `sample` about the data: which, and how they are read."""

from pathlib import Path
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
        "--crop",
        "--crop-to",
        help="Pictures: sides of the square cut out of the middle.",
        rich_help_panel=INPUTS,
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

SampledDataOption = Annotated[
    str,
    typer.Option(
        help="digits, file.npz, file.csv, file.parquet, file.jsonl, folder:DIR, cifar10:DIR, "
        "hf:DIR",
        rich_help_panel=INPUTS,
    ),
]

StopOption = Annotated[
    int | None, typer.Option(help="One past the last input.", rich_help_panel=INPUTS)
]

IndexFileOption = Annotated[
    Path | None,
    typer.Option(help="File of input numbers, one per line.", rich_help_panel=INPUTS),
]

ClassesOption = Annotated[
    int | None,
    typer.Option(
        "--classes", "--num-classes", help="K, for labels as outputs.", rich_help_panel=INPUTS
    ),
]

ClassMapOption = Annotated[
    str | None,
    typer.Option(
        help="The model's class of each of the data's: names, or a file.",
        rich_help_panel=INPUTS,
    ),
]

# Of a normalisation: the mean or the standard deviation.
NormalisationOption = Annotated[
    str | None, typer.Option(help="Normalisation, comma-separated.", rich_help_panel=INPUTS)
]

StageOption = Annotated[
    float,
    typer.Option(help="Lipschitz constant of a stage that made the data.", rich_help_panel=INPUTS),
]
