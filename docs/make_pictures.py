"""Make the pictures of the pages that no figure command makes.

    python docs/make_pictures.py                 all of them
    python docs/make_pictures.py certificate     one of them

`certificate` is drawn by matplotlib. `explorer` and `report` are photographs of the pages that the
commands write, taken by the system's Chromium through selenium; the report is that of a committed
CIFAR-10 run, without thumbnails.
"""

import argparse
import base64
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measured import round_down, round_up

import simplicert as sc

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
RUNS = [ROOT / "experiments" / "cifar10" / "runs" / name for name in ("sigma-0.25", "sigma-0.5")]

COUNTS = (750, 120, 70, 40, 20)  # of one input, the example of docs/reading.md
SIGMA, ALPHA = 0.5, 0.001
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run")


def example_certificate() -> sc.Certificates:
    """The certificate of the example."""
    return sc.certify(sc.bound(sc.Tally([COUNTS], sigma=SIGMA), alpha=ALPHA))


def draw_certificate(out: Path) -> None:
    """Three steps: what was seen, what is proved, what is certified."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 3.1), dpi=150, layout="constrained")
    seen, proved, certified = figure.subplots(1, 3, width_ratios=[1, 1.15, 1.25])
    certificates = example_certificate()
    _draw_counts(seen)
    _draw_bounds(proved, certificates)
    _draw_radii(certified, certificates)
    for axes in (seen, proved, certified):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(out, metadata={"Software": None})


def _draw_counts(axes: Any) -> None:
    """How often each class was given."""
    places = range(len(COUNTS))
    axes.bar(places, COUNTS, color=["#0072B2", "#D55E00", *["#9a9a9a"] * (len(COUNTS) - 2)])
    for place, count in zip(places, COUNTS, strict=True):
        axes.text(place, count + 12, str(count), ha="center", fontsize=9)
    axes.set(
        title=f"1  {sum(COUNTS):,} noisy copies", xlabel="class", ylabel="draws", xticks=places
    )
    axes.set_ylim(0, 850)


def _draw_bounds(axes: Any, certificates: sc.Certificates) -> None:
    """From shares to a lower bound of the first class and an upper one of the second."""
    known, draws = certificates.known, sum(COUNTS)
    rows = (
        (1, COUNTS[0], known.e0[0], f"E0 ≥ {round_down(known.e0[0], 3)}", "#0072B2"),
        (0, COUNTS[1], known.e1[0], f"E1 ≤ {round_up(known.e1[0], 3)}", "#D55E00"),
    )
    for place, count, limit, text, colour in rows:
        share = count / draws
        axes.plot([share, limit], [place, place], color=colour, linewidth=5, alpha=0.35)
        axes.plot(share, place, "o", color=colour, markerfacecolor="white", markersize=8)
        axes.plot(limit, place, "D", color=colour, markersize=7)
        side = "right" if place else "left"
        axes.text(limit + (-0.04 if place else 0.04), place, text, ha=side, va="center")
    axes.set(xlim=(0, 1), ylim=(-0.6, 1.6), yticks=[0, 1], yticklabels=["second", "first"])
    axes.set(title=f"2  Bounds at alpha {ALPHA}", xlabel="probability of the class")
    axes.text(0.98, 0.5, "○ share seen\n◆ bound proved", ha="right", va="center", fontsize=8.5)


def _draw_radii(axes: Any, certificates: sc.Certificates) -> None:
    """Every mechanism's radius, and the limit as a line."""
    from simplicert.figures.style import mechanism_style

    names = [*certificates.radii][::-1]
    values = [float(certificates.radii[name][0]) for name in names]
    looks = [mechanism_style(name) for name in names]
    axes.barh([look.name for look in looks], values, color=[look.colour for look in looks])
    limit = max(values)
    axes.axvline(limit, color="black", linewidth=1.5)
    for place, value in enumerate(values):
        inside = value > 0.25 * limit
        axes.text(
            value - 0.006 if inside else value + 0.006,
            place,
            round_down(value, 3),
            ha="right" if inside else "left",
            va="center",
            fontsize=9,
            color="white" if inside else "black",
        )
    axes.set(title=f"3  Radii at sigma {SIGMA}", xlabel="l2 distance", xlim=(0, limit * 1.12))
    axes.text(limit * 1.02, len(names) - 0.42, "limit", fontsize=9, va="bottom", ha="center")


def photograph_explorer(out: Path) -> None:
    """Take a picture of the explorer as it opens."""
    from simplicert.report.explorer import write_explorer

    with tempfile.TemporaryDirectory() as folder:
        page = write_explorer(Path(folder) / "explorer.html")
        view = "#e0=0.75&e1=0.12&n=1000&alpha=0.001&embed=yes"
        ready = "return document.documentElement.dataset.map === 'yes'"
        _photograph(f"{page.as_uri()}{view}", out, (1200, 690), ready)


def photograph_report(out: Path) -> None:
    """Take a picture of the top of a report."""
    from simplicert.metrics.study import read_studies
    from simplicert.report import write_report

    with tempfile.TemporaryDirectory() as folder:
        studies = read_studies(RUNS, {})
        page = write_report(studies, Path(folder) / "report.html", images=False)
        ready = "return document.documentElement.dataset.ready === 'yes'"
        _photograph(page.as_uri(), out, (1280, 1340), ready)


def _photograph(address: str, out: Path, size: tuple[int, int], ready: str) -> None:
    """Open a page in Chromium, wait until it is ready, and save what a screen shows."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    browser, control = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or control is None:
        raise SystemExit("chromium and chromedriver must be installed to photograph a page")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in FLAGS:
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=Service(control))
    try:
        wide, high = size
        metrics = {"width": wide, "height": high, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        driver.get(address)
        end = time.monotonic() + 120
        while not driver.execute_script(ready):
            if time.monotonic() > end:
                raise SystemExit(f"{address} was not ready after two minutes")
            time.sleep(0.1)
        time.sleep(1)  # plots are drawn after the script
        found = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
        out.write_bytes(_fewer_colours(base64.b64decode(found["data"])))
    finally:
        driver.quit()


def _fewer_colours(png: bytes) -> bytes:
    """The same picture with 256 colours, in a third of the bytes."""
    import io

    from PIL import Image

    small = io.BytesIO()
    whole = Image.open(io.BytesIO(png)).convert("RGB")
    few = whole.quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(small, "PNG", optimize=True)
    return small.getvalue()


PICTURES: dict[str, Callable[[Path], None]] = {
    "certificate": draw_certificate,
    "explorer": photograph_explorer,
    "report": photograph_report,
}


def main() -> None:
    """Make the pictures that are named, or all."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("names", nargs="*", help=", ".join(PICTURES))
    names = arguments.parse_args().names or list(PICTURES)
    for name in names:
        if name not in PICTURES:
            raise SystemExit(f"name must be one of {', '.join(PICTURES)}, got {name!r}")
        PICTURES[name](IMAGES / f"{name}.png")
        print(f"wrote docs/images/{name}.png")


if __name__ == "__main__":
    main()
