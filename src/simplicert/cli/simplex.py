"""`simplicert simplex`: compare mechanisms over the whole simplex, without any data."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simplicert.cli.saying import print_json, print_lines
from simplicert.cli.threat_options import (
    KeepOption,
    NoiseOption,
    NormOption,
    RateOption,
    SizeOption,
    read_threat,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FINEST = 2000  # most cells along a side: four million take about half a minute


def simplex(
    ratio: Annotated[
        str | None, typer.Option(help="A:B, radius of A over that of B; B,C: their largest.")
    ] = None,
    difference: Annotated[
        str | None, typer.Option(help="A:B, radius of A minus that of B, at sigma 1.")
    ] = None,
    winner: Annotated[
        bool, typer.Option("--winner", help="Which mechanism is the largest where; the default.")
    ] = False,
    mechanisms: Annotated[
        str | None,
        typer.Option(help="Of the winner map, comma-separated; default: the paper's ensemble."),
    ] = None,
    kind: Annotated[
        str, typer.Option(help="multinomial (hard) or softmax (soft).")
    ] = "multinomial",
    noise: NoiseOption = "gaussian",
    norm: NormOption = None,
    size: SizeOption = None,
    keep: KeepOption = None,
    rate: RateOption = None,
    out: Annotated[Path | None, typer.Option(help="The map as PNG, PDF or SVG.")] = None,
    steps: Annotated[int, typer.Option(help="Cells along a side, for the shares of area.")] = 300,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON: every number, and the lines' points.")
    ] = False,
) -> None:
    """Compare mechanisms over all (E0, E1): no model, no data, no draws.

    Example: simplicert simplex --ratio improved_dp:lecuyer --kind softmax --out map.png

    Example: simplicert simplex --noise laplace --ratio two_sided:teng

    A mechanism is one that `simplicert radius` lists, such as improved_dp, or
    your own as module:function: a function (e0, e1) -> radius at sigma 1, of
    NumPy arrays, found from the current folder. There is no --sigma and no
    --scale: every radius is proportional to it, or a whole number. Mechanisms
    of one noise and one norm are compared, never those of two.
    """
    from functools import partial

    from simplicert.cli.screen import print_table
    from simplicert.errors import choose, require
    from simplicert.figures import save_figure
    from simplicert.figures.maps import difference_map, ratio_map
    from simplicert.figures.regions import region_map
    from simplicert.mechanisms.naming import describe_threat
    from simplicert.mechanisms.own import parse_comparison, parse_mechanisms
    from simplicert.simplex import usual_mechanisms
    from simplicert.simplex.overview import summarise_comparison, summarise_winners
    from simplicert.tables.simplex import comparison_table, winner_table
    from simplicert.types import KINDS

    expected, threat = choose("kind", kind, KINDS), read_threat(noise, norm, size, keep, rate)
    require(0 < steps <= FINEST, f"steps must lie in 1..{FINEST}, got {steps}")
    require(
        out is None or out.parent.is_dir(),
        f"out must lie in a folder that exists, got {out!s:.200}",
    )
    usual = ",".join(usual_mechanisms(threat, expected))
    require(
        bool(usual),
        f"kind must be one that {describe_threat(threat)} has a proof for, got {expected!r}",
    )
    members = usual if mechanisms is None else mechanisms
    measure, text = _choose_map(ratio, difference, members, winner or mechanisms is not None)
    if measure == "winner":
        table = parse_mechanisms(text, threat)
        draw: Callable[[Axes], object] = partial(region_map, table, expected, threat=threat)
        number = partial(summarise_winners, table, expected, steps, threat)
    else:
        left, right = parse_comparison(text, threat)
        paint = ratio_map if measure == "ratio" else difference_map
        draw = partial(paint, left, right, expected, threat=threat)
        number = partial(summarise_comparison, measure, left, right, expected, steps, threat)
    written = None if out is None else save_figure(draw, out)
    record = number()
    if as_json:
        print_json({**record, "out": written and str(written)})
        return
    table_of = winner_table if measure == "winner" else comparison_table
    print_table(table_of(record, threat))
    print_lines(f"wrote {written}" if written else "no map written: --out map.png writes one")


def _choose_map(
    ratio: str | None, difference: str | None, members: str, winner: bool
) -> tuple[str, str]:
    """Return which one map is wanted, and of what; by default the winner map."""
    from simplicert.errors import require

    maps = (("ratio", ratio), ("difference", difference), ("winner", members if winner else None))
    chosen = [(name, text) for name, text in maps if text is not None] or [("winner", members)]
    names = " and ".join(f"--{name}" for name, _ in chosen)
    require(len(chosen) == 1, f"one map at a time, got {names} (--mechanisms is of --winner)")
    return chosen[0]
