"""Say what a run certifies in a few numbers and sentences."""

from collections.abc import Sequence
from typing import NamedTuple

from simplicert.figures.style import mechanism_style
from simplicert.mechanisms.threats import ensemble_members, threat_of
from simplicert.metrics.averages import average_radius, certified_accuracy
from simplicert.metrics.comparison import base_column, measure_improvement
from simplicert.metrics.numbers import format_down, format_percent_down, format_share_down
from simplicert.metrics.radii import round_radii, whole_radii
from simplicert.metrics.study import explain_no_comparison
from simplicert.noises import say_noise
from simplicert.noises.words import describe_changes, label_radius
from simplicert.report.views import View
from simplicert.tables.summary import describe_draw_count, level_sentence
from simplicert.types import Certificates
from simplicert.types.certificates import format_radius_down

MARKS = 4  # radii named after 0


class Tile(NamedTuple):
    """One large number, and what it is."""

    value: str
    label: str


def headline_radii(views: Sequence[View]) -> list[float]:
    """Return 0 and a few round radii, up to the largest of the page; 0 alone if there is none."""
    largest = max(float(view.radius.max()) for view in views)
    if views[0].whole:
        return list(whole_radii(largest, MARKS + 1))
    return round_radii(largest, MARKS)


def headline_tiles(view: View) -> list[Tile]:
    """Return the numbers to see first."""
    total, certified = len(view.frame), int((~view.abstained).sum())
    tiles = [Tile(f"{certified} of {total}", "inputs certified")]
    if view.labels is not None:
        tiles.append(
            Tile(format_share_down(int(view.correct.sum()), total), "certified accuracy at 0")
        )
    if view.certificates is not None and view.labels is not None:
        mean = average_radius(view.certificates).value
        words = label_radius(view.norm, "average certified radius")
        tiles.append(Tile(format_radius_down(mean, 4), words))
    largest = format_radius_down(float(view.radius.max()), 0 if view.whole else 4)
    tiles.append(Tile(largest, label_radius(view.norm, "largest radius")))
    return tiles


def headline_sentences(view: View, radii: Sequence[float]) -> list[str]:
    """Say what is certified, how far, what the mechanisms add, and what is proved of it."""
    sentences = [_count_sentence(view)]
    if view.certificates is None:
        return [
            *sentences,
            "The log holds bare radii: they are shown as it printed them, certified by the tool "
            "that wrote them alone, and none of our mechanisms applies.",
        ]
    if view.labels is not None:
        sentences.append(_accuracy_sentence(view.certificates, radii))
    return [*sentences, *_improvement_sentences(view.certificates), _meaning_sentence(view)]


def _count_sentence(view: View) -> str:
    """Say how many inputs have a certificate, and how many have the right one."""
    total, certified = len(view.frame), int((~view.abstained).sum())
    where = ", at a radius of 0 or more" if view.closed else " at some radius"
    start = f"{certified} of {total} inputs are certified{where}"
    if view.labels is None:
        return f"{start}; without labels nothing is said of accuracy."
    right = int(view.correct.sum())
    return f"{start}: {right} as the class of their label, {certified - right} as another one."


def _accuracy_sentence(certificates: Certificates, radii: Sequence[float]) -> str:
    """State certified accuracy by the best radius, at round radii."""
    rates = [certified_accuracy(certificates, radius) for radius in radii]
    named = ", ".join(
        f"{format_share_down(rate.hits, rate.total)} at r = {radius:g}"
        for radius, rate in zip(radii, rates, strict=True)
    )
    above = "of at least r" if certificates.closed else "above r"
    return (
        "Certified accuracy, the share of all inputs certified as their label with a radius "
        f"{above}: {named}."
    )


def _improvement_sentences(certificates: Certificates) -> list[str]:
    """Say how much the ensemble and the tight radius improve on Cohen, or on the kind's first."""
    kind, radii = certificates.known.kind, certificates.radii
    if alone := explain_no_comparison(certificates):
        return [f"{alone[0].upper()}{alone[1:]}."]
    base, paper = base_column(certificates), certificates.known.noise.name == "gaussian"
    if base not in radii or base == "two_sided":
        return []
    whose = "The paper's ensemble"
    if not paper:
        whose = f"The ensemble of {', '.join(ensemble_members(certificates.known))}"
    sentences = []
    if len(ensemble_members(certificates.known)) > 1:
        sentences.append(_comparison_sentence(certificates, "ensemble", base, whose))
    if "two_sided" in radii:
        sentences.append(
            _comparison_sentence(certificates, "two_sided", base, "The tight two-sided radius")
        )
    for column, source in (("cdf", "score histograms"), ("lipschitz", "a Lipschitz constant")):
        if column in radii:
            name = f"The radius from {source} ({column})"
            sentences.append(_comparison_sentence(certificates, column, base, name))
    if kind == "softmax" and paper:
        sentences.insert(0, "Cohen's one-sided radius has no proof for softmax scores.")
    return sentences


def _comparison_sentence(certificates: Certificates, column: str, base: str, name: str) -> str:
    """Compare one column with the base, over all inputs.

    The percentage is one of means. A mean of percentages is ruled by inputs whose base is next to
    nothing: it said 693 % where the mean radius grew by 1.2 %.
    """
    gain = measure_improvement(certificates, column, base)
    mean = float(certificates.column(base).mean())
    label = mechanism_style(base, threat_of(certificates.known.noise, certificates.known.norm)).name
    percent = ""
    if mean > 0:
        percent = f", {format_down(100 * gain.mean / mean, 1)} % of the mean by {label}"
    every = "" if certificates.known.labels is None else ", right or wrong"
    return (
        f"{name} improves on {label} for {format_percent_down(gain.improved)} % of all inputs"
        f"{every}, by {format_down(gain.mean, 4)} in the mean{percent}."
    )


def _meaning_sentence(view: View) -> str:
    """Say what is certified, against what, and how surely."""
    assert view.certificates is not None
    known = view.certificates.known
    proved = level_sentence(view.certificates, disproved=bool(view.study.disproofs))
    noise = f"at noise of sigma {known.sigma:g}"
    if known.noise.name != "gaussian":
        noise = f"under {say_noise(known.noise, known.sigma)}"
    return (
        f"What is certified is the smoothed classifier, {noise} "
        f"({describe_draw_count(view.certificates)}), for "
        f"{describe_changes(known.norm, view.certificates.space)}. "
        f"{proved[0].upper()}{proved[1:]}."
    )
