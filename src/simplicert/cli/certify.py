"""`simplicert certify`: compute certificates from the tallies of a run."""

from pathlib import Path
from typing import Annotated

import typer

from simplicert.cli.norm_options import RunNormOption, RunSizeOption
from simplicert.cli.saying import print_lines


def certify(
    run: Annotated[Path, typer.Argument(help="Run folder, written by `sample` or `import`.")],
    out: Annotated[
        Path | None, typer.Option(help="CSV or Parquet by suffix; without it nothing is written.")
    ] = None,
    alpha: Annotated[float | None, typer.Option(help="Default: the run's own.")] = None,
    kind: Annotated[str | None, typer.Option(help="Default: the run's own.")] = None,
    scheme: Annotated[str | None, typer.Option(help="gated, joint, paper or split.")] = None,
    method: Annotated[str | None, typer.Option(help="Limit used inside the scheme.")] = None,
    mechanisms: Annotated[str | None, typer.Option(help="Comma-separated; default: all.")] = None,
    sensitivity: Annotated[
        float | None, typer.Option(help="Of the stage before the noise; default: the run's own.")
    ] = None,
    norm: RunNormOption = None,
    size: RunSizeOption = None,
) -> None:
    """Compute the certificates anew; never touches the model.

    Prints a summary and the first rows; with --out all of them go into a file, one row per input.

    Example: simplicert certify runs/mine --out certificates.csv

    Settings other than those the run declared are exploratory: choosing them after seeing the
    counts is not covered by alpha. Another norm is not: radii in all norms hold together.

    Example: simplicert certify runs/mine --norm linf --size 3072 --out boxes.csv
    """
    from simplicert.cli.saying import print_warning
    from simplicert.cli.screen import print_table
    from simplicert.errors import require
    from simplicert.logs.audit import find_disproofs
    from simplicert.metrics.study import Study
    from simplicert.store import open_run, write_certificates
    from simplicert.store.label_warning import recorded_label_warning
    from simplicert.tables.summary import describe_scaled_norm, first_rows_table, summary_table

    opened = open_run(run)
    inside = out is not None and run.resolve() in out.resolve().parents
    require(not inside, f"out must not lie inside the run it is made from, got {str(out)!r}")
    names = mechanisms.split(",") if mechanisms else None
    certificates = opened.certify(
        alpha, kind, scheme, method, names, sensitivity, norm=norm, size=size
    )
    if out is not None:
        write_certificates(certificates, out, origin={"run": run.name})
    plan = opened.manifest.plan
    wrong = find_disproofs(opened)
    rule, doubt = "fixed" if plan is None else plan.rule, recorded_label_warning(opened.manifest)
    print_table(summary_table(certificates, rule, disproved=bool(wrong), label_doubt=doubt))
    if out is None:
        print_lines()
        print_table(first_rows_table(certificates))
    if certificates.exploratory:
        declared = opened.manifest
        print_warning(
            f"exploratory: the run declared alpha {declared.alpha:g}, kind {declared.kind}, "
            f"scheme {declared.scheme}, method {declared.method or 'of the scheme'}"
        )
    elif certificates.abstained.all() and certificates.known.draws is not None:
        from simplicert.cli.sample import describe_too_few_draws
        from simplicert.types import Plan

        needed = describe_too_few_draws(
            opened.manifest, plan or Plan((int(certificates.known.draws.max()),))
        )
        if needed:
            print_warning(needed)
    if certificates.sensitivity != opened.manifest.sensitivity:
        print_warning(
            f"sensitivity {certificates.sensitivity:g} was asked for, and the run declares "
            f"{opened.manifest.sensitivity:g}: radii hold if the first stage has the one asked for"
        )
    scale = getattr(opened, "noise_scale", None)
    if scale is not None:
        print_warning(describe_scaled_norm(scale))
    for finding in wrong:
        print_warning(f"audit of the log, the stated level is disproved: {finding}")
    for finding in getattr(opened, "audit", ()):
        if finding not in wrong:
            print_warning(f"audit of the log: {finding}")
    if opened.missing:
        print_warning(f"incomplete: {Study(run.name, opened).lacking}")
    print_lines("nothing is written: --out FILE.csv does" if out is None else f"wrote {out}")
