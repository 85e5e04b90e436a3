"""Import many logs at once: find them, name their runs, and say what happened in a few lines.

A single file becomes the run folder `--out` itself. Several files, or a folder, become one run
folder each inside `--out`, named by the fields of `--pattern` or else by their paths.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os.path import commonpath
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simplicert.cli.saying import print_lines, print_warning

if TYPE_CHECKING:
    from simplicert.logs.paths import NamedSettings
    from simplicert.store.imported import ImportedRun
    from simplicert.store.run import Run

ALPHA = 0.001  # where neither an option nor a pattern says another
MOST_NAMED = 3  # files that were not imported, named one by one
SUFFIXES = (".tsv", ".csv", ".txt", ".log", ".npz")

LogFiles = Annotated[list[Path], typer.Argument(help="Logs, or folders of logs.")]
Sigma = Annotated[
    float | None,
    typer.Option(help="Standard deviation of the noise of the draws; or {sigma} in --pattern."),
]
Alpha = Annotated[float | None, typer.Option(help="Failure probability of one certificate; 0.001.")]
Out = Annotated[Path, typer.Option(help="The new run folder; of several logs, a folder of runs.")]
Pattern = Annotated[
    str | None,
    typer.Option(help="End of the paths, such as '{data}/noise_{train}/sigma_{sigma}'."),
]


@dataclass(frozen=True)
class ImportJob:
    """One log, the folder of its run, and what its path says by the pattern."""

    file: Path
    out: Path
    named: "NamedSettings"


def import_all(
    files: Sequence[Path],
    formats: Sequence[str],
    out: Path,
    pattern: str | None,
    make: "Callable[[ImportJob], Run | ImportedRun]",
) -> None:
    """Import every log of these formats by `make`, and print what was written and what is doubtful.

    With several logs one that cannot be imported does not stop the others; the exit code is 1 then.
    """
    from simplicert.errors import InvalidInput, SimplicertError, require

    many = len(files) > 1 or not _is_log(files[0])
    if not many:
        run = make(ImportJob(files[0], out, _read_named(files[0], pattern)))
        for sentence in run.audit:
            print_warning(f"audit: {sentence}")
        print_lines(_describe_run(run), f"wrote {run.folder}")
        return
    found, others = _find_logs(files, formats)
    made: list[Run | ImportedRun] = []
    refused: list[str] = []
    taken: dict[str, Path] = {}
    for file, name in found.items():
        try:
            named = _read_named(file, pattern)
            called = _name_fields(named, pattern) or name
            first = taken.setdefault(called, file)
            require(
                first == file,
                f"by the pattern its run is {called}, as that of {first}: name what differs too, "
                "such as '{method}/...'",
            )
            made.append(make(ImportJob(file, out / called, named)))
        except SimplicertError as error:
            refused.append(str(error) if str(file) in str(error) else f"{file}: {error}")
    if not made:
        raise InvalidInput(
            f"no log of {len(found)} was imported: {refused[0]}"
            if refused
            else f"files must hold {' or '.join(formats)} logs, got none in "
            + ", ".join(str(file) for file in files)
        )
    _print_summary(made, others, out)
    if refused:
        for line in refused[:MOST_NAMED]:
            print_warning(f"not imported: {line}")
        if len(refused) > MOST_NAMED:
            print_warning(f"not imported: {len(refused) - MOST_NAMED} more logs")
        raise typer.Exit(1)


def require_sigma(job: ImportJob, sigma: float | None) -> float:
    """Return sigma, from the option or from the pattern, and from one of them only."""
    from simplicert.errors import InvalidInput, require

    named = job.named.sigma
    require(
        sigma is None or named is None,
        f"sigma must come from --sigma or from the pattern, got {sigma} and {named}",
    )
    if sigma is None and named is None:
        raise InvalidInput("sigma must be given, by --sigma or by {sigma} in --pattern, got none")
    return float(sigma if sigma is not None else named or 0.0)


def choose_setting(name: str, given: float | None, named: float | None) -> float | None:
    """Return a setting, from the option or from the pattern, and from one of them only."""
    from simplicert.errors import require

    require(
        given is None or named is None,
        f"{name} must come from --{name} or from the pattern, got {given} and {named}",
    )
    return named if given is None else given


def choose_draws(draws: int | None, job: ImportJob) -> int | None:
    """Return the draws of an input, from the option or from the pattern."""
    chosen = choose_setting("draws", draws, job.named.draws)
    return None if chosen is None else int(chosen)


def _read_named(file: Path, pattern: str | None) -> "NamedSettings":
    """Return what the path of a log says by the pattern; nothing without one."""
    from simplicert.logs.paths import NamedSettings, PathPattern

    return NamedSettings() if pattern is None else PathPattern(pattern).read(file)


def _find_logs(files: Sequence[Path], formats: Sequence[str]) -> tuple[dict[Path, str], int]:
    """Return the logs with a name for each, and how many other files the folders hold."""
    from simplicert.board.sources import find_sources
    from simplicert.errors import require

    found: dict[Path, str] = {}
    others = 0
    alone = [file for file in files if _is_log(file)]
    above = Path(commonpath([file.parent for file in alone])) if alone else Path()
    for given in files:
        if given in alone:
            require(given.exists(), f"file must be a log that exists, got {str(given)!r}")
            found[given] = _slug(given.relative_to(above))
            continue
        for source in find_sources([given]):
            inside = source.path.relative_to(given.resolve())
            if source.format in formats or (formats == ("radii",) and source.format != "other"):
                found[given / inside] = _slug(inside)
            else:
                others += 1
    twice = [name for name in found.values() if list(found.values()).count(name) > 1]
    require(not twice, f"files must have different paths, got {''.join(twice[:1])!r} twice")
    return found, others


def _is_log(path: Path) -> bool:
    """Whether a path is one log: a file, or a folder of arrays."""
    from simplicert.board.sources import holds_arrays

    return not path.is_dir() or holds_arrays(path)


def _slug(path: Path) -> str:
    """Return a path as the name of one folder."""
    text = path.as_posix()
    suffix = path.suffix.lower()
    return text.removesuffix(suffix if suffix in SUFFIXES else "").replace("/", "_")


def _name_fields(named: "NamedSettings", pattern: str | None) -> str:
    """Return the fields of the pattern as the name of a folder, in the order of the pattern."""
    if pattern is None:
        return ""
    parts = [named.label] if named.label else []
    settings = (
        ("scale" if named.scaled else "sigma", named.sigma),
        ("n", named.draws),
        ("alpha", named.alpha),
    )
    parts += [f"{name} {value:g}" for name, value in settings if value is not None]
    return re.sub(r"[^\w.+-]+", "-", " ".join(parts)).strip("-.")


def _describe_run(run: "Run | ImportedRun") -> str:
    """Return one line about a run: its tally, or what an imported log holds."""
    from simplicert.store.imported import ImportedRun

    return repr(run if isinstance(run, ImportedRun) else run.tally())


def _print_summary(made: "Sequence[Run | ImportedRun]", others: int, out: Path) -> None:
    """Print the runs, one line each, and each kind of doubt once."""
    from simplicert.metrics.study import Study
    from simplicert.noises import say_noise
    from simplicert.tables.doubts import doubt_notes

    studies = [Study(run.manifest.label or run.folder.name, run) for run in made]
    for run in made:
        known = run.manifest
        called = f", label {known.label!r}" if known.label else ""
        print_lines(
            f"{run.folder.name}: {known.inputs:,} inputs, "
            f"{say_noise(known.noise_model, known.sigma)}, alpha {known.alpha:g}{called}"
        )
    for note in doubt_notes(studies):
        print_warning(note)
    if others:
        whose = "file is no log" if others == 1 else "files are no logs"
        print_warning(f"{others} other {whose} of this format, and left out")
    print_lines(f"wrote {len(made)} runs into {out}")
