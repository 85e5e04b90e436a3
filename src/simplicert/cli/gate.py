"""`simplicert gate`: fail a build when a run does not meet its requirements."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simplicert.cli.norm_options import RunNormOption, RunSizeOption
from simplicert.cli.saying import print_lines

if TYPE_CHECKING:
    from simplicert.populations import PopulationCertificate


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
    """Exit code 0 if every requirement holds, 1 if one does not.

    Measures: accuracy@R (certified accuracy), statement@R (share of all inputs like these, with
    confidence), population@R (the same from few draws of many inputs, with --design),
    average_radius, median_radius, abstained. Radii are in the run's norm: l2, unless its noise or
    --norm is another. Whole numbers of features or edits cover as many changes.

    Against a baseline a loss counts where it is beyond --max-drop and a paired test, input by
    input, rejects at --drop-level that the true loss is no larger: noise alone does not fail.

    A log whose stated level was disproved by its audit fails whatever is required.

    Example: simplicert gate runs/mine --require "accuracy@0.25>=0.5" --baseline runs/last
    """
    from simplicert.errors import require
    from simplicert.metrics import gate as gates
    from simplicert.metrics import regressions
    from simplicert.metrics.statement import make_statement
    from simplicert.metrics.study import read_studies
    from simplicert.populations import population
    from simplicert.populations.gate import check_population
    from simplicert.tables.gate import gate_record, gate_table

    for name, value in (("max_drop", max_drop), ("drop_level", drop_level)):
        require(
            value is None or baseline is not None,
            f"{name} must come with baseline, got {value} alone",
        )
    asked = [gates.parse_requirement(text) for text in wanted]
    shares = [item for item in asked if item.measure == gates.POPULATION]
    requirements = [item for item in asked if item.measure != gates.POPULATION]
    require(
        bool(shares) == (design is not None),
        "design must be given for population@R: the file of `simplicert population design`"
        if shares
        else f"design has no place without --require population@R, got {design}",
    )
    require(
        bool(requirements) or (baseline is None and groups is None),
        "baseline and groups need a requirement besides population, which has none of them",
    )
    require(
        norm is None or not shares,
        f"norm must be left out with population@R, whose radii are in l2, got {norm!r}",
    )
    (study,) = read_studies([run], sensitivity=sensitivity, norm=norm, size=size)
    parts = None
    if groups is not None:
        label = groups == "label"
        parts = (
            gates.group_by_label(study) if label else gates.read_groups(Path(groups), study.index)
        )
    checks = gates.check_requirements(study, requirements, parts, confidence)
    certificate = None
    if design is not None:
        certificate = population(study.run, design, leave_out_pilot=without_pilot)  # type: ignore[arg-type]
        checks += check_population(certificate, shares)
    remarks = gates.list_run_remarks(study)
    if baseline is not None:
        labels = {str(baseline): f"baseline {baseline.name}"}
        (before,) = read_studies([baseline], labels, sensitivity=sensitivity, norm=norm, size=size)
        most, level = max_drop or 0.0, regressions.LEVEL if drop_level is None else drop_level
        compared = regressions.check_regressions(study, before, requirements, most, level)
        checks += compared
        remarks += [f"baseline: {text}" for text in gates.list_run_remarks(before)]
        remarks.append(regressions.describe_regression_rule(compared, most, level))
    radii = sorted({item.at for item in requirements if item.at is not None})
    if study.disproofs:
        radii = []
    statements = [make_statement(study.certificates(), at, confidence) for at in radii]
    if as_json:
        import json

        records = [item.record() for item in statements]
        records += [] if certificate is None else [certificate.record()]
        print_lines(
            json.dumps(gate_record(checks, records, remarks, study.stage, study.measured_in))
        )
    else:
        from simplicert.cli.screen import print_table

        print_table(gate_table(checks, study.certificates().stage, study.measured_in))
        for text in (*(item.sentence for item in statements), *_list_sentences(certificate)):
            print_lines("", text)
        for text in remarks:
            print_lines("", f"{text[0].upper()}{text[1:]}.")
    raise typer.Exit(0 if all(item.holds for item in checks) else 1)


def _list_sentences(certificate: "PopulationCertificate | None") -> tuple[str, ...]:
    """Return what a population certificate says, and what could not be checked."""
    if certificate is None:
        return ()
    return (*(share.sentence for share in certificate.shares), *certificate.remarks)
