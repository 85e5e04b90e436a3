"""Gather runs and raw logs for a table: what a board would read, each as a run.

`gather_runs` finds logs below the given paths as a board does, by content, with sigma, draws and
alpha from the log, from its path or from claims. Each is imported into a folder that lives as long
as the table is made. Whatever is not stated, doubtful or left out becomes a note of the table.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from simplicert.board.arrays import (
    RANDOM_SPLITTING,
    ROOT_3,
    model_of_arrays,
    noise_of_arrays,
)
from simplicert.board.claims import ALPHA, DRAWS, Claim, LogSettings, read_claims, require_sigma
from simplicert.board.entry import REMARKS
from simplicert.board.job import say_refusal, settings_of_source
from simplicert.board.reading import is_stated, require_gaussian, state_settings
from simplicert.board.sources import Source, find_sources
from simplicert.errors import InvalidInput, SimplicertError, require
from simplicert.logs import (
    LOGS,
    import_counts,
    import_dsrs,
    import_log,
    import_rs4a,
    import_splitting,
)
from simplicert.logs.audit import infer_settings, read_findings
from simplicert.store import open_run
from simplicert.store.imported import ImportedRun
from simplicert.store.manifest import NAME as RUN
from simplicert.store.run import Run

NAMED = "sigma_named"  # what the import says of a path, which the settings know too
MOST_NAMED = 3  # files that are left out, named one by one


@dataclass(frozen=True)
class GatheredRuns:
    """Run folders, the names of some of them, and what a table must say of them."""

    folders: tuple[Path, ...]
    names: Mapping[str, str]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Gathered:
    """One log as a run, under the name it would have, and what must be said of it."""

    source: Source
    run: Run | ImportedRun
    name: str
    method: str
    doubts: tuple[str, ...]
    guessed: bool


@contextmanager
def gather_runs(
    paths: Sequence[Path],
    labels: Mapping[str, str] | None = None,
    claims: Path | None = None,
) -> Iterator[GatheredRuns]:
    r"""Yield the runs of all paths: run folders as they are, logs and folders of logs imported.

    A label of a folder is that of every log below it. `claims` is a file as `board` takes it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = Path(folder, "sigma_0.5.tsv")
    ...     _ = log.write_text("idx\tlabel\tpredict\tradius\tcorrect\n0\t3\t3\t0.41\t1\n")
    ...     with gather_runs([log], {str(log): "Cohen"}) as gathered:
    ...         list(gathered.names.values())
    ['Cohen']
    """
    told = dict(labels or {})
    logs = [path for path in paths if path.exists() and not (path / RUN).is_file()]
    require(
        bool(logs) or claims is None,
        f"claims are for logs, and all of these are runs, got {str(claims)!r}",
    )
    if not logs:
        yield GatheredRuns(tuple(paths), told)
        return
    with TemporaryDirectory(prefix="simplicert-logs-") as scratch:
        folders, names, notes = _import_all(paths, logs, told, claims, Path(scratch))
        yield GatheredRuns(tuple(folders), names, tuple(notes))


def _import_all(
    paths: Sequence[Path],
    logs: Sequence[Path],
    labels: Mapping[str, str],
    claims: Path | None,
    scratch: Path,
) -> tuple[list[Path], dict[str, str], list[str]]:
    """Import every log, and keep the order of what was given."""
    typed = {path.resolve(): path for path in logs}
    read: list[_Gathered] = []
    refused: list[tuple[Source, str]] = []
    for source in find_sources(list(typed)):
        given = [] if claims is None else read_claims(claims, source.root.parent)
        try:
            one = _import_source(source, given, scratch / f"{len(read)}")
            named = replace(one, name=source.root.name) if source.root in typed else one
            read.append(one if one.method else named)
        except (SimplicertError, OSError) as error:
            if source.format != "other" or source.path in typed:
                refused.append((source, say_refusal(source, error)))
    for source, reason in refused:
        if source.path in typed:  # what was asked for by name must not be missing
            raise InvalidInput(f"{typed[source.path]} cannot be read as a run or a log: {reason}")
    if not read:
        what = _say_none(logs, refused)
        raise InvalidInput(f"runs must be runs, logs or folders of them, got {what}")
    held = [path for path in paths if path not in logs]
    names = _choose_names(read, held, labels)
    places = [*held, *(one.run.folder for one in read)]
    return places, names, _make_notes(read, names, refused)


def _import_source(source: Source, given: Sequence[Claim], out: Path) -> _Gathered:
    """Import one log by the importer of its format."""
    require(not source.reason, source.reason)
    settings = settings_of_source(source, given)
    run = IMPORTERS[source.format](source, settings, out)
    if isinstance(run, ImportedRun):
        require(
            run.holds == "expectations",
            "bare radii, which only `simplicert board` lists: nothing here says what they promise",
        )
    findings = [one for one in read_findings(run) if one.code != NAMED]
    doubts = [one.sentence for one in findings if one.code not in REMARKS and not one.disproves]
    doubts += settings.contradicted
    guessed = source.format in ("cohen", "rs4a") and not is_stated(settings)
    method = settings.method
    return _Gathered(source, run, method or source.name, method, tuple(doubts), guessed)


def _import_radii(source: Source, settings: LogSettings, out: Path) -> ImportedRun:
    """Import a log of radii at the settings that a board holds it to."""
    require_gaussian(settings)
    sigma = require_sigma(settings)
    inferred = (
        () if is_stated(settings) else infer_settings(LOGS[source.format](source.path), sigma)
    )
    stated = state_settings(settings, sigma, inferred)
    return import_log(
        source.format, source.path, sigma, out, alpha=stated.alpha, draws=stated.draws
    )


def _import_class_counts(source: Source, settings: LogSettings, out: Path) -> ImportedRun:
    """Import counts of the top class, which bound nothing without their draws."""
    require_gaussian(settings)
    require(settings.draws is not None, "counts without their draws: state draws in board.toml")
    alpha = settings.alpha or ALPHA
    return import_log(
        source.format,
        source.path,
        require_sigma(settings),
        out,
        alpha=alpha,
        draws=settings.draws,
    )


def _import_counts(source: Source, settings: LogSettings, out: Path) -> Run:
    """Import a table of counts; a claimed step says which inputs its rows are."""
    stepped = "step" in settings.origin
    return import_counts(
        source.path,
        require_sigma(settings),
        out,
        alpha=settings.alpha or ALPHA,
        start=0 if stepped else None,
        step=settings.step if stepped else None,
    )


def _import_dsrs(source: Source, settings: LogSettings, out: Path) -> ImportedRun:
    """Import a file of double sampling, which states its settings itself."""
    require("-th" not in source.path.stem, "bounds of second draws: no radius here is proved")
    return import_dsrs(source.path, out)


def _import_rs4a(source: Source, settings: LogSettings, out: Path) -> ImportedRun:
    """Import arrays of bounds under noise for which a radius is proved here."""
    noise = noise_of_arrays(source, settings)
    require(
        noise != RANDOM_SPLITTING, f"arrays of {noise} noise, for which no radius is proved here"
    )
    model, scale = model_of_arrays(noise, require_sigma(settings))
    return import_rs4a(
        source.path,
        model,
        scale,
        out,
        alpha=settings.alpha or ALPHA,
        draws=settings.draws or DRAWS,
        step=settings.step,
    )


def _import_splitting(source: Source, settings: LogSettings, out: Path) -> Run:
    """Import the exact counts of derandomised splitting noise; the shares tell the scale."""
    scale = None if settings.sigma is None else settings.sigma * ROOT_3
    try:
        return import_splitting(source.path, out, scale=scale, step=settings.step)
    except InvalidInput:
        return import_splitting(source.path, out, step=settings.step)


def _open_found_run(source: Source, settings: LogSettings, out: Path) -> Run | ImportedRun:
    """Open a run that lies among logs."""
    return open_run(source.path)


def _choose_names(
    read: Sequence[_Gathered], runs: Sequence[Path], labels: Mapping[str, str]
) -> dict[str, str]:
    """Return the name of each run: the label next above it, its method, or its path if taken."""
    told = {Path(path).resolve(): name for path, name in labels.items()}
    chosen = {str(run): told.pop(run.resolve()) for run in runs if run.resolve() in told}
    times = Counter((one.name, one.run.manifest.sigma) for one in read)
    twice = {name for (name, _), count in times.items() if count > 1}
    used: set[Path] = set()
    for one in read:
        own = one.source.name if one.name in twice else one.name
        place = one.source.path
        above = next((folder for folder in (place, *place.parents) if folder in told), None)
        used |= {above} if above else set()
        chosen[str(one.run.folder)] = told[above] if above else own
    unknown = [path for path in labels if Path(path).resolve() in set(told) - used]
    require(not unknown, f"label must name a run or log that is given, got {', '.join(unknown)}")
    return chosen


def _make_notes(
    read: Sequence[_Gathered],
    names: Mapping[str, str],
    refused: Sequence[tuple[Source, str]],
) -> list[str]:
    """Say what nobody stated, what the audit doubts, and which files are not in the table."""
    logs = [one for one in read if one.source.format != "run"]
    many = "1 log is" if len(logs) == 1 else f"{len(logs)} logs are"
    said = [
        f"{many} read as `simplicert board` does: sigma, draws and alpha from the log, its path or "
        "board.toml"
    ]
    guessed: dict[str, list[str]] = {}
    for one in logs:
        if one.guessed:
            known = one.run.manifest
            draws = one.run.columns.get("draws") if isinstance(one.run, ImportedRun) else None
            many = "" if draws is None else f"{int(max(draws)):,} draws at "
            guessed.setdefault(f"{many}alpha {known.alpha:g}", []).append(_name(one, names))
    said += [
        f"draws or alpha are stated by nobody for {', '.join(who)}: taken as {what}, which the "
        "largest radius fits or which is usual; board.toml states others"
        for what, who in guessed.items()
    ]
    if len(logs) <= MOST_NAMED:  # of more logs the table has one line for each kind of doubt
        said += [f"{_name(one, names)}: doubtful: {doubt}" for one in logs for doubt in one.doubts]
    if refused:
        shown = "; ".join(f"{source.name}: {reason}" for source, reason in refused[:MOST_NAMED])
        more = len(refused) - MOST_NAMED
        many = "1 file was" if len(refused) == 1 else f"{len(refused)} files were"
        said.append(
            f"{many} not read: {shown}"
            + (f"; and {more} more, which `simplicert board` lists" if more > 0 else "")
        )
    return said


def _name(one: _Gathered, names: Mapping[str, str]) -> str:
    """Return the name of a log in the table, with its sigma."""
    return f"{names[str(one.run.folder)]} ({one.run.manifest.sigma:g})"


def _say_none(logs: Sequence[Path], refused: Sequence[tuple[Source, str]]) -> str:
    """Say what was given where nothing could be read, and why."""
    given = ", ".join(repr(str(path)) for path in logs[:MOST_NAMED])
    if not refused:
        return f"{given}, which hold neither"
    source, reason = refused[0]
    more = f", and {len(refused) - 1} more" if len(refused) > 1 else ""
    return f"{given}: {source.name}: {reason}{more}"


IMPORTERS: dict[str, Callable[[Source, LogSettings, Path], Run | ImportedRun]] = {
    "cohen": _import_radii,
    "iss": _import_radii,
    "second-order": _import_class_counts,
    "dsrs-bounds": _import_dsrs,
    "dsrs-radii": _import_dsrs,
    "counts": _import_counts,
    "splitting": _import_splitting,
    "rs4a": _import_rs4a,
    "run": _open_found_run,
}
