"""What the caller of `Smoothed.certify` may not have meant: warned of, never refused."""

from typing import Any

from simplicert.bounds import bound
from simplicert.stopping.agreement import all_agree
from simplicert.types import Tally


def too_few_draws(tally: Tally, alpha: float, kind: str, scheme: str) -> str:
    """A sentence where not even draws that all agree would be certified at any look."""
    looks = [int(tally.draws.max())] if tally.plan is None else tally.plan.looks
    settings: dict[str, Any] = {"alpha": alpha, "kind": kind, "scheme": scheme}
    if not all(bound(all_agree(tally, draws), **settings).refused.all() for draws in looks):
        return ""
    return (
        f"{looks[-1]} draws certify nothing at alpha {alpha:g}, kind {kind}, scheme {scheme} with "
        f"{tally.classes} classes, even if all agree: draw more"
    )
