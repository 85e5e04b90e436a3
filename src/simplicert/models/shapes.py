"""Shapes that a model file declares, and batches held against them."""

from collections.abc import Sequence

from simplicert.errors import require

Declared = tuple[int | None, ...]  # None: any length
IMAGES = 4  # axes of a batch of images


def check_batch(name: str, declared: Declared, given: Sequence[int]) -> None:
    """Refuse a batch of another shape in one sentence instead of the runtime's many."""
    fits = len(declared) == len(given) and all(
        want is None or want == have for want, have in zip(declared, given, strict=True)
    )
    wanted = " x ".join("any" if want is None else str(want) for want in declared)
    fixed = bool(declared) and declared[0] is not None and tuple(given[1:]) == declared[1:]
    hint = channels_hint(given)
    if fixed:
        hint = (
            "; save it again with a batch of any length (dynamic_shapes or dynamic_axes in torch's "
            f"exports), or use its own: --batch-size {declared[0]}"
        )
    require(fits, f"model {name} takes batches of {wanted}, got {tuple(given)}{hint}")


def channels_hint(given: Sequence[int]) -> str:
    """What to do about a batch of images whose channels seem to come last."""
    colours = (1, 3, 4)
    last = len(given) == IMAGES and given[-1] in colours and given[1] not in colours
    return "; the channels seem to come last: give N x C x H x W" if last else ""
