"""Say where two manifests ask for different draws, or declare different things."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from simplicert.bounds import EARLIER_METHODS
from simplicert.store.manifest import Manifest

SAME = 1e-2  # share by which the outputs of a model may differ on another machine

DECLARED_SETTINGS = (
    "noise",
    "sigma",
    "classes",
    "inputs",
    "index",
    "alpha",
    "kind",
    "scheme",
    "method",
)


def manifest_differences(before: Manifest, now: Manifest) -> Iterator[tuple[str, Any, Any]]:
    """Yield (setting, before, now) wherever two manifests ask for or declare different things.

    The plan may have grown by a look; the maker of the run and the libraries are no settings.
    """
    for name in (*DECLARED_SETTINGS, "reserve"):
        if name == "method" and _resumes_earlier_method(before, now):
            continue
        if getattr(before, name) != getattr(now, name):
            yield name, getattr(before, name), getattr(now, name)
    for name in sorted({*before.source, *now.source} - {"reserve"}):
        if before.source.get(name) != now.source.get(name):
            yield name, before.source.get(name), now.source.get(name)
    looks = () if now.plan is None else now.plan.looks
    if before.plan is None or before.plan.looks[: len(looks)] != looks:
        old = None if before.plan is None else before.plan.looks[-1]
        asked = looks[-1] if looks else None
        now_extended = before.plan is not None and len(before.plan.looks) > 1
        yield "draws", before.plan.looks if before.plan and now_extended else old, asked
    one, other = (None if m.plan is None else m.plan.rule for m in (before, now))
    if one != other:
        yield "until", one, other
    if not same_outputs(before.answers, now.answers):
        yield "answers of the model", before.answers, now.answers


def _resumes_earlier_method(before: Manifest, now: Manifest) -> bool:
    """Tell whether a run of an earlier version goes on by the method that it meant."""
    return before.scheme == now.scheme and before.method == EARLIER_METHODS.get(before.scheme)


def same_outputs(before: list[float] | None, now: list[float] | None) -> bool:
    """Tell whether two models gave the same outputs, up to the rounding of other machines."""
    if before is None or now is None:
        return before is now
    one, two = np.array(before), np.array(now)
    if one.shape != two.shape:
        return False
    slack = SAME * (np.ptp(one[np.isfinite(one)]) if np.isfinite(one).any() else 1.0) + SAME
    return bool(np.allclose(one, two, rtol=SAME, atol=slack, equal_nan=True))
