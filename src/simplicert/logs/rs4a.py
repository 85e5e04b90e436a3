"""Read what rs4a (Yang et al. 2020, "Randomized smoothing of all shapes and sizes") saves.

A folder of arrays: `preds`, shares of a few draws that choose the class; `labels`; `prob_lb`, a
lower bound on the class's probability from separate draws; `radius_l1`, `radius_l2` and
`radius_linf`. The noise and its scale are not among them and must be stated. The bound is kept:
radii are computed from it anew, in a norm that the noise certifies, one at a time. Their own radii
are kept beside it as they are and compared where ours has a formula; converted ones, and those of
Laplace noise in linf, which are an approximation, are not.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from simplicert.certification import radius
from simplicert.logs.arrays import read_folder, whole_numbers
from simplicert.logs.log import Log, StatedSettings
from simplicert.logs.row_checks import AuditFinding, count_in_words, make_finding
from simplicert.noises import NOISES, scale_argument
from simplicert.types import Floats

NEEDED = ("preds", "labels", "prob_lb")
NORMS = ("l1", "l2", "linf")
OPTIONAL = tuple(f"radius_{norm}" for norm in NORMS)

NAMED_NOISES = ("gaussian", "laplace", "uniform", "exponential", "split")  # in names of folders

SAME = 1e-3  # share of a radius that single precision may explain, near bounds of 1
LEAST = 1e-6  # of the scale, that it may explain too


class Rs4aLog(NamedTuple):
    """The rows as a log whose bound is E0, their radii by norm, and the number of classes."""

    log: Log
    radii: dict[str, Floats]
    classes: int


def read_rs4a(folder: Path, noise: str, step: int = 1) -> Rs4aLog:
    """Read the arrays of a folder; `step` is their --dataset-skip."""
    held = read_folder(folder, NEEDED, OPTIONAL)
    classes = held["preds"].shape[1]
    radii = {norm: np.asarray(held[f"radius_{norm}"], float) for norm in NORMS if _has(held, norm)}
    own = radii.get(NOISES[noise].norms[0], np.full(len(held["labels"]), np.nan))
    bounds = np.asarray(held["prob_lb"], float)
    good = np.isfinite(bounds) & (bounds >= 0) & (bounds <= 1)
    empty = ~(held["preds"] > 0).any(axis=1)
    log = Log(
        index=step * np.arange(len(bounds)),
        predicted=np.where(good & ~empty, held["preds"].argmax(axis=1), -1).astype(np.int64),
        radius_text=_as_texts(own),
        label=whole_numbers("labels", held["labels"], classes),
        bound_text=_as_texts(np.where(good, bounds, np.nan)),
        cohen=False,
        bound_is_e0=True,
    )
    return Rs4aLog(log, radii, classes)


def _has(held: dict[str, Floats], norm: str) -> bool:
    return f"radius_{norm}" in held


def _as_texts(values: Floats) -> tuple[str, ...]:
    """Write numbers of single precision with all of their digits; "" for what is no number."""
    return tuple(f"{np.float32(v):.9g}" if np.isfinite(v) else "" for v in values)


def audit_rs4a(read: Rs4aLog, stated: StatedSettings, size: int | None) -> Iterator[AuditFinding]:
    """Compare their radii with ours, and their bounds with the largest that the draws allow."""
    log, model = read.log, stated.noise
    bounds = log.bounds
    if stated.draws is None:
        yield AuditFinding("draws_unknown", "draws are not stated, so bounds cannot be checked")
    else:
        most = stated.alpha ** (1 / stated.draws)
        above = bounds > np.float32(most)
        if above.any():
            says = (
                f"the bound is above {most:.8f} in {count_in_words(above)}: {stated.draws} draws "
                f"at alpha {stated.alpha:g} prove no larger one, even if all of them agree"
            )
            yield make_finding(above, "above_cap", says)
    for norm in NOISES[model.name].norms:
        needs_size = "size" in NOISES[model.name].parameters[norm]
        if norm in read.radii and (size is not None or not needs_size):
            yield from _compare_radii(read, stated, norm, size if needs_size else None)


def check_named_noise(folder: Path, noise: str) -> list[AuditFinding]:
    """Find that a folder's name names another noise than the one stated: a doubt, no error."""
    words = folder.resolve().name.lower()
    named = [word for word in NAMED_NOISES if word in words]
    if not named or any(noise.startswith(word) for word in named):
        return []
    says = f"{noise} noise is stated, and the folder's name, {folder.resolve().name}, names"
    return [AuditFinding("noise_named", f"{says} {named[0]}")]


def _compare_radii(
    read: Rs4aLog, stated: StatedSettings, norm: str, size: int | None
) -> Iterator[AuditFinding]:
    """Find radii in this norm that are not those of the bounds."""
    name, bounds, theirs = stated.noise.name, read.log.bounds, read.radii[norm]
    mechanism = "cohen" if name == "gaussian" else "one_sided"
    scale = scale_argument(stated.noise, stated.sigma)
    ours = np.asarray(
        radius(
            mechanism,
            np.nan_to_num(bounds, nan=0.5),
            0.0,
            sigma=scale.get("sigma"),
            scale=scale.get("scale"),
            noise=name,
            norm=norm,
            size=size,
        )
    )
    apart = (ours > 0) & ~(np.abs(theirs - ours) <= SAME * ours + LEAST * stated.sigma)
    if not apart.any():
        return
    row = int(np.where(apart, np.abs(np.nan_to_num(theirs) - ours), -np.inf).argmax())
    says = (
        f"radius and bound do not fit {name} noise of {NOISES[name].scale} {stated.sigma:g} in "
        f"{norm} in {count_in_words(apart)}; at index {read.log.index[row]} the radius is "
        f"{theirs[row]:.6g}, and the bound {bounds[row]:.6g} proves {ours[row]:.6g}"
    )
    # In the noise's own norm the formula is theirs too: then another scale was drawn.
    own = norm == NOISES[name].norms[0]
    yield make_finding(apart, "sigma" if own else "other_norm", says)
