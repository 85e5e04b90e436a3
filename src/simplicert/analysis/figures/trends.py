"""How the mechanisms fare as the noise grows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simplicert.analysis.figures.style import dress, legend, line_of
from simplicert.analysis.figures.words import note, radius_words
from simplicert.analysis.metrics import median_radius, share_largest
from simplicert.errors import require
from simplicert.types import Certificates

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def median_against_sigma(several: Sequence[Certificates], axes: "Axes") -> "Axes":
    """Median radius of each mechanism against sigma; the M of paper tab. (large_table)."""
    drawn = by_sigma(several)
    sigmas = [certificates.known.sigma for certificates in drawn]
    for name in drawn[0].columns:
        medians = [median_radius(certificates, name) for certificates in drawn]
        axes.plot(sigmas, medians, clip_on=False, **line_of(name))
    return finished(axes, drawn, radius_words(drawn[0], "median radius"))


def largest_against_sigma(several: Sequence[Certificates], axes: "Axes") -> "Axes":
    """Share of inputs each member of the paper's ensemble wins, against sigma; the L of its table.

    Bars are 95 % intervals over the choice of inputs.
    """
    drawn = by_sigma(several)
    sigmas = [certificates.known.sigma for certificates in drawn]
    won = [share_largest(certificates) for certificates in drawn]
    for name in won[0]:
        value, low, high = np.array([(w[name].value, w[name].low, w[name].high) for w in won]).T
        reach = np.maximum([value - low, high - value], 0.0)
        bars: dict[str, Any] = {"yerr": reach, "elinewidth": 0.7, "capsize": 2, "clip_on": False}
        axes.errorbar(sigmas, value, **bars, **line_of(name))
    finished(axes, drawn, "share with the largest radius").set_ylim(0, 1)
    return axes


def by_sigma(several: Sequence[Certificates]) -> list[Certificates]:
    """Rising in sigma, which must differ."""
    sigmas = sorted(certificates.known.sigma for certificates in several)
    require(
        len(set(sigmas)) == len(sigmas) > 1,
        "runs must be of two or more different sigmas to draw a trend, got sigma "
        + ", ".join(f"{sigma:g}" for sigma in sigmas),
    )
    return sorted(several, key=lambda certificates: certificates.known.sigma)


def finished(axes: "Axes", drawn: Sequence[Certificates], up: str) -> "Axes":
    """Labels, a tick at each sigma, and the legend."""
    dress(axes, r"$\sigma$ of the noise", up)
    sigmas = [certificates.known.sigma for certificates in drawn]
    axes.set_xscale("log")
    axes.set_xticks(sigmas, [f"{sigma:g}" for sigma in sigmas])
    axes.set_xticks([], minor=True)
    axes.set_ylim(0, None)
    legend(axes, note(drawn, sigma=False))
    return axes
