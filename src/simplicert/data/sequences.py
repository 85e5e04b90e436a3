"""Sequences of tokens: what a token is, and how sequences lie in memory.

A token is a text or a whole number, and is never looked into. A sequence is a tuple of tokens, of
any length, also none. Of a text the tokens are its words: the longest stretches without white
space, as `str.split()` finds them, with their case and punctuation. Inputs that are sequences are
an array of one axis whose items are tuples, so that they are chosen and moved like other inputs.

split_words             the words of a text
hold_sequences          tuples as such an array
are_sequences           whether inputs are sequences, by their shape
convert_sequences       the same from a caller's lists of tokens, or texts
sequence_fingerprint    a hash of all tokens, in their order, and of the labels
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from simplicert.errors import InvalidInput, require
from simplicert.types import Ints

Token = str | int
TokenSequence = tuple[Token, ...]

ONE_AXIS = 1  # axes of an array of sequences: they have no shape of their own


def split_words(text: str) -> tuple[str, ...]:
    """Return the words of a text: what stands between white space, as it is.

    >>> split_words("It is  fine.")
    ('It', 'is', 'fine.')
    """
    return tuple(text.split())


def hold_sequences(sequences: Iterable[Sequence[Any]]) -> np.ndarray:
    """Return sequences as an array with one axis, whatever their lengths."""
    held = [tuple(one) for one in sequences]
    out = np.empty(len(held), dtype=object)
    for place, one in enumerate(held):  # one by one: NumPy would make a table of equal lengths
        out[place] = one
    return out


def are_sequences(inputs: Any) -> bool:
    """Say whether inputs with a shape are sequences of tokens, which have no other axis."""
    return len(inputs.shape) == ONE_AXIS


def convert_sequences(inputs: Any) -> np.ndarray:
    """Return the caller's sequences: a list of lists of tokens, or a list of texts."""
    listed = isinstance(inputs, (list, tuple)) or (
        isinstance(inputs, np.ndarray) and inputs.dtype == object and are_sequences(inputs)
    )
    require(
        listed,
        "inputs must be a list of token lists, or of texts, for noise that drops tokens, got "
        f"{_describe(inputs)}",
    )
    require(len(inputs) > 0, "inputs must hold at least one sequence, got none")
    texts = isinstance(inputs[0], str)
    for place, one in enumerate(inputs):
        require(
            isinstance(one, str if texts else (list, tuple)),
            f"inputs must all be {'texts' if texts else 'lists of tokens'} like the first, got "
            f"{_describe(one)} at input {place}",
        )
    held = hold_sequences(map(split_words, inputs) if texts else inputs)
    check_tokens("inputs", held)
    return held


def check_tokens(name: str, sequences: np.ndarray) -> None:
    """Refuse tokens that are neither texts nor whole numbers, or some of each."""
    first: type | None = None
    for place, one in enumerate(sequences):
        for token in one:
            kind = type(token)
            require(
                kind in (str, int),
                f"tokens of {name} must be texts or whole numbers, got {token!r:.40} at input "
                f"{place}",
            )
            first = first or kind
            if kind is not first:
                raise InvalidInput(
                    f"tokens of {name} must be all texts or all whole numbers, got {token!r:.40} "
                    f"at input {place}"
                )


def sequence_fingerprint(sequences: Any, labels: Ints | None) -> str:
    """Return 32 hexadecimal digits of the tokens, each with its kind and length, and the labels."""
    digest = hashlib.blake2b(digest_size=16)
    digest.update(f"sequences {len(sequences)}".encode())
    for one in sequences[np.arange(len(sequences))]:
        digest.update(len(one).to_bytes(8, "little"))
        for token in one:
            text = str(token).encode("utf-8", "surrogatepass")
            mark = b"t" if isinstance(token, str) else b"n"
            digest.update(mark + len(text).to_bytes(8, "little") + text)
    digest.update(b"unlabelled" if labels is None else labels.astype("<i8").tobytes())
    return digest.hexdigest()


def _describe(value: Any) -> str:
    """Describe what is no list of sequences: an array by its shape, a text as it is."""
    if hasattr(value, "shape"):
        return f"an array of shape {tuple(value.shape)}"
    return f"{value!r:.40}" if isinstance(value, (str, int, float)) else type(value).__name__
