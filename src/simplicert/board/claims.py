"""What a log does not say itself: method, data, noise, sigma, draws, alpha.

`settings_of` takes each from a claim, from the path, or leaves it unknown, and says which. Claims
stand in a file `board.toml` beside the logs, or in any folder above them, or are given by hand:

    [[claim]]
    match = "cifar10/*"      # a pattern for paths below the file's folder; default: all of them
    method = "Gaussian augmentation"
    data = "cifar10"
    draws = 100000
    alpha = 0.001
    source = "Cohen et al. 2019, Section 4"
    totals_only = true       # its licence lets no row of it be published: the site has its totals

A later claim replaces an earlier one, field by field.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from simplicert.errors import InvalidInput, require
from simplicert.verification.claims import read_claim_tables

NAME = "board.toml"
TEXTS = ("method", "data", "noise", "norm", "source")
NUMBERS = ("sigma", "draws", "alpha", "step")
FIELDS = (*TEXTS, *NUMBERS, "totals_only")
DRAWS, ALPHA = 100_000, 0.001  # the field's usual ones, held against a log that states none

# Words of a path that name a data set.
DATA = {
    "cifar10": "cifar10",
    "cifar": "cifar10",
    "cifar100": "cifar100",
    "tinyimagenet": "tiny-imagenet",
    "imagenet": "imagenet",
    "imagnet": "imagenet",  # as a published folder spells it
    "fashionmnist": "fashion-mnist",
    "mnist": "mnist",
    "svhn": "svhn",
}

# sigma_0.25 says which noise was certified, noise_0.25 which noise was trained with.
SIGMAS = (
    re.compile(r"sigma[_=]?(\d*\.?\d+)"),
    re.compile(r"noise[_=]?(\d*\.?\d+)"),
    re.compile(r"(?:gaussian|laplace|uniform|split|derandomized)_(\d*\.\d+)"),
)

# Words of a path that tell nothing about the method.
SILENT = re.compile(
    r"(data|data_cohen|certify|certification|test|logs?|results?|checkpoints|sampling|"
    r"(orig|new)-radius|(sigma|noise)[_=]?[\d.]+.*)",
    re.IGNORECASE,
)


# Settings that a log or a run may know itself, and how far two of them may lie apart.
CHECKED = ("noise", "norm", "sigma", "draws", "alpha")
NEAR = 1e-3  # splitting noise has scales that are whole numbers of grey values

MOST_LETTERS, MOST_COUNT = 500, 10**12  # of a claim's text; of draws and step


def _is_same(one: object, other: object) -> bool:
    """Whether two settings agree, numbers as nearly as logs print them."""
    if isinstance(one, int | float) and isinstance(other, int | float):
        return abs(one - other) <= NEAR * abs(other)
    return one == other


@dataclass(frozen=True)
class LogSettings:
    """What is known of a log besides its rows; `origin` says where each is from."""

    method: str = ""
    data: str = ""
    noise: str = "gaussian"
    norm: str = ""
    source: str = ""
    sigma: float | None = None
    draws: int | None = None
    alpha: float | None = None
    step: int = 1
    totals_only: bool = False  # nothing of a single row goes into the site
    origin: Mapping[str, str] = field(default_factory=dict)
    contradicted: tuple[str, ...] = ()  # claims that the path, the log or the run denies

    def with_values(self, where: str, **values: Any) -> "LogSettings":
        """Return it with these values; None says nothing."""
        told = {name: value for name, value in values.items() if value is not None}
        denied = [
            f"{name} {getattr(self, name)} is claimed, and the {where} says {told[name]}"
            for name in CHECKED
            if name in told
            and where != "claim"
            and self.origin.get(name) == "claim"
            # counts may be certified at any alpha, so that theirs denies none
            and (where, name) != ("counts", "alpha")
            and not _is_same(getattr(self, name), told[name])
        ]
        return replace(
            self,
            **told,
            origin={**self.origin, **dict.fromkeys(told, where)},
            contradicted=(*self.contradicted, *denied),
        )


@dataclass(frozen=True)
class Claim:
    """One [[claim]] of a file: a pattern, the folder it counts from, and what it states."""

    folder: Path
    match: str
    values: Mapping[str, Any]

    def applies_to(self, path: Path) -> bool:
        """Whether a path lies below the claim's folder and fits its pattern."""
        inside = path.is_relative_to(self.folder)
        return inside and fnmatchcase(path.relative_to(self.folder).as_posix(), self.match)


