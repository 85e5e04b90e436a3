"""Turn runs into the panels of a figure: choose the numbers that each figure shows."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from simplicert.errors import KindMismatch, require
from simplicert.figures.accuracy import OURS, PAPERS, accuracy_of_runs, certified_accuracy
from simplicert.figures.attack import attack_distances
from simplicert.figures.crowd import (
    MOST_LINES,
    choose_bold,
    describe_figure_inputs,
    split_into_multiples,
)
from simplicert.figures.distribution import (
    distribution_of_margin,
    distribution_of_pa,
    share_improved,
)
from simplicert.figures.maps import cohen_minus_li, one_sided_share, ratio_map
from simplicert.figures.process import process_diagram
from simplicert.figures.regions import ratio_multinomial, ratio_softmax, winner_map
from simplicert.figures.scatter import scatter_on_simplex
from simplicert.figures.style import strength_note
from simplicert.figures.trends import (
    certified_proportion,
    largest_against_sigma,
    median_against_sigma,
    time_per_input,
)
from simplicert.mechanisms.naming import describe_threat, example_threats
from simplicert.mechanisms.threats import Threat
from simplicert.metrics.comparable import require_same_norm
from simplicert.metrics.growth import certify_shorter_runs, measure_cost
from simplicert.metrics.intervals import NoisyShares, population_mask, shares_under_noise
from simplicert.metrics.shared import relate_inputs
from simplicert.metrics.study import Study, compares_mechanisms, require_comparable
from simplicert.noises.words import name_noise
from simplicert.simplex import GAUSSIAN, make_grid, radius_ratio, usual_mechanisms
from simplicert.tables.settings import require_columns, require_members
from simplicert.types import Certificates, Kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Panel = Callable[["Axes"], "Axes"]

COARSE = 40  # steps of a grid on which maps are compared

MARGIN = 1.05  # times the largest radius is where an axis of radii ends


@dataclass(frozen=True)
class FigureRequest:
    """What a figure is made of: runs, one kind (None: see each figure), a seed and a threat.

    `population` is all inputs or the correct ones, `columns` the radii of a figure of several runs,
    and `highlight` those runs that stand out of a faint crowd.
    """

    studies: Sequence[Study] = ()
    kind: Kind | None = None
    seed: int = 0
    threat: Threat = GAUSSIAN
    population: str = "all"
    columns: tuple[str, ...] = (OURS, PAPERS)
    highlight: tuple[str, ...] = ()

    @property
    def inputs(self) -> str:
        """Which inputs the runs cover, where they are not the same or not all."""
        return describe_figure_inputs(self.studies)


def process_panels(request: FigureRequest) -> list[Panel]:
    """Return the diagram of the method, which needs no run."""
    return [process_diagram]


def difference_panels(request: FigureRequest) -> list[Panel]:
    """Return the map of Cohen minus Li, which needs no run."""
    return [cohen_minus_li]


def ratio_panels(request: FigureRequest) -> list[Panel]:
    """Return softmax left and multinomial right, as in the paper; of another threat see below."""
    if not request.threat.of_paper:
        kinds = (request.kind,) if request.kind else ("multinomial",)
        return [limit_panel(request.threat, kind) for kind in kinds]
    panels: dict[Kind, Panel] = {"softmax": ratio_softmax, "multinomial": ratio_multinomial}
    if request.kind:
        return [panels[request.kind]]
    return [partial(ratio_softmax, bar=False), ratio_multinomial]


def limit_panel(threat: Threat, kind: Kind) -> Panel:
    """Return a map of the limit of a threat over the largest radius of its ensemble."""
    others = tuple(name for name in usual_mechanisms(threat, kind) if name != "two_sided")
    if not others:
        raise KindMismatch(
            f"{describe_threat(threat)} has no second radius with a proof for {kind}: there is no "
            "ratio to draw"
        )
    return partial(ratio_map, "two_sided", others, kind, threat=threat)


def winner_panels(request: FigureRequest) -> list[Panel]:
    """Return one map, by default multinomial: for softmax one mechanism wins everywhere."""
    kind = request.kind or "multinomial"
    names = usual_mechanisms(request.threat, kind)
    if len(names) < 2:  # noqa: PLR2004
        raise KindMismatch(
            f"{describe_threat(request.threat)} has no second radius with a proof for {kind}: "
            "there are no regions to draw"
        )
    return [partial(winner_map, kind, threat=request.threat)]


def threat_panels(request: FigureRequest) -> list[Panel]:
    """Return a map for every noise: its one-sided radius as a share of the largest there is.

    Noises whose maps are the same share one: a share of a radius is no radius, and has no norm.
    """
    return [partial(one_sided_share, group) for group in group_threats()]


def group_threats() -> list[list[Threat]]:
    """Return one threat of every noise, those together whose share of the limit is the same."""
    known = make_grid(COARSE)
    groups: dict[bytes, list[Threat]] = {}
    for threat in example_threats():
        first = next(iter(threat.mechanisms))
        shares = radius_ratio(first, "two_sided", known, threat)
        groups.setdefault(shares.round(9).tobytes(), []).append(threat)
    return list(groups.values())


def accuracy_panels(request: FigureRequest) -> list[Panel]:
    """Return one panel per kind that the run has evidence for, all on the same scale."""
    for study in request.studies:
        study.require_labels("certified accuracy")
    certificates = _certificates_by_kind(request)
    reach = MARGIN * max(float(item.radius.max()) for item in certificates) or None
    over = request.population
    return [
        partial(certified_accuracy, item, reach=reach, population=over) for item in certificates
    ]


def accuracy_by_sigma_panels(request: FigureRequest) -> list[Panel]:
    """Return one panel with all runs."""
    for study in request.studies:
        study.require_labels("certified accuracy")
    several = _certificates_by_run(request)
    for study, item in zip(request.studies, several.values(), strict=True):
        if compares_mechanisms(item):
            require_columns(study, item, request.columns)
    return _panels_of_runs(request, accuracy_of_runs, several, columns=request.columns)


def scatter_panels(request: FigureRequest) -> list[Panel]:
    """Return one panel per kind that the run has evidence for, softmax left as in the paper."""
    _require_mechanisms(request)
    certificates = _certificates_by_kind(request)
    softmax_first = sorted(certificates, key=lambda item: item.known.kind, reverse=True)
    over = request.population
    return [partial(scatter_on_simplex, item, population=over) for item in softmax_first]


def improvement_panels(request: FigureRequest) -> list[Panel]:
    """Return one panel with all runs."""
    _require_mechanisms(request)
    for study in request.studies:
        require_members(study, study.certificates(request.kind), "this figure")
    several = _certificates_by_run(request)
    return _panels_of_runs(request, share_improved, several)


def proportion_panels(request: FigureRequest) -> list[Panel]:
    """Return one panel of shorter runs, taken out of the given one."""
    growth = certify_shorter_runs(request.studies[0], request.seed)
    return [partial(certified_proportion, growth, population=request.population)]


def time_panels(request: FigureRequest) -> list[Panel]:
    """Return one panel of times, which are measured now."""
    return [partial(time_per_input, measure_cost(request.studies[0], request.seed))]


def sigma_panels(request: FigureRequest) -> list[Panel]:
    """Return medians left, shares right."""
    _require_mechanisms(request)
    several = list(_certificates_by_run(request).values())
    return [
        partial(draw, several, population=request.population, inputs=request.inputs)
        for draw in (median_against_sigma, largest_against_sigma)
    ]


def distribution_panels(request: FigureRequest) -> list[Panel]:
    """Return p_A left, p_A - p_B right."""
    relate_inputs(request.studies)  # which refuses a run that holds an input twice
    several = {
        name: _shares_of_population(study, request.population)
        for name, study in studies_by_legend_name(request).items()
    }
    require(
        len({shares.labelled for shares in several.values()}) == 1,
        "runs must all have labels or all have none: p_A is the label's share where there is one",
    )
    return [
        panel
        for draw in (distribution_of_pa, distribution_of_margin)
        for panel in _panels_of_runs(request, draw, several)
    ]


def _panels_of_runs(
    request: FigureRequest, draw: Callable[..., "Axes"], several: Mapping[str, Any], **more: Any
) -> list[Panel]:
    """Return one panel with all runs, some of them bold; or of many runs a small one for each."""
    bold = choose_bold(studies_by_legend_name(request), request.highlight)
    keywords = {"population": request.population, "inputs": request.inputs, **more}
    if bold is None and len(several) > MOST_LINES:
        return split_into_multiples(draw, several, keywords)
    return [partial(draw, several, bold=bold, **keywords)]


def _shares_of_population(study: Study, population: str) -> NoisyShares:
    """Return p_A and p_B of a population of a run's inputs."""
    shares = shares_under_noise(study.tally)
    if population == "all":
        return shares
    mask = population_mask(study.certificates(), population)
    return shares._replace(a=shares.a[mask], b=shares.b[mask])


