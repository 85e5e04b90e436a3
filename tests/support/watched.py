"""Runs of which only some inputs are there, as a watcher finds them."""

import simplicert as sc
from simplicert.store import Manifest

CLEAR, CLOSE, WRONG = [990, 8, 2], [340, 335, 325], [8, 990, 2]


def begin(folder, counts, *, inputs=10, index=None, listed=None, labels=0, **settings):
    """A run of which only some inputs are there, all of them done."""
    index = range(len(counts)) if index is None else index
    tally = sc.Tally(
        counts, 0.5, labels=None if labels is None else [labels] * len(counts), index=list(index)
    )
    known = [0, 1, inputs] if listed is None else [-1, *listed]
    manifest = Manifest(0.5, inputs, 3, index=known, **settings)
    return sc.create_run(folder / "run", manifest, tally)
