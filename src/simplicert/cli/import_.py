"""`simplicert import`: make runs from other tools' logs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
import typer.core

from simplicert.cli.array_imports import rs4a, splitting
from simplicert.cli.many_imports import (
    ALPHA,
    Alpha,
    ImportJob,
    LogFiles,
    Out,
    Pattern,
    Sigma,
    choose_draws,
    choose_setting,
    import_all,
    require_sigma,
)
from simplicert.cli.saying import print_warning

if TYPE_CHECKING:
    from collections.abc import Callable

    from simplicert.store.imported import ImportedRun
    from simplicert.store.run import Run


class FormatGroup(typer.core.TyperGroup):
    """The formats as commands, with a clear error if a file comes in place of the format."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the format that is named first."""
        if args and args[0] not in self.commands and Path(args[0]).suffix:
            names = ", ".join(self.commands)
            ctx.fail(f"The format comes before the file, one of {names}: import counts {args[0]}")
        return super().resolve_command(ctx, args)


app = typer.Typer(cls=FormatGroup, help="Make a run from another tool's log.", no_args_is_help=True)

Draws = Annotated[int | None, typer.Option(help="Draws an input; the log does not say.")]


@app.callback()
def _import_options() -> None:
    """Make a run from another tool's log."""


@app.command("counts")
def _counts(
    files: Annotated[
        list[Path],
        typer.Argument(help="Text or CSV: K counts, then the label; or npz; or folders of them."),
    ],
    out: Out,
    sigma: Sigma = None,
    labels: Annotated[bool, typer.Option(help="Whether the last column is the label.")] = True,
    pilot: Annotated[
        Path | None, typer.Option(help="Counts of separate draws, for scheme split.")
    ] = None,
    alpha: Alpha = None,
    kind: Annotated[
        str, typer.Option(help="multinomial (hard) or softmax (soft).")
    ] = "multinomial",
    scheme: Annotated[str, typer.Option(help="gated, joint, paper or split.")] = "gated",
    start: Annotated[
        int | None, typer.Option(help="Number of the first input, of a table without an index.")
    ] = None,
    step: Annotated[int | None, typer.Option(help="From one input to the next.")] = None,
    pattern: Pattern = None,
) -> None:
    """A table of class counts, one row per input: text, or npz with arrays named as in Tally.

    Text: K whole numbers and the label (none with --no-labels), between blanks,
    tabs or commas; one header line may come first, and from # on is a comment.
    With a header labels may be names, and a column abstain or invalid holds draws
    without a class. Or lines of index, label and [c0, c1, ...] between tabs.

    Alpha, kind and scheme are declared here, before the certificates are seen.

    Example: simplicert import counts counts.txt --sigma .5 --out runs/new

    Every 20th input from 0 on, so that the run can be matched with others:

    Example: simplicert import counts counts.txt --sigma .5 --start 0 --step 20 --out runs/new
    """
    from simplicert.logs import import_counts

    def make(job: ImportJob) -> "Run":
        return import_counts(
            job.file,
            require_sigma(job, sigma),
            job.out,
            labelled=labels,
            pilot=pilot,
            alpha=choose_setting("alpha", alpha, job.named.alpha) or ALPHA,
            kind=kind,
            scheme=scheme,
            start=start,
            step=step,
            label=job.named.label,
        )

    import_all(files, ("counts",), out, pattern, _warn_of_uneven_draws(make))


@app.command("cohen")
def _cohen(
    files: LogFiles,
    out: Out,
    sigma: Sigma = None,
    alpha: Alpha = None,
    draws: Draws = None,
    pattern: Pattern = None,
) -> None:
    """Cohen's log (idx label predict radius correct time), or one that shares its columns.

    Example: simplicert import cohen cohen.tsv --sigma .5 --draws 100000 --out runs/new

    All logs of a folder, with sigma and labels from their paths:

    Example: simplicert import cohen logs --pattern 'sigma_{sigma}' --draws 100000 --out runs/all
    """
    import_all(files, ("cohen",), out, pattern, _log_maker("cohen", sigma, alpha, draws))


