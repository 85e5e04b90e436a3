"""Draw each certified radius, a lower bound, against the distance that an attack needed."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from simplicert.errors import require
from simplicert.figures.style import (
    GREY,
    INK,
    MARKERS,
    PALE,
    draw_legend,
    inputs_note,
    run_colours,
    style_axes,
)
from simplicert.store.attacks import AttackRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes


BROKEN = "#D55E00"  # Okabe and Ito's vermilion; the mark is also a cross

MARGIN = 1.08  # times the largest value is where the axes end


def attack_distances(
    several: Mapping[str, Sequence[AttackRow]],
    axes: "Axes",
    *,
    staged: bool = False,
    population: str = "all",
) -> "Axes":
    """Draw one point per input; the true distance lies between its two coordinates.

    Below the diagonal a certificate is broken: the class was confirmed to change nearer than was
    promised. Where the attack found nothing there is no upper bound; the legend counts these
    inputs. `staged`: the runs have a first stage, and both distances are those behind it.
    `population` is what the legend says that the inputs are.

    >>> from matplotlib.figure import Figure
    >>> import simplicert as sc
    >>> from simplicert.store.attacks import AttackRow
    >>> settings = dict(
    ...     draws=9000, tests=1, level=0.001, inputs=1, confirm=1000, explore=100, steps=20,
    ...     restarts=2, samples=16, gradients="model", seed=0, kind="multinomial", alpha=0.001,
    ...     scheme="gated", sigma=0.5, norm="l2", run="mine",
    ... )
    >>> row = AttackRow(index=0, certified=3, radius=0.4, rival=5, found=0.9, **settings)
    >>> axes = sc.figures.attack_distances({"mine": [row]}, Figure().subplots())
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['equal', 'mine: 1', 'broken: 0']
    """
    rows = [row for own in several.values() for row in own]
    norms = sorted({row.norm for row in rows})
    require(len(norms) == 1, f"runs must have radii in one norm to share axes, got {norms}")
    across = MARGIN * max(row.radius for row in rows)
    up = max(across, MARGIN * max((row.found or 0.0 for row in rows), default=0.0))
    axes.fill_between([0, across], [0, across], color=PALE, alpha=0.45, linewidth=0)
    axes.plot([0, across], [0, across], color=INK, linewidth=0.9, label="equal")
    for place, (name, colour) in enumerate(zip(several, run_colours(len(several)), strict=True)):
        sound = [row for row in several[name] if row.found is not None and not row.broken]
        axes.scatter(
            [row.radius for row in sound],
            [row.found or 0.0 for row in sound],
            s=13,
            marker=MARKERS[place % len(MARKERS)],
            facecolor=colour,
            edgecolor="white",
            linewidths=0.3,
            label=f"{name}: {len(sound):,}",
            zorder=3,
        )
    _mark_broken_inputs(axes, rows)
    if missed := sum(row.found is None for row in rows):
        axes.scatter([], [], s=0, label=f"nothing found: {missed:,}")
    axes.text(
        across,
        0.02 * up,
        "broken ",
        ha="right",
        va="bottom",
        color=GREY,
        fontsize="small",
        zorder=2,
    )
    norm = "" if rows[0].norm == "l2" else f" ({rows[0].norm})"
    norm += " at the noise" if staged else ""
    style_axes(axes, f"certified radius{norm}", f"attack distance{norm}")
    axes.set(xlim=(0, across), ylim=(0, up))
    note = _attack_note(rows)
    if population != "all":
        note += "\n" + inputs_note(population, [len(own) for own in several.values()])
    draw_legend(axes, note, columns=2, handle=1.0, lines=False)
    return axes


def _mark_broken_inputs(axes: "Axes", rows: Sequence[AttackRow]) -> None:
    """Mark broken certificates by crosses that stand out, and count them even if there are none."""
    broken = [row for row in rows if row.broken]
    axes.scatter(
        [row.radius for row in broken],
        [row.found or 0.0 for row in broken],
        s=45,
        marker="x",
        color=BROKEN,
        linewidths=1.8,
        label=f"broken: {len(broken):,}",
        zorder=4,
    )


def _attack_note(rows: Sequence[AttackRow]) -> str:
    """Describe the attack in as far as all rows share it."""
    facts = [
        {row.kind for row in rows},
        {f"{row.restarts} restarts of {row.steps} steps" for row in rows},
        {f"{row.confirm:,} draws confirm" for row in rows},
    ]
    first, *rest = [", ".join(sorted(texts)) for texts in facts if len(texts) == 1] or [""]
    return f"{first}\n{', '.join(rest)}" if rest else first
