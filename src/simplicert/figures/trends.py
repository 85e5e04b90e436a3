"""Draw what changes with more draws, with more noise, and from epoch to epoch of a training.

More draws: `certified_proportion` (what they bring) and `time_per_input` (what they cost).
More noise: `median_against_sigma` and `largest_against_sigma`, for each mechanism.
Epochs: `training_curve`, the accuracy under noise and the loss.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simplicert.errors import require
from simplicert.figures.style import (
    GREEK,
    GREY,
    MECHANISM_STYLES,
    draw_legend,
    line_keywords,
    radius_label,
    settings_note,
    style_axes,
)
from simplicert.metrics.averages import median_radius, share_by_region
from simplicert.metrics.intervals import population_mask
from simplicert.metrics.radii import least_worthwhile, radius_sign
from simplicert.noises import NOISES
from simplicert.noises.words import strength_of
from simplicert.types import Certificates

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from simplicert.metrics.growth import CostByDraws


DRAWS_LABEL = "draws of an input, $n$"

LETTER = 0.03  # share of the width of the axes that a letter below them takes

# Colours of the training and of the test inputs.
TRAIN, TEST = MECHANISM_STYLES["li"].colour, MECHANISM_STYLES["cohen"].colour


def certified_proportion(
    growth: Mapping[int, Certificates], axes: "Axes", *, population: str = "all"
) -> "Axes":
    """Draw the share of inputs with a radius > 0.05 against n; paper fig. (IMAGENET_Proportion).

    Of radii that are whole numbers, the share with a radius of 1 at least. The "correct" inputs are
    those of the longest run, so that all points of a line are over the same inputs.

    >>> from matplotlib.figure import Figure
    >>> import simplicert as sc
    >>> tallies = {n: sc.Tally([[n - 2, 2]], sigma=0.5) for n in (10, 100, 1000)}
    >>> growth = {n: sc.certify(sc.bound(tally)) for n, tally in tallies.items()}
    >>> axes = sc.figures.certified_proportion(growth, Figure().subplots())
    >>> axes.lines[0].get_xdata(), axes.lines[0].get_ydata()
    (array([  10,  100, 1000]), array([0., 1., 1.]))
    """
    drawn = list(growth.values())
    least, mask = least_worthwhile(drawn[0]), population_mask(drawn[-1], population)
    for name in drawn[-1].columns:
        shares = [float(item.reaches(least, name)[mask].mean()) for item in drawn]
        axes.plot(list(growth), shares, clip_on=False, **line_keywords(name, drawn[0].known))
    style_axes(
        axes,
        DRAWS_LABEL,
        f"proportion with {radius_label(drawn[0], 'radius')} {radius_sign(drawn[0])} {least:g}",
    )
    axes.set(xscale="log", ylim=(0, 1))
    note = settings_note(drawn, draws=False, population=population, totals=[int(mask.sum())])
    draw_legend(axes, note)
    return axes


def time_per_input(cost: "CostByDraws", axes: "Axes") -> "Axes":
    """Draw seconds per input against n: draws, bounds and mechanisms; paper (IMAGENET_Time).

    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> import simplicert as sc
    >>> seconds = np.array([0.1, 1.0])
    >>> cost = sc.metrics.CostByDraws(
    ...     np.array([100, 1000]), seconds, seconds / 1000, {"cohen": seconds / 1e6}, inputs=50
    ... )
    >>> axes = sc.figures.time_per_input(cost, Figure().subplots())
    >>> [line.get_label() for line in axes.lines]
    ['drawing', 'bounds', 'Cohen']
    """
    axes.plot(cost.draws, cost.drawing, color=GREY, linewidth=2.5, label="drawing")
    axes.plot(cost.draws, cost.bounds, color=GREY, linestyle="dotted", label="bounds")
    for name, seconds in cost.mechanisms.items():
        axes.plot(cost.draws, seconds, **line_keywords(name))
    style_axes(axes, DRAWS_LABEL, "seconds per input")
    axes.set(xscale="log", yscale="log")
    draw_legend(
        axes,
        f"multinomial, average over {cost.inputs:,} inputs\n"
        "bounds: from counts to $E_0$ and $E_1$\n"
        "mechanisms: from $E_0$ and $E_1$ to a radius",
    )
    return axes


def median_against_sigma(
    several: Sequence[Certificates], axes: "Axes", *, population: str = "all", inputs: str = ""
) -> "Axes":
    """Draw the median radius of each mechanism against sigma; the M of paper tab. (large_table).

    >>> from matplotlib.figure import Figure
    >>> import simplicert as sc
    >>> little, much = (sc.certify(sc.bound(sc.Tally([[99, 1]], s, labels=[0]))) for s in (0.5, 1))
    >>> axes = sc.figures.median_against_sigma([little, much], Figure().subplots())
    >>> axes.get_ylabel(), axes.lines[0].get_xdata()
    ('median radius', array([0.5, 1. ]))
    """
    drawn = _sort_by_sigma(several)
    sigmas = _list_strengths(drawn)
    for name in drawn[0].columns:
        medians = [median_radius(item, name, population=population) for item in drawn]
        axes.plot(sigmas, medians, clip_on=False, **line_keywords(name, drawn[0].known))
    return _label_sigma_axes(
        axes, drawn, radius_label(drawn[0], "median radius"), population, inputs
    )


def largest_against_sigma(
    several: Sequence[Certificates], axes: "Axes", *, population: str = "all", inputs: str = ""
) -> "Axes":
    """Draw the share of inputs each member of the paper's ensemble wins; the L of its table.

    Bars are 95 % intervals over the choice of inputs. The grey line is the share that no mechanism
    certifies: with it the shares sum to 1.

    >>> from matplotlib.figure import Figure
    >>> import simplicert as sc
    >>> little, much = (sc.certify(sc.bound(sc.Tally([[99, 1]], s, labels=[0]))) for s in (0.5, 1))
    >>> axes = sc.figures.largest_against_sigma([little, much], Figure().subplots())
    >>> axes.get_ylabel(), axes.get_xscale()
    ('share with the largest radius', 'log')
    """
    drawn = _sort_by_sigma(several)
    sigmas = _list_strengths(drawn)
    won = [share_by_region(item, population=population) for item in drawn]
    whole = NOISES[drawn[0].known.noise.name].whole
    nobody = {"label": "radius 0" if whole else "abstained", "color": GREY, "marker": "x"}
    for name in won[0]:
        value, low, high = np.array([(w[name].value, w[name].low, w[name].high) for w in won]).T
        reach = np.maximum([value - low, high - value], 0.0)
        bars: dict[str, Any] = {"yerr": reach, "elinewidth": 0.7, "capsize": 2, "clip_on": False}
        look = nobody if name == "none" else line_keywords(name, drawn[0].known)
        axes.errorbar(sigmas, value, **bars, **look)
    up = "share with the largest radius"
    _label_sigma_axes(axes, drawn, up, population, inputs).set_ylim(0, 1)
    return axes


def _sort_by_sigma(several: Sequence[Certificates]) -> list[Certificates]:
    """Sort certificates by sigma, or what the noise has for it; refuse two of the same."""
    noises = dict.fromkeys(certificates.known.noise.name for certificates in several)
    require(len(noises) == 1, f"runs must be of one noise to draw a trend, got {', '.join(noises)}")

    def strength(certificates: Certificates) -> tuple[str, float]:
        return strength_of(certificates.known.noise, certificates.known.sigma)

    name, sigmas = strength(several[0])[0], sorted(strength(item)[1] for item in several)
    require(
        len(set(sigmas)) == len(sigmas) > 1,
        f"runs must be of two or more different {name}s to draw a trend, got {name} "
        + ", ".join(f"{sigma:g}" for sigma in sigmas),
    )
    return sorted(several, key=strength)


def _has_stage(drawn: Sequence[Certificates]) -> bool:
    """Whether a stage before the noise stretches distances, by the same factor in all runs."""
    return {item.sensitivity for item in drawn} == {drawn[0].sensitivity} != {1.0}


def _list_strengths(drawn: Sequence[Certificates]) -> list[float]:
    """Return sigma of each run, or what the noise has for it, in units of the input."""
    sigmas = [strength_of(item.known.noise, item.known.sigma)[1] for item in drawn]
    return [sigma / drawn[0].sensitivity for sigma in sigmas] if _has_stage(drawn) else sigmas


def _write_ticks(sigmas: Sequence[float]) -> list[str]:
    """Write the sigmas below a logarithmic axis; "" where a text would touch the one before."""
    texts = [f"{sigma:.3g}" for sigma in sigmas]
    across = np.log(np.asarray(sigmas) / sigmas[0]) / np.log(sigmas[-1] / sigmas[0])
    ends, kept = -1.0, []
    for at, text in zip(across, texts, strict=True):
        half = LETTER * len(text) / 2
        kept.append(text if at - half > ends else "")
        ends = at + half if kept[-1] else ends
    return kept


def _label_sigma_axes(
    axes: "Axes", drawn: Sequence[Certificates], up: str, population: str, inputs: str
) -> "Axes":
    """Add the labels, a tick at each sigma, and the legend."""
    name = strength_of(drawn[0].known.noise, drawn[0].known.sigma)[0]
    words = f"{GREEK.get(name, name)} of the noise"
    style_axes(axes, f"{words} / sensitivity" if _has_stage(drawn) else words, up)
    sigmas = _list_strengths(drawn)
    axes.set_xscale("log")
    axes.set_xticks(sigmas, _write_ticks(sigmas))
    axes.set_xticks([], minor=True)
    axes.set_ylim(0, None)
    note = settings_note(drawn, sigma=False, population=population, inputs=inputs)
    draw_legend(axes, note)
    return axes


def training_curve(log: Sequence[Mapping[str, float]], axes: "Axes") -> "Axes":
    """Draw single-draw accuracy of training and test inputs by epoch, and the loss at the right."""
    epochs = [row["epoch"] for row in log]
    for name, colour, line, label in (
        ("train_accuracy", TRAIN, "dashed", "training inputs, noisy"),
        ("noisy_accuracy", TEST, "solid", "test inputs, noisy"),
    ):
        shares = [row[name] for row in log]
        axes.plot(epochs, shares, color=colour, linestyle=line, marker=".", label=label)
    axes.plot([], [], color=GREY, linestyle="dotted", label="loss (right)")
    style_axes(axes, "epoch", "accuracy, one noisy draw")
    right = axes.twinx()
    right.plot(epochs, [row["loss"] for row in log], color=GREY, linestyle="dotted")
    right.set_ylabel("mean loss")
    right.spines[["top"]].set_visible(False)
    seconds = sum(row["seconds"] for row in log)
    draw_legend(axes, f"{len(log)} epochs, {seconds / 60:.1f} minutes of training")
    return axes
