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
    taken: dict[int, dict[int, int]] = {}  # of an input: where to look on from each layer it is in
    for number in sorted(range(len(indices)), key=lambda k: (-len(indices[k]), k)):
        mine = [taken.setdefault(item, {}) for item in indices[number].tolist()]
        layer = _find_free_layer(mine)
        if layer == len(layers):
            layers.append([])
        layers[layer].append(number)
        for held in mine:
            held[layer] = layer + 1
    return [sorted(layer) for layer in layers]


def _find_free_layer(taken: Sequence[dict[int, int]]) -> int:
    """Return the first layer in which none of some inputs is.

    The layers that were passed on the way are skipped next time, so that thousands of parts with
    the same inputs do not each go through all layers of the ones before.
    """
    layer, before = 0, -1
    while layer > before:
        before = layer
        for held in taken:
            while layer in held:
                beyond = held[layer]
                held[layer] = held.get(beyond, beyond)
                layer = held[layer]
    return layer
