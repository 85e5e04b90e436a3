"""Tables of an attack: each input's certified radius beside the attack's distance."""

from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING
from statistics import median

from simplicert.mechanisms.naming import UNITS
from simplicert.noises import GAUSSIAN, NOISES
from simplicert.store.attacks import AttackRow
from simplicert.tables.grid import Grid
from simplicert.types.certificates import format_radius_down, quantize_float

LOSSES = 3  # losses that each restart ascends

NO_PROOF = (
    "surviving an attack proves nothing: the theorems and the coverage of known truths do "
    "(docs/attack.md)"
)


def attack_table(rows: Sequence[AttackRow]) -> Grid:
    """Summarise the whole attack, one number per row."""
    first = rows[0]
    hit = [row for row in rows if row.found is not None]
    broken = [row for row in rows if row.broken]
    closest = min(hit, key=lambda row: row.ratio or 0.0, default=None)
    cells = [
        ("inputs attacked", f"{len(rows)} of {first.inputs}"),
        ("certificates broken", str(len(broken))),
        ("smallest ratio", "none found" if closest is None else _describe_ratio(closest)),
        ("median ratio", "none found" if not hit else f"{median([r.ratio or 0 for r in hit]):.3f}"),
        (f"nothing found, out to {_describe_farthest(first)}", str(len(rows) - len(hit))),
        *_describe_search(first),
        ("draws per input, mean", f"{sum(row.draws for row in rows) / len(rows):,.0f}"),
        ("fresh draws a confirmation", f"{first.confirm:,}"),
        ("level of a confirmation", f"{first.level:.3g}"),
    ]
    noise = f"sigma {first.sigma:g}"
    if first.noise != GAUSSIAN.name:
        scale = NOISES[first.noise].scale
        noise = f"{first.noise} noise{'' if scale is None else f', {scale} {first.sigma:g}'}"
    title = f"Attack on {first.kind} certificates, {noise}, scheme {first.scheme}"
    norm = "" if first.norm == "l2" else f", {first.norm} norm"
    if first.noise != GAUSSIAN.name:
        norm = f", in {UNITS.get(first.norm, first.norm)}"
    note = f"ratio: distance of the nearest confirmed other class over the certified radius{norm}"
    return Grid(title, ("", "value"), cells, (note, NO_PROOF), name="attack")


def _describe_farthest(row: AttackRow) -> str:
    """Return how far the search went, in words."""
    if NOISES[row.noise].drop is not None:
        return "8 (radius + 1) edits"
    if NOISES[row.noise].whole:
        return "every feature"
    plain = row.norm.removeprefix("scaled ") == "l2"
    return "16 sigma" if plain else "about 16 times the noise's own distance"


def _describe_search(row: AttackRow) -> list[tuple[str, str]]:
    """Return what the search of one input did, as rows of the table."""
    if row.gradients == "none":
        return [("search", "lines of parameters, without gradients")]
    if row.gradients == "ablation":
        tries = f"{row.steps} exchanges of features each"
        return [("orders an input", f"{LOSSES} losses x {row.restarts} restarts, {tries}")]
    if row.gradients == "deletion":
        return [("tokens tried an input", f"{row.steps} of other inputs, edits exchanged")]
    return [
        ("ascents an input", f"{LOSSES} losses x {row.restarts} restarts x {row.steps} steps"),
        ("noise copies a gradient", f"{row.samples}, through the {row.gradients}"),
    ]


def attacked_inputs_table(
    rows: Sequence[AttackRow], most: int, name_class: Callable[[int], str] = str
) -> Grid:
    """List the inputs closest to a broken certificate first, those without a result last."""
    ordered = sorted(rows, key=lambda row: (row.ratio is None, row.ratio or 0.0, row.index))
    cells = [
        (
            str(row.index),
            name_class(row.certified),
            format_radius_down(row.radius),
            "none" if row.found is None else format_distance(row.found),
            "" if row.ratio is None else f"{row.ratio:.3f}",
            "" if row.rival is None else name_class(row.rival),
            "BROKEN" if row.broken else "no",
        )
        for row in ordered[:most]
    ]
    headings = (
        "input",
        "class",
        "certified radius",
        "attack distance",
        "ratio",
        "becomes",
        "broken",
    )
    notes = ["radii are rounded down, distances up"]
    if len(rows) > most:
        notes.append(f"the first {most} of {len(rows)}")
    return Grid("The closest first", headings, cells, tuple(notes), name="attacked_inputs")


def _describe_ratio(row: AttackRow) -> str:
    """Return the ratio of one input, and its number."""
    return f"{row.ratio:.3f} (input {row.index})"


def format_distance(distance: float, decimals: int = 4) -> str:
    """Format a distance, rounded up."""
    return str(quantize_float(distance, decimals, ROUND_CEILING))
