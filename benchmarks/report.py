"""How large the report is, and how soon it opens: 300, 10,000 and 50,000 inputs, in Chromium.

    python benchmarks/report.py [--out benchmarks/results/report.json]

Pages of two kinds have a run of ten classes with counts, scores and score histograms; those of one
kind have counts alone, in one run or three. Beside size and seconds of writing it
says how long the browser took from its request for the file to a page that is drawn and answers,
how long a sort and a search of the whole table took then, and how many points are drawn. Times to
open are medians of OPENINGS openings; sizes do not depend on the machine.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import simplicert as sc
from simplicert.metrics.study import Study
from simplicert.report import write_report
from simplicert.store import Manifest
from simplicert.types import FIXED_POINT
from simplicert.types.scores import BINS

OUT = Path(__file__).parent / "results" / "report.json"

CLASSES, DRAWS, OPENINGS, PATIENCE = 10, 10_000, 3, 120.0

LABELS = 99  # seed of the labels

# inputs, runs, and whether the runs have scores
PAGES = {
    "300": (300, 1, True),
    "10000": (10_000, 1, False),
    "50000": (50_000, 1, False),
    "3 x 50000": (50_000, 3, False),
    "10000 scored": (10_000, 1, True),
    "50000 scored": (50_000, 1, True),
}

FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"),
    *("--disable-background-networking", "--disable-dev-shm-usage", "--window-size=1400,1000"),
)

SORT = """
    const start = performance.now();
    document.querySelector("#inputs th[data-key=radius] button").click();
    return performance.now() - start;
"""
SEARCH = """
    const start = performance.now();
    const field = document.getElementById("find");
    field.value = arguments[0];
    field.dispatchEvent(new Event("input"));
    const found = document.querySelector("#inputs tbody button").textContent;
    return [performance.now() - start, found];
"""


def make_run(folder: Path, inputs: int, scored: bool, seed: int) -> Study:
    """Write a run of random tallies, most of them of one clear class."""
    random = np.random.default_rng(seed)
    labels = np.random.default_rng(LABELS).integers(0, CLASSES, inputs)  # the same in all runs
    top = np.where(random.random(inputs) < 0.8, labels, random.integers(0, CLASSES, inputs))
    falling = -np.sort(-random.dirichlet([1.5, 0.3, 0.2, *[0.05] * (CLASSES - 3)], size=inputs))
    truth = falling[np.arange(inputs)[:, None], (np.arange(CLASSES) - top[:, None]) % CLASSES]
    counts = random.multinomial(DRAWS, truth)
    evidence: dict[str, Any] = {}
    if scored:
        unit = DRAWS * 2.0**FIXED_POINT
        leaders = np.argsort(-truth, axis=1)[:, :1]
        shares = random.dirichlet(np.full(BINS, 0.2), size=64)
        histograms = random.multinomial(DRAWS, shares)[random.integers(0, 64, (inputs, 2))]
        evidence = {
            "softmax_sums": np.floor(truth * unit * (1 - 1e-9)).astype(np.int64),
            "softmax_squares": np.floor((truth + truth**2) / 2 * unit * (1 - 1e-9)).astype(
                np.int64
            ),
            "votes": random.multinomial(DRAWS, truth),
            "leaders": leaders,
            "histograms": histograms,
        }
    tally = sc.Tally(counts, 0.25 * 2**seed, labels=labels, **evidence)
    settings = Manifest(tally.sigma, inputs, CLASSES)
    return Study(folder.name, sc.create_run(folder, settings, tally))


def open_browser(profile: Path) -> Any:
    """Start the system's Chromium without a window."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("chromium-browser") or ""
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


def open_page(driver: Any, path: Path) -> float:
    """Return the seconds from the request to a page that is ready."""
    start = time.perf_counter()
    driver.get(path.as_uri())
    while driver.execute_script("return document.documentElement.dataset.ready") != "yes":
        if time.perf_counter() - start > PATIENCE:
            raise SystemExit(f"{path.name} was not ready after {PATIENCE:.0f} s")
        time.sleep(0.02)
    return time.perf_counter() - start


def measure_page(driver: Any, folder: Path, inputs: int, runs: int, scored: bool) -> dict[str, Any]:
    """Write one page, open it a few times, sort and search it."""
    studies = [make_run(folder / f"run-{k}", inputs, scored, k) for k in range(runs)]
    before = time.process_time()
    path = write_report(studies, folder / "page.html", images=False)
    written = time.process_time() - before
    opened = [open_page(driver, path) for _ in range(OPENINGS)]
    sorting = driver.execute_script(SORT) / 1000
    wanted = str(inputs - 1)
    searching, found = driver.execute_script(SEARCH, wanted)
    if found != wanted:
        raise SystemExit(f"searched for input {wanted} and found {found}")
    drawn = driver.execute_script("return document.getElementById('simplex').plot.points.length")
    return {
        "inputs": inputs,
        "runs": runs,
        "kinds": 2 if scored else 1,
        "megabytes": path.stat().st_size / 1e6,
        "seconds_to_write": written,
        "seconds_to_open": median(opened),
        "seconds_to_sort": sorting,
        "seconds_to_search": searching / 1000,
        "points_drawn": int(drawn),
        "load": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    """Measure every page and write the result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--pages", nargs="*", choices=PAGES, default=list(PAGES))
    options = parser.parse_args()
    pages = {}
    for name in options.pages:
        with tempfile.TemporaryDirectory() as folder:
            driver = open_browser(Path(folder) / "profile")
            try:
                pages[name] = measure_page(driver, Path(folder), *PAGES[name])
            finally:
                driver.quit()
        print(name, json.dumps(pages[name]), file=sys.stderr)
    result = {
        "draws": DRAWS,
        "openings": OPENINGS,
        "pages": pages,
    }
    options.out.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
