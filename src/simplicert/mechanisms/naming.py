"""Say in words what a threat is and what its radii are measured in, for tables, maps and pages.

`example_threats` lists one threat of every noise, for pages that show all of them.
"""

from simplicert.mechanisms.threats import Threat, find_threat, list_threats
from simplicert.noises import NOISES

# Of norms that count something.
UNITS = {
    "l0": "features",
    "edits": "edits",
    "insertions": "tokens inserted",
    "deletions": "tokens deleted",
}

# The numbers of an example: an image of 28 by 28, one in seventeen pixels kept, tokens dropped.
EXAMPLE = {"size": 784, "keep": 45, "rate": 0.9}


def describe_threat(threat: Threat) -> str:
    """Return noise, its numbers and the norm.

    >>> describe_threat(find_threat("ablation", size=784, keep=45))
    'ablation noise (size 784, keep 45) in l0'
    """
    numbers = ", ".join(f"{name} {value:g}" for name, value in threat.numbers.items())
    return f"{threat.noise} noise {f'({numbers}) ' if numbers else ''}in {threat.norm}"


def describe_unit(threat: Threat) -> str:
    """Return what a radius at scale 1 is a number of.

    >>> describe_unit(find_threat("laplace")), describe_unit(find_threat("deletion", rate=0.9))
    ('l1 / scale', 'edits')
    """
    words = UNITS.get(threat.norm, threat.norm)
    if not threat.whole:
        return f"{words} / {NOISES[threat.noise].scale}"
    return f"{words} ({threat.norm})" if threat.norm == "l0" else words


def describe_scale(threat: Threat) -> str:
    """Say that a comparison is the same at every scale; "" where there is no scale."""
    return "" if threat.whole else f"whatever {NOISES[threat.noise].scale}"


def example_threats(**numbers: float) -> list[Threat]:
    """Return the usual norm of every noise, at the given numbers or at those of an example.

    >>> [threat.noise for threat in example_threats()][:3]
    ['gaussian', 'laplace', 'uniform']
    """
    known, found = {**EXAMPLE, **numbers}, []
    for noise, norm in list_threats():
        needed = NOISES[noise].parameters[norm]
        if norm == NOISES[noise].norms[0] and all(name in known for name in needed):
            found.append(find_threat(noise, norm, **{name: known[name] for name in needed}))  # type: ignore[arg-type]
    return found
