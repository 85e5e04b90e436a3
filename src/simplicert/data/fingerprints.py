"""A data set's fingerprint: of its values as the classifier sees them, and of its labels."""

import hashlib
from functools import partial
from math import prod

import numpy as np

from simplicert.cores import cores
from simplicert.data.ahead import ahead
from simplicert.data.inputs import Inputs, Singles
from simplicert.data.watching import WATCH
from simplicert.errors import InvalidInput
from simplicert.types import Ints

CHUNK = 2**21  # values read at a time: 8 MB of float32
MOST_THREADS = 8  # that read: more would wait for the hash, which has one


def fingerprint(name: str, inputs: Inputs, labels: Ints | None) -> str:
    """32 hexadecimal digits; refuses a value that is not a finite number.

    The float32 values are hashed, not the file: the same images as PNG files and as an npz array
    have the same fingerprint, and every file is read once, so a broken one is found before the
    first draw. Class names do not count: no certificate depends on them.
    """
    digest = hashlib.blake2b(digest_size=16)
    digest.update(repr(tuple(int(n) for n in inputs.shape)).encode())
    step = max(1, CHUNK // prod(inputs.shape[1:]))
    parts = [range(at, min(at + step, len(inputs))) for at in range(0, len(inputs), step)]
    threads = max(1, min(cores() - 1, MOST_THREADS))  # one core is the hash's
    read = ahead(partial(finite_part, name, inputs), parts, threads)
    watch = WATCH.get()
    for part, values in zip(parts, read, strict=True):
        digest.update(values.reshape(-1).data)
        watch(name, part.stop, len(inputs))
    digest.update(b"unlabelled" if labels is None else labels.astype("<i8").tobytes())
    return digest.hexdigest()


def finite_part(name: str, inputs: Inputs, part: range) -> Singles:
    """These inputs, every value a finite number, as they lie in the hash."""
    values = inputs[np.arange(part.start, part.stop)]
    finite = np.isfinite(values).reshape(len(values), -1).all(axis=1)
    if not finite.all():
        worst = part.start + int(finite.argmin())
        raise InvalidInput(
            f"inputs of {name} must be finite in float32, got NaN or infinity at input {worst}"
        )
    return np.ascontiguousarray(values, dtype="<f4")
