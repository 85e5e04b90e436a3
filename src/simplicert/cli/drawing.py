"""Drawing from the command line: progress to watch, signals that stop it cleanly."""

from typing import TYPE_CHECKING

import typer

from simplicert.cli.saying import say
from simplicert.cli.screen import warn
from simplicert.cli.signals import STOPPED, Stopped, at_once, stoppable

if TYPE_CHECKING:
    from pathlib import Path

    from simplicert.runs.crew import Crew
    from simplicert.runs.job import Outcome
    from simplicert.runs.manifest import Manifest
    from simplicert.runs.preparation import Prepared
    from simplicert.runs.request import Request
    from simplicert.types import Plan

FAILED = 1
NAMED = 10  # failed inputs, one by one


def draw(request: "Request") -> None:
    """Draw until done or told to stop; then say how to go on."""
    try:
        with at_once():
            outcome = outcome_of(request)
    except Stopped:
        warn("stopped while nothing was being drawn: nothing is lost, the same command continues")
        raise typer.Exit(STOPPED) from None
    if not outcome.complete:
        warn(f"stopped; what is drawn is kept in {request.out}: the same command continues")
        raise typer.Exit(STOPPED)
    if outcome.failed:
        tell_failures(request.out, outcome.failed)
        raise typer.Exit(FAILED)
    if not request.quiet:
        drawn = "all is drawn" if request.shard == "1/1" else f"share {request.shard} is drawn"
        say(
            f"{request.out}: {drawn}; next: "
            f"simplicert certify {request.out} --out {request.out}.csv"
        )


def outcome_of(request: "Request") -> "Outcome":
    """How the drawing by the crew that is asked for ends."""
    from simplicert.cli.reading_progress import reading_shown
    from simplicert.runs.engines import crew_for
    from simplicert.runs.job import parse_shard

    parse_shard(request.shard)
    with reading_shown(request.quiet), crew_for(request) as crew:
        return drawn_by(crew, request)


def drawn_by(crew: "Crew", request: "Request") -> "Outcome":
    """Prepare, warn of what can be known before, then draw with progress to watch."""
    from simplicert.cli.progress import shown
    from simplicert.runs.job import draw_run
    from simplicert.runs.preparation import prepare

    with at_once():  # once more: a Ray that starts hears SIGTERM itself from then on
        ready = prepare(request, crew, warn)
        warn_before(request, ready)
    with stoppable() as told, shown(request, ready.run.manifest) as report:
        return draw_run(
            ready.run,
            crew,
            ready.index,
            stop=told,
            report=report,
            patience=request.patience,
            say=warn,
        )


def warn_before(request: "Request", ready: "Prepared") -> None:
    """What is known before the first draw, of the folder and of the settings."""
    from simplicert.runs.folder import DAMAGED
    from simplicert.sampling.compilation import can_compile

    for path in ready.run.set_aside_damage():
        warn(f"{path.name} was damaged: it is set aside in {DAMAGED}/, and its inputs drawn again")
    if request.compile_model is None and not can_compile():
        warn("there is no C++ compiler here, so the model is not compiled")
    for sentence in ready.doubts:
        warn(sentence)
    needed = too_few(ready.run.manifest, ready.run.manifest.plan)
    if needed:
        warn(needed)
    if ready.run.manifest.source["random"]:
        warn("the model is random by itself: drawn again, its tallies would differ")


def tell_failures(out: "Path", failed: dict[int, str]) -> None:
    """Which inputs failed, and how to go on without or with them."""
    for item in sorted(failed)[:NAMED]:
        warn(f"input {item} failed again and again: {failed[item]}")
    if len(failed) > NAMED:
        warn(f"and {len(failed) - NAMED} more: `simplicert status {out}`")
    inputs = "1 input" if len(failed) == 1 else f"{len(failed)} inputs"
    warn(f"{out}: all is drawn but {inputs} that failed; the same command tries them again")


def too_few(manifest: "Manifest", plan: "Plan | None") -> str:
    """A sentence where not even draws that all agree are certified by the declared settings."""
    from simplicert.plan import Declared, certifies_nothing, smallest_draws
    from simplicert.types import Plan

    plan = plan or Plan((1,))
    names = ("sigma", "alpha", "classes", "kind", "scheme", "method")
    settings = {name: getattr(manifest, name) for name in names}
    declared = Declared(**settings, histograms=bool(manifest.source.get("histograms")))
    if not certifies_nothing(declared, plan):
        return ""
    needed = smallest_draws(declared, share=max(plan.weights))
    return (
        f"{plan.looks[-1]} draws certify nothing at alpha {manifest.alpha:g}, even if all agree: "
        f"at least {needed} are needed"
    )
