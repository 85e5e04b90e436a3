"""Read what the path of a log says: sigma, draws, alpha, and what tells its run from others.

`PathPattern` reads a path by a pattern that the importer writes, such as
`{data}/noise_{train}/sigma_{sigma}`: a name in braces stands for any letters of one folder or file
name. `{sigma}`, `{n}` or `{draws}`, and `{alpha}` are settings; all others make the label.
`find_named_sigma` finds a sigma that a path or the comments of a file name without being asked.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from simplicert.errors import InvalidInput, require
from simplicert.files import open_file
from simplicert.logs.row_checks import AuditFinding

SETTINGS = ("sigma", "draws", "alpha")
OTHER_NAMES = {"n": "draws", "N": "draws", "scale": "sigma"}  # of settings, in a pattern
FIELD = re.compile(r"\{([^{}]*)\}")
HEAD = 4096  # bytes of a file in which a comment may name sigma

# sigma_0.25 says which noise was certified; in a comment also sigma: 0.25 or sigma = 0.25.
PATH_SIGMA = re.compile(r"(?<![a-z])sigma[_=-]?(\d*\.?\d+)", re.IGNORECASE)
COMMENT_SIGMA = re.compile(r"(?<![a-z])sigma\s*[_=: ]\s*(\d*\.?\d+)", re.IGNORECASE)

# Standard deviations that people certify with, as a file may be named without the word sigma.
USUAL_SIGMAS = (0.12, 0.25, 0.5, 0.75, 1.0)
DECIMAL = re.compile(r"(?<![\d.])\d*\.\d+(?![\d.]*\d)")

# A number as papers write it in a path; 0_25 is no number, and is refused by its name.
NUMBER = re.compile(r"\d*\.?\d+(?:e-?\d+)?", re.IGNORECASE)


@dataclass(frozen=True)
class NamedSettings:
    """What a path says by a pattern: settings, and the words that are its label."""

    sigma: float | None = None
    draws: int | None = None
    alpha: float | None = None
    words: Mapping[str, str] | None = None  # the other fields, by name, in the pattern's order
    scaled: bool = False  # whether sigma is a {scale}, and no standard deviation

    @property
    def label(self) -> str:
        """The other fields in one line: words as they are, numbers after their names."""
        parts = (self.words or {}).items()
        return " ".join(
            f"{name} {text}" if NUMBER.fullmatch(text) else text for name, text in parts
        )


@dataclass(frozen=True)
class PathPattern:
    """A pattern for the end of a path, with a name in braces for each part that varies.

    >>> found = PathPattern("{data}/noise_{train}/sigma_{sigma}").read(Path("cifar10/noise_0.5/sigma_1"))
    >>> found.sigma, found.label
    (1.0, 'cifar10 train 0.5')
    """  # noqa: E501

    text: str

    def __post_init__(self) -> None:
        """Refuse a pattern without a field, or with one twice."""
        names = FIELD.findall(self.text)
        require(
            bool(names)
            and all(name.isidentifier() for name in names)
            and len({OTHER_NAMES.get(name, name) for name in names}) == len(names)
            and not set("{}") & set(FIELD.sub("", self.text)),
            "pattern must have different names in braces, such as "
            f"'{{data}}/noise_{{train}}/sigma_{{sigma}}', got {self.text!r}",
        )

    @cached_property
    def _expression(self) -> re.Pattern[str]:
        """The pattern as a regular expression for the end of a path, with or without a suffix."""
        parts = FIELD.split(self.text.strip("/"))  # text and names in turn
        body = "".join(
            f"(?P<{part}>[^/]+?)" if place % 2 else re.escape(part).replace(r"\*", "[^/]*")
            for place, part in enumerate(parts)
        )
        return re.compile(rf"(?:.*/)?{body}(?:\.(?:tsv|csv|txt|log|npz))?")

    def read(self, path: Path) -> NamedSettings:
        """Return what a path says; refuse a path that does not end like the pattern."""
        found = self._expression.fullmatch(path.as_posix())
        if found is None:
            raise InvalidInput(f"pattern {self.text!r} does not fit the end of {str(path)!r}")
        told = {OTHER_NAMES.get(name, name): text for name, text in found.groupdict().items()}
        for name in SETTINGS:
            if name in told and not _fits(name, told[name]):
                raise InvalidInput(
                    f"{name} of {str(path)!r} must be {_DOMAINS[name]} by pattern {self.text!r}, "
                    f"got {told[name]!r}"
                )
        return NamedSettings(
            sigma=float(told["sigma"]) if "sigma" in told else None,
            draws=int(float(told["draws"])) if "draws" in told else None,
            alpha=float(told["alpha"]) if "alpha" in told else None,
            words={name: text for name, text in told.items() if name not in SETTINGS},
            scaled="scale" in found.groupdict(),
        )


_DOMAINS = {
    "sigma": "a positive number",
    "draws": "a positive whole number",
    "alpha": "a number between 0 and 1",
}


def _fits(name: str, text: str) -> bool:
    """Whether a text is a number in the domain of a setting."""
    if not NUMBER.fullmatch(text):
        return False
    value = float(text)
    if name == "draws":
        return value >= 1 and value.is_integer()
    return 0 < value < (1 if name == "alpha" else float("inf"))


def find_named_sigma(path: Path) -> tuple[float, str] | None:
    """Return the sigma that a path or a comment at the head of its file names, and who says so."""
    if found := PATH_SIGMA.findall(path.as_posix()):
        return float(found[-1]), f"its path, {path.as_posix()}"
    if not path.is_file() or path.suffix in (".npz", ".npy"):
        return None
    with open_file(path) as file:
        head = file.read(HEAD).decode("utf-8", "replace")
    comments = [line for line in head.splitlines() if line.lstrip().startswith("#")]
    named = COMMENT_SIGMA.findall("\n".join(comments))
    return (float(named[-1]), f"a comment of {path.name}") if named else None


def check_named_sigma(path: Path, sigma: float) -> list[AuditFinding]:
    """Find that a path or a file names another sigma than the one stated: a doubt, no error.

    Without the word sigma, a number in the file's own name counts if it is a usual sigma.
    """
    named = find_named_sigma(path)
    says = "names"
    if named is None:
        held = [float(text) for text in DECIMAL.findall(path.name)]
        usual = [] if sigma in held else [value for value in held if value in USUAL_SIGMAS]
        named = (usual[-1], f"its name, {path.name}") if usual else None
        says = "holds the usual sigma"
    if named is None or named[0] in (0.0, sigma):
        return []
    value, who = named
    return [
        AuditFinding(
            "sigma_named",
            f"sigma {sigma:g} is stated, and {who}, {says} {value:g}: if that is right, radii from "
            f"counts are wrong by a factor of {sigma / value:.3g}, and E0 from radii is wrong",
        )
    ]
