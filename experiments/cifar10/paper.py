"""`make paper`: every table and figure from the committed tallies, and docs/experiments.md.

    python experiments/cifar10/paper.py

Every table and figure of inputs is made twice: over all of them, and over those that the run
certifies as their label (`-correct`). Runs at sigma 2 and 4 are taken in when they are there.
Nothing is drawn, trained or timed here, so that a second run changes nothing. Times are measured by
experiments/cifar10/times.py, which keeps them beside the tallies.
"""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import findings
import numpy as np
import shorter
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from simplicert.figures import make_figure, save_figure, time_per_input
from simplicert.metrics import CostByDraws, Study
from simplicert.models.trained import FOLDER, list_zoo_names, read_facts
from simplicert.noises import NOISES
from simplicert.tables import FORMATS, Grid, TableOptions, make_table
from simplicert.types.certificates import format_radius_down

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RUNS, TABLES = HERE / "runs", HERE / "tables"
PAGE, FIGURES = ROOT / "docs" / "experiments.md", ROOT / "docs" / "experiments"
LONG = "sigma-1-long"
LONGER = "macer-{}-10000"  # MACER with as many draws as the Gaussian networks
MORE = ("2", "4")  # sigmas beyond the paper's for CIFAR-10, taken in when they are drawn
POPULATIONS = {"all": "", "correct": "-correct"}  # and how the names of their files end
DIGITS = 9  # of the numbers that are kept: the last ones of a sum depend on its order
DPI = 150
RADII = tuple(step / 4 for step in range(9))  # of the tables, as most papers print
PAPERS_COLUMNS = ("improved_dp", "ensemble")  # of its figures of several sigmas

PAPER = json.loads((ROOT / "experiments" / "paper.json").read_text())

# Cohen et al. 2019, ResNet-110 on CIFAR-10: certified accuracy at findings.RADII
# (analysis/markdown/vary_noise_cifar10 of locuslab/smoothing, commit bdfa228).
COHEN = {
    "0.12": (".59", ".00", ".00", ".00", ".00", ".00"),
    "0.25": (".60", ".43", ".27", ".00", ".00", ".00"),
    "0.5": (".55", ".41", ".32", ".23", ".15", ".09"),
    "1": (".39", ".34", ".28", ".22", ".17", ".14"),
}


def studies() -> dict[str, Study]:
    """Every committed run, by its folder's name; all that the page is made of must be whole."""
    found = {path.parent.name: findings.study(RUNS, path.parent.name) for path in found_runs()}
    for sigma in MORE:  # begun and not whole: as if it were not there
        if (name := f"sigma-{sigma}") in found and found[name].run.missing:
            del found[name]
    wanted = [f"sigma-{sigma}" for sigma in findings.SIGMAS]
    others = (*findings.THREE[1:], LONGER)
    wanted += [name.format(sigma) for name in others for sigma in findings.MACER] + [LONG]
    lacking = [name for name in wanted if name not in found or found[name].run.missing]
    if lacking:
        sys.exit(
            f"{', '.join(lacking)} in {RUNS.relative_to(ROOT)} must be drawn first: "
            "make -C experiments/cifar10 runs long DATA=cifar10:DIR"
        )
    return found


def found_runs() -> list[Path]:
    """The manifests, in order; other noises and few draws have pages of their own."""
    paths = sorted(RUNS.glob("*/run.toml"))
    others = ("population-", *(f"{noise}-" for noise in NOISES))
    return [path for path in paths if not path.parent.name.startswith(others)]


def whole_runs(held: dict[str, Study], sigmas: Sequence[str]) -> list[Study]:
    """The runs of these sigmas that are there and whole."""
    names = [f"sigma-{sigma}" for sigma in sigmas]
    return [held[name] for name in names if name in held and not held[name].run.missing]


def tables(held: dict[str, Study]) -> dict[str, Grid]:
    """By the name of their files."""
    plain = whole_runs(held, (*findings.SIGMAS, *MORE))
    both, made = [held["sigma-1"], held[LONG]], {}
    for population, ending in POPULATIONS.items():
        hard = TableOptions(population=population)
        soft = TableOptions(population=population, kind="softmax")
        for number in ("1", "2"):
            style, name = f"paper{number}", f"table-{number}"
            made[f"{name}{ending}"] = make_table(plain, style, hard)
            made[f"{name}-softmax{ending}"] = make_table(plain, style, soft)
            made[f"{name}-long{ending}"] = make_table(both, style, hard)
        asked = TableOptions(population=population, radii=RADII)
        made[f"certified-accuracy{ending}"] = make_table(plain, "field", asked)
    for sigma in findings.MACER:
        pair = [held[f"sigma-{sigma}"], held[LONGER.format(sigma)]]
        made[f"macer-{sigma}"] = make_table(pair, "pairs", TableOptions(radii=RADII))
    return made


