"""What `simplicert plan` prints: examples in the pages, and the sentences that repeat them.

For docs/adaptive.md, docs/choosing.md, docs/faq.md and experiments/imagenet/README.md. Nothing here
is drawn from a model: the command simulates with a fixed seed.
"""

import json
import shlex
from functools import cache
from typing import Any

from measured import format_table, percent_up, round_down, round_up

EXAMPLE = "plan --sigma 1 --draws 100000 --radius 3 --throughput 1000 --workers 8"
CHOOSING = "plan --sigma .5 --draws 10000 --radius 1"
STRICTER = f"{CHOOSING} --alpha 1e-6"
IMAGENET = (
    "plan --inputs 50000 --draws 100000 --classes 1000 --sigma 0.5 --throughput 2500 --workers 20 "
    "--radius 0.5 --until radius=0.5"
)
RESERVES = ("0", "10%", "50%")


@cache
def _run_command(words: str) -> str:
    """What a command prints, as if typed."""
    from typer.testing import CliRunner

    from simplicert.cli import app

    done = CliRunner().invoke(app, shlex.split(words), catch_exceptions=False)
    if done.exit_code:
        raise RuntimeError(f"simplicert {words}: {done.output}")
    return done.stdout.rstrip()


def _read_answer(words: str) -> Any:
    return json.loads(_run_command(f"{words} --json"))


def _show_example(words: str, printed: str) -> str:
    """The line to type, and what it prints."""
    return f"```sh\nsimplicert {words}\n```\n\n```text\n{printed}\n```"


def show_planning() -> str:
    """All of one answer."""
    return _show_example(EXAMPLE, _run_command(EXAMPLE))


def show_imagenet() -> str:
    """The same at the size of the paper's ImageNet experiment."""
    return _show_example(IMAGENET, _run_command(IMAGENET))


def show_choice_of_draws() -> str:
    """The tables of the answer, of the first only the default scheme, without its remarks."""
    reach, losses, costs = (part.splitlines() for part in _run_command(CHOOSING).split("\n\n"))
    parts = (reach[:3], losses[1:5], costs[1:4])
    return _show_example(CHOOSING, "\n\n".join("\n".join(part) for part in parts))


def show_stricter_alpha() -> str:
    """The lines of the answer that a stricter alpha changes."""
    reach, losses, _ = (part.splitlines() for part in _run_command(STRICTER).split("\n\n"))
    return _show_example(STRICTER, "\n".join([reach[0], reach[2], losses[3]]))


def explain_choice_of_draws() -> str:
    """What few draws cannot do, and what they lose."""
    answer = _read_answer(CHOOSING)
    reach = answer["reach"][0]
    lost = [
        f"{row['draws']:,} draws lose {percent_up(row['lost'] / row['true'])}"
        for row in answer["losses"]
    ]
    return (
        f"This is part of its answer. Fewer than {reach['fewest']} draws certify nothing, and "
        f"fewer than {reach['fewest_for_radius']} never certify radius {answer['radius']:g}. Of "
        "the mean radius that endless draws would give, "
        f"{', '.join(lost[:-1])} and {lost[-1]}."
    )


def state_early_share() -> str:
    """Draws until a radius is decided, of the fixed number."""
    fixed, stopped = _read_answer(CHOOSING)["costs"]
    return f"{percent_up(stopped['draws'] / fixed['draws'])} of {fixed['draws']:,.0f}"


def explain_stricter_alpha() -> str:
    """What a thousand times fewer errors cost."""
    usual, strict = (
        next(row["certified"] for row in _read_answer(words)["losses"] if row["draws"] == 10_000)
        for words in (CHOOSING, STRICTER)
    )
    return (
        f"A thousand times fewer errors cost {percent_up(1 - strict / usual, 0)} of the mean "
        f"radius ({round_down(strict, 4)} against {round_down(usual, 4)})."
    )


def state_looks() -> str:
    """The first looks of the example that stops early."""
    from simplicert import Until

    first, second, third, *_ = Until("radius=0.5").plan(100_000).looks
    return f"{first}, {second}, {third}, ..."


def state_fewest() -> str:
    """The fewest draws that certify anything."""
    kept, free = _read_reach("10%"), _read_reach("0")
    return (
        f"fewer than {kept['joint']['fewest']} draws can certify nothing, even if all agree "
        f"({free['split']['fewest']} with Cohen's scheme, its separate selection and `--reserve 0`)"
    )


def state_ceilings() -> str:
    """The largest radius that draws which all agree can have."""
    kept, free = _read_reach("10%"), _read_reach("0")
    rows = (kept["joint"], kept["gated"], free["gated"], free["split"])
    joint, own, whole, cohen = (round_down(row["two_sided"], 3) for row in rows)
    return (
        f"{joint} sigma (`joint`, the default), {own} sigma (`gated`; {whole} with `--reserve 0`) "
        f"or {cohen} sigma (Cohen's)"
    )


def _read_reach(reserve: str) -> dict[str, dict[str, float]]:
    """What 100,000 draws can reach, by scheme; of each its first row, that of a fixed plan."""
    found: dict[str, dict[str, float]] = {}
    for scheme in ("joint", "gated"):
        words = "plan --sigma 1 --draws 100000 --until fixed"
        for row in _read_answer(f"{words} --scheme {scheme} --reserve {reserve}")["reach"]:
            found.setdefault(row["scheme"].partition(",")[0], row)
    return found


def tabulate_reserves() -> str:
    """Mean radii by the share of alpha that a run keeps for later looks."""
    head = ["draws", "`--reserve 0`", "10 % (default)", "costs", "50 %", "costs"]
    rows = []
    for free, *kept in zip(*map(_list_losses, RESERVES), strict=True):
        cells = [f"{free['draws']:,}", round_down(free["certified"], 4)]
        for row in kept:
            cells += [round_down(row["certified"], 4), _state_cost(row, free)]
        rows.append(cells)
    return format_table(head, rows)


def state_cost_of_reserve() -> str:
    """What the default reserve costs at n = 10,000."""
    free, kept = (
        next(row for row in _list_losses(reserve) if row["draws"] == 10_000)
        for reserve in RESERVES[:2]
    )
    return f"{_state_cost(kept, free)} of the mean radius at n = {free['draws']:,}"


def _list_losses(reserve: str) -> list[dict[str, float]]:
    words = f"plan --sigma 1 --draws 10000 --until fixed --reserve {reserve}"
    losses: list[dict[str, float]] = _read_answer(words)["losses"]
    return losses


def _state_cost(row: dict[str, float], free: dict[str, float]) -> str:
    return f"{round_up(100 * (1 - row['certified'] / free['certified']), 2)} %"
