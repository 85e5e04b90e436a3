"""Radii of a table: none that nobody reaches, and papers' own where they fit."""

import numpy as np
import pytest

import simplicert as sc
from simplicert.metrics.radii import choose_radii, reached_radii
from simplicert.noises import NoiseModel
from simplicert.types import Expectations


@pytest.mark.parametrize("most", [4, 9])
def test_there_are_few_and_each_is_reached(most):
    for largest in np.geomspace(1e-4, 40, 300):
        radii = reached_radii(float(largest), most)
        assert radii[0] == 0 and 3 <= len(radii) <= most
        assert radii[-1] < largest and np.all(np.diff(radii) > 0)
        assert np.allclose(np.diff(radii), radii[1])
        if 0.5 < largest <= most / 4:
            assert 0.25 in radii and 0.5 in radii


def test_a_column_of_zeros_never_appears():
    """The largest radius is of an input that is certified as another class than its label."""
    counts = [[9999, 1], [1, 9999], [900, 100]]
    certificates = sc.certify(sc.bound(sc.Tally(counts, sigma=1.0, labels=[1, 0, 0])))
    radii = choose_radii([certificates], 9)
    assert certificates.radius[0] > 3 and radii[-1] < certificates.radius[2] < 1.3
    shares = [sc.metrics.certified_accuracy(certificates, radius).value for radius in radii]
    assert min(shares) > 0
    cohen = choose_radii([certificates], 9, "cohen")
    assert cohen[-1] < certificates.column("cohen")[2]


def test_nothing_certified_leaves_radius_0():
    certificates = sc.certify(sc.bound(sc.Tally([[5, 5]], sigma=1.0, labels=[0])))
    assert choose_radii([certificates], 9) == (0.0,)


def test_numbers_of_features_are_whole():
    noise = NoiseModel("ablation", size=784, keep=45)
    known = Expectations([0, 1], [0.9, 0.8], [0.05, 0.1], noise=noise)
    certificates = sc.certify(known)
    radii = choose_radii([certificates], 9)
    assert all(float(radius).is_integer() for radius in radii) and radii[-1] <= 9
    assert (certificates.radius >= radii[-1]).any()
