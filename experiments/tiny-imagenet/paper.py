"""docs/imagenet.md: the paper's Table 1, Cohen's ImageNet logs and Tiny ImageNet, row by row.

    python experiments/tiny-imagenet/paper.py

It takes the runs in runs/sigma-{0.25,...,5} that are there and whole, and says which are missing;
nothing is drawn here. Runs are drawn at sigma / 7 and reported at sensitivity 1/7 (see the
Makefile), so that radii are those of an image of 224 x 224.
"""

import json
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

import simplicert as sc
from simplicert.figures import make_figure
from simplicert.metrics import Study, mean_expectations
from simplicert.tables import FORMATS, Grid, TableOptions, make_table
from simplicert.types.certificates import format_radius_down

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RUNS, TABLES = HERE / "runs", HERE / "tables"
THOUSAND = HERE.parent / "imagenet" / "runs"  # 20 images, a thousand classes
THOUSAND_NAMES = {
    "efficientnet": "EfficientNet-lite0",
    "efficientnet-denoised": "the same behind a denoiser",
}
PAGE, FIGURES = ROOT / "docs" / "imagenet.md", ROOT / "docs" / "imagenet"
SIGMAS = ("0.25", "0.5", "1", "2", "3", "4", "5")
SIDE = 7  # pixels of 224 x 224 along a side of one of 32 x 32
POPULATIONS = {"all": "", "correct": "-correct"}  # and how the names of their files end
FIXED = ("1e59a6f", "4f7a519", "e5a1f67", "b7f8174", "293b536")  # commits that the page names
DIGITS, DPI = 9, 150

PAPER = json.loads((ROOT / "experiments" / "paper.json").read_text())
LOGS = json.loads((ROOT / "experiments" / "imagenet" / "logs.json").read_text())


def read_runs(folder: Path) -> dict[str, Study]:
    """The runs that are there and whole, by the paper's sigma; a wrong sigma ends the program."""
    held = {}
    for sigma in SIGMAS:
        path = folder / f"sigma-{sigma}"
        if not (path / "run.toml").is_file():
            continue
        study = Study(f"sigma {sigma}", sc.open_run(path), sensitivity=1 / SIDE)
        if study.run.missing:
            continue
        if not math.isclose(SIDE * study.sigma, float(sigma), rel_tol=1e-6):
            sys.exit(
                f"{path} must be drawn at sigma {sigma} / {SIDE}, and is at {study.sigma:.15g}"
            )
        held[sigma] = study
    return held


def has_inputs(study: Study, population: str) -> bool:
    """Whether a population of a run has a certified input to show."""
    made = study.certificates()
    return bool((~made.abstained if population == "all" else made.correct).any())


def make_tables(held: Mapping[str, Study]) -> dict[str, Grid]:
    """Tables 1 and 2 over both populations, by the name of their files."""
    made = {}
    for population, ending in POPULATIONS.items():
        studies = [study for study in held.values() if has_inputs(study, population)]
        for number in ("1", "2") if studies else ():
            asked = TableOptions(population=population)
            made[f"table-{number}{ending}"] = make_table(studies, f"paper{number}", asked)
    return made


def write_tables(made: Mapping[str, Grid], folder: Path) -> None:
    """Each as Markdown, LaTeX and CSV."""
    folder.mkdir(exist_ok=True)
    for name, grid in made.items():
        for ending, words in (("md", "markdown"), ("tex", "latex"), ("csv", "csv")):
            (folder / f"{name}.{ending}").write_text(FORMATS[words](grid), encoding="utf-8")


def list_figures(held: Mapping[str, Study]) -> dict[str, tuple[str, list[Study], dict[str, Any]]]:
    """Every figure that the runs allow, by the name of its file."""
    wanted: dict[str, tuple[str, list[Study], dict[str, Any]]] = {}
    for population, ending in POPULATIONS.items():
        several = {sigma: study for sigma, study in held.items() if has_inputs(study, population)}
        studies, asked = list(several.values()), {"population": population}
        if studies:
            columns = {"columns": ("improved_dp", "ensemble")}
            wanted[f"accuracy-sigmas{ending}"] = ("accuracy-sigmas", studies, asked)
            wanted[f"accuracy-sigmas-paper{ending}"] = ("accuracy-sigmas", studies, asked | columns)
            wanted[f"improvement{ending}"] = ("improvement", studies, asked)
            wanted[f"distribution{ending}"] = ("distribution", studies, asked)
        if len(studies) > 1:
            wanted[f"sigmas{ending}"] = ("sigmas", studies, asked)
        for sigma, study in several.items():
            kind = {"kind": "multinomial"}
            wanted[f"scatter-{sigma}{ending}"] = ("scatter", [study], asked | kind)
    return wanted


