"""Name the array types, and check the arrays that every value type is made of.

`label_array` takes class names for labels, too.

Also what is computed of numbered inputs alone: where each stands (`find_rows`), and which of its
draws segments hold (`join_segments`, `segment_lengths`, `has_first_draws`).
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simplicert.errors import IncompatibleTallies, InvalidInput, require

Floats = NDArray[np.float64]

Ints = NDArray[np.int64]

Bools = NDArray[np.bool_]

Texts = NDArray[np.str_]

FILLED_LATER: Any = None  # default of a field that is an array once `__post_init__` has filled it


def integer_array(name: str, values: ArrayLike, shape: tuple[int | None, ...]) -> Ints:
    """Return a read-only int64 copy of integers of the given shape (None: any length)."""
    raw = np.asarray(values)
    require(
        raw.dtype.kind in "iu" or raw.size == 0,
        f"{name} must hold integers, got an array of {raw.dtype}"
        f"{_integer_hint(name, raw.dtype.kind)}",
    )
    require(
        raw.dtype != np.uint64 or raw.size == 0 or int(raw.max()) <= np.iinfo(np.int64).max,
        f"{name} must fit in 64-bit signed integers",
    )
    # An array that owns its memory and is read-only is safe as it is: large tables are not copied.
    safe = raw.dtype == np.int64 and raw.base is None and not raw.flags.writeable
    return freeze_array(name, raw if safe else raw.astype(np.int64), shape)


def label_array(labels: ArrayLike, rows: int, class_names: Sequence[str] | None = None) -> Ints:
    """Return labels as class numbers; texts are looked up in `class_names`, the model's order."""
    given = np.asarray(labels)
    if class_names is None or given.dtype.kind not in "UO":
        return integer_array("labels", labels, (rows,))
    numbers = {name: number for number, name in enumerate(class_names)}
    texts = given.ravel().tolist()
    unknown = [label for label in texts if not isinstance(label, str) or label not in numbers]
    require(
        not unknown,
        f"labels must be among the class_names {list(numbers)!r:.80}, got {unknown[:1]!r:.60}",
    )
    found = [numbers[label] for label in texts]
    return integer_array("labels", np.reshape(found, given.shape), (rows,))


def check_class_names(class_names: Sequence[str] | None, classes: int) -> None:
    """Refuse names that are not one for each class, all different."""
    if class_names is None:
        return
    ordered = not isinstance(class_names, str | bytes | Set | Mapping | Iterator)
    require(
        ordered and np.ndim(class_names) == 1,
        f"class_names must be a list in the classifier's order, got a {type(class_names).__name__}",
    )
    texts = all(isinstance(one, str) for one in class_names)
    require(texts, f"class_names must be texts, one for each class, got {class_names!r:.80}")
    require(
        len(set(class_names)) == len(class_names) == classes,
        f"class_names must be {classes} different names, one for each class of the classifier in "
        f"its order, got {len(class_names)}: {list(class_names)!r:.80}",
    )


def _integer_hint(name: str, kind: str) -> str:
    """Say what makes integers of such an array, where that is clear."""
    if kind == "f":
        return "; whole numbers as floats need .astype(int)"
    if kind in "UO" and name.startswith("labels"):
        return (
            "; sample and certify take texts with class_names, the names in the classifier's order"
            "; np.unique(labels, return_inverse=True)[1] numbers texts in their sorted order, as "
            "scikit-learn numbers classes"
        )
    return ""


def float_array(name: str, values: ArrayLike, shape: tuple[int | None, ...]) -> Floats:
    """Return a read-only float64 copy of numbers of the given shape; callers check for NaN."""
    try:
        raw = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must hold numbers, got {values!r:.80}") from None
    return freeze_array(name, raw, shape)