def read_claims(file: Path, folder: Path | None = None) -> list[Claim]:
    """Read the claims of a file; their patterns count from `folder`, by default the file's."""
    tables = read_claim_tables(file)
    return [_check_claim(file, folder or file.parent, dict(one)) for one in tables]


def find_claims(path: Path, root: Path) -> list[Claim]:
    """Return the claims of every board.toml from the root down to the folder of a path."""
    folders = [path, *path.parents] if path.is_dir() else list(path.parents)
    above = [folder for folder in folders if folder.is_relative_to(root) or folder == root]
    files = [folder / NAME for folder in reversed(above)]
    for file in files:
        require(not file.is_symlink(), f"{NAME} must be a plain file, got a link")
    return [claim for file in files if file.is_file() for claim in read_claims(file)]


def settings_of(path: Path, root: Path, claims: Sequence[Claim]) -> LogSettings:
    """Return what the path and the claims say of a log; claims go before the path."""
    inside = path.relative_to(root)
    named = Path(root.name, inside)  # the folder's own name may tell data and sigma, not a method
    known = LogSettings().with_values(
        "path",
        method=_method_of_path(inside.parts if path.is_dir() else inside.parent.parts),
        data=_data_of_path(named),
        sigma=_sigma_of_path(named),
    )
    for claim in claims:
        if claim.applies_to(path):
            known = known.with_values("claim", **claim.values)
    certified = _sigma_of_path(named, SIGMAS[:1])  # sigma_0.25 says which noise was certified
    if certified and known.sigma and not _is_same(known.sigma, certified):
        says = f"sigma {known.sigma:g} is claimed, and the path says {certified:g}"
        return replace(known, contradicted=(says,))
    return known


def require_sigma(settings: LogSettings) -> float:
    """Return sigma, or say how it can be told."""
    if settings.sigma is None:
        raise InvalidInput(
            "sigma is unknown: no sigma_X or noise_X in the path, and no claim in board.toml"
        )
    return settings.sigma


def _check_claim(file: Path, folder: Path, told: dict[str, Any]) -> Claim:
    """Check the fields of one claim."""
    match = told.pop("match", "*")
    unknown = set(told) - set(FIELDS)
    require(
        not unknown and isinstance(match, str),
        f"{file}: a claim must have match and {', '.join(FIELDS)} alone, got {sorted(unknown)}",
    )
    for name, value in told.items():
        if name in TEXTS:
            good = isinstance(value, str) and len(value) <= MOST_LETTERS
        elif name == "totals_only":
            good = isinstance(value, bool)
        else:
            whole = name in ("draws", "step")
            usual = isinstance(value, (int, float)) and not isinstance(value, bool)
            good = usual and (float(value) > 0) and (not whole or float(value).is_integer())
            good = good and (name != "alpha" or value < 1) and float(value) < float("inf")
            good = good and (not whole or value <= MOST_COUNT)
        if not good:
            raise InvalidInput(f"{file}: {name} of a claim has no such value: {value!r:.60}")
        if name in ("draws", "step"):
            told[name] = int(value)
    return Claim(folder, match, told)


def name_data(spec: str) -> str:
    """Return the name of a run's data: cifar10 of cifar10:FOLDER, else the last word of a path."""
    return _data_of_path(Path(spec.replace(":", "/"))) or Path(spec).name


def _data_of_path(path: Path) -> str | None:
    """Return the data set that a word of the path names."""
    words = re.split(r"[/\\_.\- ]+", path.as_posix().lower())
    found = next((DATA[word] for word in words if word in DATA), None)
    return f"{found} train" if found and "train" in path.parent.parts else found


def _sigma_of_path(path: Path, patterns: Sequence[re.Pattern[str]] = SIGMAS) -> float | None:
    """Return the last sigma_X of the path, else its last noise_X."""
    for pattern in patterns:
        if found := pattern.findall(path.as_posix()):
            return float(found[-1]) or None
    return None


def _method_of_path(parts: Sequence[str]) -> str | None:
    """Return the folders of a path that tell something about the method."""
    told = [part for part in parts if part.lower() not in DATA]
    told = [part for part in told if not SILENT.fullmatch(part)]
    return "/".join(dict.fromkeys(told)) or None
