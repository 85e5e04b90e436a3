"""Sort parts into layers: within a layer no two parts hold the same input.

A layer can be joined into one table before its rows are spread out over the classes, whatever the
number of its parts. A run that draws each input once has one layer; a run with three looks has
three.
"""

from collections.abc import Sequence

import numpy as np

from simplicert.types import Ints


def find_layers(indices: Sequence[Ints]) -> Ints:
    """Return (P,) the layer of each part, given its inputs; layers are numbered from 0.

    A part lies in a later layer than every earlier part that shares an input with it, so the rows
    of an input stay in the order of the parts.

    >>> find_layers([np.array([0, 1]), np.array([2]), np.array([1, 2])]).tolist()
    [0, 0, 1]
    """
    inputs, places = np.unique(np.concatenate(indices), return_inverse=True)
    layers, last = np.zeros(len(indices), np.int64), np.full(len(inputs), -1)
    ends = np.cumsum([len(index) for index in indices])
    for number, end in enumerate(ends.tolist()):
        mine = places[end - len(indices[number]) : end]
        layers[number] = last[mine].max(initial=-1) + 1
        last[mine] = layers[number]
    return layers


def pack_layers(indices: Sequence[Ints]) -> list[list[int]]:
    """Sort parts into few layers, whatever their order: each into the first where it fits.

    Large parts come first, so that what was merged before is the beginning of a layer.

    >>> pack_layers([np.array([0]), np.array([0, 1, 2]), np.array([1]), np.array([2])])
    [[1], [0, 2, 3]]
    """
    layers: list[list[int]] = []
    held: list[set[int]] = []
    for number in sorted(range(len(indices)), key=lambda k: (-len(indices[k]), k)):
        mine = set(indices[number].tolist())
        place = next((k for k, taken in enumerate(held) if taken.isdisjoint(mine)), len(held))
        if place == len(held):
            layers.append([])
            held.append(set())
        layers[place].append(number)
        held[place] |= mine
    return [sorted(layer) for layer in layers]
