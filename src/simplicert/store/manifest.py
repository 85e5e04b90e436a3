"""Read and write run.toml, the settings of a run in words that stay readable for years.

`Manifest` holds the settings and checks them; alpha, kind and scheme are declared before the counts
are seen. `read_manifest` and `write_manifest` read and write run.toml, with a checksum in its last
line.
"""

import re
import secrets
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import tomli_w

from simplicert.bounds import EARLIER_METHODS, SCHEMES
from simplicert.errors import (
    DamagedRun,
    InvalidInput,
    SimplicertError,
    check_positive,
    require,
)
from simplicert.files import content_checksum, parse_toml, read_run_file, write_atomically
from simplicert.machine import require_memory
from simplicert.noises import GAUSSIAN, NoiseModel, check_scale, default_norm
from simplicert.noises.certainty import SCHEME as EXACT
from simplicert.noises.certainty import is_certain, settle_declaration
from simplicert.store.declaration import check_declaration, check_record
from simplicert.types import Plan
from simplicert.types.plan import MOST_RESERVED
from simplicert.types.scores import BINS, FORMER_BINS
from simplicert.types.smoothing import Reading

# Format 2 has finer score histograms than format 1, and a newer default method for softmax. A run
# keeps its format for ever: an old one is resumed, extended and certified as it was begun.
FORMAT = 2

# Format 3 is format 2 with another noise than Gaussian: who does not know it must not read on.
NOISE_FORMAT = 3

BINS_OF_FORMAT = {1: FORMER_BINS, FORMAT: BINS, NOISE_FORMAT: BINS}  # of the score histograms

FORMER_METHODS = {"bentkus+betting": "bentkus+bernstein"}  # default today: default of format 1

DRAWN = "sample"  # the format, in `source`, of a run that this package drew

NAME = "run.toml"

MOST_INPUTS, MOST_CLASSES = 2**53, 10**7

FEW_ROWS = 10**5

MOST_COUNTS = 2**31  # inputs x classes of a tally that is opened: 16 GiB for each vector

HALF = 0.5  # what `reserve = true` means

CHECKSUM_LINE = (
    "# checksum of all lines above: "  # a comment: a run without it, or edited, opens too
)


def package_version() -> str:
    """Return this package's version; imported late, because the package imports this module."""
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
    format: int = FORMAT
    noise: dict[str, Any] | None = None  # name and numbers of another noise than Gaussian

    def __post_init__(self) -> None:
        """Refuse settings that no run can have."""
        check_scale(self.noise_model, self.sigma)
        require(
            (self.format == NOISE_FORMAT) == (self.noise is not None),
            f"format must be {NOISE_FORMAT} exactly where a noise is named, got {self.format}",
        )
        object.__setattr__(self, "sigma", float(self.sigma))  # TOML written by hand may say 1
        for name, least, most in (("inputs", 1, MOST_INPUTS), ("classes", 2, MOST_CLASSES)):
            value = getattr(self, name)
            whole = isinstance(value, int) and not isinstance(value, bool)
            require(
                whole and least <= value <= most,
                f"{name} must be a whole number in {least}..{most}, got {value!r}",
            )
        imported = isinstance(self.source, dict) and "holds" in self.source
        # A log's bounds were made by a scheme of another tool.
        scheme = None if imported else self.scheme
        declared = check_declaration(self.alpha, self.kind, scheme, self.method, self.noise_model)
        object.__setattr__(self, "kind", declared)
        if self.method is None and scheme in EARLIER_METHODS:  # so that both can be told apart
            object.__setattr__(self, "method", next(iter(SCHEMES[declared][scheme])))
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
        require(
            type(self.format) is int and self.format in BINS_OF_FORMAT,
            f"format must be {' or '.join(map(str, BINS_OF_FORMAT))}, got {self.format!r}",
        )
        for name in ("source", "made"):
            check_record(name, getattr(self, name))
        check_positive("sensitivity", self.sensitivity)
        if self.lipschitz is not None:
            require(self.lipschitz is not True, "lipschitz must be a number, got true")
            check_positive("lipschitz", self.lipschitz)
        kept = self.source.get("reserve", False)
        require(
            isinstance(kept, int | float) and 0 <= self.reserve <= MOST_RESERVED,
            f"reserve must be a share of alpha in 0..{MOST_RESERVED}, got {kept!r}",
        )

    @cached_property
    def noise_model(self) -> NoiseModel:
        """The noise that the run was drawn with, and its numbers."""
        model = NoiseModel.of(self.noise)
        require(self.noise is None or model != GAUSSIAN, "noise must be left out where it is usual")
        return model

    @property
    def bins(self) -> int:
        """The number of bins of the score histograms that the run's parts may hold."""
        return BINS_OF_FORMAT[self.format]

    def find_method(self, kind: str, scheme: str) -> str | None:
        """Return the method by which the run is certified if none is named.

        It is the declared one, or else the default in the run's format; None if there is no such
        kind or scheme.
        """
        if self.method is not None and (kind, scheme) == (self.kind, self.scheme):
            return self.method
        if is_certain(self.noise_model):
            return EXACT
        default = next(iter(SCHEMES.get(kind, {}).get(scheme, [None])))
        return FORMER_METHODS.get(default or "", default) if self.format < FORMAT else default

    @property
    def was_drawn(self) -> bool:
        """Whether this package drew the run: then it keeps the settings of the drawing."""
        return self.source.get("format") == DRAWN

    @property
    def model_fingerprint(self) -> str | None:
        """The fingerprint of the model that was drawn from; None where none is kept."""
        kept: str | None = self.source.get("model_fingerprint")
        return kept

    @property
    def label(self) -> str:
        """The name that tables give the run, as its importer chose it; "" without one."""
        return str(self.source.get("label") or "")

    @property
    def data_fingerprint(self) -> str | None:
        """The fingerprint of the data that was drawn from; None where none is kept."""
        kept: str | None = self.source.get("data_fingerprint")
        return kept

    @property
    def random(self) -> bool:
        """Whether the model is random by itself: drawn again, its tallies would differ."""
        return bool(self.source.get("random", False))

    @property
    def reserve(self) -> float:
        """The share of alpha reserved for extensions; `true`, in an older run, means half."""
        kept = self.source.get("reserve", False)
        return HALF * kept if isinstance(kept, bool) else float(kept)

    @property
    def sensitivity(self) -> float:
        """The declared sensitivity of the stage before the noise; 1 if there is no such stage."""
        declared: float = self.source.get("sensitivity", 1.0)
        return declared

    @property
    def lipschitz(self) -> float | None:
        """The Lipschitz constant that was proved of the scores when the run began, if any."""
        proved: float | None = self.source.get("lipschitz")
        return proved

    def require_room(self, rows: int, vectors: int, more: int = 0) -> None:
        """Refuse a tally that would not fit into memory once it is spread over the classes.

        `vectors` counts the numbers per input and class, `more` other numbers per input.
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
        """Most rows that a table of this run may have; a few too many are read and reported."""
        return max(self.inputs, FEW_ROWS)

    @property
    def function(self) -> dict[str, Any]:
        """What the run's tallies know about the function that was drawn, besides sigma."""
        return {
            "norm": default_norm(self.noise_model, "noise_scale" in self.source),
            "noise": self.noise_model,
            "grid": self.source.get("grid"),
            "reading": Reading.of(self.source),
            "lipschitz": self.lipschitz,
        }

    def with_noise(self, model: NoiseModel) -> "Manifest":
        """Return the settings of a run that was drawn with this noise."""
        if model == GAUSSIAN:
            return self
        declared = {}
        if is_certain(model):  # what a run declares if nothing was asked for means nothing here
            names = ("alpha", "kind", "scheme", "method")
            declared = settle_declaration(model, {name: getattr(self, name) for name in names})
        return replace(self, **declared, **noise_fields(model))

    def text(self) -> bytes:
        """Return the content of run.toml; TOML has no null, so what is not set is left out."""
        content = {name: value for name, value in asdict(self).items() if value is not None}
        text = tomli_w.dumps({"format": self.format, **content}).encode()
        return text + f"{CHECKSUM_LINE}{content_checksum(text)}\n".encode()


