"""The attack on a run's certificates, where its folder holds one."""

import base64
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simplicert.analysis.figures import attack_distances, save
from simplicert.analysis.report.views import View
from simplicert.analysis.tables.attack import attack_table, rows_table
from simplicert.runs.attacks import Attacked
from simplicert.types import Floats

SIZE, DPI = (3.9, 3.4), 180
MOST = 25  # inputs in the table, the closest to breaking first


def attack_block(view: View) -> dict[str, Any] | None:
    """Figure, summary and the closest inputs; None where nothing was attacked."""
    rows = view.study.attack(view.kind)
    if not rows:
        return None
    return {
        "picture": picture(rows, view.study.stage != 1),
        "summary": attack_table(rows),
        "closest": rows_table(rows, MOST),
    }


def attack_cautions(view: View) -> list[str]:
    """What the attack has to say before anything else on the page is believed."""
    rows = view.study.attack(view.kind)
    found = []
    if broken := [row for row in rows if row.broken]:
        named = ", ".join(str(row.index) for row in broken[:MOST])
        found.append(
            f"BROKEN: an attack confirmed another class inside the certified radius of "
            f"{len(broken)} of {len(rows)} inputs: {named}"
        )
    if rows and view.study.stage != 1:
        found.append(
            "the attack's radii and distances are those at the noise, behind the first stage: they "
            f"are not divided by the sensitivity of {view.study.stage:g}"
        )
    now = dict(zip(view.index.tolist(), radii_at_the_noise(view).tolist(), strict=True))
    changed = sum(now.get(row.index) != row.radius for row in rows)
    if changed:
        found.append(
            f"the attack is of other certificates: {changed} of {len(rows)} radii have changed "
            "since, and what is said of it below is about the radii of then"
        )
    return found


def radii_at_the_noise(view: View) -> Floats:
    """(N,) the best radii without a first stage, which is what an attack is about."""
    if view.study.stage == 1:
        return view.radius
    return view.study.run.certify(kind=view.kind, sensitivity=1.0).radius


def picture(rows: Sequence[Attacked], staged: bool) -> str:
    """The figure as an address that holds it."""
    with tempfile.TemporaryDirectory() as folder:
        path = save(
            lambda axes: attack_distances({"inputs": rows}, axes, staged=staged),
            Path(folder) / "a.png",
            SIZE,
            DPI,
        )
        return f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode('ascii')}"
