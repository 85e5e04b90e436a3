"""`simplicert verify`: check that a run holds what it says."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from simplicert.cli.origin_options import (
    DataOption,
    ModelOption,
    NumbersOption,
    TrustOption,
)
from simplicert.cli.saying import print_json, print_lines

if TYPE_CHECKING:
    from simplicert.verification import VerificationCheck


# What a line begins with, by whether its check holds.
MARKS = {True: "ok    ", False: "WRONG ", None: "note  "}

FAILED_EXIT, UNCHECKED_EXIT = 1, 2  # exit codes: a check failed; it could not be checked


def verify(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    file: Annotated[
        Path | None, typer.Argument(help="After --json: written here, beside the lines.")
    ] = None,
    *,
    certificates: Annotated[
        list[Path] | None,
        typer.Option(help="CSV or Parquet made from the run; may be repeated. Default: RUN.csv."),
    ] = None,
    replay: Annotated[int, typer.Option(help="So many random inputs are drawn again.")] = 0,
    seed: Annotated[
        int | None, typer.Option(help="Chooses them; without it, chance does, and it is printed.")
    ] = None,
    model: ModelOption = None,
    data: DataOption = None,
    mean: NumbersOption = None,
    std: NumbersOption = None,
    trust: TrustOption = False,
    sensitivity: Annotated[
        float | None, typer.Option(help="Of the first stage, by your word. Default: the run's.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON in place of lines.")] = False,
    claims: Annotated[
        Path | None,
        typer.Option(help="Its entry for a board, whose settings must be the run's."),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(help="Public key of whoever sealed the run, which must hold."),
    ] = None,
) -> None:
    """Check files, draws and certificates of a run, and draw some inputs again.

    Exit code 0: all holds; 1: something does not; 2: it could not be checked as asked.

    Example: simplicert verify runs/mine

    Example: simplicert verify runs/mine --claims runs/board.toml

    Example: simplicert verify runs/mine --key theirs.pem.pub

    Example: simplicert verify runs/mine --json
    """
    from simplicert.cli.progress import checking_lines, show_reading_progress
    from simplicert.cli.saying import print_warning
    from simplicert.errors import check_positive, require
    from simplicert.verification import Replay, verify_run

    run, written = _read_places(run, file, as_json=as_json)
    quiet = as_json and written is None
    require(replay >= 0, f"replay must not be negative, got {replay}")
    require(seed is None or seed >= 0, f"seed must not be negative, got {seed}")
    if sensitivity is not None:
        check_positive("sensitivity", sensitivity)
    request = Replay(replay, seed, model, data, mean, std, trust) if replay else None
    checks = []
    with show_reading_progress(quiet=False):
        files = tuple(certificates or ())
        for check in verify_run(
            run, files, request, sensitivity, claims, checking_lines(), key=key
        ):
            checks.append(check)
            if not quiet:
                print_lines(f"{MARKS[check.holds]}{check.about}: {check.says}")
    wrong = sum(check.holds is False for check in checks)
    tolerant = sum(check.tolerant for check in checks)
    redrawn = any(check.about == "replay" and check.holds is not None for check in checks)
    lacking = request is not None and not redrawn
    verdict = "nothing is wrong, but no input was drawn again" if lacking else "all holds"
    if tolerant:
        verdict += f", {tolerant} of the inputs drawn again within a tolerance and not bit for bit"
    if quiet:
        print_json(_verification_record(run, checks))
    else:
        print_lines(f"{run}: {f'{wrong} of {len(checks)} checks failed' if wrong else verdict}")
    if written is not None:
        from simplicert.files import write_atomically
        from simplicert.records import write_json

        write_atomically(written, write_json(_verification_record(run, checks), indent=1).encode())
    if wrong:
        raise typer.Exit(FAILED_EXIT)
    if lacking:
        print_warning("inputs were to be drawn again, and none was")
        raise typer.Exit(UNCHECKED_EXIT)


def _read_places(run: Path, file: Path | None, *, as_json: bool) -> tuple[Path, Path | None]:
    """Return the run, and the file of an older form: `--json FILE` wrote the JSON there."""
    from simplicert.errors import require

    require(as_json or file is None, f"run must be one run folder, got {run} and {file}")
    if file is not None and file.is_dir() and not run.is_dir():  # the option came first
        run, file = file, run
    return run, file


def _verification_record(run: Path, checks: "list[VerificationCheck]") -> dict[str, Any]:
    """Return the checks as JSON holds them, for programs."""
    return {
        "run": str(run),
        "holds": all(check.holds is not False for check in checks),
        "checks": [check._asdict() for check in checks],
    }
