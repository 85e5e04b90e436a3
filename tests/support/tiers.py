"""Which cases of a slow test run always, and which only in `make test-all`."""

import pytest


def some_slow(values, first):
    """Mark the first cases slow, and the others long: more of the same."""
    return [
        pytest.param(value, marks=pytest.mark.slow if at < first else pytest.mark.long)
        for at, value in enumerate(values)
    ]
