"""List the settings and the origin of a run, and explain the norm of its radii."""

from typing import Any

import numpy as np

from simplicert.noises import NOISES
from simplicert.noises.certainty import CERTAINTY
from simplicert.noises.words import NORM_WORDS, describe_changes
from simplicert.report.views import View
from simplicert.tables import Grid
from simplicert.types.certificates import format_radius_down

# Settings that have no row of their own, or one under another name.
HIDDEN_SETTINGS = (
    *("answers", "index", "class_names", "plan", "audit", "audit_codes", "source", "made"),
    "sensitivity",
)

# When a perturbation is covered, in a scaled norm.
COVERED = {
    "l2": "sqrt(sum over i of (d_i / share_i)^2)",
    "l1": "sum over i of |d_i| / share_i",
    "linf": "the largest |d_i| / share_i",
}

MOST_ROWS = 400  # of the table of the noise scale


def settings_table(view: View) -> Grid:
    """List one setting per row: of these certificates first, then all that run.toml records."""
    manifest = view.study.run.manifest
    rows = [("run", view.study.name), *_certificate_settings(view)]
    if manifest.plan is not None:
        looks = ", ".join(f"{look:,}" for look in manifest.plan.looks)
        rows += [("planned looks at draws", looks), ("drawn until", manifest.plan.rule)]
    recorded: dict[str, Any] = {
        "declared alpha": manifest.alpha,
        "declared kind": manifest.kind,
        "declared scheme": manifest.scheme,
        "declared sensitivity": manifest.sensitivity,
        "inputs planned": manifest.inputs,
        "classes": manifest.classes,
        **manifest.source,
        **manifest.made,
        "written by simplicert": manifest.package,
        "run id": manifest.id,
    }
    rows += [
        (name.replace("_", " "), _format_value(value))
        for name, value in recorded.items()
        if name not in HIDDEN_SETTINGS
    ]
    return Grid(
        "Of this run and these certificates",
        ("setting", "value"),
        [tuple(row) for row in rows],
        name="settings",
    )


def _certificate_settings(view: View) -> list[tuple[str, str]]:
    """Return the settings that these certificates were made by."""
    if view.certificates is None:
        return [*_noise_settings(view), ("radii", "as the log printed them")]
    known = view.certificates.known
    draws, changes = "not recorded", describe_changes(known.norm)
    if known.draws is not None:
        low, high = int(known.draws.min()), int(known.draws.max())
        draws = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return [
        *_noise_settings(view),
        ("draws per input", draws),
        ("alpha", f"{known.alpha:g}"),
        ("proved level", CERTAINTY if known.certain else f"{known.level:g}"),
        ("kind", known.kind),
        ("scheme", known.scheme),
        ("method", known.method),
        ("norm of the radii", known.norm),
        *([] if known.norm not in NORM_WORDS else [("certified against", changes)]),
        ("sensitivity", f"{view.certificates.sensitivity:g}"),
        ("noisy inputs rounded to", "no grid" if known.grid is None else f"{known.grid:g}"),
    ]


def _noise_settings(view: View) -> list[tuple[str, str]]:
    """Return the noise and its numbers; Gaussian noise goes without its name."""
    noise = view.study.noise if view.certificates is None else view.certificates.known.noise
    scale = NOISES[noise.name].scale
    named = [] if noise.name == "gaussian" else [("noise", noise.name)]
    sized = [] if scale is None else [(scale, f"{view.study.sigma:g}")]
    return [*named, *sized, *((name, f"{value:g}") for name, value in noise.numbers().items())]


def _format_value(value: object) -> str:
    """Format a recorded value as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return " x ".join(str(part) for part in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def norm_table(view: View) -> Grid | None:
    """Show what a radius means for each feature, where features have their own share of noise."""
    scale = getattr(view.study.run, "noise_scale", None)
    if scale is None:
        return None
    flat = np.asarray(scale, dtype=float).ravel()
    middle = float(np.median(view.radius[~view.abstained])) if (~view.abstained).any() else 0.0
    ends = np.flatnonzero(np.diff(flat)) + 1  # neighbours of the same share are one row
    parts = list(zip([0, *ends.tolist()], [*ends.tolist(), len(flat)], strict=True))
    rows = [
        (
            str(first) if past == first + 1 else f"{first} to {past - 1}",
            f"{flat[first]:g}",
            f"{view.study.sigma * flat[first]:g}",
            format_radius_down(middle * flat[first]) if flat[first] > 0 else "must not change",
        )
        for first, past in parts[:MOST_ROWS]
    ]
    notes = [
        f"a perturbation d is covered where {COVERED[view.norm.removeprefix('scaled ')]} < radius",
        "features are numbered from 0, in the order of the flattened input",
    ]
    if len(parts) > MOST_ROWS:
        notes.append(f"{len(parts) - MOST_ROWS} more rows are left out")
    scale = NOISES[view.study.noise.name].scale or "the noise"
    headings = ("feature", f"share of {scale}", "noise", "change alone at the median radius")
    return Grid("The scaled norm, feature by feature", headings, rows, tuple(notes), name="norm")
