"""Read and write run.toml, the settings of a run in words that stay readable for years.

`Manifest` holds the settings and checks them; alpha, kind and scheme are declared before the counts
are seen. `read_manifest` and `write_manifest` move it from and to disk, with a checksum in the last
line. `manifest_differences` says where two manifests ask for different draws.
"""

import re
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from simplicert.atomic import content_checksum, write_atomically
from simplicert.bounds import SCHEMES
from simplicert.errors import DamagedRun, InvalidInput, SimplicertError, choose, require
from simplicert.files import parse_toml, read_run_file
from simplicert.machine import require_memory
from simplicert.types import KINDS, Plan
from simplicert.types.arrays import check_positive
from simplicert.types.plan import MOST_RESERVED
from simplicert.types.smoothing import Reading

FORMAT = 1

NAME = "run.toml"

MOST_INPUTS, MOST_CLASSES = 2**53, 10**7

FEW_ROWS = 10**5

MOST_COUNTS = 2**31  # inputs x classes of a tally that is opened: 16 GiB for each vector

DECLARED_SETTINGS = ("sigma", "classes", "inputs", "index", "alpha", "kind", "scheme", "method")

HALF = 0.5  # what `reserve = true` means

SAME = 1e-2  # share by which the outputs of the same model may differ on another machine

CHECKSUM_LINE = (
    "# checksum of all lines above: "  # a comment: a run without it, or edited, opens too
)


def package_version() -> str:
    """This package's version; imported late, as the package imports this room."""
    from simplicert import __version__

    return __version__


@dataclass(frozen=True)
class Manifest:
    """The settings of a run. Alpha, kind and scheme are declared before the counts are seen.

    >>> settings = Manifest(sigma=0.5, inputs=100, classes=10, alpha=0.01)
    >>> settings.alpha, settings.kind, settings.scheme
    (0.01, 'multinomial', 'gated')
    """

    sigma: float
    inputs: int
    classes: int
    alpha: float = 0.001
    kind: str = "multinomial"
    scheme: str = "gated"
    method: str | None = None
    plan: Plan | None = None
    index: list[int] | None = None  # inputs: [first, step, count], or -1 and all of them
    answers: list[float] | None = None  # a few outputs of the model on a fixed noisy batch
    source: dict[str, Any] = field(default_factory=dict)  # where the tallies come from
    made: dict[str, Any] = field(default_factory=dict)  # versions and machine, for the record
    package: str = field(default_factory=package_version)  # that wrote the run
    id: str = field(default_factory=lambda: secrets.token_hex(8))  # its parts carry it too

    def __post_init__(self) -> None:
        """Refuse what no run can be."""
        check_positive("sigma", self.sigma)
        object.__setattr__(self, "sigma", float(self.sigma))  # TOML written by hand may say 1
        for name, least, most in (("inputs", 1, MOST_INPUTS), ("classes", 2, MOST_CLASSES)):
            value = getattr(self, name)
            whole = isinstance(value, int) and not isinstance(value, bool)
            require(
                whole and least <= value <= most,
                f"{name} must be a whole number in {least}..{most}, got {value!r}",
            )
        require(
            isinstance(self.alpha, float) and 0 < self.alpha < 1,
            f"alpha must lie strictly between 0 and 1, got {self.alpha!r}",
        )
        object.__setattr__(self, "kind", choose("kind", self.kind, KINDS))
        imported = isinstance(self.source, dict) and "holds" in self.source
        if not imported:  # a log's bounds were made by a scheme of another tool
            methods = choose("scheme", self.scheme, SCHEMES[self.kind], f" for kind {self.kind}")
            if self.method is not None:
                choose("method", self.method, methods)
        require(
            self.plan is None or isinstance(self.plan, Plan), f"plan must be a Plan: {self.plan!r}"
        )
        require(
            self.answers is None
            or (
                isinstance(self.answers, list)
                and all(type(v) in (int, float) for v in self.answers)
            ),
            f"answers must be a list of numbers, got {self.answers!r:.80}",
        )
        for name, kind in (("source", dict), ("made", dict), ("package", str), ("id", str)):
            value = getattr(self, name)
            require(isinstance(value, kind), f"{name} must be a {kind.__name__}, got {value!r}")
        check_positive("sensitivity", self.sensitivity)
        kept = self.source.get("reserve", False)
        require(
            isinstance(kept, int | float) and 0 <= self.reserve <= MOST_RESERVED,
            f"reserve must be a share of alpha in 0..{MOST_RESERVED}, got {kept!r}",
        )

    @property
    def reserve(self) -> float:
        """The share of alpha that was kept for extensions; `true`, in an older run, is half."""
        kept = self.source.get("reserve", False)
        return HALF * kept if isinstance(kept, bool) else float(kept)

    @property
    def sensitivity(self) -> float:
        """Of the stage before the noise, as declared; 1 where noise is added to the input."""
        declared: float = self.source.get("sensitivity", 1.0)
        return declared

    def require_room(self, rows: int, vectors: int, more: int = 0) -> None:
        """Refuse a tally that would not fit into the memory once it is spread over the classes.

        `vectors`: numbers for each class that it has of an input; `more`: numbers besides.
        """
        if rows * self.classes > MOST_COUNTS:
            raise DamagedRun(
                f"run {self.id} must hold at most {MOST_COUNTS:,} counts, got {rows:,} inputs of "
                f"{self.classes:,} classes"
            )
        needed = 8 * rows * (self.classes * (vectors + 1) + 2 * more)  # one is being worked on
        try:
            require_memory(f"the tally of run {self.id}", needed)
        except InvalidInput as error:
            raise DamagedRun(str(error)) from None

    @property
    def most_rows(self) -> int:
        """Rows that a table of this run may have; a few too many are read, and said to be so."""
        return max(self.inputs, FEW_ROWS)

    @property
    def function(self) -> dict[str, Any]:
        """What the run's tallies know of the function that was drawn, besides sigma."""
        return {
            "norm": "scaled l2" if "noise_scale" in self.source else "l2",
            "grid": self.source.get("grid"),
            "reading": Reading.of(self.source),
        }

    def text(self) -> bytes:
        """The content of run.toml; TOML has no null, so what is not set is left out."""
        content = {name: value for name, value in asdict(self).items() if value is not None}
        text = tomli_w.dumps({"format": FORMAT, **content}).encode()
        return text + f"{CHECKSUM_LINE}{content_checksum(text)}\n".encode()