def write_figures(held: Mapping[str, Study], folder: Path) -> None:
    """Write them, and remove those that are no longer made."""
    wanted = list_figures(held)
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.png"):
        if path.stem not in wanted:
            path.unlink()
    for file, (name, studies, options) in wanted.items():
        make_figure(name, studies, folder / f"{file}.png", dpi=DPI, **options)


def measure_runs(held: Mapping[str, Study], made: Mapping[str, Grid]) -> dict[str, Any]:
    """The numbers of the page, by the paper's sigma."""
    found: dict[str, Any] = {sigma: describe_run(study) for sigma, study in held.items()}
    for population, ending in POPULATIONS.items():
        for number in ("1", "2"):
            grid = made.get(f"table-{number}{ending}")
            for record in grid.records if grid else ():
                if record.get("column", "ensemble") == "ensemble":
                    row = found[str(record["run"]).removeprefix("sigma ")]
                    row.setdefault(population, {})[f"table_{number}"] = dict(record)
    return round_numbers(found)


def describe_run(study: Study) -> dict[str, Any]:
    """What a row rests on."""
    tally, manifest, made = study.tally, study.run.manifest, study.certificates()
    mean = mean_expectations(made) if has_inputs(study, "all") else None
    return {
        "sigma_drawn": study.sigma,
        "sensitivity": study.stage,
        "inputs": len(tally),
        "classes": manifest.classes,
        "draws": int(tally.draws.min()),
        "alpha": manifest.alpha,
        "scheme": made.known.scheme,
        "began": str(manifest.made.get("began", "")),
        "hours": study.run.seconds / 3600,
        "e0": mean.e0 if mean else None,
        "e1": mean.e1 if mean else None,
    }


def round_numbers(value: Any) -> Any:
    """The same with numbers of nine digits, so that a second run writes the same file."""
    if isinstance(value, dict):
        return {name: round_numbers(item) for name, item in value.items()}
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def read_paper_row(sigma: str) -> dict[str, float]:
    """One row of the paper's Table 1 as numbers, under the names of our own records."""
    _, top1, *groups, together = next(row for row in PAPER["table_1"] if row[0] == sigma)
    found = {"top1": float(top1)}
    for name, cells in zip(("cohen", "li", "improved_dp"), groups, strict=True):
        for measure, cell in zip(("median", "largest", "above_0.05"), cells.split(), strict=True):
            found[f"{name}_{measure}"] = float(cell)
    for measure, cell in zip(("median", "above_0.05"), together.split(), strict=True):
        found[f"ensemble_{measure}"] = float(cell)
    return found


def list_rows(found: Mapping[str, Any]) -> list[list[str]]:
    """Table 1, row by row: the paper's, Cohen's log and ours, over both populations."""
    rows = []
    for sigma in SIGMAS:
        printed = format_row(read_paper_row(sigma), "{:.2f}".format)
        rows.append([sigma, "the paper, ImageNet", *printed])
        for population in POPULATIONS if sigma in LOGS["logs"] else ():
            log = LOGS["logs"][sigma][population]
            known = {"top1": log["top1"], "cohen_median": log["median"]}
            known["cohen_above_0.05"] = log["above"]
            rows.append([sigma, f"Cohen's log, ImageNet, {population}", *format_row(known, str)])
        for population in POPULATIONS if sigma in found else ():
            if population in found[sigma]:
                own = found[sigma][population]["table_1"]
                cells = format_row(own, lambda median: format_radius_down(median, 3))
                rows.append([sigma, f"Tiny ImageNet, {population}", *cells])
        if sigma not in found:
            rows.append([sigma, "Tiny ImageNet", "not drawn yet", *([""] * 13)])
    return rows


