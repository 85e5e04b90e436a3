"""`simplicert radius`: the radius of every mechanism at one point of the simplex."""

from typing import Annotated

import typer

from simplicert.cli.saying import print_lines


def radius(
    e0: Annotated[float, typer.Option("--e0", help="Lower bound on the top class's expectation.")],
    e1: Annotated[float, typer.Option("--e1", help="Upper bound on every other class's.")],
    sigma: Annotated[float, typer.Option(help="Standard deviation of the noise.")] = 1.0,
    sensitivity: Annotated[float, typer.Option(help="Lipschitz constant before the noise.")] = 1.0,
    kind: Annotated[
        str, typer.Option(help="multinomial (hard) or softmax (soft).")
    ] = "multinomial",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, at full precision.")] = False,
) -> None:
    """Certified radius at (E0, E1) by every mechanism that has a proof for the kind.

    Example: simplicert radius --e0 .6 --e1 .3 --sigma .5
    """
    from simplicert.certification import certify_point

    certificates = certify_point(e0, e1, sigma, sensitivity, kind)
    if as_json:
        import json

        from simplicert.tables.simplex import point_record

        print_lines(json.dumps(point_record(certificates)))
    else:
        from simplicert.cli.screen import print_table
        from simplicert.tables.simplex import point_table

        print_table(point_table(certificates))
