"""`simplicert check`: test whether a mechanism is sound."""

from typing import Annotated

import typer

from simplicert.cli.saying import print_json
from simplicert.cli.threat_options import (
    KeepOption,
    NoiseOption,
    NormOption,
    RateOption,
    SizeOption,
    read_threat,
)


def check(
    mechanism: Annotated[
        str, typer.Argument(help="Your own as module:function, or a name such as li.")
    ],
    kind: Annotated[
        str, typer.Option(help="multinomial (hard) or softmax (soft).")
    ] = "multinomial",
    points: Annotated[int, typer.Option(help="Points asked, about.")] = 1_000_000,
    seed: Annotated[int, typer.Option(min=0, help="Of the points.")] = 0,
    noise: NoiseOption = "gaussian",
    norm: NormOption = None,
    size: SizeOption = None,
    keep: KeepOption = None,
    rate: RateOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, at full precision.")] = False,
) -> None:
    """Put a mechanism to the test at a million points of the simplex.

    Example: simplicert check my_module:my_radius

    The function takes NumPy arrays (e0, e1), with e1 < e0 and e0 + e1 <= 1,
    and returns a radius at sigma 1 for each: real finite numbers, never
    negative, never above the limit (the two-sided radius), never less for a
    larger e0 or a smaller e1, and always the same. The points hug the sides
    and corners too. The answer says where it breaks a rule, or where it
    beats the paper's ensemble. Exit code 1: a rule is broken.

    Radii of another noise or norm are held to the limit of theirs:

    Example: simplicert check my_module:my_radius --noise laplace
    """
    from simplicert.cli.screen import print_table
    from simplicert.errors import choose
    from simplicert.mechanisms import own
    from simplicert.simplex import soundness
    from simplicert.tables.simplex import soundness_record, soundness_table
    from simplicert.types import KINDS

    expected = choose("kind", kind, KINDS)
    threat = read_threat(noise, norm, size, keep, rate)
    result = soundness.check_soundness(
        own.load_mechanism(mechanism, threat), expected, points, seed, mechanism, threat
    )
    if as_json:
        print_json(soundness_record(result))
    else:
        print_table(soundness_table(result))
    if not result.sound:
        raise typer.Exit(1)
