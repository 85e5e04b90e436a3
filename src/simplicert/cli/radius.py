"""`simplicert radius`: the radius of every mechanism at one point of the simplex."""

from typing import Annotated, Any

import typer

from simplicert.cli.saying import print_json
from simplicert.cli.threat_options import KeepOption, RateOption, SizeOption


def radius(
    e0: Annotated[float, typer.Option("--e0", help="Lower bound on the top class's expectation.")],
    e1: Annotated[float, typer.Option("--e1", help="Upper bound on every other class's.")],
    sigma: Annotated[
        float | None, typer.Option(help="Standard deviation of Gaussian noise; 1 if not given.")
    ] = None,
    sensitivity: Annotated[float, typer.Option(help="Lipschitz constant before the noise.")] = 1.0,
    kind: Annotated[
        str, typer.Option(help="multinomial (hard) or softmax (soft).")
    ] = "multinomial",
    noise: Annotated[
        str,
        typer.Option(
            help="gaussian, laplace, uniform, splitting, exponential-linf, ablation or deletion."
        ),
    ] = "gaussian",
    norm: Annotated[
        str | None,
        typer.Option(
            help="What the radius measures: l2, l1, linf, l0, edits, insertions or deletions; "
            "default: the noise's first."
        ),
    ] = None,
    scale: Annotated[
        float | None, typer.Option(help="Scale of noise that is not Gaussian; 1 if not given.")
    ] = None,
    size: SizeOption = None,
    keep: KeepOption = None,
    rate: RateOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, at full precision.")] = False,
) -> None:
    """Certified radius at (E0, E1) by every mechanism that has a proof for noise, norm and kind.

    Example: simplicert radius --e0 .6 --e1 .3 --sigma .5

    With --json, `radii` has every mechanism, and `ensemble` is the largest radius of those that
    the paper combines, or of their counterparts for other noise. It is never above `two_sided`.

    Noise that is not Gaussian hides other changes: small ones in l1, a few features, a few words.

    Example: simplicert radius --e0 .9 --e1 .05 --noise laplace --scale .5

    Example: simplicert radius --e0 .9 --e1 .05 --noise ablation --size 784 --keep 45

    Example: simplicert radius --e0 .9 --e1 .05 --noise deletion --rate .9 --norm insertions
    """
    from simplicert.errors import require

    require(
        not e0 < e1,
        f"e0 must be at least e1, {e1:g}, for there to be a radius, got {e0:g}: it is the top "
        "class's expectation",
    )
    numbers = {"scale": scale, "size": size, "keep": keep, "rate": rate}
    plain = noise == "gaussian" and norm in (None, "l2")
    if plain and not any(value is not None for value in numbers.values()):
        _print_gaussian_point(e0, e1, 1.0 if sigma is None else sigma, sensitivity, kind, as_json)
        return
    from simplicert.tables.threats import threat_record, threat_table

    point = (e0, e1, kind, sensitivity)
    settings: dict[str, Any] = {"noise": noise, "norm": norm, "sigma": sigma, **numbers}
    if as_json:
        print_json(threat_record(*point, **settings))
    else:
        from simplicert.cli.screen import print_table

        print_table(threat_table(*point, **settings))


def _print_gaussian_point(
    e0: float, e1: float, sigma: float, sensitivity: float, kind: str, as_json: bool
) -> None:
    """Print the paper's own threat, with the paper's ensemble."""
    from simplicert.certification import certify_point

    certificates = certify_point(e0, e1, sigma, sensitivity, kind)
    if as_json:
        from simplicert.tables.simplex import point_record

        print_json(point_record(certificates))
    else:
        from simplicert.cli.screen import print_table
        from simplicert.tables.simplex import point_table

        print_table(point_table(certificates))
