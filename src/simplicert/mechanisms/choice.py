"""Choose mechanisms by name, or take the caller's own, each with a proof for kind and threat."""

from collections.abc import Callable, Mapping, Sequence

from simplicert.errors import KindMismatch, choose, require
from simplicert.mechanisms import MECHANISMS, PAPER_ENSEMBLE, Mechanism
from simplicert.mechanisms.threats import Threat, find_threat
from simplicert.types import Floats, Kind
from simplicert.types.certificates import RESERVED_COLUMNS

MechanismLike = Mechanism | Callable[[Floats, Floats], Floats]

# Names, or {"mine": function}; None stands for every mechanism that has a proof for the kind.
MechanismChoice = Sequence[str] | Mapping[str, str | MechanismLike] | None


def choose_mechanisms(
    mechanisms: MechanismChoice, kind: Kind, threat: Threat | None = None
) -> dict[str, Mechanism]:
    """Return the mechanisms named, each with a proof for the kind; by default all that have one.

    They are those of Gaussian noise and l2, unless another threat is given.
    """
    threat = find_threat() if threat is None else threat
    if mechanisms is None:
        return {name: row for name, row in threat.mechanisms.items() if kind in row.kinds}
    if isinstance(mechanisms, str):
        mechanisms = (mechanisms,)
    if not isinstance(mechanisms, Mapping):
        mechanisms = {name: name for name in mechanisms}
    table = {name: find_mechanism(row, threat) for name, row in mechanisms.items()}
    for name, row in table.items():
        require(
            bool(name) and name not in RESERVED_COLUMNS,
            f"mechanisms must not take the name of another column of the table, got {name!r}",
        )
        if kind not in row.kinds:
            needs = " or ".join(sorted(row.kinds))
            raise KindMismatch(f"{name!r} has no proof for {kind} expectations; it needs {needs}")
    return table


def find_mechanism(mechanism: str | MechanismLike, threat: Threat | None = None) -> Mechanism:
    """Return the row of a name, or a row made of the caller's own function."""
    threat = find_threat() if threat is None else threat
    if isinstance(mechanism, str):
        require(
            mechanism in threat.mechanisms or mechanism not in MECHANISMS,
            f"mechanism {mechanism!r} has no proof for {threat.noise} noise and norm "
            f"{threat.norm}, which have {', '.join(threat.mechanisms)}",
        )
        return choose("mechanism", mechanism, threat.mechanisms)
    if isinstance(mechanism, Mechanism):
        return mechanism
    require(callable(mechanism), f"mechanism must be a name or a function, got {mechanism!r}")
    kinds, source = frozenset(PAPER_ENSEMBLE), "the caller's own"
    return Mechanism(
        mechanism, kinds, source, noise=threat.noise, norm=threat.norm, limit=threat.limit
    )


def require_threat(row: Mechanism, noise: str, norm: str) -> None:
    """Refuse a mechanism that is proved for another noise or norm than the radius is for."""
    require(
        (row.noise, row.norm) == (noise, norm),
        f"mechanism must be one for {noise} noise and norm {norm}, got one for {row.noise} noise "
        f"and norm {row.norm}",
    )
