"""`simplicert import`: make runs from other tools' logs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
import typer.core

from simplicert.cli.saying import print_lines

if TYPE_CHECKING:
    from simplicert.store.imported import ImportedRun


class FormatGroup(typer.core.TyperGroup):
    """The formats as commands, with a clear error if a file comes in place of the format."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the format that is named first."""
        if args and args[0] not in self.commands and Path(args[0]).suffix:
            names = ", ".join(self.commands)
            ctx.fail(f"The format comes before the file, one of {names}: import counts {args[0]}")
        return super().resolve_command(ctx, args)


app = typer.Typer(cls=FormatGroup, help="Make a run from another tool's log.", no_args_is_help=True)

LogFile = Annotated[Path, typer.Argument(help="The log.")]
Sigma = Annotated[float, typer.Option(help="Standard deviation of the noise of the draws.")]
Out = Annotated[Path, typer.Option(help="The new run folder.")]
Alpha = Annotated[float, typer.Option(help="Failure probability of one certificate.")]
Draws = Annotated[int | None, typer.Option(help="Draws an input; the log does not say.")]


@app.callback()
def _import_options() -> None:
    """Make a run from another tool's log."""


@app.command("counts")
def _counts(
    file: Annotated[Path, typer.Argument(help="Text or CSV: K counts, then the label; or npz.")],
    sigma: Sigma,
    out: Out,
    labels: Annotated[bool, typer.Option(help="Whether the last column is the label.")] = True,
    pilot: Annotated[
        Path | None, typer.Option(help="Counts of separate draws, for scheme split.")
    ] = None,
    alpha: Alpha = 0.001,
    kind: Annotated[
        str, typer.Option(help="multinomial (hard) or softmax (soft).")
    ] = "multinomial",
    scheme: Annotated[str, typer.Option(help="gated, joint, paper or split.")] = "gated",
) -> None:
    """A table of class counts, one row per input: text, or npz with arrays named as in Tally.

    Text: K whole numbers and the label (none with --no-labels), between blanks,
    tabs or commas; one header line may come first, and from # on is a comment.
    With a header labels may be names, and a column abstain or invalid holds draws
    without a class. Or lines of index, label and [c0, c1, ...] between tabs.

    Alpha, kind and scheme are declared here, before the certificates are seen.

    Example: simplicert import counts counts.txt --sigma .5 --out runs/new
    """
    from simplicert.cli.saying import print_warning
    from simplicert.logs import import_counts

    run = import_counts(
        file, sigma, out, labelled=labels, pilot=pilot, alpha=alpha, kind=kind, scheme=scheme
    )
    tally = run.tally()
    least, most = tally.draws.min(), tally.draws.max()
    if least < most:
        print_warning(
            f"rows hold {least} to {most} draws: if their number depended on the counts, "
            "alpha does not cover these certificates"
        )
    print_lines(repr(tally), f"wrote {out}")


@app.command("cohen")
def _cohen(
    file: LogFile, sigma: Sigma, out: Out, alpha: Alpha = 0.001, draws: Draws = None
) -> None:
    """Cohen's log (idx label predict radius correct time), or one that shares its columns.

    Example: simplicert import cohen cohen.tsv --sigma .5 --draws 100000 --out runs/new
    """
    from simplicert.logs import import_log

    _print_imported_run(import_log("cohen", file, sigma, out, alpha=alpha, draws=draws))


@app.command("second-order")
def _second_order(
    file: LogFile,
    sigma: Sigma,
    out: Out,
    draws: Annotated[int, typer.Option(help="Draws an input, of which raw_count is part.")],
    alpha: Alpha = 0.001,
) -> None:
    """A log of second-order smoothing: raw_count of the class is bounded anew.

    Example: simplicert import second-order log.tsv --sigma .5 --draws 1000 --out runs/new
    """
    from simplicert.logs import import_log

    _print_imported_run(import_log("second-order", file, sigma, out, alpha=alpha, draws=draws))


@app.command("iss")
def _iss(file: LogFile, sigma: Sigma, out: Out, alpha: Alpha = 0.001) -> None:
    """A log of input-specific sampling, which says the draws of each row.

    Example: simplicert import iss iss.tsv --sigma .5 --out runs/new
    """
    from simplicert.logs import import_log

    _print_imported_run(import_log("iss", file, sigma, out, alpha=alpha))


