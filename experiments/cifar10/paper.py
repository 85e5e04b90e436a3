"""`make paper`: every table and figure from the committed tallies, and docs/experiments.md.

    python experiments/cifar10/paper.py

Nothing is drawn, trained or timed here, so that a second run changes nothing. Times are measured by
experiments/cifar10/times.py, which keeps them beside the tallies.
"""

import json
import sys
import time
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
DPI = 150

# The paper's own rows (Tables large_table and results_tab of Cullen et al.), for comparison.
PAPER_1 = [  # ImageNet: sigma, T1, and of Cohen, Li, ours: M, L, >; of the ensemble: M, >
    ("0.25", ".64", ".77 .89 .94", ".61 .01 .96", ".35 .11 .96", ".77 .96"),
    ("0.5", ".49", "1.18 .80 .93", "1.02 .03 .97", ".67 .18 .97", "1.18 .97"),
    ("1", ".43", "1.57 .66 .89", "1.40 .06 .97", "1.20 .28 .98", "1.59 .98"),
    ("2", ".27", "1.49 .37 .76", "1.69 .17 .97", "1.75 .49 .97", "1.76 .97"),
    ("3", ".17", ".82 .23 .62", "1.68 .22 .94", "1.81 .65 .94", "1.81 .94"),
    ("4", ".12", ".06 .17 .5", "1.90 .22 .93", "2.06 .72 .93", "2.06 .93"),
    ("5", ".09", "0 .17 .42", "1.87 .17 .91", "2.07 .79 .91", "2.07 .91"),
]
PAPER_2 = {  # data, sigma: improved %, median, median %, mean, mean %
    ("CIFAR-10", "0.12"): ("14.4", "0", "-", ".0020", "14.9"),
    ("CIFAR-10", "0.25"): ("26.1", "0", "-", ".0079", "52.2"),
    ("CIFAR-10", "0.5"): ("47.4", "0", "-", ".035", "46.1"),
    ("CIFAR-10", "1"): ("70.2", ".079", "32.2", ".12", "307.1"),
    ("ImageNet", "0.25"): ("22.9", "0", "-", ".0083", "37.1"),
    ("ImageNet", "0.5"): ("36.5", "0", "-", ".031", "181.3"),
    ("ImageNet", "1"): ("60.2", ".053", "16.6", ".12", "99.2"),
}

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


def tables(held: dict[str, Study]) -> dict[str, Grid]:
    """By the name of their files."""
    plain = [held[f"sigma-{sigma}"] for sigma in findings.SIGMAS]
    soft, both = TableOptions(kind="softmax"), [plain[-1], held[LONG]]
    made = {
        "table-1": make_table(plain, "paper1"),
        "table-1-softmax": make_table(plain, "paper1", soft),
        "table-2": make_table(plain, "paper2"),
        "table-2-softmax": make_table(plain, "paper2", soft),
        "certified-accuracy": make_table(plain, "field"),
        "table-1-long": make_table(both, "paper1"),
        "table-2-long": make_table(both, "paper2"),
    }
    for sigma in findings.MACER:
        pair = [held[f"sigma-{sigma}"], held[LONGER.format(sigma)]]
        made[f"macer-{sigma}"] = make_table(pair, "pairs")
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
    plain = [held[f"sigma-{sigma}"] for sigma in findings.SIGMAS]
    one = held[LONG]
    wanted: dict[str, tuple[str, list[Study], str | None]] = {
        "process": ("process", [], None),
        "cohen-minus-li": ("cohen-minus-li", [], None),
        "ratio": ("ratio", [], None),
        "winner": ("winner", [], None),
        "accuracy": ("accuracy", [one], None),
        "accuracy-sigmas": ("accuracy-sigmas", plain, None),
        "scatter": ("scatter", [one], None),
        "improvement": ("improvement", plain, None),
        "sigmas": ("sigmas", plain, None),
        "distribution": ("distribution", plain, None),
        "proportion": ("proportion", [one], None),
    }
    for sigma in findings.SIGMAS:
        wanted[f"scatter-{sigma}"] = ("scatter", [held[f"sigma-{sigma}"]], "multinomial")
    for sigma in findings.MACER:
        moved = held[LONGER.format(sigma)]
        wanted[f"macer-accuracy-{sigma}"] = ("accuracy", [moved], "multinomial")
        wanted[f"macer-scatter-{sigma}"] = ("scatter", [moved], "multinomial")
    for file, (name, of, kind) in wanted.items():
        make_figure(name, of, FIGURES / f"{file}.png", kind=kind, dpi=DPI)
    cost = read_times()
    save_figure([partial(time_per_input, cost)], FIGURES / "time.png", dpi=DPI)


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
        "macer": {
            sigma: findings.macer(*(held[kind.format(sigma)] for kind in findings.THREE))
            for sigma in findings.MACER
        },
        "moved": {sigma: findings.basics(held[LONGER.format(sigma)]) for sigma in findings.MACER},
        "long": findings.gaussian(held[LONG]),
        "longer": shorter.longer(held["sigma-1"], held[LONG]),
        "joint_saves": shorter.joint_saves(held["sigma-1"]),
        "networks": networks(),
        "runs": [findings.described(one) for one in held.values()],
    }


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
    texts = {name: FORMATS["markdown"](grid) for name, grid in made.items()}
    template = environment.get_template("experiments.md.jinja")
    return template.render(
        **found,
        tables=texts,
        long_name=LONG,
        paper_1=PAPER_1,
        paper_2=PAPER_2,
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
    found = numbers(held)
    (HERE / "findings.json").write_text(json.dumps(found, indent=1) + "\n")
    PAGE.write_text(page(found, made), encoding="utf-8")
    write_figures(held)
    print(f"{len(made)} tables, {len(list(FIGURES.glob('*.png')))} figures, {PAGE.name}", end="")
    print(f" in {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
