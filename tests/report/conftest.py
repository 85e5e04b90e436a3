"""Runs to report on, and a browser to open the report in."""

import json
import shutil
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import simplicert as sc
from simplicert.files import content_checksum
from simplicert.metrics.study import Study
from simplicert.store import Manifest, open_run
from simplicert.store.run import write_noise_scale
from simplicert.types import FIXED_POINT
from simplicert.types.scores import BINS

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-extensions", "--disable-dev-shm-usage", "--window-size=1400,1000",
)  # fmt: skip
OWN = ("file:", "data:", "blob:", "about:", "chrome:", "chrome-untrusted:", "chrome-extension:")
PATIENCE = 200.0  # seconds for what happens at once on an idle machine


@pytest.fixture(scope="session")
def make_study(tmp_path_factory):
    """Return a function that writes a run of inputs of every sort and reads it for the report."""

    def made(name="run", inputs=40, *, labelled=True, soft=True, sigma=0.5, draws=2000, **settings):
        random = np.random.default_rng(settings.pop("seed", 0))
        truth = random.dirichlet([1.0, 0.7, 0.4, 0.05], size=inputs)
        counts, votes = (random.multinomial(draws, truth) for _ in range(2))
        unit = draws * 2.0**FIXED_POINT
        sums = np.floor(truth * unit * (1 - 1e-9)).astype(np.int64)
        squares = np.floor((truth + truth**2) / 2 * unit * (1 - 1e-9)).astype(np.int64)
        labels = np.where(random.random(inputs) < 0.8, counts.argmax(axis=1), 0)
        evidence = {"softmax_sums": sums, "softmax_squares": squares, "votes": votes}
        tally = sc.Tally(
            counts,
            sigma,
            labels=labels if labelled else None,
            index=settings.pop("index", None),
            **(evidence if soft else {}),
        )
        if settings.pop("histograms", False):
            leaders = np.argsort(-truth, axis=1)[:, :2]
            shares = random.dirichlet(np.full(BINS, 0.3), size=(inputs, 3))
            tally = replace(tally, leaders=leaders, histograms=random.multinomial(draws, shares))
        planned, scale = settings.pop("planned", inputs), settings.pop("scale", None)
        tally = replace(tally, grid=settings.get("source", {}).get("grid"))
        if scale is not None:
            tally = replace(tally, norm="scaled l2")
            settings["source"] = {
                "noise_scale": content_checksum(np.ascontiguousarray(scale).tobytes())
            }
        folder = tmp_path_factory.mktemp("runs") / name.replace("/", "_")
        sc.create_run(folder, Manifest(tally.sigma, planned, tally.classes, **settings), tally)
        if scale is not None:
            write_noise_scale(folder, scale)
        return Study(name, open_run(folder))

    return made


@pytest.fixture(scope="session")
def make_pair(tmp_path_factory):
    """Return a function that writes two runs of the same inputs, in two orders, and reads them."""

    def made(names=("old", "new"), inputs=60, *, labelled=True, sigmas=(0.5, 0.5), **settings):
        random = np.random.default_rng(settings.pop("seed", 0))
        truth = random.dirichlet([1.0, 0.7, 0.4, 0.05], size=inputs)
        labels = truth.argmax(axis=1) if labelled else None
        index = np.arange(0, 20 * inputs, 20)
        studies = []
        for place, (name, sigma) in enumerate(zip(names, sigmas, strict=True)):
            moved = truth**0.7 + random.random(truth.shape) * 0.5 if place else truth
            counts = random.multinomial(2000, moved / moved.sum(axis=1, keepdims=True))
            order = random.permutation(inputs) if place else np.arange(inputs)
            mine = None if labels is None else labels[order]
            tally = sc.Tally(counts[order], sigma, labels=mine, index=index[order])
            folder = tmp_path_factory.mktemp("pairs") / f"run{place}"
            sc.create_run(folder, Manifest(sigma, inputs, tally.classes, **settings), tally)
            studies.append(Study(name, open_run(folder)))
        return studies

    return made


