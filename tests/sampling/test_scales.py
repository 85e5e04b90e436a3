"""Features in units of their own give a warning; pictures, flags and standardised data do not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simplicert.sampling.probe import feature_scales, scale_warning


def tabular(rows=200, seed=0):
    """Age in years, income in a currency, a rate, a flag and a rare one, a constant."""
    random = np.random.default_rng(seed)
    columns = [
        random.uniform(18, 90, rows),
        random.lognormal(10, 0.5, rows),
        random.uniform(0, 1, rows),
        random.random(rows) < 0.3,
        random.random(rows) < 0.02,
        np.full(rows, 7.0),
    ]
    return np.column_stack(columns).astype(np.float32)


@pytest.mark.parametrize("rows", [8, 12, 30, 200, 5000])
def test_units_that_differ_are_named(rows):
    found = scale_warning(tabular(rows), "--noise-scale")
    assert "feature 1 varies by about" in found and "--noise-scale gives each feature" in found
    factor = float(found.split("factor of ")[1].split(":")[0].replace(",", ""))
    assert 2_000 < factor < 500_000


def test_the_scale_is_that_of_most_rows():
    """Of 1,000 rows of a normal feature the quartile is at 1.15 sigma; outliers do not matter."""
    random = np.random.default_rng(1)
    rows = random.standard_normal((1000, 2)) * [1, 30] + [5, 400]
    rows[:20, 0] += 1e6
    np.testing.assert_allclose(feature_scales(rows), [1.15, 34.5], rtol=0.15)
    assert scale_warning(rows) == ""


@given(st.floats(1e-6, 1e6), st.integers(0, 1000))
def test_a_factor_of_a_hundred_is_the_border(unit, seed):
    """Two features with the same values in other units, in any unit of both."""
    column = np.random.default_rng(seed).standard_normal(300) * unit
    assert scale_warning(np.column_stack([column, 99 * column])) == ""
    assert "by a factor of 101" in scale_warning(np.column_stack([column, 101 * column]))


def test_constant_features_and_rare_flags_are_left_out():
    scales = feature_scales(tabular())
    assert np.isnan(scales[4:]).all() and scales[3] == 1
    assert scale_warning(np.full((100, 3), [1.0, 2e6, 3e-6])) == ""


@pytest.mark.parametrize("rows", [1, 2, 7])
def test_of_too_few_rows_nothing_is_said(rows):
    assert scale_warning(tabular(rows)) == ""


@pytest.mark.parametrize("rows", [8, 12, 50, 1797])
def test_pictures_raise_no_doubt(rows):
    """Real ones with a black margin, as pictures and as flat rows; a few rows, a few times."""
    digits = pytest.importorskip("sklearn.datasets").load_digits().images / 16
    random = np.random.default_rng(2)
    for _ in range(20):
        some = digits[random.choice(len(digits), rows, replace=False)].astype(np.float32)
        assert scale_warning(some[:, None]) == ""
        assert scale_warning(some.reshape(rows, -1)) == ""


def test_a_batch_with_more_axes_is_not_judged():
    rows = tabular().reshape(200, 1, 6)
    assert scale_warning(rows) == ""


def test_standardised_features_raise_no_doubt():
    rows = tabular()[:, :4]
    assert scale_warning((rows - rows.mean(axis=0)) / rows.std(axis=0)) == ""
