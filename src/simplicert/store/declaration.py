"""Check what a run declares before its draws, and the texts that it keeps for the record.

`check_declaration` is for alpha, kind, scheme and method. `check_record` is for the tables `source`
and `made` of run.toml, whose texts are shown, compared and joined wherever the run is opened.
"""

from collections.abc import Mapping
from typing import Any

from simplicert.bounds import SCHEMES, refuse_joint
from simplicert.errors import choose, require
from simplicert.noises import GAUSSIAN, NoiseModel
from simplicert.noises.certainty import is_certain, settle_declaration
from simplicert.types import KINDS

# What is a text in a table of run.toml, and what is a list of texts; all of it may be left out.
TEXTS = {
    "source": (
        "format", "file", "sha256", "holds", "method", "label", "numbered", "noise", "noise_scale",
        "model_fingerprint", "data_fingerprint",
    ),
    "made": (
        "model", "data", "commit", "machine", "processor", "python", "numpy", "torch", "pictures",
        "label_doubt", "lipschitz_proof",
    ),
}  # fmt: skip
LISTS = {"source": ("audit", "audit_codes"), "made": ("class_names", "columns")}


def check_declaration(
    alpha: float,
    kind: str,
    scheme: str | None,
    method: str | None = None,
    noise: NoiseModel = GAUSSIAN,
) -> str:
    """Check what is declared before the draws; return the kind under its full name."""
    if is_certain(noise):
        given = {"alpha": alpha, "kind": kind, "method": method}
        settled = settle_declaration(noise, given if scheme is None else given | {"scheme": scheme})
        wrong = alpha != settled["alpha"] or scheme not in (None, settled["scheme"])
        require(not wrong, f"alpha must be 0 and scheme exact, got {alpha!r} and {scheme!r}")
        return "multinomial"
    require(
        isinstance(alpha, float) and 0 < alpha < 1,
        f"alpha must lie strictly between 0 and 1, got {alpha!r}",
    )
    full_name = choose("kind", kind, KINDS)
    if scheme is not None:
        methods = choose("scheme", scheme, SCHEMES[full_name], f" for kind {full_name}")
        refuse_joint(scheme, noise.name)
        if method is not None:
            choose("method", method, methods)
    return full_name


def check_record(table: str, held: Mapping[str, Any]) -> None:
    """Refuse a table of run.toml that holds anything but a text where a text is read."""
    for name in TEXTS[table]:
        value = held.get(name)  # None: left out, by who makes a run in Python
        text = value is None or isinstance(value, str)
        require(text, f"{name} in the table {table} must be a text, got {value!r:.80}")
    for name in LISTS[table]:
        value = held.get(name, [])
        texts = isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)
        require(texts, f"{name} in the table {table} must be a list of texts, got {value!r:.80}")