def write_manifest(folder: Path, manifest: Manifest, *, only_if_new: bool = False) -> None:
    """Write run.toml, whole or not at all."""
    write_atomically(folder / NAME, manifest.text(), only_if_new=only_if_new)


def matches_checksum(content: bytes) -> bool | None:
    """Whether run.toml is as it was written; None where it was written without a checksum."""
    text, _, last = content.removesuffix(b"\n").rpartition(b"\n")
    if not last.startswith(b"#"):
        return None
    seal = re.fullmatch(
        re.escape(CHECKSUM_LINE.encode()) + b"([0-9a-f]{32})\n", last + content[-1:]
    )
    return seal is not None and seal[1].decode() == content_checksum(text + b"\n")


def manifest_differences(before: Manifest, now: Manifest) -> Iterator[tuple[str, Any, Any]]:
    """(setting, before, now) wherever two manifests ask for other draws or declare otherwise.

    The plan may have grown by a look, and who made the run and with what libraries is no setting.
    """
    for name in (*DECLARED_SETTINGS, "reserve"):
        if getattr(before, name) != getattr(now, name):
            yield name, getattr(before, name), getattr(now, name)
    for name in sorted({*before.source, *now.source} - {"reserve"}):
        if before.source.get(name) != now.source.get(name):
            yield name, before.source.get(name), now.source.get(name)
    looks = () if now.plan is None else now.plan.looks
    if before.plan is None or before.plan.looks[: len(looks)] != looks:
        old = None if before.plan is None else before.plan.looks[-1]
        asked = looks[-1] if looks else None
        now_extended = before.plan is not None and len(before.plan.looks) > 1
        yield "draws", before.plan.looks if before.plan and now_extended else old, asked
    one, other = (None if m.plan is None else m.plan.rule for m in (before, now))
    if one != other:
        yield "until", one, other
    if not same_outputs(before.answers, now.answers):
        yield "answers of the model", before.answers, now.answers


def same_outputs(before: list[float] | None, now: list[float] | None) -> bool:
    """Whether two models gave the same outputs, up to the rounding of other machines."""
    if before is None or now is None:
        return before is now
    one, two = np.array(before), np.array(now)
    if one.shape != two.shape:
        return False
    slack = SAME * (np.ptp(one[np.isfinite(one)]) if np.isfinite(one).any() else 1.0) + SAME
    return bool(np.allclose(one, two, rtol=SAME, atol=slack, equal_nan=True))


def read_manifest(folder: Path) -> Manifest:
    """The manifest, or a sentence that says why this is not a run this package can read."""
    path = folder / NAME
    if not path.is_file():
        raise DamagedRun(f"{folder} is not a run folder: it holds no {NAME}")
    try:
        content = parse_toml(path, read_run_file(path))
    except InvalidInput as error:
        raise DamagedRun(str(error)) from None
    version = content.pop("format", None)
    if version != FORMAT:
        raise DamagedRun(f"{path} has run format {version}; this simplicert reads format {FORMAT}")
    known = {f.name for f in fields(Manifest)}
    if unknown := set(content) - known:
        raise DamagedRun(f"{path} holds settings this simplicert does not know: {sorted(unknown)}")
    if missing := {"sigma", "inputs", "classes", "id"} - set(content):
        raise DamagedRun(f"{path} lacks the settings {sorted(missing)}")
    try:
        if "plan" in content:
            content["plan"] = Plan(**content["plan"])
        return Manifest(**content)
    except (TypeError, SimplicertError) as error:
        raise DamagedRun(f"{path} is incomplete or altered: {error}") from None


DIFFER = "the classes of model and data differ"

OTHERS = (
    "labels are numbered by the data's, so that accuracies may be of other classes; --class-map "
    "says which class each one is"
)


def recorded_label_warning(manifest: Manifest) -> str:
    """The same of a run that was drawn, to be repeated wherever an accuracy of it is shown.

    Runs drawn before the doubt was recorded show at least how many classes model and data have.
    """
    made = manifest.made
    if "label_doubt" in made or "class_map" in manifest.source:
        return str(made.get("label_doubt", ""))
    names = made.get("class_names")
    if not isinstance(names, list) or len(names) == manifest.classes:
        return ""
    return f"{DIFFER}, they are {manifest.classes} and {len(names)}: {OTHERS}"
