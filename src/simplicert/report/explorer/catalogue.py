"""List what the explorer shows: every noise and norm, their mechanisms, numbers and words.

All of it comes from the tables of `noises` and `mechanisms`: a new row there is a new row on the
page. A mechanism that the page has no formula for is left out, and the page says so.
"""

from collections.abc import Mapping
from typing import Any

from simplicert.figures.style import mechanism_style
from simplicert.mechanisms.naming import EXAMPLE, UNITS
from simplicert.mechanisms.threats import Threat, find_threat, list_threats
from simplicert.noises import MOST_FEATURES, NOISES
from simplicert.noises.words import NORM_WORDS, describe_changes
from simplicert.simplex import usual_mechanisms
from simplicert.types import Kind

KINDS: tuple[Kind, ...] = ("multinomial", "softmax")

# What a threat is called in the menu; a noise that is not here goes by its own name.
TITLES = {
    "gaussian": "Gaussian",
    "laplace": "Laplace",
    "uniform": "uniform",
    "exponential-linf": "exponential (linf)",
    "contrast": "contrast (image)",
    "brightness": "brightness (image)",
    "shift": "shift (image)",
    "deletion": "deletion (text)",
    "ablation": "ablation",
    "splitting": "splitting, derandomised",
}

# The numbers that a norm may need: what they are called, and what is allowed.
NUMBERS: dict[str, dict[str, Any]] = {
    "size": {"label": "size: features of an input", "least": 1, "most": MOST_FEATURES},
    "keep": {"label": "keep: features that are seen", "least": 1, "most": MOST_FEATURES},
    "rate": {"label": "rate: share of tokens dropped", "least": 0, "most": 1},
}


def list_catalogue(numbers: Mapping[str, float] | None = None) -> dict[str, Any]:
    """Return all threats, and the numbers that some of them need, at those given or the usual."""
    used = {**EXAMPLE, **(numbers or {})}
    return {
        "threats": [_describe_threat(*pair, used) for pair in list_threats()],
        "numbers": {name: {**row, "usual": used[name]} for name, row in NUMBERS.items()},
    }


def _describe_threat(noise: str, norm: str, numbers: Mapping[str, float]) -> dict[str, Any]:
    """Return one noise and one norm as the page's script reads them; refuse impossible numbers."""
    row, needed = NOISES[noise], NOISES[noise].parameters[norm]
    threat = find_threat(noise, norm, **{name: numbers[name] for name in needed})  # type: ignore[arg-type]
    return {
        "noise": noise,
        "norm": norm,
        "title": TITLES.get(noise, noise),
        "meaning": row.meaning,
        "changes": describe_changes(norm),
        "quantity": NORM_WORDS[norm].quantity if norm in NORM_WORDS else f"{norm} distance",
        "unit": UNITS.get(norm, norm),  # of whole numbers
        "scale": row.scale,
        "needs": list(needed),
        "whole": row.whole,
        "steps": row.steps,
        "certain": row.deterministic,
        "tight": threat.limit is not None,
        "compared": {kind: list(usual_mechanisms(threat, kind)) for kind in KINDS},
        "mechanisms": _list_mechanisms(threat),
    }


def _list_mechanisms(threat: Threat) -> list[dict[str, Any]]:
    """Return the mechanisms of a threat that read (e0, e1), with their looks in the figures."""
    return [
        {
            "name": name,
            "label": mechanism_style(name, threat).name,
            "colour": mechanism_style(name, threat).colour,
            "source": row.source,
            "kinds": sorted(row.kinds),
        }
        for name, row in threat.mechanisms.items()
        if row.needs == "pair"
    ]
