"""Say what a run certifies in a few numbers and sentences."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from simplicert.metrics.averages import average_radius, certified_accuracy
from simplicert.metrics.comparison import measure_improvement
from simplicert.metrics.numbers import format_down, format_percent_down, format_share_down
from simplicert.metrics.study import explain_no_comparison
from simplicert.report.views import View
from simplicert.tables.summary import describe_draw_count, level_sentence
from simplicert.types import Certificates
from simplicert.types.certificates import format_radius_down

STEPS = (1.0, 2.0, 2.5, 5.0)  # round numbers, times a power of ten

MARKS = 4  # radii named after 0


class Tile(NamedTuple):
    """One large number, and what it is."""

    value: str
    label: str


def round_radii(views: Sequence[View]) -> list[float]:
    """Return 0 and a few round radii, up to the largest of the page; 0 alone if there is none."""
    largest = max(float(view.radius.max()) for view in views)
    if largest <= 0:
        return [0.0]
    power = 10.0 ** math.floor(math.log10(largest / MARKS))
    step = max(s * power for s in STEPS if s * power <= largest / MARKS)
    return [round(i * step, 12) for i in range(MARKS + 1) if i * step < largest]


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
        tiles.append(Tile(format_radius_down(mean, 4), "average certified radius"))
    tiles.append(Tile(format_radius_down(float(view.radius.max()), 4), "largest radius"))
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
    start = f"{certified} of {total} inputs are certified at some radius"
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
    return (
        "Certified accuracy, the share of all inputs certified as their label with a radius "
        f"above r: {named}."
    )


def _improvement_sentences(certificates: Certificates) -> list[str]:
    """Say how much the ensemble and the tight radius improve on Cohen, or on the kind's first."""
    kind, radii = certificates.known.kind, certificates.radii
    if alone := explain_no_comparison(certificates):
        return [f"{alone[0].upper()}{alone[1:]}."]
    base = "cohen" if "cohen" in radii else "lecuyer"
    if base not in radii:
        return []
    sentences = [_comparison_sentence(certificates, "ensemble", base, "The paper's ensemble")]
    if "two_sided" in radii:
        sentences.append(
            _comparison_sentence(certificates, "two_sided", base, "The tight two-sided radius")
        )
    if "cdf" in radii:
        sentences.append(
            _comparison_sentence(
                certificates, "cdf", base, "The radius from score histograms (cdf)"
            )
        )
    if kind == "softmax":
        sentences.insert(0, "Cohen's one-sided radius has no proof for softmax scores.")
    return sentences


def _comparison_sentence(certificates: Certificates, column: str, base: str, name: str) -> str:
    """Compare one column with the base, over all inputs."""
    gain = measure_improvement(certificates, column, base)
    percent = ""
    if gain.mean_percent is not None:
        percent = f" ({format_down(gain.mean_percent, 1)} % where {base} certifies)"
    return (
        f"{name} improves on {base} for {format_percent_down(gain.improved)} % of all inputs, by "
        f"{format_down(gain.mean, 4)} in the mean{percent}."
    )


def _meaning_sentence(view: View) -> str:
    """Say what is certified, against what, and how surely."""
    assert view.certificates is not None
    known = view.certificates.known
    proved = level_sentence(view.certificates, disproved=bool(view.study.disproofs))
    return (
        f"What is certified is the smoothed classifier, at noise of sigma {known.sigma:g} "
        f"({describe_draw_count(view.certificates)}), for {known.norm} perturbations of "
        f"{view.certificates.space}. "
        f"{proved[0].upper()}{proved[1:]}."
    )
