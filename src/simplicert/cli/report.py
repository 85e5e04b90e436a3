"""`simplicert report`: one self-contained HTML page about runs, or the simplex explorer."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simplicert.cli.many_options import CommonOption, HighlightOption
from simplicert.cli.norm_options import RunNormOption
from simplicert.cli.saying import print_json, print_lines

if TYPE_CHECKING:
    from simplicert.metrics.study import Study

PAIR = 2  # runs that are compared


def report(
    runs: Annotated[
        list[Path] | None, typer.Argument(help="Run folders; none: the simplex explorer.")
    ] = None,
    out: Annotated[Path, typer.Option(help="The page.")] = Path("report.html"),
    label: Annotated[list[str] | None, typer.Option(help="RUN=name, on the page.")] = None,
    data: Annotated[
        str | None, typer.Option(help="Where the inputs are, for thumbnails; default: the run's.")
    ] = None,
    images: Annotated[bool, typer.Option(help="Thumbnails of the inputs.")] = True,
    radii: Annotated[
        str | None,
        typer.Option(help="Radii asked about, comma-separated: the page opens on the best run."),
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Open on the comparison of two runs.")
    ] = False,
    common: CommonOption = False,
    highlight: HighlightOption = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="With --compare: print JSON, and write no page.")
    ] = False,
    sensitivity: Annotated[
        float | None, typer.Option(help="Of the stage before the noise; default: each run's own.")
    ] = None,
    norm: RunNormOption = None,
    size: Annotated[
        int | None,
        typer.Option(help="Features of an input: of a run's radii in linf, or of the explorer."),
    ] = None,
    keep: Annotated[
        int | None, typer.Option(help="Of the explorer: features that ablation keeps; default: 45.")
    ] = None,
    rate: Annotated[
        float | None, typer.Option(help="Of the explorer: deletion's probability; default: 0.9.")
    ] = None,
) -> None:
    """Write a self-contained interactive HTML report that works offline.

    Example: simplicert report runs/mine --out report.html

    Of several runs the page opens on the best one for the radii asked about, and says why:

    Example: simplicert report runs/a runs/b --radii 0.5,1 --out report.html

    Two runs of the same inputs, with tests: what the second gains on the first, and what it loses:

    Example: simplicert report runs/a runs/b --compare --out compare.html

    Runs on different inputs stand unpaired; --common keeps those that all hold. Of many
    runs some stand out:

    Example: simplicert report runs/a runs/b runs/mine --common --highlight runs/mine
    --out report.html

    Without a run it is the simplex explorer: every radius of every noise.

    Example: simplicert report --size 3072 --keep 75 --out explorer.html
    """
    from simplicert.cli.saying import parse_labels
    from simplicert.cli.table import parse_radii
    from simplicert.errors import require
    from simplicert.metrics.shared import share_inputs
    from simplicert.metrics.study import read_studies

    folders = runs or []
    asked = parse_radii(radii)
    options = {
        "label": label, "data": data, "radii": asked, "sensitivity": sensitivity, "norm": norm,
        "common": common, "highlight": highlight
    }  # fmt: skip
    given = [name for name, value in options.items() if value]
    require(bool(folders) or not given, f"{' and '.join(given)} must come with a run, got none")
    numbers = {"keep": keep, "rate": rate, **({} if folders else {"size": size})}
    explorer = {name: value for name, value in numbers.items() if value is not None}
    require(
        not (folders and explorer),
        f"{' and '.join(explorer)} must come without a run: the explorer alone has them, got "
        f"{len(folders)} runs",
    )
    require(compare or not as_json, "json must come with compare: the page has no other JSON")
    require(
        not compare or len(folders) == PAIR,
        f"compare must come with two runs, got {len(folders)}",
    )
    names = parse_labels(label or [], folders)
    studies = (
        read_studies(folders, names, sensitivity=sensitivity, norm=norm, size=size)
        if folders
        else []
    )
    if common:
        require(len(studies) > 1, f"common must come with two runs or more, got {len(studies)}")
        studies = share_inputs(studies)
    if as_json:
        _print_comparison(studies, asked)
        return
    write_page(
        studies,
        out,
        data,
        images=images,
        numbers=explorer,
        radii=asked or (),
        compare=compare,
        highlight=highlight or (),
    )


def _print_comparison(studies: "list[Study]", radii: tuple[float, ...] | None) -> None:
    """Print the comparison of two runs as JSON, at full precision."""
    from simplicert.metrics.two_runs import compare as compare_runs

    first, second = studies
    both = compare_runs(first, second, radii=radii, names=(first.name, second.name))
    print_json(both.record())


def write_page(
    studies: "list[Study]",
    out: Path,
    data: str | None,
    *,
    images: bool = True,
    quiet: bool = False,
    numbers: dict[str, float] | None = None,
    radii: tuple[float, ...] = (),
    compare: bool = False,
    highlight: Sequence[str] = (),
) -> None:
    """Write the page, and show progress if the data for thumbnails take long to read."""
    from simplicert.cli.progress import show_reading_progress
    from simplicert.report import write_report

    with show_reading_progress(quiet):
        write_report(
            studies,
            out,
            data=data,
            images=images,
            numbers=numbers,
            radii=radii,
            compare=compare,
            highlight=highlight,
        )
    print_lines(f"wrote {out}")
