"""Check what a run declares before its draws: alpha, kind, scheme and method."""

from simplicert.bounds import SCHEMES, refuse_joint
from simplicert.errors import choose, require
from simplicert.noises import GAUSSIAN, NoiseModel
from simplicert.noises.certainty import is_certain, settle_declaration
from simplicert.types import KINDS


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
