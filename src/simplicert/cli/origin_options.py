"""Options of commands that open a run's model and data again: where they are now, and how.

`attack` and `geometry` also choose among the inputs of the run.
"""

from typing import Annotated

import typer

ModelOption = Annotated[str | None, typer.Option(help="Where the model is now.")]

DataOption = Annotated[str | None, typer.Option(help="Where the data are now.")]

InputsOption = Annotated[int | None, typer.Option(help="So many at random; default: all.")]

IndexOption = Annotated[list[int] | None, typer.Option(help="This input; may be repeated.")]

DeviceOption = Annotated[str | None, typer.Option(help="Default: the run's own.")]

# Of a normalisation: the mean or the standard deviation.
NumbersOption = Annotated[str | None, typer.Option(help="Default: as given to `sample`.")]

TrustOption = Annotated[bool, typer.Option("--trust", help="Run code in a model file (file.ts).")]

QuietOption = Annotated[bool, typer.Option("--quiet", help="No progress.")]
