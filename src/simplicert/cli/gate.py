"""`simplicert gate`: requirements on a run, for a build server."""

from pathlib import Path
from typing import Annotated

import typer


def gate(
    run: Annotated[Path, typer.Argument(help="The run folder.")],
    wanted: Annotated[
        list[str], typer.Option("--require", help="accuracy@0.5>=0.6; may be repeated.")
    ],
    baseline: Annotated[Path | None, typer.Option(help="A run on the same inputs.")] = None,
    max_drop: Annotated[
        float | None, typer.Option(help="Largest loss against the baseline; default 0.")
    ] = None,
    groups: Annotated[
        str | None, typer.Option(help="CSV with index,group; or 'label': each class by itself.")
    ] = None,
    confidence: Annotated[float, typer.Option(help="Of statements.")] = 0.99,
    sensitivity: Annotated[
        float | None, typer.Option(help="Of the stage before the noise; default: each run's own.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, at full precision.")] = False,
) -> None:
    """Exit code 0 if every requirement holds, 1 if one does not.

    Measures: accuracy@R (certified accuracy), statement@R (share of all inputs like these, with
    confidence), average_radius, median_radius, abstained.

    Example: simplicert gate runs/mine --require "accuracy@0.25>=0.5" --baseline runs/last
    """
    from simplicert.analysis import gate as gates
    from simplicert.analysis.statement import statement
    from simplicert.analysis.study import read_studies
    from simplicert.errors import require

    require(
        max_drop is None or baseline is not None,
        f"max_drop must come with baseline, got {max_drop} alone",
    )
    requirements = [gates.parse(text) for text in wanted]
    (study,) = read_studies([run], sensitivity=sensitivity)
    parts = None
    if groups is not None:
        label = groups == "label"
        parts = gates.by_label(study) if label else gates.read_groups(Path(groups), study.index)
    found = gates.checks(study, requirements, parts, confidence)
    if baseline is not None:
        labels = {str(baseline): f"baseline {baseline.name}"}
        (before,) = read_studies([baseline], labels, sensitivity=sensitivity)
        found += gates.drops(study, before, requirements, max_drop or 0.0)
    radii = sorted({item.at for item in requirements if item.at is not None})
    said = [statement(study.certificates(), at, confidence) for at in radii]
    if as_json:
        import json

        record = gates.gate_record(found, [item.record() for item in said], study.stage)
        typer.echo(json.dumps(record))
    else:
        from simplicert.cli.screen import show

        show(gates.gate_table(found, study.certificates().stage))
        for item in said:
            typer.echo(f"\n{item.sentence}")
    raise typer.Exit(0 if all(item.holds for item in found) else 1)