def write_tables(made: dict[str, Grid]) -> None:
    """Each as Markdown, LaTeX and CSV."""
    TABLES.mkdir(exist_ok=True)
    for name, grid in made.items():
        for ending, words in (("md", "markdown"), ("tex", "latex"), ("csv", "csv")):
            (TABLES / f"{name}.{ending}").write_text(FORMATS[words](grid), encoding="utf-8")


def write_figures(held: dict[str, Study]) -> None:
    """The paper's figures for CIFAR-10, and those that need no data."""
    FIGURES.mkdir(exist_ok=True)
    for name in ("process", "cohen-minus-li", "ratio", "winner"):
        make_figure(name, [], FIGURES / f"{name}.png", dpi=DPI)
    for file, (name, of, options) in wanted_figures(held).items():
        for population, ending in POPULATIONS.items():
            path = FIGURES / f"{file}{ending}.png"
            make_figure(name, of, path, dpi=DPI, population=population, **options)
    cost = read_times()
    save_figure([partial(time_per_input, cost)], FIGURES / "time.png", dpi=DPI)


def wanted_figures(held: dict[str, Study]) -> dict[str, tuple[str, list[Study], dict[str, Any]]]:
    """The figures of runs by the name of their files, each drawn for both populations."""
    plain, one = whole_runs(held, (*findings.SIGMAS, *MORE)), held[LONG]
    hard = {"kind": "multinomial"}
    wanted: dict[str, tuple[str, list[Study], dict[str, Any]]] = {
        "accuracy": ("accuracy", [one], {}),
        "accuracy-sigmas": ("accuracy-sigmas", plain, {}),
        "accuracy-sigmas-paper": ("accuracy-sigmas", plain, {"columns": PAPERS_COLUMNS}),
        "scatter": ("scatter", [one], {}),
        "improvement": ("improvement", plain, {}),
        "sigmas": ("sigmas", plain, {}),
        "distribution": ("distribution", plain, {}),
        "proportion": ("proportion", [one], {}),
    }
    for own in plain:
        wanted[f"scatter-{own.sigma:g}"] = ("scatter", [own], hard)
    for sigma in findings.MACER:
        moved = held[LONGER.format(sigma)]
        wanted[f"macer-accuracy-{sigma}"] = ("accuracy", [moved], hard)
        wanted[f"macer-scatter-{sigma}"] = ("scatter", [moved], hard)
    return wanted


def read_times() -> CostByDraws:
    """What times.py measured."""
    kept = json.loads((HERE / "times.json").read_text())
    return CostByDraws(
        np.array(kept["draws"]),
        np.array(kept["drawing"]),
        np.array(kept["bounds"]),
        {name: np.array(values) for name, values in kept["mechanisms"].items()},
        kept["inputs"],
    )


def networks() -> list[dict[str, Any]]:
    """What model.toml says of each network that ships."""
    rows = []
    for name in list_zoo_names():
        facts = read_facts(FOLDER / name)
        if facts.noise == "gaussian":
            content = facts.content
            rows.append({"name": name, **content["training"], **content["result"]})
    return sorted(rows, key=lambda row: (row["method"], row["sigma"]))


def numbers(held: dict[str, Study]) -> dict[str, Any]:
    """Everything that the page says in figures."""
    return {
        "gaussian": [findings.gaussian(held[f"sigma-{sigma}"]) for sigma in findings.SIGMAS],
        "more": [findings.basics(one) for one in whole_runs(held, MORE)],
        "rows": {
            f"{one.sigma:g}": findings.rows(one)
            for one in whole_runs(held, (*findings.SIGMAS, *MORE))
        },
        "macer": {
            sigma: findings.macer(*(held[kind.format(sigma)] for kind in findings.THREE))
            for sigma in findings.MACER
        },
        "moved": {sigma: findings.basics(held[LONGER.format(sigma)]) for sigma in findings.MACER},
        "long": findings.gaussian(held[LONG]) | {"rows": findings.rows(held[LONG])},
        "curves": [findings.curves(held[f"sigma-{sigma}"]) for sigma in findings.SIGMAS],
        "pilot": shorter.misread(held[LONG], 100),
        "longer": shorter.longer(held["sigma-1"], held[LONG]),
        "joint_saves": shorter.joint_saves(held["sigma-1"]),
        "networks": networks(),
        "runs": [findings.described(one) for one in held.values()],
        "absent": [s for s in MORE if not whole_runs(held, [s])],
    }


