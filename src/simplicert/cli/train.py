"""`simplicert train`: train a network that holds up under noise."""

from pathlib import Path
from typing import Annotated

import typer

from simplicert.cli.saying import print_lines

STOPPED_EXIT = 130  # exit code after an interruption

# Options that are not settings of the training.
NOT_SETTINGS = (
    "data",
    "out",
    "recipe",
    "test",
    "class_map",
    "label_column",
    "resize",
    "crop_to",
    "init",
    "classifier",
    "device",
    "quiet",
)


def train(
    data: Annotated[
        str, typer.Option(help="cifar10:DIR, digits, file.npz, file.csv, folder:DIR, hf:DIR")
    ],
    out: Annotated[Path, typer.Option(help="The model folder; the same command continues it.")],
    sigma: Annotated[
        float | None, typer.Option(help="Standard deviation of Gaussian noise; 0: no noise.")
    ] = None,
    noise: Annotated[
        str | None, typer.Option(help="gaussian (default), laplace, uniform, ablation, ...")
    ] = None,
    scale: Annotated[float | None, typer.Option(help="Scale of another noise.")] = None,
    keep: Annotated[int | None, typer.Option(help="ablation: features kept.")] = None,
    absent: Annotated[float | None, typer.Option(help="ablation: mark of the others.")] = None,
    recipe: Annotated[
        str | None, typer.Option(help="cifar10-small, digits, cifar10-paper, imagenet-paper, FILE.")
    ] = None,
    test: Annotated[str | None, typer.Option(help="Default: every tenth input of --data.")] = None,
    class_map: Annotated[
        str | None, typer.Option(help="The data's class of each of the test's: names, or a file.")
    ] = None,
    label_column: Annotated[
        str | None, typer.Option(help="Tables: the column of labels; default: label.")
    ] = None,
    resize: Annotated[
        int | None, typer.Option(help="Pictures: pixels of the shorter side, as in `sample`.")
    ] = None,
    crop_to: Annotated[
        int | None,
        typer.Option(help="Pictures: sides of the square cut out, --crop of `sample`."),
    ] = None,
    arch: Annotated[
        str | None,
        typer.Option(
            help="small_cnn, mlp, lipschitz_mlp, resnet20/56/110/50, small_dncnn, module:function."
        ),
    ] = None,
    method: Annotated[
        str | None, typer.Option(help="gaussian (default), macer, smoothadv or denoiser.")
    ] = None,
    init: Annotated[
        Path | None, typer.Option(help="A model folder whose network is trained on.")
    ] = None,
    epochs: Annotated[int | None, typer.Option(help="Passes over the data.")] = None,
    batch_size: Annotated[
        int | None, typer.Option(help="Inputs a step, over all processes together.")
    ] = None,
    optimiser: Annotated[str | None, typer.Option(help="sgd or adamw.")] = None,
    rate: Annotated[float | None, typer.Option(help="Largest learning rate.")] = None,
    weight_decay: Annotated[float | None, typer.Option(help="Pull of the weights to 0.")] = None,
    schedule: Annotated[str | None, typer.Option(help="one-cycle or steps.")] = None,
    crop: Annotated[int | None, typer.Option(help="Images: border before a random crop.")] = None,
    flip: Annotated[
        bool | None, typer.Option("--flip/--no-flip", help="Images: mirrored at random.")
    ] = None,
    copies: Annotated[
        int | None, typer.Option(help="macer, smoothadv: noisy copies of an input.")
    ] = None,
    lam: Annotated[
        float | None, typer.Option("--lambda", help="macer: weight of the radius.")
    ] = None,
    gamma: Annotated[float | None, typer.Option(help="macer: margin that is enough.")] = None,
    beta: Annotated[float | None, typer.Option(help="macer: sharpness of the softmax.")] = None,
    steps: Annotated[int | None, typer.Option(help="smoothadv: of the attack.")] = None,
    epsilon: Annotated[
        float | None, typer.Option(help="smoothadv: how far the attack may go, in l2.")
    ] = None,
    epsilon_warmup: Annotated[
        int | None,
        typer.Option("--epsilon-warmup", "--warm-up", help="smoothadv: epochs of growing epsilon."),
    ] = None,
    loss: Annotated[str | None, typer.Option(help="denoiser: mse or stability.")] = None,
    classifier: Annotated[
        str | None, typer.Option(help="denoiser: the model behind it, which stays as it is.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of weights, order, crops and noise.")] = None,
    shards: Annotated[
        int | None, typer.Option(help="Streams of noise a batch; default: the processes.")
    ] = None,
    mixed: Annotated[bool | None, typer.Option("--mixed", help="Mixed precision.")] = None,
    compiled: Annotated[
        bool | None, typer.Option("--compile", help="torch.compile: faster, other last bits.")
    ] = None,
    device: Annotated[str | None, typer.Option(help="Default: cuda if there, else cpu.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Train a classifier under noise; the folder is then a --model for every other command.

    Example: simplicert train --recipe digits --data digits --sigma 0.25 --out nets/0.25

    Interrupt it at will: the same command continues after the last whole epoch.
    """
    given = dict(locals())
    from simplicert.cli.progress import show_reading_progress, show_training_progress
    from simplicert.cli.saying import print_warning
    from simplicert.training import train as train_network
    from simplicert.training.settings import is_first_process

    settings = {name: given[name] for name in given if name not in NOT_SETTINGS}
    try:
        with (
            show_reading_progress(quiet or not is_first_process()),
            show_training_progress(quiet) as callbacks,
        ):
            train_network(
                data,
                out,
                test=test,
                class_map=class_map,
                label_column=label_column,
                resize=resize,
                crop_to=crop_to,
                recipe=recipe,
                init=init,
                classifier=classifier,
                device=device,
                **settings,
                **callbacks,
            )
    except KeyboardInterrupt:
        print_warning(f"stopped; whole epochs are kept in {out}: the same command continues")
        raise typer.Exit(STOPPED_EXIT) from None
    if is_first_process() and not quiet:
        print_lines(_training_summary(out, classifier))


def _training_summary(out: Path, classifier: str | None) -> str:
    """Return one line: the accuracies, and what to type next."""
    from simplicert.data.options import say_pictures
    from simplicert.models.trained import WEIGHTS, read_facts
    from simplicert.noises import GAUSSIAN, NoiseModel, say_noise, scale_argument
    from simplicert.training.sets import TENTH

    facts = read_facts(out)
    content = facts.content
    model = f"{facts.arch}@{out / WEIGHTS}" if ":" in facts.arch else str(out)
    if facts.denoiser:
        model = f"denoised:{out}@{classifier}"
    result, training = content["result"], content["training"]
    numbers = {name: training[name] for name in ("keep", "absent") if name in training}
    noise = NoiseModel(training.get("noise", "gaussian"), **numbers)
    scale = training["sigma"]
    tested = content["test"]
    if scale == 0:
        right = f"{100 * result['clean_accuracy']:.1f} % of {tested['inputs']:,} test inputs right"
        return f"{out}: {right} without noise, of which it saw none"
    noisy, clean = (100 * result[f"{kind}_accuracy"] for kind in ("noisy", "clean"))
    given: dict[str, str | float] = {"noise": noise.name} if noise != GAUSSIAN else {}
    given |= {**scale_argument(noise, scale), **numbers}
    words = " ".join([f"--model {model}", *(f"--{name} {value}" for name, value in given.items())])
    words += f" {say_pictures(facts.pictures)}" if facts.pictures else ""
    where = "at" if noise == GAUSSIAN else "under"
    if tested["fingerprint"] == content["data"]["fingerprint"]:  # every tenth input was held out
        words += f" --start {tested['first']} --step {TENTH}"
    return (
        f"{out}: {noisy:.1f} % of {tested['inputs']:,} test inputs right "
        f"{where} {say_noise(noise, scale)} (one draw each), {clean:.1f} % without noise; "
        f"test inputs: `simplicert sample {words} ...`"
    )