def attack_panels(request: FigureRequest) -> list[Panel]:
    """Return one panel with all runs, by default of the kind that the first run declared."""
    require_same_norm(request.studies)
    kind = request.kind or request.studies[0].run.manifest.kind
    several = {name: study.attack(kind) for name, study in studies_by_legend_name(request).items()}
    for study, rows in zip(request.studies, several.values(), strict=True):
        require(
            bool(rows),
            f"run {study.name} must have been attacked (simplicert attack), and holds no table of "
            f"an attack on {kind} certificates",
        )
    if request.population != "all":
        for study, name in zip(request.studies, several, strict=True):
            certificates = study.certificates(kind)
            kept = set(study.index[population_mask(certificates, request.population)].tolist())
            several[name] = [row for row in several[name] if row.index in kept]
            require(
                bool(several[name]),
                f"population {request.population!r} is empty: none of the attacked inputs of run "
                f"{study.name} belongs to it",
            )
    staged = any(study.stage != 1 for study in request.studies)
    return [partial(attack_distances, several, staged=staged, population=request.population)]


def _certificates_by_kind(request: FigureRequest) -> list[Certificates]:
    """Return one run's certificates of the requested kind, or of all it has evidence for."""
    (study,) = request.studies
    return [study.certificates(kind) for kind in ([request.kind] if request.kind else study.kinds)]


