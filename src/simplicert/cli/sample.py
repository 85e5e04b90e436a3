"""`simplicert sample`: draw noisy classifications into a run folder."""

from pathlib import Path
from typing import Annotated

import typer


def sample(
    model: Annotated[str, typer.Option(help="file.pt2, file.onnx, file.ts, module:function, ...")],
    data: Annotated[str, typer.Option(help="digits, file.npz, folder:DIR, cifar10:DIR, hf:DIR")],
    sigma: Annotated[float, typer.Option(help="Standard deviation of the noise.")],
    draws: Annotated[int, typer.Option(help="Noisy copies of each input.")],
    out: Annotated[Path, typer.Option(help="The run folder; the same command continues it.")],
    seed: Annotated[int, typer.Option(help="Seed of the noise.")] = 0,
    alpha: Annotated[float, typer.Option(help="Declared failure probability.")] = 0.001,
    kind: Annotated[str, typer.Option(help="Declared: multinomial or softmax.")] = "multinomial",
    scheme: Annotated[str, typer.Option(help="Declared: gated, joint, paper or split.")] = "gated",
    start: Annotated[int, typer.Option(help="First input.")] = 0,
    stop: Annotated[int | None, typer.Option(help="One past the last input.")] = None,
    step: Annotated[int, typer.Option(help="Every step-th input.")] = 1,
    index_file: Annotated[Path | None, typer.Option(help="Input numbers, one a line.")] = None,
    until: Annotated[
        str | None, typer.Option(help="Stop early: radius=R, rtol=0.05 or decided.")
    ] = None,
    reserve: Annotated[
        str | None, typer.Option(help="Share of alpha for later --extend; default: 10%.")
    ] = None,
    extend: Annotated[bool, typer.Option(help="Draw more: one more look at --draws.")] = False,
    shard: Annotated[str, typer.Option(help="This process's share, such as 1/4.")] = "1/1",
    pilot: Annotated[int, typer.Option(help="Separate draws that select (scheme split).")] = 0,
    outputs: Annotated[
        str, typer.Option(help="logits, probabilities, labels or scores.")
    ] = "logits",
    classes: Annotated[int | None, typer.Option(help="K, for labels as outputs.")] = None,
    score_limit: Annotated[
        float | None, typer.Option(help="What a draw's scores sum to at most, for scores.")
    ] = None,
    histograms: Annotated[bool, typer.Option(help="Keep score histograms.")] = True,
    grid: Annotated[str | None, typer.Option(help="Sound mode on a grid, such as 1/255.")] = None,
    noise_scale: Annotated[Path | None, typer.Option(help="npy: each feature's share.")] = None,
    sensitivity: Annotated[
        float, typer.Option(help="Lipschitz constant of a stage that made the data.")
    ] = 1.0,
    batch_size: Annotated[int | None, typer.Option(help="Default: fits the device.")] = None,
    device: Annotated[str | None, typer.Option(help="Default: cuda if there, else cpu.")] = None,
    compile_model: Annotated[
        bool | None, typer.Option("--compile/--no-compile", help="Default: where it pays.")
    ] = None,
    autocast: Annotated[bool, typer.Option(help="Half precision in the model.")] = False,
    mean: Annotated[str | None, typer.Option(help="Normalisation, comma-separated.")] = None,
    std: Annotated[str | None, typer.Option(help="Normalisation, comma-separated.")] = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="Run code in a model file (file.ts).")
    ] = False,
    engine: Annotated[str, typer.Option(help="Who draws: local or ray.")] = "local",
    workers: Annotated[
        int | None, typer.Option(help="Processes; default: this one, with ray all that fit.")
    ] = None,
    address: Annotated[str | None, typer.Option(help="Ray cluster; default: one of its own.")] = (
        None
    ),
    cpus_per_worker: Annotated[
        int | None, typer.Option(help="Threads; default: the cores shared out, with ray 1.")
    ] = None,
    gpus_per_worker: Annotated[
        float | None, typer.Option(help="With ray; default: 1 where there are any.")
    ] = None,
    quiet: Annotated[bool, typer.Option(help="No progress.")] = False,
    class_map: Annotated[
        str | None,
        typer.Option(help="The model's class of each of the data's: names, or a file."),
    ] = None,
    patience: Annotated[
        float, typer.Option(help="Seconds to keep asking a model that fails every time.")
    ] = 600.0,
) -> None:
    """Classify noisy copies of each input and keep the tallies; the slow step.

    Example: simplicert sample --model net.pt2 --data digits --step 100 --sigma .25 --draws 1000
    --out runs/new

    Interrupt it at will: the same command continues where it stopped.
    """
    options = dict(locals())
    from simplicert.cli.drawing import draw
    from simplicert.runs.request import Request

    draw(Request(**options))
