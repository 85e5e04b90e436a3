"""One point of the simplex under any noise: every mechanism proved for the noise and the norm."""

from typing import Any

from simplicert.certification import radius
from simplicert.errors import KindMismatch, choose
from simplicert.mechanisms.naming import UNITS
from simplicert.mechanisms.threats import Threat, find_threat
from simplicert.metrics.numbers import format_exactly
from simplicert.noises import NOISES
from simplicert.tables.grid import Grid
from simplicert.types import KINDS
from simplicert.types.certificates import format_radius_down


def threat_record(
    e0: float, e1: float, kind: str = "multinomial", sensitivity: float = 1.0, **settings: Any
) -> dict[str, Any]:
    """Return the radii at one point by name, as values that JSON can hold.

    `settings` are those of `radius`: noise, norm, scale, size, keep, rate.

    >>> found = threat_record(0.7, 0.2, noise="uniform", scale=0.5)["radii"]
    >>> {name: round(radius, 6) for name, radius in found.items()}
    {'one_sided': 0.2, 'two_sided': 0.25}
    """
    kind = choose("kind", kind, KINDS)
    threat = _threat_of(settings)
    names = [name for name, row in threat.mechanisms.items() if kind in row.kinds]
    if not names:
        raise KindMismatch(f"no mechanism of {threat.noise} noise has a proof for {kind}")
    radii = {
        name: radius(name, e0, e1, sensitivity=sensitivity, **settings)
        for name in names
        if threat.mechanisms[name].needs == "pair"
    }
    scale = NOISES[threat.noise].scale
    return {
        "e0": float(e0),
        "e1": float(e1),
        **({} if scale is None else {scale: 1.0}),
        **{name: value for name, value in settings.items() if value is not None},
        "sensitivity": float(sensitivity),
        "norm": threat.norm,
        "kind": kind,
        "radii": radii,
        "ensemble": max(radii[name] for name in threat.ensembles[kind]),
    }


def threat_table(
    e0: float, e1: float, kind: str = "multinomial", sensitivity: float = 1.0, **settings: Any
) -> Grid:
    """Show the same as a table, with each radius's share of the largest."""
    record, threat = threat_record(e0, e1, kind, sensitivity, **settings), _threat_of(settings)
    best = max(record["radii"].values())
    rows = [
        (
            name,
            f"{value:.0f}" if threat.whole else format_radius_down(value, 6),
            f"{100 * value / best:.1f} %" if best > 0 else "",
            threat.mechanisms[name].source,
        )
        for name, value in record["radii"].items()
    ]
    unit = UNITS.get(threat.norm, f"in {threat.norm}")
    notes = () if e0 > e1 else ("no certificate: E0 must be larger than E1",)
    return Grid(
        f"E0 = {format_exactly(e0)}, E1 = {format_exactly(e1)}, "
        f"{_describe_noise(threat, record)}, {kind}",
        ("mechanism", f"radius ({unit})", "of the largest", "source"),
        rows,
        notes,
        name="threat",
    )


def _threat_of(settings: dict[str, Any]) -> Threat:
    """Return the threat that these settings name."""
    named = ("noise", "norm", "size", "keep", "rate")
    return find_threat(**{name: settings[name] for name in named if settings.get(name) is not None})


def _describe_noise(threat: Threat, record: dict[str, Any]) -> str:
    """Say which noise it is, with its numbers."""
    shown = [NOISES[threat.noise].scale, "size", "keep", "rate"]
    numbers = [f"{name} {format_exactly(record[name])}" for name in shown if name in record]
    if record["sensitivity"] != 1:
        numbers.append(f"sensitivity {format_exactly(record['sensitivity'])}")
    return " ".join([f"{threat.noise} noise", *([f"({', '.join(numbers)})"] if numbers else [])])
