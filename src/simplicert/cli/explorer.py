"""`simplicert explorer`: a page on which one point is dragged over the simplex."""

from pathlib import Path
from typing import Annotated

import typer

from simplicert.cli.saying import print_lines


def explorer(
    out: Annotated[Path, typer.Option(help="The page.")] = Path("explorer.html"),
    open_: Annotated[
        bool, typer.Option("--open", help="Open it in the browser afterwards.")
    ] = False,
) -> None:
    """Write a page to drag a point over the simplex and read every radius there; no run needed.

    Example: simplicert explorer --out explorer.html

    It has every noise and norm, sliders for sigma, n and alpha, and takes your own counts. It is
    one file that works from disk and calls nothing over the network; its address holds the view.
    """
    from simplicert.report.explorer import write_explorer

    page = write_explorer(out)
    print_lines(f"wrote {page}")
    if open_:
        import webbrowser

        webbrowser.open(page.resolve().as_uri())
