"""`simplicert import rs4a` and `import splitting`: runs from folders of arrays, one or many."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simplicert.cli.many_imports import (
    ALPHA,
    Alpha,
    ImportJob,
    Out,
    Pattern,
    choose_draws,
    choose_setting,
    import_all,
)

if TYPE_CHECKING:
    from simplicert.noises import NoiseModel
    from simplicert.store.imported import ImportedRun
    from simplicert.store.run import Run

Step = Annotated[int, typer.Option(help="Every step-th input: their --dataset-skip.")]


def rs4a(
    folders: Annotated[
        list[Path],
        typer.Argument(help="Folders of preds.npy, labels.npy, prob_lb.npy; or a folder of them."),
    ],
    noise: Annotated[str, typer.Option(help="gaussian, laplace, uniform or exponential-linf.")],
    out: Out,
    scale: Annotated[
        float | None, typer.Option(help="Of the noise, their lambda; not their --sigma.")
    ] = None,
    sigma: Annotated[
        float | None, typer.Option(help="Standard deviation of Gaussian noise.")
    ] = None,
    alpha: Alpha = None,
    draws: Annotated[int | None, typer.Option(help="Their --sample-size-cert.")] = None,
    size: Annotated[int | None, typer.Option(help="Features of an input, for linf.")] = None,
    step: Step = 1,
    pattern: Pattern = None,
) -> None:
    """The arrays of rs4a (Yang et al. 2020): bounds under Laplace, uniform or other noise.

    Their --sigma is scale / sqrt(3) of uniform noise and scale * sqrt(2) of Laplace noise. In a
    pattern {sigma} is theirs, and {scale} the scale.

    Example: simplicert import rs4a checkpoints/uniform --noise uniform --scale .8660254
    --draws 100000 --out runs/new

    Example: simplicert import rs4a checkpoints/all --noise uniform --pattern 'uniform_{sigma}'
    --draws 100000 --out runs/all
    """
    from simplicert.logs import import_rs4a

    def make(job: ImportJob) -> "ImportedRun":
        model, chosen = _choose_noise(job, noise, sigma, scale, size)
        return import_rs4a(
            job.file,
            model,
            chosen,
            job.out,
            alpha=choose_setting("alpha", alpha, job.named.alpha) or ALPHA,
            draws=choose_draws(draws, job),
            step=step,
            label=job.named.label,
        )

    import_all(folders, ("rs4a",), out, pattern, make)


def splitting(
    folders: Annotated[
        list[Path],
        typer.Argument(help="Folders of preds.npy and labels.npy; or a folder of them."),
    ],
    out: Out,
    scale: Annotated[
        float | None, typer.Option(help="Default: the smallest that fits the shares.")
    ] = None,
    offsets: Annotated[int, typer.Option(help="Their --seed.")] = 0,
    step: Step = 1,
    pattern: Pattern = None,
) -> None:
    """The arrays of derandomised splitting noise (Levine and Feizi 2021): exact counts.

    The counts are certified anew, with certainty, and compared with their classes and radii. In a
    pattern {scale} is the scale; another word, such as {deviation}, goes into the label.

    Example: simplicert import splitting checkpoints/derandomised --out runs/new
    """
    from simplicert.errors import require
    from simplicert.logs import import_splitting

    def make(job: ImportJob) -> "Run":
        require(
            job.named.sigma is None or job.named.scaled,
            "pattern must name the scale of splitting noise by {scale}, got {sigma}: without "
            "either, the shares tell it",
        )
        chosen = choose_setting("scale", scale, job.named.sigma)
        return import_splitting(
            job.file, job.out, scale=chosen, offsets=offsets, step=step, label=job.named.label
        )

    import_all(folders, ("splitting",), out, pattern, make)


def _choose_noise(
    job: ImportJob, noise: str, sigma: float | None, scale: float | None, size: int | None
) -> "tuple[NoiseModel, float]":
    """Return the noise and its scale, from the options or from what the path says."""
    from simplicert.board.arrays import model_of_arrays
    from simplicert.noises import choose_noise

    named = job.named.sigma
    if named is None:
        return choose_noise(noise, sigma, scale, size=size)
    choose_setting("scale", sigma if scale is None else scale, named)  # not from both
    if not job.named.scaled and noise != "gaussian":
        named = model_of_arrays(noise, named)[1]  # a standard deviation, as papers write it
    given = (named, None) if noise == "gaussian" else (None, named)
    return choose_noise(noise, *given, size=size)