@app.command("dsrs")
def _dsrs(file: LogFile, out: Out) -> None:
    """A file of double sampling (Li et al. 2022): bounds under Gaussian noise, or radii.

    Bounds state sigma, draws and alpha in their first lines, radii in the file's name.

    Example: simplicert import dsrs gaussian-None-0.5-100000-0.001.txt --out runs/new
    """
    from simplicert.logs import import_dsrs

    _print_imported_run(import_dsrs(file, out))


@app.command("rs4a")
def _rs4a(
    folder: Annotated[Path, typer.Argument(help="Folder of preds.npy, labels.npy, prob_lb.npy.")],
    noise: Annotated[str, typer.Option(help="gaussian, laplace, uniform or exponential-linf.")],
    out: Out,
    scale: Annotated[
        float | None, typer.Option(help="Of the noise, their lambda; not their --sigma.")
    ] = None,
    sigma: Annotated[
        float | None, typer.Option(help="Standard deviation of Gaussian noise.")
    ] = None,
    alpha: Alpha = 0.001,
    draws: Annotated[int | None, typer.Option(help="Their --sample-size-cert.")] = None,
    size: Annotated[int | None, typer.Option(help="Features of an input, for linf.")] = None,
    step: Annotated[int, typer.Option(help="Every step-th input: their --dataset-skip.")] = 1,
) -> None:
    """The arrays of rs4a (Yang et al. 2020): bounds under Laplace, uniform or other noise.

    Their --sigma is scale / sqrt(3) of uniform noise and scale * sqrt(2) of Laplace noise.

    Example: simplicert import rs4a checkpoints/uniform --noise uniform --scale .8660254
    --draws 100000 --out runs/new
    """
    from simplicert.logs import import_rs4a
    from simplicert.noises import choose_noise

    model, chosen = choose_noise(noise, sigma, scale, size=size)
    _print_imported_run(
        import_rs4a(folder, model, chosen, out, alpha=alpha, draws=draws, step=step)
    )


@app.command("splitting")
def _splitting(
    folder: Annotated[Path, typer.Argument(help="Folder of preds.npy and labels.npy.")],
    out: Out,
    scale: Annotated[
        float | None, typer.Option(help="Default: the smallest that fits the shares.")
    ] = None,
    offsets: Annotated[int, typer.Option(help="Their --seed.")] = 0,
    step: Annotated[int, typer.Option(help="Every step-th input: their --dataset-skip.")] = 1,
) -> None:
    """The arrays of derandomised splitting noise (Levine and Feizi 2021): exact counts.

    The counts are certified anew, with certainty, and compared with their classes and radii.

    Example: simplicert import splitting checkpoints/derandomised --out runs/new
    """
    from simplicert.cli.saying import print_warning
    from simplicert.logs import import_splitting

    run = import_splitting(folder, out, scale=scale, offsets=offsets, step=step)
    for sentence in run.audit:
        print_warning(f"audit: {sentence}")
    print_lines(repr(run.tally()), f"wrote {out}")


@app.command("radii")
def _radii(
    file: LogFile,
    columns: Annotated[
        str, typer.Option(help="index=...,label=...,predict=...,radius=... as the file has them.")
    ],
    sigma: Sigma,
    out: Out,
    alpha: Alpha = 0.001,
    draws: Draws = None,
    bare: Annotated[
        bool, typer.Option(help="Keep the radii alone: they are not sigma * Phi^-1(E0).")
    ] = False,
) -> None:
    """Any table of radii with a header, separated by tabs, commas, semicolons or blanks.

    Example: simplicert import radii radii.csv --columns index=i,label=y,predict=p,radius=r
    --sigma .5 --out runs/new
    """
    from simplicert.logs import import_radii

    _print_imported_run(
        import_radii(file, columns, sigma, out, alpha=alpha, draws=draws, bare=bare)
    )


def _print_imported_run(run: "ImportedRun") -> None:
    """Print the findings of the audit on stderr, and what was written on stdout."""
    from simplicert.cli.saying import print_warning

    for sentence in run.audit:
        print_warning(f"audit: {sentence}")
    print_lines(repr(run), f"wrote {run.folder}")
