"""JSON that every reader takes."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from simplicert.records import write_json


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (math.nan, None),
        (-math.inf, None),
        (np.float64("nan"), None),
        (pd.NA, None),
        (0.1 + 0.2, 0.1 + 0.2),
        (np.float32(0.5), 0.5),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.array([1.0, np.nan]), [1.0, None]),
        ({1: (2, {"a": math.inf})}, {"1": [2, {"a": None}]}),
        ("\x1b[2J\u2028", "\x1b[2J\u2028"),
    ],
)
def test_what_is_no_finite_number_is_null(value, read):
    text = write_json(value)
    assert json.loads(text, parse_constant=pytest.fail) == read
    assert text.isascii() and text.isprintable()
