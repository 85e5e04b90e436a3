"""Pictures of the inputs, from the data: a run holds none."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np

from simplicert.analysis.report.risk import risk_order
from simplicert.analysis.report.sprites import MOST, Sheet, are_images, chosen_inputs, make_sheet
from simplicert.analysis.report.views import View
from simplicert.data import Dataset, load_data
from simplicert.errors import InvalidInput, SimplicertError, require
from simplicert.runs.origin import named_data

HINT = "give --data as `simplicert sample` had it to see thumbnails"


class Pictures(NamedTuple):
    """A sheet of thumbnails, or a sentence that says why there is none."""

    sheet: Sheet | None
    note: str = ""


def find_pictures(views: Sequence[View], spec: str | None) -> Pictures:
    """Thumbnails of the inputs from the data that `spec` names, by default the run's own.

    Data that was asked for and is not the run's is refused: the wrong picture beside a certificate
    is worse than none. Data that the run names are opened only by their fingerprint. Where that
    fails a note says so, and not what was found there: the page may go to other people.
    """
    if spec is not None:
        return pictured(views, checked(load_data(spec), views[0]))
    run = views[0].study.run
    if run.manifest.made.get("data") is None:
        return Pictures(None, f"No thumbnails: the run does not name its data; {HINT}.")
    if not isinstance(run.manifest.source.get("data_fingerprint"), str):
        return Pictures(None, f"No thumbnails: the run keeps no fingerprint of its data; {HINT}.")
    try:
        return pictured(views, checked(named_data(run), views[0]))
    except (SimplicertError, OSError):
        return Pictures(None, f"No thumbnails: the run's data were not found here; {HINT}.")


def checked(data: Dataset, view: View) -> Dataset:
    """The data, if it can be what the run was drawn from."""
    recorded = view.study.run.manifest.source.get("data_fingerprint")
    require(
        recorded in (None, data.fingerprint),
        f"data must be what {view.study.name} was drawn from, and {data.name} has another "
        f"fingerprint ({data.fingerprint} for {recorded})",
    )
    for number in (int(view.index.min()), int(view.index.max())):
        require(
            0 <= number < len(data),
            f"data must hold input {number} of {view.study.name}, and {data.name} holds 0 to "
            f"{len(data) - 1}",
        )
    if recorded is None and view.labels is not None and data.labels is not None:
        differ = np.flatnonzero(data.labels[view.index] != view.labels)
        if differ.size:
            raise InvalidInput(
                f"data must have the labels of {view.study.name}, and {data.name} differs at "
                f"input {view.index[differ[0]]}"
            )
    return data


def pictured(views: Sequence[View], data: Dataset) -> Pictures:
    """A sheet of at most MOST inputs; the page's views are all of the same inputs."""
    if not are_images(data.inputs.shape):
        shape = " x ".join(str(n) for n in data.inputs.shape[1:])
        return Pictures(None, f"No thumbnails: inputs of shape {shape} are no images.")
    if find_spec("PIL") is None:
        return Pictures(None, "No thumbnails: pillow is not installed.")
    everything = np.unique(views[0].index)  # rows may stand in another order in another run
    orders = [np.searchsorted(everything, view.index[risk_order(view)]) for view in views]
    numbers = everything[chosen_inputs(len(everything), orders, MOST)]
    note = ""
    if len(numbers) < len(everything):
        note = f"Thumbnails of {MOST} inputs: the riskiest and an even spread of the others."
    return Pictures(make_sheet(data.inputs[numbers], numbers), note)
