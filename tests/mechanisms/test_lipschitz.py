"""The radius of a Lipschitz constant: true of smoothed classifiers that can be integrated."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import simplicert as sc

# The gradient of a score p in its logits has length p sqrt((1 - p)^2 + sum of the other p_j^2);
# with all the rest on one class that is sqrt(2) p (1 - p), at most this.
STEEPEST = np.sqrt(2) / 4
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(24)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def smooth_scores(weight, bias, sigma, x):
    """(N, K) mean softmax scores of the linear network at (N, d) inputs, d at most 2.

    Quadrature of 24 nodes an axis is exact to 1e-6 for logits that vary as little as these.
    """
    axes = np.meshgrid(*[NODES] * weight.shape[1], indexing="ij")
    noise = np.stack([axis.ravel() for axis in axes], axis=1)
    mass = np.prod(np.meshgrid(*[WEIGHTS] * weight.shape[1], indexing="ij"), axis=0).ravel()
    logits = (x[:, None, :] + sigma * noise) @ weight.T + bias
    scores = np.exp(logits - logits.max(axis=2, keepdims=True))
    return np.einsum("nqk,q->nk", scores / scores.sum(axis=2, keepdims=True), mass)


def true_radius(weight, bias, sigma, x, top, farthest=6.0):
    """The least distance at which another class is as large: along many directions, by halving."""
    turns = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    ways = np.column_stack([np.cos(turns), np.sin(turns)])[:, : weight.shape[1]]
    ways = ways if weight.shape[1] > 1 else np.array([[1.0], [-1.0]])
    near, far = np.zeros(len(ways)), np.full(len(ways), farthest)

    def lost(distance):
        scores = smooth_scores(weight, bias, sigma, x + distance[:, None] * ways)
        others = np.delete(scores, top, axis=1).max(axis=1)
        return others >= scores[:, top]

    steps = np.linspace(0, farthest, 31)[1:]
    for step in steps[::-1]:  # the first crossing along each direction, on a grid
        far = np.where(lost(np.full(len(ways), step)), step, far)
    near = np.maximum(far - steps[0], 0)
    for _ in range(24):
        middle = (near + far) / 2
        gone = lost(middle)
        near, far = np.where(gone, near, middle), np.where(gone, middle, far)
    return far.min()


def known_at(weight, bias, sigma, x):
    """What is known exactly: the mean scores of one input, a little to the safe side."""
    scores = smooth_scores(weight, bias, sigma, x[None])[0]
    top = int(scores.argmax())
    constant = float(STEEPEST * np.linalg.norm(weight, 2) * (1 + 1e-12))
    rest = float(np.delete(scores, top).max())
    return sc.Expectations(
        [top],
        [scores[top] - 1e-6],
        [rest + 1e-6],
        sigma,
        kind="softmax",
        lipschitz=constant,
    )


@pytest.mark.parametrize("seed", range(4))
def test_never_above_the_true_radius(seed):
    """Three classes in one or two dimensions, at a sigma where it beats two_sided and at others."""
    random = np.random.default_rng(seed)
    weight, bias = random.normal(size=(3, 1 + seed % 2)) * 1.5, random.normal(size=3) / 2
    above = 0
    for sigma in (0.05, 0.3):
        for x in random.normal(size=(3 - 2 * (seed % 2), weight.shape[1])):
            known = known_at(weight, bias, sigma, x)
            found = sc.certify(known)
            truth = true_radius(weight, bias, sigma, x, int(known.top[0]))
            assert found.radii["lipschitz"][0] <= truth
            assert found.radius[0] == max(radii[0] for radii in found.radii.values()) <= truth
            above += found.radii["lipschitz"][0] > found.radii["two_sided"][0]
    assert above > 0


def test_tight_close_to_the_boundary_of_two_classes():
    """The steepest place of the steepest score: nearly all of the true radius is certified."""
    weight, bias = np.array([[1.0], [-1.0]]), np.zeros(2)
    known = known_at(weight, bias, 0.01, np.array([0.01]))
    found = sc.certify(known).radii["lipschitz"][0]
    assert 0.999 * 0.01 < found <= 0.01


def test_never_above_the_fraction_whatever_sigma_and_sensitivity():
    """(E0 - E1) / (2 L S) in exact arithmetic; sigma cancels, and E1 is at most 1 - E0."""
    random = np.random.default_rng(1)
    for _ in range(40):
        e0, e1 = np.sort(random.uniform(size=(2, 5)), axis=0)[::-1] ** random.uniform(0.2, 4)
        sigma, constant, stage = (float(10.0 ** random.uniform(-4, 4)) for _ in range(3))
        known = sc.Expectations(np.zeros(5, int), e0, e1, sigma, kind="softmax", lipschitz=constant)
        found = sc.certify(known, ["lipschitz"], stage).radii["lipschitz"]
        for top, rest, radius in zip(e0, e1, found, strict=True):
            gap = Fraction(top) - min(Fraction(rest), 1 - Fraction(top))
            exact = gap / (2 * Fraction(constant) * Fraction(stage))
            assert Fraction(radius) <= exact
            assert radius >= float(exact) * (1 - 1e-12) or gap < Fraction(1, 10**6)


def test_the_column_is_shown_where_a_constant_is_known_and_refused_elsewhere():
    known = sc.Expectations([0], [0.6], [0.3], 0.1, kind="softmax")
    assert "lipschitz" not in sc.certify(known).radii
    with pytest.raises(sc.MissingEvidence, match="needs a proved Lipschitz constant"):
        sc.certify(known, ["lipschitz"])
    with pytest.raises(sc.InvalidInput, match="which needs lipschitz"):
        sc.radius("lipschitz", 0.6, 0.3)
    hard = replace(known, kind="multinomial", lipschitz=2.0)
    assert "lipschitz" not in sc.certify(hard).radii
    with pytest.raises(sc.KindMismatch, match="no proof for multinomial"):
        sc.certify(hard, ["lipschitz"])
    soft = replace(known, lipschitz=2.0)
    certificates = sc.certify(soft)
    assert certificates.radii["lipschitz"][0] == pytest.approx(0.3 / 4, rel=1e-12)
    assert certificates.radius[0] == certificates.radii["lipschitz"][0]
    assert certificates.winner[0] == "improved_dp"  # the ensemble is the paper's
    columns = list(certificates.to_frame().columns)
    assert columns.index("lipschitz") == columns.index("ensemble") - 1


def test_l1_has_the_same_radius_and_linf_none():
    """No vector is longer in l2 than in l1; in linf a box of half-width R is not in the ball."""
    known = sc.Expectations([0], [0.6], [0.3], 0.1, kind="softmax", lipschitz=2.0)
    one = sc.certify(known, norm="l1").radii["lipschitz"]
    np.testing.assert_array_equal(one, sc.certify(known).radii["lipschitz"])
    assert "lipschitz" not in sc.certify(known, norm="linf", size=4).radii
