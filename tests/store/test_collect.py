"""Parts are joined to one tally, where they belong together."""

import pytest

import simplicert as sc
from simplicert.store.collect import join_tallies


@pytest.mark.parametrize("count", [2, 3])
def test_a_first_part_of_another_sigma_is_refused(count):
    parts = [sc.Tally([[3, 1]], 0.5, index=[number]) for number in range(count)]
    assert join_tallies(parts).inputs.tolist() == list(range(count))
    parts[0] = sc.Tally([[3, 1]], 0.25, index=[0])
    with pytest.raises(sc.IncompatibleTallies, match="sigma"):
        join_tallies(parts)