def rows_of_table_1(made: dict[str, Grid]) -> list[list[str]]:
    """Data, sigma, T1, then the numbers of each radius in one cell; the paper's rows come last."""
    rows = []
    for population, cells in shown_rows(made, "table-1"):
        _, sigma, top1, *rest = cells
        groups = [rest[:3], rest[3:6], rest[6:9], rest[9:11], rest[11:]]
        rows.append([f"CIFAR-10, {population}", sigma, top1, *map(" ".join, groups)])
    return rows + [["ImageNet, the paper", *row, "-"] for row in PAPER["table_1"]]


def rows_of_table_2(made: dict[str, Grid], found: dict[str, Any]) -> list[list[str]]:
    """Data, sigma and what the ensemble gains on Cohen, with percentages in brackets."""
    percents = {f"sigma-{one['sigma']:g}": one["median_percent"] for one in found["gaussian"]}
    percents[LONG] = found["long"]["median_percent"]
    rows = []
    for population, cells in shown_rows(made, "table-2"):
        run, _, sigma, radius, _, _, improved, _, half, more, mean, most, _, median, _ = cells
        if radius == "ensemble":
            of_all = run in percents and population.startswith("all")
            share = f" ({format_radius_down(percents[run], 1)})" if of_all else ""
            gains = [f"{median}{share}", f"{half} ({more})", f"{mean} ({most})"]
            rows.append([f"CIFAR-10, {population}", sigma, improved, *gains])
    for data, sigma, improved, median, percent, mean, more in PAPER["table_2"]:
        share = "" if percent == "-" else f" ({percent})"
        gains = [f"{median}{share}", "", f"{mean} ({more})"]
        rows.append([f"{data}, the paper", sigma, improved, *gains])
    return rows


def shown_rows(made: dict[str, Grid], name: str) -> Iterator[tuple[str, Sequence[str]]]:
    """Rows of a table with what they are over: every sigma, then the long run, all and correct."""
    for population, ending in POPULATIONS.items():
        for grid in (made[f"{name}{ending}"], made[f"{name}-long{ending}"]):
            for cells, record in zip(grid.rows, grid.records, strict=True):
                count = record["inputs"]
                over = f"all {count} inputs" if population == "all" else f"{count} correct inputs"
                if cells[0] == LONG:
                    yield f"{over}, n = {record['draws_min']:,}", cells
                elif grid is made[f"{name}{ending}"]:
                    yield over, cells


def rounded(value: Any) -> Any:
    """The same with numbers of nine digits, so that a second run writes the same file."""
    if isinstance(value, dict):
        return {str(name): rounded(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(item) for item in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def page(found: dict[str, Any], made: dict[str, Grid]) -> str:
    """docs/experiments.md as text."""
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
        whole=lambda count: f"{count:,}",
        three=lambda value: f"{value:.3f}",
        radius=lambda value, decimals=3: format_radius_down(value, decimals),
        two=lambda value: f"{value:.2f}",
    )
    template = environment.get_template("experiments.md.jinja")
    return template.render(
        **found,
        table_1=rows_of_table_1(made),
        table_2=rows_of_table_2(made, found),
        long_name=LONG,
        paper=PAPER,
        cohen=COHEN,
        at=findings.RADII,
        times=json.loads((HERE / "times.json").read_text()),
    )


def main() -> None:
    """Everything, and how long it took."""
    began = time.perf_counter()
    held = studies()
    made = tables(held)
    write_tables(made)
    found = rounded(numbers(held))
    (HERE / "findings.json").write_text(json.dumps(found, indent=1) + "\n")
    PAGE.write_text(page(found, made), encoding="utf-8")
    write_figures(held)
    print(f"{len(made)} tables, {len(list(FIGURES.glob('*.png')))} figures, {PAGE.name}", end="")
    print(f" in {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
