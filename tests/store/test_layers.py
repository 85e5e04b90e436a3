"""Parts are put into layers in which no input comes twice: each into the first where it fits."""

import numpy as np
from counting import count_calls
from hypothesis import given
from hypothesis import strategies as st

from simplicert.store.layers import pack_layers

PARTS = st.lists(st.sets(st.integers(0, 7), max_size=5), max_size=20)


def pack_by_trying(parts):
    """Try every layer for every part, from the first on; large parts first."""
    layers = []
    for number in sorted(range(len(parts)), key=lambda k: (-len(parts[k]), k)):
        for layer in layers:
            if all(parts[other].isdisjoint(parts[number]) for other in layer):
                layer.append(number)
                break
        else:
            layers.append([number])
    return [sorted(layer) for layer in layers]


@given(PARTS)
def test_layers_are_those_of_trying_each(parts):
    indices = [np.array(sorted(part), dtype=np.int64) for part in parts]
    assert pack_layers(indices) == pack_by_trying(parts)


def test_the_work_grows_like_the_number_of_parts():
    many = 1000
    parts = [np.array([0, 1])] * many
    assert pack_layers(parts) == [[k] for k in range(many)]
    assert count_calls(pack_layers, parts) < 100 * many
