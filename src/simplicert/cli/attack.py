"""`simplicert attack`: try to break the certificates of a run."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
from simplicert.cli.saying import print_lines, print_note

if TYPE_CHECKING:
    from simplicert.attack.job import Report
    from simplicert.store.attacks import AttackRow


BROKEN_EXIT = 1  # exit code where a certificate is broken


def attack(
    run: Annotated[Path, typer.Argument(help="Run folder, drawn by `sample`.")],
    out: Annotated[Path | None, typer.Option(help="CSV; default: RUN/attack.csv.")] = None,
    model: ModelOption = None,
    data: DataOption = None,
    inputs: InputsOption = None,
    index: IndexOption = None,
    kind: Annotated[str | None, typer.Option(help="Default: the run's own.")] = None,
    norm: Annotated[
        str | None, typer.Option(help="Of the balls; default: the usual one of the noise.")
    ] = None,
    steps: Annotated[int, typer.Option(help="Of each ascent.")] = 20,
    restarts: Annotated[int, typer.Option(help="Of each loss.")] = 2,
    samples: Annotated[int, typer.Option(help="Noise copies of a gradient.")] = 16,
    explore: Annotated[int, typer.Option(help="Draws of a look that steers.")] = 512,
    confirm: Annotated[int, typer.Option(help="Fresh draws of a confirmation.")] = 5000,
    level: Annotated[float, typer.Option(help="Chance of a false alarm, over all inputs.")] = 0.001,
    seed: Annotated[int, typer.Option(help="Of the attack; never the run's noise.")] = 0,
    device: DeviceOption = None,
    mean: NumbersOption = None,
    std: NumbersOption = None,
    trust: TrustOption = False,
    quiet: QuietOption = False,
) -> None:
    """Search each certified ball for adversarial examples of the smoothed classifier.

    Then beyond it, for the smallest perturbation found: an upper bound
    beside the certified lower one. A point counts only if fresh draws
    confirm that the class differs there. Balls are those of the run's
    noise: l2, l1, linf, numbers of changed features, or parameters of a
    transformation. Interrupt it at will: the same
    command goes on. Surviving is no proof; see docs/attack.md.

    Exit code 0: nothing is broken; 1: a certificate is.

    Example: simplicert attack runs/drawn --model net.pt2 --data digits --inputs 2
    """
    from simplicert.attack import Effort, attack_run, certify_in_norm, choose_inputs, open_target
    from simplicert.cli.progress import show_reading_progress
    from simplicert.cli.saying import print_warning
    from simplicert.cli.screen import print_table
    from simplicert.cli.signals import STOPPED_EXIT, stop_after_batch
    from simplicert.store import open_run
    from simplicert.store.attacks import attack_path
    from simplicert.tables.attack import attack_table

    effort = Effort(steps, restarts, samples, explore, confirm, level, seed)
    opened = open_run(run)
    with show_reading_progress(quiet):
        target = open_target(
            opened, model, data, mean=mean, std=std, trust=trust, device=device, seed=seed
        )
    certificates = target.run.certify(kind=kind, sensitivity=1.0)
    certificates = certify_in_norm(target, certificates, norm)
    path = out or attack_path(run, target.run.manifest, certificates.known.kind, norm)
    items = choose_inputs(certificates, inputs, index or [], seed)
    if opened.manifest.sensitivity != 1:
        print_warning(
            f"radii and distances are those at the noise, behind the first stage: the run's "
            f"sensitivity of {opened.manifest.sensitivity:g} is left out"
        )
    if certificates.exploratory:
        print_warning("exploratory: the run did not declare this kind before it was drawn")
    with stop_after_batch("input") as stop, _show_attack_progress(quiet) as report:
        rows = attack_run(target, certificates, items, effort, path, stop=stop, report=report)
    if rows:
        print_table(attack_table(rows))
        print_lines(f"wrote {path}")
    if len(rows) < len(items):
        print_warning(
            f"stopped; {len(rows)} of {len(items)} inputs are kept: the same command goes on"
        )
    _warn_of_broken_certificates(rows, path)
    if len(rows) < len(items):
        raise typer.Exit(STOPPED_EXIT)


def _warn_of_broken_certificates(rows: "Sequence[AttackRow]", path: Path) -> None:
    """Warn of each broken certificate, a promise that was not true, and exit with code 1."""
    from simplicert.attack.job import perturbation_path
    from simplicert.cli.saying import print_warning

    broken = [row for row in rows if row.broken]
    for row in broken:
        print_warning(
            f"BROKEN CERTIFICATE: input {row.index} is certified as class {row.certified} within "
            f"{row.radius!r}, and at distance {row.found!r} the smoothed class is {row.rival}; the "
            f"perturbation is in {perturbation_path(path, row.index)}"
        )
    if broken:
        print_warning(f"{len(broken)} of {len(rows)} certificates are broken")
        raise typer.Exit(BROKEN_EXIT)


@contextmanager
def _show_attack_progress(quiet: bool) -> "Iterator[Report]":
    """Show a bar on a terminal, one line per input elsewhere, nothing when quiet."""
    import sys

    if quiet:
        yield lambda done, total, rows: None
        return
    if not sys.stderr.isatty():
        yield _print_attack_line
        return
    from rich import progress
    from rich.console import Console

    columns = (
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TextColumn("inputs  {task.fields[state]}"),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=Console(stderr=True)) as screen:
        task = screen.add_task("", total=None, state="")

        def report(done: int, total: int, rows: "Sequence[AttackRow]") -> None:
            screen.update(task, completed=done, total=total, state=_describe_attack_state(rows))

        yield report


def _print_attack_line(done: int, total: int, rows: "Sequence[AttackRow]") -> None:
    """Print one line of progress on stderr."""
    print_note(f"{done} of {total} inputs, {_describe_attack_state(rows)}")


def _describe_attack_state(rows: "Sequence[AttackRow]") -> str:
    """Say how many certificates are broken so far, and the smallest ratio."""
    ratios = [row.ratio for row in rows if row.ratio is not None]
    least = f"{min(ratios):.3f}" if ratios else "-"
    return f"broken {sum(row.broken for row in rows)}, smallest ratio {least}"
