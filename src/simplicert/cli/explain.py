"""`simplicert explain`: what a column, a table or a figure says, in one sentence."""

from typing import Annotated

import typer

from simplicert.cli.saying import print_json, print_lines


def explain(
    name: Annotated[
        str | None, typer.Argument(help="Of a column, a table or a figure; none: all of them.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say what a column of certificates.csv, a table or a figure shows.

    Example: simplicert explain winner

    Without a name, everything is listed; here for a program:

    Example: simplicert explain --json
    """
    from simplicert.glossary import explain as find_explanations
    from simplicert.glossary import list_explanations

    found = list_explanations() if name is None else find_explanations(name)
    if as_json:
        keys = ("what", "name", "sentence")
        print_json([dict(zip(keys, row, strict=True)) for row in found])
        return
    for what, key, sentence in found:
        print_lines(f"{key} ({what}): {sentence}")