def _require_mechanisms(request: FigureRequest) -> None:
    """Refuse a figure about mechanisms where a run's certificates are no evidence about them."""
    named = [(study.name, study.certificates(request.kind)) for study in request.studies]
    require_comparable(named, "this figure")


def _certificates_by_run(request: FigureRequest) -> dict[str, Certificates]:
    """Return the runs' certificates of one kind, by default the first's."""
    relate_inputs(request.studies)  # which refuses a run that holds an input twice
    require_same_norm(request.studies)
    kind = request.kind or request.studies[0].certificates().known.kind
    return {
        name: study.certificates(kind) for name, study in studies_by_legend_name(request).items()
    }


def studies_by_legend_name(request: FigureRequest) -> dict[str, Study]:
    """Name runs by sigma where that tells them apart and the user gave no other names."""
    kinds = {study.noise.name for study in request.studies}
    strengths = {(study.noise.name, study.strength) for study in request.studies}
    apart = len(strengths) == len(request.studies)

    def name(study: Study) -> str:
        own = study.name == study.run.folder.resolve().name
        # matplotlib reads a formula after a dollar, and hides from legends what begins with _.
        plain = re.sub("^_", " _", study.name.replace("$", r"\$"))
        if not (apart and own):
            return plain
        say = strength_note if len(kinds) == 1 else name_noise
        return say(study.noise, study.sigma)

    return {name(study): study for study in request.studies}
