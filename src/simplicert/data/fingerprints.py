"""A data set's fingerprint: of its values as the classifier sees them, and of its labels."""

import hashlib
from math import prod

import numpy as np

from simplicert.data.inputs import Inputs
from simplicert.errors import InvalidInput
from simplicert.types import Ints

CHUNK = 2**21  # values read at a time: 8 MB of float32


def fingerprint(name: str, inputs: Inputs, labels: Ints | None) -> str:
    """32 hexadecimal digits; refuses a value that is not a finite number.

    The float32 values are hashed, not the file: the same images as PNG files and as an npz array
    have the same fingerprint, and every file is read once, so a broken one is found before the
    first draw. Class names do not count: no certificate depends on them.
    """
    digest = hashlib.blake2b(digest_size=16)
    digest.update(repr(tuple(int(n) for n in inputs.shape)).encode())
    step = max(1, CHUNK // prod(inputs.shape[1:]))
    for first in range(0, len(inputs), step):
        values = inputs[np.arange(first, min(first + step, len(inputs)))]
        finite = np.isfinite(values).reshape(len(values), -1).all(axis=1)
        if not finite.all():
            worst = first + int(finite.argmin())
            raise InvalidInput(
                f"inputs of {name} must be finite in float32, got NaN or infinity at input {worst}"
            )
        digest.update(np.ascontiguousarray(values, dtype="<f4").tobytes())
    digest.update(b"unlabelled" if labels is None else labels.astype("<i8").tobytes())
    return digest.hexdigest()
