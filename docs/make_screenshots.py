"""Take the pictures of the report that the pages show, in Chromium: docs/images/report-*.png.

    python docs/make_screenshots.py [NAME ...]

The page is that of three committed runs, without thumbnails: no pixel of the data is in a picture.
It needs selenium, chromium and chromedriver, as tests/report does.
"""

import argparse
import base64
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
RUNS = [
    ROOT / "experiments" / "cifar10" / "runs" / f"sigma-{sigma}" for sigma in ("0.25", "0.5", "1")
]
PATIENCE = 120.0  # seconds for a page to draw itself
OPEN = "document.querySelectorAll('#inputs tbody button')[3].click();"


class Shot(NamedTuple):
    """A picture: how wide the screen is, which element it begins with, and how high it is."""

    width: int
    start: str = "header"
    height: int = 900
    dark: bool = False
    act: str = ""


SHOTS = {
    "report-opening": Shot(1200, height=1060),
    "report-simplex": Shot(1200, "#simplex-section", 640),
    "report-input": Shot(1200, "#inputs-section", 720, act=OPEN),
    "report-dark": Shot(1200, "#curves-section", 760, dark=True),
    "report-phone": Shot(390, "#inputs-section", 1180, act=OPEN),
}


@contextmanager
def open_browser() -> Iterator[Any]:
    """Start the system's Chromium without a window."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("chromium-browser") or ""
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        yield driver
    finally:
        driver.quit()


def take(driver: Any, page: Path, shot: Shot) -> bytes:
    """Open the page as a screen of this kind and return the picture."""
    size = {"width": shot.width, "height": 900, "deviceScaleFactor": 1, "mobile": shot.width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if shot.dark else "light"}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    driver.get(page.as_uri())
    end = time.monotonic() + PATIENCE
    while driver.execute_script("return document.documentElement.dataset.ready") != "yes":
        if time.monotonic() > end:
            raise SystemExit(f"{page.name} was not ready after {PATIENCE:.0f} s")
        time.sleep(0.05)
    if shot.start != "header":  # a header that sticks would stand in the picture
        driver.execute_script("document.querySelector('header').style.position = 'static';")
    driver.execute_script(shot.act)
    top = driver.execute_script(
        "return document.querySelector(arguments[0]).getBoundingClientRect().top + scrollY",
        shot.start,
    )
    clip = {"x": 0, "y": top, "width": shot.width, "height": shot.height, "scale": 1}
    asked = {"captureBeyondViewport": True, "clip": clip}
    return base64.b64decode(driver.execute_cdp_cmd("Page.captureScreenshot", asked)["data"])


def main() -> None:
    """Write the pictures that are named, or all."""
    from simplicert.metrics.study import read_studies
    from simplicert.report import write_report

    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(SHOTS))
    names = parser.parse_args().names or list(SHOTS)
    with tempfile.TemporaryDirectory() as folder, open_browser() as driver:
        page = write_report(read_studies(RUNS), Path(folder) / "report.html", images=False)
        for name in names:
            (IMAGES / f"{name}.png").write_bytes(take(driver, page, SHOTS[name]))
            print(f"wrote docs/images/{name}.png")


if __name__ == "__main__":
    main()