def noise_fields(model: NoiseModel) -> dict[str, Any]:
    """Return the fields of a manifest that name another noise than Gaussian."""
    return {} if model == GAUSSIAN else {"noise": model.record(), "format": NOISE_FORMAT}


def write_manifest(folder: Path, manifest: Manifest, *, only_if_new: bool = False) -> None:
    """Write run.toml, whole or not at all."""
    write_atomically(folder / NAME, manifest.text(), only_if_new=only_if_new)


def matches_checksum(content: bytes) -> bool | None:
    """Tell whether run.toml is as it was written; None if it was written without a checksum."""
    text, _, last = content.removesuffix(b"\n").rpartition(b"\n")
    if not last.startswith(b"#"):
        return None
    seal = re.fullmatch(
        re.escape(CHECKSUM_LINE.encode()) + b"([0-9a-f]{32})\n", last + content[-1:]
    )
    return seal is not None and seal[1].decode() == content_checksum(text + b"\n")


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest, or raise an error that says why this package cannot read the run."""
    path = folder / NAME
    if not path.is_file():
        raise DamagedRun(f"{folder} is not a run folder: it holds no {NAME}")
    try:
        content = parse_toml(path, read_run_file(path))
    except InvalidInput as error:
        raise DamagedRun(str(error)) from None
    version = content.get("format")
    if type(version) is not int or version not in BINS_OF_FORMAT:
        read = " and ".join(map(str, BINS_OF_FORMAT))
        raise DamagedRun(f"{path} has run format {version}; this simplicert reads formats {read}")
    known = {f.name for f in fields(Manifest)}
    if unknown := set(content) - known:
        raise DamagedRun(f"{path} holds settings this simplicert does not know: {sorted(unknown)}")
    if missing := {"sigma", "inputs", "classes", "id"} - set(content):
        raise DamagedRun(f"{path} lacks the settings {sorted(missing)}")
    try:
        content.setdefault("method", EARLIER_METHODS.get(str(content.get("scheme"))))
        if "plan" in content:
            content["plan"] = Plan(**content["plan"])
        return Manifest(**content)
    except (TypeError, SimplicertError) as error:
        raise DamagedRun(f"{path} is incomplete or altered: {error}") from None
