"""experiments/cifar10/findings.py on tallies whose answers are known."""

import numpy as np
import pytest


def test_gain(findings):
    new, base = np.array([0.0, 0.3, 0.4, 0.2]), np.array([0.0, 0.0, 0.2, 0.2])
    assert findings.gain(new, base, sigma=1.0) == {
        "mean": pytest.approx(0.225),
        "base_mean": pytest.approx(0.1),
        "ratio": pytest.approx(2.25),
        "best": pytest.approx(0.3),
        "best_ratio": pytest.approx(2.0),
        "from_nothing": 1,
    }


def test_the_best_case_is_over_a_base_that_counts_in_units_of_sigma(findings):
    new, base = np.array([0.9, 0.4]), np.array([0.09, 0.2])
    assert findings.gain(new, base, sigma=1.0)["best_ratio"] == pytest.approx(10)
    assert findings.gain(new, base, sigma=2.0)["best_ratio"] == pytest.approx(2)


def test_the_heaviest_input(findings, clear):
    """By hand: all percentages but the largest."""
    given = clear.certificates("multinomial")
    found = findings.heaviest(given)
    base, new = given.column("cohen"), given.column("ensemble")
    percent = [100 * (b / a - 1) for a, b in zip(base, new, strict=True) if a > 0]
    assert found["without"] == pytest.approx((sum(percent) - max(percent)) / (len(percent) - 1))
    assert found["base"] == base[(base > 0) & (new / np.maximum(base, 1e-300) > 1)].min()


def test_the_median_percentage_counts_inputs_without_a_base(findings):
    class Columns:
        def column(self, name):
            return {
                "cohen": np.array([0.0, 0.0, 0.1, 0.2, 0.2]),
                "ensemble": np.array([0.3, 0.0, 0.2, 0.2, 0.3]),
            }[name]

    # inf, 0, 100, 0, 50: sorted 0, 0, 50, 100, inf
    assert findings.median_percent(Columns()) == pytest.approx(50)


def test_how_often_inputs_are_right(findings):
    class Columns:
        correct = np.array([True, False, True, True, False])
        abstained = np.array([False, False, False, False, True])

        def column(self, name):
            return np.array([0.1, 0.2, 0.3, 0.0, 0.0])

    assert findings.right(Columns()) == {"with_cohen": pytest.approx(2 / 3), "without_cohen": 1.0}
