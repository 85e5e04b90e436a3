"""`simplicert demo`: the whole way from a bundled table of counts to certificates and a figure."""

from pathlib import Path
from typing import Annotated

import typer


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the results; made anew.")] = Path("demo"),
) -> None:
    """Certify a bundled table of counts, print the result, draw the Cohen-minus-Li map."""
    import shutil
    from importlib import resources

    from simplicert.analysis import figures
    from simplicert.analysis.tables import summary
    from simplicert.cli.screen import show
    from simplicert.errors import require
    from simplicert.runs import open_run, write_certificates
    from simplicert.runs.logs import import_counts

    run_folder = out / "run"
    if run_folder.exists():
        source = open_run(run_folder).manifest.source
        ours = source.get("file") == "example_counts.txt"
        require(ours, f"out must not hold a run of your own, and {run_folder} is one")
        shutil.rmtree(run_folder)
    out.mkdir(parents=True, exist_ok=True)
    table = resources.files("simplicert.data") / "example_counts.txt"
    with resources.as_file(table) as file:
        run = import_counts(file, 0.5, run_folder)
    certificates = run.certify()
    write_certificates(certificates, out / "certificates.csv", origin={"run": run_folder.name})
    figures.save(figures.cohen_minus_li, out / "cohen_minus_li.png")
    show(summary(certificates))
    for name in ("run", "certificates.csv", "cohen_minus_li.png"):
        typer.echo(f"wrote {out / name}")
