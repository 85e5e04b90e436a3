"""Shapes that a model file declares, and batches held against them."""

from collections.abc import Sequence

from simplicert.errors import require

Declared = tuple[int | None, ...]  # None: any length


def check_batch(name: str, declared: Declared, given: Sequence[int]) -> None:
    """Refuse a batch of another shape in one sentence instead of the runtime's many."""
    fits = len(declared) == len(given) and all(
        want is None or want == have for want, have in zip(declared, given, strict=True)
    )
    wanted = " x ".join("any" if want is None else str(want) for want in declared)
    fixed = bool(declared) and declared[0] is not None and tuple(given[1:]) == declared[1:]
    hint = "; save it again with a batch of any length, or use its batch size" if fixed else ""
    require(fits, f"model {name} takes batches of {wanted}, got {tuple(given)}{hint}")
