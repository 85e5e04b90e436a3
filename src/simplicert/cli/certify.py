"""`simplicert certify`: certificates from a run's tallies."""

from pathlib import Path
from typing import Annotated

import typer

from simplicert.cli.saying import say


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
) -> None:
    """Compute the certificates anew; never touches the model.

    Prints a summary and the first rows; with --out all of them go into a file, one row per input.

    Example: simplicert certify runs/mine --out certificates.csv

    Settings other than those the run declared are exploratory: choosing them after seeing the
    counts is not covered by alpha.
    """
    from simplicert.analysis.study import Study
    from simplicert.analysis.tables import head, scaled_norm, summary
    from simplicert.cli.screen import show, warn
    from simplicert.errors import require
    from simplicert.runs import open_run, write_certificates
    from simplicert.runs.audit import disproofs
    from simplicert.runs.doubts import recorded_label_doubt

    opened = open_run(run)
    inside = out is not None and run.resolve() in out.resolve().parents
    require(not inside, f"out must not lie inside the run it is made from, got {str(out)!r}")
    names = mechanisms.split(",") if mechanisms else None
    certificates = opened.certify(alpha, kind, scheme, method, names, sensitivity)
    if out is not None:
        write_certificates(certificates, out, origin={"run": run.name})
    plan = opened.manifest.plan
    wrong = disproofs(opened)
    rule, doubt = "fixed" if plan is None else plan.rule, recorded_label_doubt(opened.manifest)
    show(summary(certificates, rule, disproved=bool(wrong), label_doubt=doubt))
    if out is None:
        say()
        show(head(certificates))
    if certificates.exploratory:
        declared = opened.manifest
        warn(
            f"exploratory: the run declared alpha {declared.alpha:g}, kind {declared.kind}, "
            f"scheme {declared.scheme}, method {declared.method or 'of the scheme'}"
        )
    elif certificates.abstained.all() and certificates.known.draws is not None:
        from simplicert.cli.drawing import too_few
        from simplicert.types import Plan

        needed = too_few(opened.manifest, plan or Plan((int(certificates.known.draws.max()),)))
        if needed:
            warn(needed)
    if certificates.sensitivity != opened.manifest.sensitivity:
        warn(
            f"sensitivity {certificates.sensitivity:g} was asked for, and the run declares "
            f"{opened.manifest.sensitivity:g}: radii hold if the first stage has the one asked for"
        )
    scale = getattr(opened, "noise_scale", None)
    if scale is not None:
        warn(scaled_norm(scale))
    for finding in wrong:
        warn(f"audit of the log, the stated level is disproved: {finding}")
    for finding in getattr(opened, "audit", ()):
        if finding not in wrong:
            warn(f"audit of the log: {finding}")
    if opened.missing:
        warn(f"incomplete: {Study(run.name, opened).lacking}")
    say("nothing is written: --out FILE.csv does" if out is None else f"wrote {out}")
