"""The table of mechanisms: every formula that turns expectations into a certified radius.

To add one: write its file, add its row, add its reference value.
"""

from collections.abc import Callable
from dataclasses import dataclass

from simplicert.mechanisms import cdf, cohen, improved_dp, lecuyer, li, lipschitz, two_sided
from simplicert.types import Floats, Kind


@dataclass(frozen=True)
class Mechanism:
    """A formula for a certified radius, and what it is proved for.

    >>> mechanism = MECHANISMS["two_sided"]
    >>> sorted(mechanism.kinds), mechanism.needs, mechanism.source
    (['multinomial', 'softmax'], 'pair', 'Cohen et al. 2019, Theorem 1')
    >>> round(float(mechanism.radius(0.7, 0.2)), 4)  # L / sigma
    0.683
    """

    radius: Callable[..., Floats]  # from what it needs to L / sigma, where e1 < e0
    kinds: frozenset[Kind]  # the expectations it has a proof for
    source: str
    # It reads (e0, e1); "histograms": the score bands made of them; "lipschitz": a constant too.
    needs: str = "pair"
    noise: str = "gaussian"
    norm: str = "l2"
    limit: Callable[[Floats, Floats], Floats] | None = None  # of true radii from a pair, elsewhere
    label: str = ""  # its name in legends; "": the name of its row
    colour: str = ""  # in figures, "#RRGGBB"; "": the next one of a colour-blind safe palette


_HARD = frozenset[Kind]({"multinomial"})

_SOFT = frozenset[Kind]({"softmax"})

_BOTH = frozenset[Kind]({"multinomial", "softmax"})

# Columns, figures, pages and tests list the mechanisms from this table; a new row goes last.
MECHANISMS: dict[str, Mechanism] = {
    "cohen": Mechanism(cohen.radius, _HARD, "Cohen et al. 2019; eq. Cohen_Bound", label="Cohen"),
    "li": Mechanism(li.radius, _HARD, "Li et al. 2018; eq. Li_Bound", label="Li"),
    "lecuyer": Mechanism(
        lecuyer.radius, _BOTH, "Lecuyer et al. 2019; eq. Lecuyer_bound", label="Lecuyer"
    ),
    "improved_dp": Mechanism(
        improved_dp.radius, _BOTH, "Cullen et al. 2024; eq. NewDP", label="improved DP"
    ),
    "two_sided": Mechanism(
        two_sided.radius, _BOTH, "Cohen et al. 2019, Theorem 1", label="two-sided"
    ),
    "cdf": Mechanism(cdf.radius, _SOFT, "Kumar et al. 2020", needs="histograms", label="CDF"),
    "lipschitz": Mechanism(
        lipschitz.radius, _SOFT, "docs/lipschitz.md", needs="lipschitz", label="Lipschitz"
    ),
}

# The paper's ensemble is fixed: with two_sided in it, every ensemble column would be two_sided.
PAPER_ENSEMBLE: dict[Kind, tuple[str, ...]] = {
    "multinomial": ("cohen", "li", "improved_dp"),
    "softmax": ("lecuyer", "improved_dp"),
}