def check_probabilities(name: str, values: ArrayLike) -> Floats:
    """Return values in [0, 1] as float64; float32 is taken at its face value."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must hold numbers, got {values!r:.80}") from None
    outside = ~((array >= 0) & (array <= 1))
    require(
        not outside.any(),
        f"{name} must lie in [0, 1], got {array[outside].flat[0] if outside.any() else ''}",
    )
    return array


def freeze_array(name: str, array: NDArray[Any], shape: tuple[int | None, ...]) -> NDArray[Any]:
    """Check an array's shape and make it read-only."""
    fits = array.ndim == len(shape) and all(
        want is None or want == have for want, have in zip(shape, array.shape, strict=True)
    )
    wanted = ", ".join("any" if n is None else str(n) for n in shape)
    wanted += "," if len(shape) == 1 else ""
    table = " (one row per input)" if len(shape) > 1 and shape[0] is None else ""
    require(fits, f"{name} must have shape ({wanted}){table}, got {array.shape}")
    return read_only(array)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return the same array, which can no longer be written to."""
    array.setflags(write=False)
    return array


class ReadOnlyArrays:
    """A value whose arrays stay read-only when it is copied or comes from another process."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the fields; NumPy by itself would make restored arrays writable."""
        for value in state.values():
            if isinstance(value, np.ndarray):
                read_only(value)
        self.__dict__.update(state)


def refuse_negative(name: str, values: Ints) -> None:
    """Refuse a negative entry, and say which it is."""
    if values.size and values.min() < 0:
        where = tuple(int(i) for i in np.argwhere(values < 0)[0])
        raise InvalidInput(f"{name} must not be negative, got {values[where]} at {where}")


def join_segments(segments: Ints) -> Ints:
    """Sort segments by (input, seed, first draw), join touching ones and refuse overlaps."""
    rows = segments[np.lexsort(segments.T[2::-1])]
    if (rows[:, 2] >= rows[:, 3]).any():
        raise InvalidInput("segments must hold at least one draw each: first < one past the last")
    same = (rows[1:, :2] == rows[:-1, :2]).all(axis=1)
    clash = np.flatnonzero(same & (rows[1:, 2] < rows[:-1, 3]))
    if clash.size:
        item, seed, first, _ = rows[clash[0] + 1]
        raise IncompatibleTallies(
            f"draw {first} of input {item} (seed {seed}) would be counted twice"
        )
    starts = np.flatnonzero(np.r_[True, ~(same & (rows[1:, 2] == rows[:-1, 3]))][: len(rows)])
    joined = rows[starts]
    joined[:, 3] = rows[np.r_[starts[1:], len(rows)] - 1, 3] if len(rows) else joined[:, 3]
    joined.setflags(write=False)
    return joined


def segment_lengths(segments: Ints, index: Ints) -> Ints:
    """Count the draws that the segments describe for each input, (N,)."""
    out = np.zeros(len(index), np.int64)
    np.add.at(out, find_rows(segments[:, 0], index), segments[:, 3] - segments[:, 2])
    return out


def has_first_draws(segments: Ints, index: Ints, one_seed: bool) -> Bools:
    """Return (N,) whether an input's draws are the first ones of each seed, or of its only seed.

    With `one_seed` only one seed is allowed: where counts decide how many draws an input gets,
    draws of several seeds that happen to add up to a look are not that look. Later draws alone
    are no look either.
    """
    rows = find_rows(segments[:, 0], index)
    late = np.bincount(rows, segments[:, 2] > 0, len(index)) > 0
    several = np.bincount(rows, minlength=len(index)) > 1
    return ~late & ~(several & one_seed)


def find_rows(inputs: Ints, index: Ints) -> Ints:
    """Find the row of the index that each input is in; refuse an unknown input."""
    order = np.argsort(index)
    place = order[np.minimum(np.searchsorted(index[order], inputs), len(index) - 1)]
    strange = index[place] != inputs
    if strange.any():
        raise InvalidInput(f"input {inputs[strange][0]} is not in the index")
    return place
