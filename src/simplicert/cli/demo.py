"""`simplicert demo`: run the whole pipeline on scikit-learn's digits, on a laptop."""

from pathlib import Path
from typing import Annotated

import typer

from simplicert.cli.saying import print_lines

SIGMAS = (0.25, 0.5, 1.0)
TRAINING_INPUTS = 1200  # inputs 0..1199 train; every second one of the rest is certified
DRAWS = 2000


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("demo"),
    draws: Annotated[int, typer.Option(help="Noisy copies of each input.")] = DRAWS,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Train on digits, sample at three sigmas, certify by all mechanisms and both kinds, report.

    Example: simplicert demo --out demo
    """
    from simplicert import figures
    from simplicert.cli.report import report
    from simplicert.cli.sample import draw_or_exit
    from simplicert.cli.saying import print_warning
    from simplicert.cli.screen import print_table
    from simplicert.data import load_data
    from simplicert.store import open_run, write_certificates
    from simplicert.tables import summary_table
    from simplicert.training import train

    data, test = (
        load_data("digits", stop=TRAINING_INPUTS),
        load_data("digits", start=TRAINING_INPUTS),
    )
    (out / "runs").mkdir(parents=True, exist_ok=True)
    runs = []
    for sigma in SIGMAS:
        network = out / f"digits-{sigma:g}"
        print_warning(f"training a small network at sigma {sigma:g}")
        train(data, network, test=test, recipe="digits", sigma=sigma)
        run = out / "runs" / f"sigma-{sigma:g}"
        runs.append(run)
        draw_or_exit(
            {
                "model": str(network),
                "data": "digits",
                "sigma": sigma,
                "draws": draws,
                "out": run,
                "start": TRAINING_INPUTS,
                "step": 2,
                "quiet": quiet,
            }
        )
        for kind in ("multinomial", "softmax"):
            certificates = open_run(run).certify(kind=kind)
            path = out / f"certificates-{sigma:g}-{kind}.csv"
            write_certificates(certificates, path, origin={"run": run.name})
            print_table(summary_table(certificates))
            print_lines(f"wrote {path}", "")
    figures.save_figure(figures.cohen_minus_li, out / "cohen_minus_li.png")
    print_lines(f"wrote {out / 'cohen_minus_li.png'}")
    report(runs, out / "report.html")
