"""`simplicert geometry`: enlarge radii by neighbours, for inputs in the unit box."""

from pathlib import Path
from typing import Annotated

import typer

from simplicert.cli.origin_options import (
    DataOption,
    DeviceOption,
    IndexOption,
    InputsOption,
    ModelOption,
    NumbersOption,
    QuietOption,
    TrustOption,
)
from simplicert.cli.saying import print_json, print_lines, print_note, print_warning

MOST_ROWS = 12  # inputs with a neighbour that are listed


def geometry(
    run: Annotated[Path, typer.Argument(help="Finished run folder, drawn by `sample`.")],
    out: Annotated[
        Path | None, typer.Option(help="CSV or JSON; default: RUN/geometry.csv.")
    ] = None,
    model: ModelOption = None,
    data: DataOption = None,
    inputs: InputsOption = None,
    index: IndexOption = None,
    draws: Annotated[
        int | None, typer.Option(help="Fresh draws at a neighbour; default: as the run's.")
    ] = None,
    share: Annotated[float, typer.Option(help="Of alpha, for a neighbour.")] = 0.5,
    pilot: Annotated[int, typer.Option(help="Draws of a look that chooses.")] = 128,
    copies: Annotated[int, typer.Option(help="Noise copies of a gradient.")] = 16,
    steps: Annotated[int, typer.Option(help="Of the search.")] = 1,
    compare: Annotated[
        bool, typer.Option("--compare", help="Also spend as many draws at the input itself.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of the search; never the run's noise.")] = 0,
    device: DeviceOption = None,
    mean: NumbersOption = None,
    std: NumbersOption = None,
    trust: TrustOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, at full precision.")] = False,
    quiet: QuietOption = False,
) -> None:
    """Search a neighbour of each input whose certificate covers more of the box [0, 1].

    For Gaussian noise, l2 and data in [0, 1]. The radii hold for
    perturbed inputs inside the box only. Pilot draws choose a neighbour or
    none, fresh draws certify it, and alpha is shared with the input's own
    certificate. Without the box one neighbour never helps, and with it
    little is gained: --compare shows what the same draws give at the input
    itself; see docs/geometry.md. Interrupt it at will: the same command
    goes on.

    Example: simplicert geometry runs/drawn --model net.pt2 --data digits --inputs 2 --compare
    """
    from simplicert.cli.progress import show_reading_progress
    from simplicert.cli.screen import print_table
    from simplicert.cli.signals import STOPPED_EXIT, stop_after_batch
    from simplicert.geometry import NeighbourSearch, choose_inputs, open_search, search_run
    from simplicert.store import open_run
    from simplicert.store.neighbours import list_records, neighbours_path
    from simplicert.tables.geometry import geometry_table, moved_inputs_table

    search = NeighbourSearch(pilot, copies, steps, draws, share, seed)
    with show_reading_progress(quiet):
        opened = open_search(
            open_run(run), model, data, search, mean=mean, std=std, trust=trust, device=device
        )
    path = out or neighbours_path(run)
    items = choose_inputs(opened.target.run, inputs, index or [], seed)

    def report(done: int, total: int, rows: object) -> None:
        if not quiet:
            print_note(f"{done} of {total} inputs")

    with stop_after_batch("input") as stop:
        rows = search_run(opened, items, path, compare=compare, stop=stop, report=report)
    if as_json:
        print_json(list_records(rows))
    elif rows:
        print_table(geometry_table(rows))
        moved = moved_inputs_table(rows, MOST_ROWS)
        if moved is not None:
            print_table(moved)
        print_lines(f"wrote {path}")
    if len(rows) < len(items):
        print_warning(
            f"stopped; {len(rows)} of {len(items)} inputs are in {path}: the same command goes on"
        )
        raise typer.Exit(STOPPED_EXIT)
