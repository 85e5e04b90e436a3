"""Train a classifier under noise: certificates are only as good as the base model is there."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from simplicert.errors import InvalidInput

if TYPE_CHECKING:
    from simplicert.data import Dataset
    from simplicert.models import Model
    from simplicert.training.epoch import Report
    from simplicert.training.job import Watch

__all__ = ["train"]


def train(  # noqa: PLR0913
    data: "Dataset | str",
    out: str | Path,
    *,
    test: "Dataset | str | None" = None,
    class_map: str | None = None,
    label_column: str | None = None,
    resize: int | None = None,
    crop_to: int | None = None,
    recipe: str | None = None,
    init: str | Path | None = None,
    classifier: "Model | str | None" = None,
    device: str | None = None,
    report: "Report | None" = None,
    watch: "Watch | None" = None,
    **options: Any,
) -> "Model":
    """Train a classifier under noise; `out` becomes a model folder, which is also returned, loaded.

    `options` are those of `simplicert train` (sigma, arch, method, epochs, rate, ...) and stand in
    for the recipe's; `report` is called after some batches and `watch` after every epoch. The same
    call goes on where an earlier one was interrupted. Without `test`, every tenth input of the data
    is held out and tested on; `class_map` says which class of the data each class of the test is,
    and `label_column` which column of a table is the label. `resize` and `crop_to` bring pictures
    to one size, as `resize` and `crop` of a run do (`crop` is here a crop at random). With
    method="denoiser", `classifier` is the model that stands behind the denoiser: it stays as it
    is, and what is returned are both together.

    >>> import tempfile
    >>> from simplicert.data import load_data
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     data = load_data("digits", step=20)
    ...     train(data, f"{folder}/network", arch="mlp", sigma=0.25, epochs=1).sigma
    0.25
    """
    from simplicert.importing import import_library

    import_library("torch", "torch", "training")
    from simplicert.data.options import DataOptions
    from simplicert.models import load_model
    from simplicert.training.job import run_training
    from simplicert.training.sets import say_as_training, training_sets
    from simplicert.training.settings import resolve_settings

    settings = resolve_settings(recipe, options)
    with say_as_training():
        read = DataOptions(resize, crop_to, label_column)
    trained, tested = training_sets(data, test, class_map, read)
    start = None if init is None else Path(init)
    try:
        behind = load_model(classifier) if isinstance(classifier, str) else classifier
    except InvalidInput as error:
        raise InvalidInput(f"classifier: {error}") from None
    return run_training(
        settings,
        trained,
        tested,
        Path(out),
        init=start,
        classifier=behind,
        device=device,
        report=report or _ignore_reports,
        watch=watch or _ignore_reports,
    )


def _ignore_reports(_: object) -> None:
    """Do nothing: the default where the caller wants no reports."""
