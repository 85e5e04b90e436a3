"""`simplicert sample`: draw noisy classifications into a run folder.

`sample` is the command. `draw_or_exit` draws with progress on the screen and signals that stop it
cleanly, then says how to continue.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from simplicert.cli.data_options import (
    INPUTS,
    ClassesOption,
    ClassMapOption,
    ColumnsOption,
    CropOption,
    IndexFileOption,
    LabelColumnOption,
    NormalisationOption,
    ResizeOption,
    SampledDataOption,
    StageOption,
    StopOption,
)
from simplicert.cli.saying import print_lines, print_note, print_warning
from simplicert.cli.signals import STOPPED_EXIT, StoppedBySignal, stop_after_batch, stop_at_once
from simplicert.cli.watch import keep_page

if TYPE_CHECKING:
    from simplicert.drawing import DrawingOutcome, Report, Stop
    from simplicert.store.manifest import Manifest

FAILED_EXIT = 1
MOST_NAMED_INPUTS = 10  # failed inputs that are named one by one
# The panels of `--help`.
NOISE, DRAWS = "Noise", "How many draws"
DECLARED, WORK = "Declared before the draws", "Who draws, and how fast"
NOISE_HELP = "gaussian, laplace, ablation, deletion, ...: `simplicert radius --help` lists them."


def sample(
    model: Annotated[
        str,
        typer.Option(
            help="file.pt2, file.onnx, a folder of `train`, zoo:NAME, module:function, ...",
            rich_help_panel=INPUTS,
        ),
    ],
    data: SampledDataOption,
    out: Annotated[
        Path,
        typer.Option(help="The run folder; the same command continues it.", rich_help_panel=INPUTS),
    ],
    draws: Annotated[
        int | None,
        typer.Option(
            help="Noisy copies of each input; splitting has its own number.", rich_help_panel=DRAWS
        ),
    ] = None,
    sigma: Annotated[
        float | None,
        typer.Option(help="Standard deviation of Gaussian noise.", rich_help_panel=NOISE),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the noise.", rich_help_panel=NOISE)] = 0,
    alpha: Annotated[
        float, typer.Option(help="Declared failure probability.", rich_help_panel=DECLARED)
    ] = 0.001,
    kind: Annotated[
        str, typer.Option(help="Declared: multinomial or softmax.", rich_help_panel=DECLARED)
    ] = "multinomial",
    scheme: Annotated[
        str | None,
        typer.Option(
            help="Declared: joint (default; softmax: gated), gated, paper or split.",
            rich_help_panel=DECLARED,
        ),
    ] = None,
    start: Annotated[int, typer.Option(help="First input.", rich_help_panel=INPUTS)] = 0,
    stop: StopOption = None,
    step: Annotated[int, typer.Option(help="Every step-th input.", rich_help_panel=INPUTS)] = 1,
    index_file: IndexFileOption = None,
    until: Annotated[
        str | None,
        typer.Option(
            help="Stop early: radius=R, atol=0.01, rtol=0.05 or decided.", rich_help_panel=DRAWS
        ),
    ] = None,
    reserve: Annotated[
        str | None,
        typer.Option(
            help="Share of alpha for later --extend; default: 10%.", rich_help_panel=DRAWS
        ),
    ] = None,
    extend: Annotated[
        bool, typer.Option(help="Draw more: one more look at --draws.", rich_help_panel=DRAWS)
    ] = False,
    shard: Annotated[
        str, typer.Option(help="This process's share, such as 1/4.", rich_help_panel=WORK)
    ] = "1/1",
    pilot: Annotated[
        int, typer.Option(help="Separate draws that select (scheme split).", rich_help_panel=DRAWS)
    ] = 0,
    outputs: Annotated[
        str, typer.Option(help="logits, probabilities, labels or scores.", rich_help_panel=INPUTS)
    ] = "logits",
    classes: ClassesOption = None,
    score_limit: Annotated[
        float | None,
        typer.Option(
            help="What a draw's scores sum to at most, for scores.", rich_help_panel=INPUTS
        ),
    ] = None,
    histograms: Annotated[
        bool, typer.Option(help="Keep score histograms.", rich_help_panel=DRAWS)
    ] = True,
    grid: Annotated[
        str | None, typer.Option(help="Sound mode on a grid, such as 1/255.", rich_help_panel=NOISE)
    ] = None,
    noise_scale: Annotated[
        Path | None, typer.Option(help="npy: each feature's share.", rich_help_panel=NOISE)
    ] = None,
    sensitivity: StageOption = 1.0,
    lipschitz: Annotated[
        bool,
        typer.Option(
            "--lipschitz",
            help="Prove a Lipschitz constant of the scores first.",
            rich_help_panel=INPUTS,
        ),
    ] = False,
    batch_size: Annotated[
        int | None, typer.Option(help="Default: fits the device.", rich_help_panel=WORK)
    ] = None,
    device: Annotated[
        str | None, typer.Option(help="Default: cuda if there, else cpu.", rich_help_panel=WORK)
    ] = None,
    compile_model: Annotated[
        bool | None,
        typer.Option(
            "--compile/--no-compile", help="Default: where it pays.", rich_help_panel=WORK
        ),
    ] = None,
    autocast: Annotated[
        bool, typer.Option(help="Half precision in the model.", rich_help_panel=WORK)
    ] = False,
    mean: NormalisationOption = None,
    std: NormalisationOption = None,
    trust: Annotated[
        bool,
        typer.Option("--trust", help="Run code in a model file (file.ts).", rich_help_panel=INPUTS),
    ] = False,
    engine: Annotated[
        str, typer.Option(help="Who draws: local or ray.", rich_help_panel=WORK)
    ] = "local",
    workers: Annotated[
        int | None,
        typer.Option(
            help="Processes; default: this one, with ray all that fit.", rich_help_panel=WORK
        ),
    ] = None,
    address: Annotated[
        str | None, typer.Option(help="Ray cluster; default: one of its own.", rich_help_panel=WORK)
    ] = (None),
    cpus_per_worker: Annotated[
        int | None,
        typer.Option(
            help="Threads; default: the cores shared out, with ray 1.", rich_help_panel=WORK
        ),
    ] = None,
    gpus_per_worker: Annotated[
        float | None,
        typer.Option(help="With ray; default: 1 where there are any.", rich_help_panel=WORK),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="No progress.", rich_help_panel=WORK)
    ] = False,
    watch: Annotated[
        bool,
        typer.Option("--watch", help="Keep OUT.watch.html up to date.", rich_help_panel=WORK),
    ] = False,
    class_map: ClassMapOption = None,
    resize: ResizeOption = None,
    crop: CropOption = None,
    label_column: LabelColumnOption = None,
    columns: ColumnsOption = None,
    patience: Annotated[
        float,
        typer.Option(
            help="Seconds to keep asking a model that fails every time.", rich_help_panel=WORK
        ),
    ] = 600.0,
    budget: Annotated[
        int | None,
        typer.Option(
            help="Most rows to ask the model about now: for slow and paid ones.",
            rich_help_panel=WORK,
        ),
    ] = None,
    noise: Annotated[str, typer.Option(help=NOISE_HELP, rich_help_panel=NOISE)] = "gaussian",
    scale: Annotated[
        float | None,
        typer.Option(
            help="Scale of laplace, uniform, splitting, ... noise.", rich_help_panel=NOISE
        ),
    ] = None,
    keep: Annotated[
        int | None, typer.Option(help="Features that ablation keeps.", rich_help_panel=NOISE)
    ] = None,
    absent: Annotated[
        float | None,
        typer.Option(help="Mark of a feature that ablation took away.", rich_help_panel=NOISE),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(help="Probability with which deletion drops a token.", rich_help_panel=NOISE),
    ] = None,
    offsets: Annotated[
        int | None,
        typer.Option(
            help="Seed of splitting noise's offsets, one per feature.", rich_help_panel=NOISE
        ),
    ] = None,
) -> None:
    """Classify noisy copies of each input and keep the tallies; the slow step.

    Example: simplicert sample --model net.pt2 --data digits --step 100 --sigma .25 --draws 1000
    --out runs/new

    Photographs of any size, and tables:

    Example: simplicert sample --model my_module:of_pictures --data folder:photos --resize 32
    --crop 28 --sigma .25 --draws 200 --out runs/photos

    Example: simplicert sample --model my_module:of_rows --data flowers.csv --label-column species
    --sigma .25 --draws 200 --out runs/flowers

    Interrupt it at will: the same command continues where it stopped.
    """
    options = dict(locals())
    options["num_classes"] = options.pop("classes")
    options["compiled"] = options.pop("compile_model")
    draw_or_exit(options)


def draw_or_exit(options: dict[str, Any]) -> None:
    """Draw until done or told to stop; then say how to continue."""
    out, quiet = options["out"], options.pop("quiet", False)
    watched = options.pop("watch", False)
    try:
        with stop_at_once():
            outcome = _draw_on_screen(options, quiet, watched)
    except StoppedBySignal:
        print_warning(
            "stopped while nothing was being drawn: nothing is lost, the same command continues"
        )
        raise typer.Exit(STOPPED_EXIT) from None
    calls = f"the model was asked about {outcome.calls:,} rows"
    if not outcome.complete:
        why = f"{outcome.spent}; " if outcome.spent else "stopped; "
        print_warning(f"{why}what is drawn is kept in {out}: the same command continues ({calls})")
        raise typer.Exit(STOPPED_EXIT)
    if outcome.failed:
        _warn_of_failures(out, outcome.failed)
        raise typer.Exit(FAILED_EXIT)
    if not quiet:
        shard = options.get("shard", "1/1")
        drawn = "all is drawn" if shard == "1/1" else f"share {shard} is drawn"
        print_note(calls)
        print_lines(f"{out}: {drawn}; next: simplicert certify {out} --out {out}.csv")


def _draw_on_screen(options: dict[str, Any], quiet: bool, watched: bool) -> "DrawingOutcome":
    """Draw with warnings and progress on the screen; signals stop it after a batch.

    A run that is `watched` has a page that is written anew after a batch, when it is due.
    """
    from simplicert.cli.planned import describe_too_few_draws
    from simplicert.cli.progress import (
        merging_lines,
        show_drawing_progress,
        show_reading_progress,
    )
    from simplicert.drawing import DrawingWatcher, draw_by_settings
    from simplicert.store.settings import parse_settings

    class ScreenWatcher(DrawingWatcher):
        def preparing(self) -> AbstractContextManager[None]:
            return stop_at_once()  # again: Ray replaces the handler of SIGTERM when it starts

        @contextmanager
        def drawing(self, manifest: "Manifest") -> Iterator[tuple["Stop", "Report"]]:
            with stop_at_once():
                if sentence := describe_too_few_draws(manifest, manifest.plan):
                    self.warn(sentence)
                if manifest.lipschitz is not None and manifest.kind != "softmax":
                    self.warn(
                        f"the radius by the Lipschitz constant is of kind softmax, and this run "
                        f"declares {manifest.kind}: begin it with --kind softmax to use it"
                    )
            page = options["out"] if watched else None
            with (
                stop_after_batch() as stop,
                show_drawing_progress(manifest, quiet) as shown,
                keep_page(page, shown) as report,
            ):
                yield stop, report

        def merging(self, done: int, count: int) -> None:
            if not quiet:
                report_merging(done, count)

    report_merging = merging_lines()
    settings = parse_settings(options)
    if not quiet:  # loading torch alone takes seconds
        print_note(f"loading model {options['model']} and data {options['data']} ...")
    with show_reading_progress(quiet):
        return draw_by_settings(settings, ScreenWatcher(warn=print_warning))


def _warn_of_failures(out: "Path", failed: dict[int, str]) -> None:
    """Say which inputs failed and how to try them again."""
    for item in sorted(failed)[:MOST_NAMED_INPUTS]:
        print_warning(f"input {item} failed again and again: {failed[item]}")
    if len(failed) > MOST_NAMED_INPUTS:
        print_warning(f"and {len(failed) - MOST_NAMED_INPUTS} more: `simplicert status {out}`")
    inputs = "1 input" if len(failed) == 1 else f"{len(failed)} inputs"
    print_warning(
        f"{out}: all is drawn but {inputs} that failed; the same command tries them again"
    )
