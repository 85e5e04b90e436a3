"""`simplicert gate`: fail a build when a run does not meet its requirements."""

from pathlib import Path
from typing import Annotated

import typer

from simplicert.cli.norm_options import RunNormOption, RunSizeOption
from simplicert.cli.saying import print_json, print_lines


def gate(
    run: Annotated[Path, typer.Argument(help="The run folder.")],
    wanted: Annotated[
        list[str], typer.Option("--require", help="accuracy@0.5>=0.6; may be repeated.")
    ],
    baseline: Annotated[Path | None, typer.Option(help="A run on the same inputs.")] = None,
    max_drop: Annotated[
        float | None, typer.Option(help="Largest loss against the baseline; default 0.")
    ] = None,
    drop_level: Annotated[
        float | None,
        typer.Option(help="Level of the paired tests against the baseline; default 0.05."),
    ] = None,
    groups: Annotated[
        str | None, typer.Option(help="CSV with index,group; or 'label': each class by itself.")
    ] = None,
    confidence: Annotated[float, typer.Option(help="Of statements.")] = 0.99,
    sensitivity: Annotated[
        float | None, typer.Option(help="Of the stage before the noise; default: each run's own.")
    ] = None,
    design: Annotated[
        Path | None, typer.Option(help="Of population@R: made before the draws.")
    ] = None,
    without_pilot: Annotated[
        bool, typer.Option("--without-pilot", help="Leave the inputs of the design's pilot out.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, at full precision.")] = False,
    norm: RunNormOption = None,
    size: RunSizeOption = None,
) -> None:
    """Fail a build, by exit code 1, where a run does not meet a requirement.

    Measures: accuracy@R (certified accuracy), statement@R (share of all inputs like these, with
    confidence), population@R (the same from few draws of many inputs, with --design),
    average_radius, median_radius, abstained. Radii are in the run's norm: l2, unless its noise or
    --norm is another. Whole numbers of features or edits cover as many changes.

    Against a baseline a loss counts where it is beyond --max-drop and a paired test, input by
    input, rejects at --drop-level that the true loss is no larger: noise alone does not fail.

    A log whose stated level was disproved by its audit fails whatever is required.

    Example: simplicert gate runs/mine --require "accuracy@0.25>=0.5" --baseline runs/last
    """
    from simplicert.gating import gate as check_gate

    found = check_gate(
        run,
        wanted,
        baseline=baseline,
        max_drop=max_drop,
        drop_level=drop_level,
        groups=groups,
        confidence=confidence,
        design=design,
        without_pilot=without_pilot,
        sensitivity=sensitivity,
        norm=norm,
        size=size,
    )
    if as_json:
        print_json(found.record())
    else:
        from simplicert.cli.screen import print_table
        from simplicert.tables.gate import gate_table

        print_table(gate_table(found.checks, found.stage, found.norm))
        for text in found.sentences:
            print_lines("", text)
        for text in found.remarks:
            print_lines("", f"{text[0].upper()}{text[1:]}.")
    raise typer.Exit(0 if found.passed else 1)
