"""Hold a run's entry for a board to the run: does it have the settings that are claimed?

The file is the one that `simplicert board` reads, a table [[claim]] for each run or log:

    [[claim]]
    match = "mine"           # the run's folder, from the file's folder on; default: all below it
    method = "Gaussian augmentation"
    data = "cifar10"
    sigma = 0.25
    draws = 10000
    alpha = 0.001

A later claim replaces an earlier one, field by field. `simplicert card RUN --claims FILE` writes
the entry of a run.
"""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from simplicert.errors import require
from simplicert.files import read_toml
from simplicert.noises import NOISES
from simplicert.store.imported import ImportedRun
from simplicert.store.run import Run
from simplicert.verification.checks import VerificationCheck

ABOUT = "claims"

GIVEN = ("method", "data", "source", "step", "totals_only")  # words that no file of a run can show

FIELDS = ("sigma", "draws", "alpha", "noise", "norm", *GIVEN)


def claim_checks(run: Run | ImportedRun, file: Path) -> Iterator[VerificationCheck]:
    """Compare every claim about this run with what the run says itself."""
    told = _find_claim(run, file)
    if not told:
        yield VerificationCheck(ABOUT, False, f"no claim of {file.name} is about this run")
        return
    unknown = sorted(set(told) - set(FIELDS))
    if unknown:
        says = f"a claim must have match and {', '.join(FIELDS)} alone, got {', '.join(unknown)}"
        yield VerificationCheck(ABOUT, False, says)
    for name, (held, words) in _held_settings(run).items():
        if name in told:
            yield _compare_claim(name, told[name], held, words)
    given = [f"{name} {told[name]!r:.80}" for name in GIVEN if name in told]
    if given:
        says = f"taken as given, because no file of a run can show it: {', '.join(given)}"
        yield VerificationCheck(ABOUT, None, says)


def read_claim_tables(file: Path) -> list[dict[str, Any]]:
    """Read the [[claim]] tables of a file, unchecked but for their shape."""
    held = read_toml(file)
    claims = held.pop("claim", [])
    require(
        not held and isinstance(claims, list) and all(isinstance(one, dict) for one in claims),
        f"{file} must hold [[claim]] tables alone, got {', '.join(held) or 'another shape'}",
    )
    return list(claims)


def _find_claim(run: Run | ImportedRun, file: Path) -> dict[str, Any]:
    """Return what the claims whose pattern fits the run's folder say, the later ones first."""
    claims = read_claim_tables(file)
    folder, base = run.folder.resolve(), file.resolve().parent
    if not folder.is_relative_to(base):
        return {}
    place = folder.relative_to(base).as_posix()
    told: dict[str, Any] = {}
    for claim in claims:
        if fnmatchcase(place, str(claim.get("match", "*"))):
            told |= {name: value for name, value in claim.items() if name != "match"}
    return told


def _held_settings(run: Run | ImportedRun) -> Mapping[str, tuple[tuple[object, ...], str]]:
    """Return the values that each claim may have, and where they are from."""
    manifest = run.manifest
    noise = NOISES[manifest.noise_model.name]
    scaled = "scaled " if "noise_scale" in manifest.source else ""
    draws = run.tally().draws if isinstance(run, Run) else run.columns.get("draws")
    most = () if draws is None or not len(draws) else (int(max(draws)),)
    return {
        "sigma": ((manifest.sigma,), "run.toml"),
        "alpha": ((manifest.alpha,), "run.toml"),
        "noise": ((manifest.noise_model.name,), "run.toml"),
        "norm": (tuple(f"{scaled}{norm}" for norm in noise.norms), "the noise"),
        "draws": (most, "the tally"),
    }


def _compare_claim(
    name: str, claimed: object, held: tuple[object, ...], where: str
) -> VerificationCheck:
    """Compare one claim; a value of another type is another value."""
    if not held:
        says = f"{name} {claimed!r:.60} is claimed, and none is recorded"
        return VerificationCheck(ABOUT, None, says)
    numbers = isinstance(claimed, int | float) and not isinstance(claimed, bool)
    same = (numbers or isinstance(claimed, str)) and claimed in held
    words = " or ".join(map(str, held))
    if same:
        return VerificationCheck(ABOUT, True, f"{name} is {claimed}, as claimed")
    return VerificationCheck(
        ABOUT, False, f"{name} {claimed!r:.60} is claimed, and {where} says {words}"
    )
