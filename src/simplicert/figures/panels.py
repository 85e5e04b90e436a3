"""Turn runs into the panels of a figure: choose the numbers that each figure shows."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from simplicert.errors import require
from simplicert.figures.accuracy import accuracy_of_runs, certified_accuracy
from simplicert.figures.attack import attack_distances
from simplicert.figures.distribution import (
    distribution_of_margin,
    distribution_of_pa,
    share_improved,
)
from simplicert.figures.maps import cohen_minus_li
from simplicert.figures.process import process_diagram
from simplicert.figures.regions import ratio_multinomial, ratio_softmax, winner_map
from simplicert.figures.scatter import scatter_on_simplex
from simplicert.figures.trends import (
    certified_proportion,
    largest_against_sigma,
    median_against_sigma,
    time_per_input,
)
from simplicert.metrics.growth import certify_shorter_runs, measure_cost
from simplicert.metrics.intervals import shares_under_noise
from simplicert.metrics.study import (
    Study,
    require_comparable,
    require_same_inputs,
    require_same_norm,
)
from simplicert.types import Certificates, Kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Panel = Callable[["Axes"], "Axes"]

MARGIN = 1.05  # of the largest radius: where an axis of radii ends


@dataclass(frozen=True)
class FigureRequest:
    """What a figure is to be made of: runs, one kind (None: see each figure), a seed."""

    studies: Sequence[Study] = ()
    kind: Kind | None = None
    seed: int = 0


def process_panels(asked: FigureRequest) -> list[Panel]:
    """Made of nothing."""
    return [process_diagram]


def difference_panels(asked: FigureRequest) -> list[Panel]:
    """Made of nothing."""
    return [cohen_minus_li]


def ratio_panels(asked: FigureRequest) -> list[Panel]:
    """Softmax left, multinomial right, as in the paper."""
    panels: dict[Kind, Panel] = {"softmax": ratio_softmax, "multinomial": ratio_multinomial}
    return [panels[asked.kind]] if asked.kind else list(panels.values())


def winner_panels(asked: FigureRequest) -> list[Panel]:
    """Multinomial unless asked: for softmax one mechanism wins everywhere."""
    return [partial(winner_map, asked.kind or "multinomial")]


def accuracy_panels(asked: FigureRequest) -> list[Panel]:
    """Each kind that the run has evidence for, on the same scale."""
    for study in asked.studies:
        study.require_labels("certified accuracy")
    found = _certificates_by_kind(asked)
    reach = MARGIN * max(float(item.radius.max()) for item in found) or None
    return [partial(certified_accuracy, item, reach=reach) for item in found]


def accuracy_by_sigma_panels(asked: FigureRequest) -> list[Panel]:
    """All runs together."""
    for study in asked.studies:
        study.require_labels("certified accuracy")
    return [partial(accuracy_of_runs, _certificates_by_run(asked))]


def scatter_panels(asked: FigureRequest) -> list[Panel]:
    """Each kind that the run has evidence for, softmax left as in the paper."""
    _require_mechanisms(asked)
    found = sorted(_certificates_by_kind(asked), key=lambda item: item.known.kind, reverse=True)
    return [partial(scatter_on_simplex, item) for item in found]


def improvement_panels(asked: FigureRequest) -> list[Panel]:
    """All runs together."""
    _require_mechanisms(asked)
    return [partial(share_improved, _certificates_by_run(asked))]


def proportion_panels(asked: FigureRequest) -> list[Panel]:
    """Shorter runs out of the one that is given."""
    return [partial(certified_proportion, certify_shorter_runs(asked.studies[0], asked.seed))]


def time_panels(asked: FigureRequest) -> list[Panel]:
    """Measured now."""
    return [partial(time_per_input, measure_cost(asked.studies[0], asked.seed))]


def sigma_panels(asked: FigureRequest) -> list[Panel]:
    """Medians left, shares right."""
    _require_mechanisms(asked)
    several = list(_certificates_by_run(asked).values())
    return [partial(median_against_sigma, several), partial(largest_against_sigma, several)]


def distribution_panels(asked: FigureRequest) -> list[Panel]:
    """p_A left, p_A - p_B right."""
    require_same_inputs(asked.studies)
    several = {
        name: shares_under_noise(study.tally)
        for name, study in studies_by_legend_name(asked).items()
    }
    require(
        len({shares.labelled for shares in several.values()}) == 1,
        "runs must all have labels or all have none: p_A is the label's share where there is one",
    )
    return [partial(distribution_of_pa, several), partial(distribution_of_margin, several)]


def attack_panels(asked: FigureRequest) -> list[Panel]:
    """All runs together, of the kind that the first declared unless asked."""
    require_same_norm(asked.studies)
    kind = asked.kind or asked.studies[0].run.manifest.kind
    several = {name: study.attack(kind) for name, study in studies_by_legend_name(asked).items()}
    for study, rows in zip(asked.studies, several.values(), strict=True):
        require(
            bool(rows),
            f"run {study.name} must have been attacked (simplicert attack), and holds no table of "
            f"an attack on {kind} certificates",
        )
    staged = any(study.stage != 1 for study in asked.studies)
    return [partial(attack_distances, several, staged=staged)]


def _certificates_by_kind(asked: FigureRequest) -> list[Certificates]:
    """One run's certificates of the kind asked for, or of all it has evidence for."""
    (study,) = asked.studies
    return [study.certificates(kind) for kind in ([asked.kind] if asked.kind else study.kinds)]


def _require_mechanisms(asked: FigureRequest) -> None:
    """Refuse a figure about mechanisms where a run's certificates are no evidence about them."""
    found = [(study.name, study.certificates(asked.kind)) for study in asked.studies]
    require_comparable(found, "this figure")


def _certificates_by_run(asked: FigureRequest) -> dict[str, Certificates]:
    """Several runs' certificates of one kind, by default the first's, over the same inputs."""
    require_same_inputs(asked.studies)
    require_same_norm(asked.studies)
    kind = asked.kind or asked.studies[0].certificates().known.kind
    return {name: study.certificates(kind) for name, study in studies_by_legend_name(asked).items()}


def studies_by_legend_name(asked: FigureRequest) -> dict[str, Study]:
    """By sigma where that tells the runs apart and nobody named them otherwise."""
    apart = len({study.sigma for study in asked.studies}) == len(asked.studies)

    def name(study: Study) -> str:
        own = study.name == study.run.folder.resolve().name
        # To matplotlib dollars begin a formula, and what begins with _ is not for the legend.
        plain = re.sub("^_", " _", study.name.replace("$", r"\$"))
        return f"$\\sigma$ = {study.sigma:g}" if apart and own else plain

    return {name(study): study for study in asked.studies}
