"""PopulationDesign: all that is fixed before the draws of a population certificate.

`PopulationDesign` is checked when it is made: the inequality behind each radius is proved again,
so that a forged or damaged design promises nothing. It is written to and read from a TOML file
whose last line is the checksum of the lines above: the fingerprint that a certificate names.
"""

from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from simplicert.bounds.bets import LARGEST_BET, SPREAD
from simplicert.errors import InvalidInput, check_positive, choose, require
from simplicert.files import content_checksum, parse_toml, read_file, write_atomically
from simplicert.populations.proof import (
    MOST_COEFFICIENT,
    TARGETS,
    ShareTarget,
    bound_excess,
    radius_in_sigmas,
)
from simplicert.store.manifest import CHECKSUM_LINE, matches_checksum
from simplicert.types import Floats, Ints
from simplicert.types.arrays import float_array, freeze_array, integer_array

FORMAT = 1
MOST_DRAWS = 512  # of one input: the linear programme grows with them
MOST_INPUTS = 10**9
MOST_RADII = 50
MOST_PILOT = 10**7  # inputs that a file may name by a range


@dataclass(frozen=True)
class PilotInputs:
    """Where the coefficients come from: the inputs of a pilot run, or a prior."""

    source: str  # in words
    index: Ints | None = None  # of the inputs, None for a prior
    data_fingerprint: str | None = None  # of the data that the index counts in

    def record(self) -> dict[str, Any]:
        """Return the values that TOML holds."""
        content = {"source": self.source, "data_fingerprint": self.data_fingerprint}
        content["index"] = None if self.index is None else _write_index(self.index)
        return {name: value for name, value in content.items() if value is not None}


@dataclass(frozen=True, eq=False)
class RadiusDesign:
    """The coefficients of one radius, c_0..c_k, and the bets on their mean."""

    radius: float
    coefficients: Floats  # (k + 1,)
    bets: Floats  # (3,)

    def __post_init__(self) -> None:
        """Keep copies that nobody can write to: what is proved stays as it is."""
        for name in ("coefficients", "bets"):
            values = float_array(name, getattr(self, name), (None,))
            object.__setattr__(self, name, values)


@dataclass(frozen=True, eq=False)
class PopulationDesign:
    """What a population certificate will say, fixed before the draws; see `design_population`.

    >>> import simplicert as sc
    >>> design = sc.design_population(sigma=0.5, radii=[0.25], draws=16, inputs=1000)
    >>> design.draws, design.inputs, design.confidence, design.classifier
    (16, 1000, 0.999, 'smoothed')
    """

    sigma: float
    draws: int  # k, of each input
    inputs: int
    radii: tuple[RadiusDesign, ...]  # they divide 1 - confidence
    confidence: float = 0.999
    classifier: str = "smoothed"  # or "randomised": one noisy answer
    sensitivity: float = 1.0  # of a stage before the noise; radii are measured before it
    penalty: float = 1.0  # how far below 0 a coefficient was allowed to be, for the record
    pilot: PilotInputs = PilotInputs("not said")
    recorded: str = ""  # when, in UTC

    def __post_init__(self) -> None:
        """Refuse what no design can be, and coefficients that promise too much."""
        for name in ("sigma", "sensitivity", "penalty"):
            object.__setattr__(self, name, check_positive(name, getattr(self, name)))
        choose("classifier", self.classifier, TARGETS)
        for name, most in (("draws", MOST_DRAWS), ("inputs", MOST_INPUTS)):
            value = getattr(self, name)
            require(
                type(value) is int and 1 <= value <= most,
                f"{name} must be a whole number in 1..{most}, got {value!r}",
            )
        require(
            isinstance(self.confidence, float) and 0 < self.confidence < 1,
            f"confidence must lie strictly between 0 and 1, got {self.confidence!r}",
        )
        at = [item.radius for item in self.radii]
        require(
            0 < len(at) <= MOST_RADII, f"radii must be 1 to {MOST_RADII} numbers, got {len(at)}"
        )
        require(len({*at}) == len(at), f"radii must differ from each other, got {at}")
        for item in self.radii:
            self._check_radius(item)

    def _check_radius(self, item: RadiusDesign) -> None:
        """Check the numbers of one radius, and prove its inequality."""
        values = freeze_array("coefficients", item.coefficients, (self.draws + 1,))
        bets = freeze_array("bets", item.bets, (len(SPREAD),))
        require(
            bool((np.abs(values) <= MOST_COEFFICIENT).all()),  # NaN is not
            f"coefficients of radius {item.radius:g} must be numbers of at most "
            f"{MOST_COEFFICIENT:g} in size",
        )
        usable = bool((bets > 0).all()) and bets.max() * np.ptp(values) <= LARGEST_BET * (1 + 1e-9)
        require(
            usable,
            f"bets of radius {item.radius:g} must be positive and at most {LARGEST_BET:g} over the "
            f"range of the coefficients, got {bets.tolist()}",
        )
        excess = bound_excess(values, self.target(item.radius))
        require(
            excess == 0,
            f"coefficients of radius {item.radius:g} must promise no more than is true for every "
            f"probability, and their excess over it was bounded by {excess:.3g} only",
        )

    def target(self, radius: float) -> ShareTarget:
        """Return what the expected coefficient must not exceed at this radius."""
        return TARGETS[self.classifier](radius_in_sigmas(radius, self.sigma, self.sensitivity))

    @property
    def tail(self) -> float:
        """The probability with which the limit of one radius may fail."""
        return (1 - self.confidence) / len(self.radii)

    @property
    def text(self) -> bytes:
        """The content of the design's file."""
        content = asdict(self) | {"pilot": self.pilot.record()}
        content["radii"] = [
            {
                "radius": item.radius,
                "bets": item.bets.tolist(),
                "coefficients": item.coefficients.tolist(),
            }
            for item in self.radii
        ]
        text = tomli_w.dumps({"format": FORMAT, **content}).encode()
        return text + f"{CHECKSUM_LINE}{content_checksum(text)}\n".encode()

    @property
    def fingerprint(self) -> str:
        """The checksum in the last line of the file."""
        return self.text.rpartition(b": ")[2].decode().strip()

    @property
    def seed(self) -> int:
        """A seed for the draws, from the fingerprint: nobody drew by it before the design."""
        return int(self.fingerprint[:12], 16)

    def write(self, path: Path | str) -> None:
        """Write a new file; a design that is already there is never replaced."""
        target = Path(path)
        require(not target.exists(), f"out must be a new file, and {target} is already there")
        write_atomically(target, self.text, only_if_new=True)