def list_gains(made: Mapping[str, Grid]) -> list[list[str]]:
    """What the ensemble gains on Cohen: ours over both populations, then the paper's Table 2."""
    rows = []
    for population, ending in POPULATIONS.items():
        grid = made.get(f"table-2{ending}")
        for cells in grid.rows if grid else ():
            run, _, _, radius, _, _, improved, _, half, more, mean, most, _, median, _ = cells
            if radius == "ensemble":
                gains = [median, f"{half} ({more})", f"{mean} ({most})"]
                sigma = run.removeprefix("sigma ")
                rows.append([sigma, f"Tiny ImageNet, {population}", improved, *gains])
    for data, sigma, improved, median, percent, mean, more in PAPER["table_2"]:
        if data == "ImageNet":
            share = "" if percent == "-" else f" ({percent})"
            gains = [f"{median}{share}", "", f"{mean} ({more})"]
            rows.append([sigma, "the paper, ImageNet", improved, *gains])
    return rows


def list_thousand(folder: Path) -> list[list[str]]:
    """Rows like those of Table 1 for the runs with a thousand classes that are there and whole."""
    rows = []
    for name, words in THOUSAND_NAMES.items():
        if not (folder / name / "run.toml").is_file():
            continue
        study = Study(name, sc.open_run(folder / name))
        if study.run.missing:
            continue
        (record,) = make_table([study], "paper1", TableOptions()).records
        issued = ~study.certificates().abstained
        settings = [f"{study.sigma:g}", f"{int(study.tally.draws.min())}"]
        counts = [f"{int(issued.sum())} of {len(study.tally)}"]
        cells = format_row(record, lambda median: format_radius_down(median, 3))
        rows.append([words, *settings, *counts, *cells])
    return rows


def format_row(record: Mapping[str, Any], say: Callable[[float], str]) -> list[str]:
    """T1, then M, L and > of each; a dash where there is none. `say` writes a median."""
    names = ["top1"]
    for name in ("cohen", "li", "improved_dp"):
        names += [f"{name}_{measure}" for measure in ("median", "largest", "above_0.05")]
    for name in ("ensemble", "two_sided"):
        names += [f"{name}_median", f"{name}_above_0.05"]
    cells = []
    for name in names:
        value = record.get(name)
        if value is None:
            cells.append("-")
        elif name.endswith("median"):
            cells.append(say(value))
        else:
            cells.append(f"{value:.2f}")
    return cells


def trace_trend(found: Mapping[str, Any], name: str, population: str = "all") -> list[float]:
    """One column of our Table 1 over the sigmas that are there."""
    rows = [found[sigma] for sigma in SIGMAS if sigma in found]
    return [row[population]["table_1"][name] for row in rows if population in row]


def write_page(found: Mapping[str, Any], made: Mapping[str, Grid], figures: set[str]) -> str:
    """docs/imagenet.md as text."""
    environment = Environment(
        loader=FileSystemLoader(HERE),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters.update(
        percent=lambda share: f"{100 * share:.1f}",
        radius=lambda value, decimals=3: format_radius_down(value, decimals),
    )
    return environment.get_template("imagenet.md.jinja").render(
        found=found,
        missing=[sigma for sigma in SIGMAS if sigma not in found],
        rows=list_rows(found),
        gains=list_gains(made),
        thousand=list_thousand(THOUSAND),
        figures=figures,
        logs=LOGS,
        sigmas=SIGMAS,
        fixed=FIXED,
        trend=lambda name, population="all": trace_trend(found, name, population),
        paper=lambda name: [read_paper_row(sigma)[name] for sigma in SIGMAS],
    )


def main() -> None:
    """Tables, figures, numbers and the page."""
    held = read_runs(RUNS)
    made = make_tables(held)
    found = measure_runs(held, made)
    if made:
        write_tables(made, TABLES)
        write_figures(held, FIGURES)
    (HERE / "findings.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(write_page(found, made, set(list_figures(held))), encoding="utf-8")
    print(f"{len(held)} of {len(SIGMAS)} runs of Tiny ImageNet, {len(made)} tables, {PAGE.name}")


if __name__ == "__main__":
    main()
