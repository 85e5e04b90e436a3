"""`simplicert certify`: compute certificates from the tallies of a run."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simplicert.cli.norm_options import RunNormOption, RunSizeOption
from simplicert.cli.saying import print_json, print_lines

if TYPE_CHECKING:
    from simplicert.store import ImportedRun, Run
    from simplicert.types import Certificates


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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, at full precision.")] = False,
) -> None:
    """Compute the certificates anew; never touches the model.

    Prints a summary and the first rows; with --out all of them go into a file, one row per input.

    Example: simplicert certify runs/mine --out certificates.csv

    Settings other than those the run declared are exploratory: choosing them after seeing the
    counts is not covered by alpha. Another norm is not: radii in all norms hold together.

    Example: simplicert certify runs/mine --norm linf --size 3072 --out boxes.csv

    For programs: a summary, the settings and one entry per input, as docs/results.md lists.

    Example: simplicert certify runs/mine --json
    """
    from simplicert.cli.saying import print_warning
    from simplicert.cli.screen import print_table
    from simplicert.errors import require
    from simplicert.logs.audit import find_disproofs
    from simplicert.store import open_run, write_certificates
    from simplicert.store.label_warning import recorded_label_warning
    from simplicert.tables.certificates import certificates_record
    from simplicert.tables.summary import first_rows_table, summary_table

    opened = open_run(run)
    inside = out is not None and run.resolve() in out.resolve().parents
    require(not inside, f"out must not lie inside the run it is made from, got {str(out)!r}")
    names = mechanisms.split(",") if mechanisms else None
    certificates = opened.certify(
        alpha, kind, scheme, method, names, sensitivity, norm=norm, size=size
    )
    if out is not None:
        write_certificates(certificates, out, origin={"run": run.name})
    wrong = find_disproofs(opened)
    remarks = _list_remarks(run, opened, certificates, wrong)
    if as_json:
        print_json(certificates_record(certificates, run.resolve().name, remarks))
    else:
        plan, doubt = opened.manifest.plan, recorded_label_warning(opened.manifest)
        rule = "fixed" if plan is None else plan.rule
        print_table(summary_table(certificates, rule, disproved=bool(wrong), label_doubt=doubt))
        if out is None:
            print_lines()
            print_table(first_rows_table(certificates))
    for remark in remarks:
        print_warning(remark)
    if not as_json:
        print_lines("nothing is written: --out FILE.csv does" if out is None else f"wrote {out}")


def _list_remarks(
    run: Path,
    opened: "Run | ImportedRun",
    certificates: "Certificates",
    wrong: "tuple[str, ...]",
) -> list[str]:
    """List what must be known before the certificates are believed."""
    from simplicert.metrics.study import Study
    from simplicert.tables.summary import describe_scaled_norm

    declared, remarks = opened.manifest, []
    if certificates.exploratory:
        remarks.append(
            f"exploratory: the run declared alpha {declared.alpha:g}, kind {declared.kind}, "
            f"scheme {declared.scheme}, method {declared.method or 'of the scheme'}"
        )
    elif certificates.abstained.all() and certificates.known.draws is not None:
        from simplicert.cli.planned import describe_too_few_draws
        from simplicert.types import Plan

        plan = declared.plan or Plan((int(certificates.known.draws.max()),))
        remarks += filter(None, [describe_too_few_draws(declared, plan)])
    if certificates.sensitivity != declared.sensitivity:
        remarks.append(
            f"sensitivity {certificates.sensitivity:g} was asked for, and the run declares "
            f"{declared.sensitivity:g}: radii hold if the first stage has the one asked for"
        )
    scale = getattr(opened, "noise_scale", None)
    if scale is not None:
        remarks.append(describe_scaled_norm(scale))
    remarks += [f"audit of the log, the stated level is disproved: {text}" for text in wrong]
    found = getattr(opened, "audit", ())
    remarks += [f"audit of the log: {text}" for text in found if text not in wrong]
    if opened.missing:
        remarks.append(f"incomplete: {Study(run.name, opened).lacking}")
    return remarks