def read_design(path: Path | str) -> PopulationDesign:
    """Read a design and prove it again; refuse a file that was altered."""
    where = Path(path)
    content = read_file(where)
    held = parse_toml(where, content)
    require(
        matches_checksum(content) is True,
        f"{where} must be as it was written, and its checksum does not match: a design is fixed "
        "before the draws",
    )
    version = held.pop("format", None)
    require(version == FORMAT, f"{where} must have design format {FORMAT}, got {version!r}")
    names = {item.name for item in fields(PopulationDesign)}
    require({*held} == names, f"{where} must hold the settings {sorted(names)}")
    try:
        pilot = held.pop("pilot")
        words = isinstance(pilot, dict) and {type(value) for value in pilot.values()} <= {str}
        require(words, f"pilot must be a table of texts in {where}, got {pilot!r:.80}")
        index = None if "index" not in pilot else _read_index(pilot.pop("index"))
        rows = tuple(
            RadiusDesign(float(row["radius"]), row["coefficients"], row["bets"])
            for row in held.pop("radii")
        )
        return PopulationDesign(**held, radii=rows, pilot=PilotInputs(index=index, **pilot))
    except InvalidInput:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidInput(f"{where} is no design: {error}") from None


def _write_index(index: Ints) -> str:
    """Write input numbers as first:end:step where they are a range, else one by one."""
    values = np.sort(index)
    step = int(values[1] - values[0]) if len(values) > 1 else 1
    if np.array_equal(values, values[0] + step * np.arange(len(values))):
        return f"{values[0]}:{values[-1] + 1}:{step}"
    return " ".join(map(str, values.tolist()))


def _read_index(text: str) -> Ints:
    """Read input numbers that `_write_index` wrote."""
    try:
        numbers = [int(word) for word in text.replace(":", " ").split()]
    except (ValueError, AttributeError):
        raise InvalidInput(f"index must be like 0:100:2 or 3 5 8, got {text!r:.80}") from None
    is_range = ":" in text
    values = range(*numbers) if is_range and len(numbers) == 3 and numbers[2] > 0 else numbers  # noqa: PLR2004
    require(
        bool(numbers)
        and min(numbers) >= 0
        and max(numbers) < 2**63  # longer ranges have no length
        and 0 < len(values) <= MOST_PILOT
        and is_range == isinstance(values, range),
        f"index must be like 0:100:2 or 3 5 8, got {text!r:.80}",
    )
    return integer_array("index", np.array(values), (None,))