@app.command("second-order")
def _second_order(
    files: LogFiles,
    out: Out,
    sigma: Sigma = None,
    draws: Annotated[
        int | None, typer.Option(help="Draws an input, of which raw_count is part.")
    ] = None,
    alpha: Alpha = None,
    pattern: Pattern = None,
) -> None:
    """A log of second-order smoothing: raw_count of the class is bounded anew.

    Example: simplicert import second-order log.tsv --sigma .5 --draws 1000 --out runs/new
    """
    make = _log_maker("second-order", sigma, alpha, draws)
    import_all(files, ("second-order",), out, pattern, make)


@app.command("iss")
def _iss(
    files: LogFiles,
    out: Out,
    sigma: Sigma = None,
    alpha: Alpha = None,
    pattern: Pattern = None,
) -> None:
    """A log of input-specific sampling, which says the draws of each row.

    Example: simplicert import iss iss.tsv --sigma .5 --out runs/new
    """
    import_all(files, ("iss",), out, pattern, _log_maker("iss", sigma, alpha, None))


@app.command("dsrs")
def _dsrs(files: LogFiles, out: Out, pattern: Pattern = None) -> None:
    """A file of double sampling (Li et al. 2022): bounds under Gaussian noise, or radii.

    Bounds state sigma, draws and alpha in their first lines, radii in the file's name.

    Example: simplicert import dsrs gaussian-None-0.5-100000-0.001.txt --out runs/new
    """
    from simplicert.logs import import_dsrs

    def make(job: ImportJob) -> "ImportedRun":
        return import_dsrs(job.file, job.out, label=job.named.label)

    import_all(files, ("dsrs-bounds", "dsrs-radii"), out, pattern, make)


app.command("rs4a")(rs4a)
app.command("splitting")(splitting)


@app.command("radii")
def _radii(
    files: LogFiles,
    columns: Annotated[
        str, typer.Option(help="index=...,label=...,predict=...,radius=... as the file has them.")
    ],
    out: Out,
    sigma: Sigma = None,
    alpha: Alpha = None,
    draws: Draws = None,
    bare: Annotated[
        bool, typer.Option(help="Keep the radii alone: they are not sigma * Phi^-1(E0).")
    ] = False,
    pattern: Pattern = None,
) -> None:
    """Any table of radii with a header, separated by tabs, commas, semicolons or blanks.

    Example: simplicert import radii radii.csv --columns index=i,label=y,predict=p,radius=r
    --sigma .5 --out runs/new
    """
    from simplicert.logs import import_radii

    def make(job: ImportJob) -> "ImportedRun":
        return import_radii(
            job.file,
            columns,
            require_sigma(job, sigma),
            job.out,
            alpha=choose_setting("alpha", alpha, job.named.alpha) or ALPHA,
            draws=choose_draws(draws, job),
            bare=bare,
            label=job.named.label,
        )

    import_all(files, ("radii",), out, pattern, make)


def _log_maker(
    name: str, sigma: float | None, alpha: float | None, draws: int | None
) -> "Callable[[ImportJob], ImportedRun]":
    """Return the importer of one log of a known format, by the options and what its path says."""
    from simplicert.logs import import_log

    def make(job: ImportJob) -> "ImportedRun":
        return import_log(
            name,
            job.file,
            require_sigma(job, sigma),
            job.out,
            alpha=choose_setting("alpha", alpha, job.named.alpha) or ALPHA,
            draws=choose_draws(draws, job),
            label=job.named.label,
        )

    return make


def _warn_of_uneven_draws(make: "Callable[[ImportJob], Run]") -> "Callable[[ImportJob], Run]":
    """Return the importer with a warning where rows hold different numbers of draws."""

    def watched(job: ImportJob) -> "Run":
        run = make(job)
        drawn = run.tally().draws
        if drawn.min() < drawn.max():
            print_warning(
                f"{job.file.name}: rows hold {drawn.min()} to {drawn.max()} draws: if their number "
                "depended on the counts, alpha does not cover these certificates"
            )
        return run

    return watched
