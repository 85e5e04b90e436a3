"""What a figure says of its own numbers."""

from collections.abc import Sequence
from textwrap import wrap

from simplicert.analysis.evidence import top_alone_sentence
from simplicert.types import Certificates, Ints

WIDE = 48  # letters of a line in a legend


def note(several: Sequence[Certificates], *, sigma: bool = True, draws: bool = True) -> str:
    """The kind, then sigma, n, alpha and the inputs, as far as all have the same.

    Sigma and n are left out where they are an axis. Certificates by settings that were not declared
    before the counts were seen are marked.
    """
    known = [certificates.known for certificates in several]
    mark = " (exploratory)" if any(item.exploratory for item in several) else ""
    said = [
        {f"$\\sigma$ = {item.sigma:g}" for item in known} if sigma else set(),
        {f"$n$ = {spread(item.draws)}" for item in known if item.draws is not None and draws},
        {f"$\\alpha$ = {item.alpha:g}" for item in known},
        {f"sensitivity {item.sensitivity:g}" for item in several if item.sensitivity != 1},
        {f"all {len(item):,} inputs" for item in known},
    ]
    settings = ", ".join(text for texts in said if len(texts) == 1 for text in texts)
    reasons = dict.fromkeys(filter(None, map(top_alone_sentence, several)))
    lines = [line for reason in reasons for line in wrap(reason, WIDE)]
    return "\n".join([f"{known[0].kind}{mark}", settings, *lines])


def spread(numbers: Ints) -> str:
    """One number where all are equal, else the smallest and the largest."""
    low, high = int(numbers.min()), int(numbers.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def radius_words(certificates: Certificates, what: str = "certified radius") -> str:
    """An axis of radii, with the norm where it is not the plain one."""
    norm = certificates.known.norm
    return what if norm == "l2" else f"{what} ({norm})"
