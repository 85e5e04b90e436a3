"""Put the literature's certified accuracies under those of runs, each marked as claimed.

`published.toml` holds the numbers as papers and their repositories print them, with paper, table
and row, and the file or text where they were read. No log stands behind them here and
nothing about them was audited: they are never in bold, and every row and note says so.
`read_published` reads one benchmark, `check_published` refuses runs that it has no place beside,
and `published_table` lists its rows by themselves.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from simplicert.errors import choose, require
from simplicert.files import read_toml
from simplicert.metrics.numbers import NONE
from simplicert.metrics.study import Study
from simplicert.tables.grid import Grid, Value

FILE = Path(__file__).parent / "published.toml"

STATUS = "claimed"  # what the literature's numbers are here

SHORT = 7  # letters of a commit that name it


@dataclass(frozen=True)
class PublishedRow:
    """One row of a table in the literature: accuracies in percent, as they are printed."""

    method: str
    authors: str
    title: str
    year: int
    arxiv: str
    table: str
    row: str
    sigma: float | None  # None: the best of each radius
    percent: dict[float, float]  # radius -> certified accuracy
    repository: str = ""  # where the numbers were read
    path: str = ""
    commit: str = ""
    text: str = ""  # of the paper itself, where they were read there and in no repository

    @property
    def name(self) -> str:
        """Return the row's name in a table of ours; it says that the row is claimed."""
        return f"{STATUS}: {self.method}"

    @property
    def source(self) -> str:
        """Return the paper, its table, and the file or text where the table was read."""
        read = self.text or f"{self.repository}, {self.path} at {self.commit[:SHORT]}"
        return f"{self.authors} {self.year} (arXiv {self.arxiv}), {self.table}, read in {read}"

    def cells(self, radii: Sequence[float]) -> tuple[str, ...]:
        """Return the accuracies at these radii; a dash where the row prints none."""
        return tuple(
            f"{self.percent[radius]:g}" if radius in self.percent else NONE for radius in radii
        )

    def record(self) -> dict[str, Value]:
        """Return the row for a CSV file, its accuracies as shares like those of runs."""
        shares = {
            f"accuracy_at_{str(float(radius)).removesuffix('.0')}": percent / 100
            for radius, percent in self.percent.items()
        }
        own: dict[str, Value] = {"run": self.method, "sigma": self.sigma, "status": STATUS}
        words = {
            name: getattr(self, name)
            for name in ("authors", "title", "year", "arxiv", "table", "row")
        }
        seen = {name: getattr(self, name) for name in ("repository", "path", "commit", "text")}
        return {**own, **words, **seen, **shares}


@dataclass(frozen=True)
class Benchmark:
    """The literature's rows for one data set and norm."""

    name: str
    data: str
    classes: int
    norm: str
    rows: tuple[PublishedRow, ...]

    @property
    def radii(self) -> tuple[float, ...]:
        """Return 0 and every radius at which a row has a number."""
        return tuple(sorted({0.0}.union(*(row.percent for row in self.rows))))


@cache
def _read_benchmarks() -> dict[str, Benchmark]:
    """Read the data file of the package once."""
    held = read_toml(FILE)
    return {
        name: Benchmark(
            name=name,
            rows=tuple(_read_row(row, held) for row in held["rows"] if row["benchmark"] == name),
            **fields,
        )
        for name, fields in held["benchmarks"].items()
    }


def _read_row(row: dict[str, Any], held: dict[str, Any]) -> PublishedRow:
    """Join a row with its paper and the file where it was read."""
    percent = dict(zip(map(float, row["radii"]), map(float, row["percent"]), strict=True))
    words = {name: row[name] for name in ("method", "table", "row")}
    paper, seen = held["papers"][row["paper"]], held["seen"][row["seen"]]
    return PublishedRow(sigma=row.get("sigma"), percent=percent, **words, **paper, **seen)


def published_names() -> list[str]:
    """Return the names of the benchmarks that have rows."""
    return list(_read_benchmarks())


def read_published(name: str) -> Benchmark:
    """Return the literature's rows of one benchmark, by its name.

    >>> benchmark = read_published("cifar10-l1")
    >>> benchmark.rows[1].name, benchmark.rows[1].percent[0.5], benchmark.rows[1].table
    ('claimed: uniform noise', 70.0, 'Table 1')
    """
    return choose("published", name, _read_benchmarks())


def check_published(
    benchmark: Benchmark, studies: Sequence[Study], population: str | None = None
) -> None:
    """Refuse runs whose radii, data or population are not those of the benchmark."""
    require(
        population in (None, "all"),
        f"population must be all beside published rows, which count all inputs, got {population!r}",
    )
    for study in studies:
        require(
            study.measured_in == benchmark.norm,
            f"published {benchmark.name} has radii in {benchmark.norm}, and those of run "
            f"{study.name} are in {study.measured_in}: norms are not mixed",
        )
        classes, wanted = study.run.manifest.classes, benchmark.classes
        fits = classes == wanted if study.run.manifest.was_drawn else classes <= wanted
        require(
            fits,
            f"published {benchmark.name} is about {wanted} classes, and run {study.name} has "
            f"{classes}",
        )


def published_notes(benchmark: Benchmark, studies: Sequence[Study]) -> list[str]:
    """Say whose numbers these are, where each was read, and what nobody checked."""
    sources: dict[str, list[str]] = {}
    for row in benchmark.rows:
        sources.setdefault(row.source, []).append(f'"{row.row}"')
    data = " and ".join(dict.fromkeys(study.data or "data without a name" for study in studies))
    units = "their radii are in units of images in [0, 1]"
    if studies:
        units += f"; that {data} is {benchmark.data} in these units is the word of whoever asks"
    return [
        f"rows with the word {STATUS}: {benchmark.data}, {benchmark.norm}, as printed in the "
        f"literature, in percent; {STATUS}, not audited: no log of them was read here, and their "
        "draws, alpha, inputs, rounding, and > or >= at r are their own",
        "a dash: not printed there; without a sigma: the best sigma or model at each radius",
        units,
        *(f"{STATUS}: {source}, rows {', '.join(rows)}" for source, rows in sources.items()),
    ]


def published_table(benchmark: Benchmark) -> Grid:
    """List the literature's rows of one benchmark by themselves, for a page without runs.

    >>> table = published_table(read_published("imagenet-l2"))
    >>> table.rows[4][:4]
    ('claimed: SmoothAdv', '-', '-', '56')
    """
    radii = benchmark.radii
    return Grid(
        f"{benchmark.data}, {benchmark.norm}: certified accuracy in percent, {STATUS}, not audited",
        ("method", "sigma", *(f"{radius:g}" for radius in radii), "paper", "table", "row"),
        [
            (
                row.name,
                NONE if row.sigma is None else f"{row.sigma:g}",
                *row.cells(radii),
                f"{row.authors} {row.year}, arXiv {row.arxiv}",
                row.table,
                row.row,
            )
            for row in benchmark.rows
        ],
        tuple(published_notes(benchmark, ())),
        keys=2,
        records=tuple(row.record() for row in benchmark.rows),
        name="published",
    )
