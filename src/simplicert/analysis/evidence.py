"""Which certificates are evidence about mechanisms; everything that shows radii asks here.

A log of radii, and the method `one_sided`, bound the top class alone: E1 is 1 - E0 and was never
measured. Then Cohen's radius is the largest that can be proved, two_sided and the ensemble repeat
it, and a table of who wins would compare one number with itself.
"""

from collections.abc import Iterable

from simplicert.errors import require
from simplicert.types import Certificates

ONE_SIDED = "one_sided"  # the method that bounds the top class alone
ONLY = ("cohen", "two_sided")  # the column that stands for all of them: the first that there is


def compares_mechanisms(certificates: Certificates) -> bool:
    """Whether a second class was bounded too, so that mechanisms can differ in its use."""
    known = certificates.known
    return known.scheme != "imported" and known.method != ONE_SIDED


def shown_columns(certificates: Certificates) -> tuple[str, ...]:
    """The columns of radii to show side by side: all of them, or the one there is evidence for."""
    held = certificates.columns
    if compares_mechanisms(certificates):
        return held
    return tuple(name for name in ONLY if name in held)[:1] or held[:1]


def top_alone_sentence(certificates: Certificates) -> str:
    """Why mechanisms are not compared; "" where they can be."""
    if compares_mechanisms(certificates):
        return ""
    imported = certificates.known.scheme == "imported"
    who = "the log" if imported else f"method {ONE_SIDED}"
    return f"{who} bounds the top class alone, so no mechanism can improve on Cohen's radius"


def require_comparable(several: Iterable[tuple[str, Certificates]], what: str) -> None:
    """Refuse a table or figure about mechanisms where a run is no evidence about them."""
    for name, certificates in several:
        reason = top_alone_sentence(certificates)
        require(not reason, f"{what} compares mechanisms, and run {name} cannot: {reason}")