class Page:
    """One page in the browser, and what a reader does with it."""

    def __init__(self, driver, downloads: Path) -> None:
        """Use this browser, which saves files to that folder."""
        self.driver, self.downloads = driver, downloads

    def open(self, text: str, folder: Path):
        """Write the page, open it from disk and wait until its script has run."""
        path = folder / "page.html"
        path.write_text(text, encoding="utf-8")
        self.logs()
        self.driver.get(path.as_uri())
        self.until("return document.documentElement.dataset.ready === 'yes'")
        return self

    def run(self, script: str, *arguments):
        """Return what a function body returns in the page."""
        return self.driver.execute_script(script, *arguments)

    def until(self, script: str, *arguments):
        """Wait until the script returns something true."""
        end = time.monotonic() + PATIENCE
        while not (found := self.run(script, *arguments)):
            assert time.monotonic() < end, f"never true: {script}"
            time.sleep(0.05)
        return found

    def element(self, selector: str):
        """Return the first element that a CSS selector finds."""
        return self.driver.find_element("css selector", selector)

    def texts(self, selector: str) -> list[str]:
        """Return the text of every such element, in order."""
        script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)"
        return self.run(script, selector)

    def choose(self, element: str, value: str) -> None:
        """Choose another option of a select."""
        from selenium.webdriver.support.ui import Select

        Select(self.element(f"#{element}")).select_by_value(value)

    def type(self, element: str, text: str) -> None:
        """Type text into a field, key by key, in place of what stood there."""
        from selenium.webdriver.common.keys import Keys

        field = self.element(f"#{element}")
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(text or Keys.DELETE)

    def column(self, key: str) -> list[str]:
        """Return the cells of the table of inputs under one heading, as shown."""
        script = """
            const heads = [...document.querySelectorAll("#inputs thead tr > *")];
            const at = heads.findIndex((head) => head.dataset.key === arguments[0]);
            const rows = [...document.querySelectorAll("#inputs tbody tr[data-at]")];
            return rows.map((row) => row.cells[at].textContent);
        """
        return self.run(script, key)

    def logs(self) -> tuple[list[str], list[str]]:
        """Return complaints on the console and addresses requested since the last call."""
        told = [entry["message"] for entry in self.driver.get_log("browser")]
        events = [json.loads(e["message"])["message"] for e in self.driver.get_log("performance")]
        asked = [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]
        return told, [url for url in asked if not url.startswith(OWN)]

    def keep_width(self, width: int, *, dark: bool = False, media: str = "") -> None:
        """Be a screen this wide, of a phone if it is narrow; dark or print where asked for."""
        size = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        told = {"media": media, "features": [scheme]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", told)

    def at(self, plot: str, x: float, y: float) -> tuple[int, int]:
        """Return where on the screen a point of a plot is, once it is scrolled there."""
        script = """
            const { plot } = document.getElementById(arguments[0]);
            plot.root.scrollIntoView({ block: "center" });
            const frame = plot.root.getBoundingClientRect();
            return [frame.left + plot.x(arguments[1]), frame.top + plot.y(arguments[2])];
        """
        across, down = self.run(script, plot, x, y)
        return round(across), round(down)

    def point_at(self, plot: str, x: float, y: float, *, click: bool = False) -> None:
        """Move the pointer to a point of a plot, and press it if asked to."""
        from selenium.webdriver.common.action_chains import ActionChains

        across, down = self.at(plot, x, y)
        actions = ActionChains(self.driver, duration=20)
        pointer = actions.w3c_actions.pointer_action
        pointer.move_to_location(across - 40, down)
        pointer.move_to_location(across, down)
        if click:
            pointer.click()
        actions.perform()

    def downloaded(self, name: str) -> bytes:
        """Return a file that the page saved, once it is whole."""
        end, path = time.monotonic() + PATIENCE, self.downloads / name
        while not path.exists():
            there = [p.name for p in self.downloads.iterdir()]
            assert time.monotonic() < end, f"{name} never came, only {there}"
            time.sleep(0.05)
        return path.read_bytes()


@pytest.fixture(scope="session")
def driver(tmp_path_factory):
    """Start the system's Chromium without a window; nothing is downloaded for it."""
    selenium = pytest.importorskip("selenium", reason="selenium drives the browser")
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    control = shutil.which("chromedriver")
    if browser is None or control is None:
        pytest.skip("no chromium and chromedriver on this machine: .ci/run installs them")
    from selenium.webdriver.chrome.service import Service

    options = selenium.webdriver.ChromeOptions()
    options.binary_location = browser
    folder, profile = (tmp_path_factory.mktemp(name) for name in ("downloads", "profile"))
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.add_experimental_option("prefs", {"download.default_directory": str(folder)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = selenium.webdriver.Chrome(options=options, service=Service(control))
    driver.downloads = folder
    yield driver
    driver.quit()


@pytest.fixture
def page(driver):
    """Return the browser at its usual size, with an empty download folder."""
    for path in driver.downloads.iterdir():
        path.unlink()
    driver.set_window_size(1400, 1000)
    yield Page(driver, driver.downloads)
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
