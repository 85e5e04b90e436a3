"""The operational radius of other noises: exactly, on worlds in which everything is counted."""

import itertools
from math import comb

import numpy as np
import pytest
from scipy.stats import binom

import simplicert as sc
from simplicert.noises import NOISES, NoiseModel
from simplicert.smoothed.operational import operational_radius
from simplicert.smoothed.prediction import look_shares, p_values, prediction_looks
from simplicert.types import Expectations

DRAWS, ALPHA, BETA = 120, 0.001, 0.05

MODELS = [
    NoiseModel("laplace"),
    NoiseModel("uniform", size=9),
    NoiseModel("exponential-linf"),
    NoiseModel("ablation", size=60, keep=4, absent=-1.0),
    NoiseModel("deletion", rate=0.9),
    NoiseModel("brightness"),
    NoiseModel("contrast"),
    NoiseModel("shift"),
]


def chance_of_failing(p):
    """(N,) exactly: `predict` gives no class or the other one, of two classes with p and 1 - p.

    All counts of votes are followed through all looks.
    """
    p = np.asarray(p, dtype=float)[:, None]
    looks, wrong = prediction_looks(DRAWS, ALPHA), np.zeros(len(p))
    alive = np.zeros((len(p), DRAWS + 1))
    alive[:, 0] = 1.0
    for (first, look), share in zip(
        itertools.pairwise((0, *looks)), look_shares(len(looks)), strict=True
    ):
        more = binom.pmf(np.arange(look - first + 1), look - first, p)
        after = np.zeros_like(alive)
        for votes in range(first + 1):
            after[:, votes : votes + look - first + 1] += alive[:, [votes]] * more
        counts = np.column_stack([np.arange(look + 1), look - np.arange(look + 1)])
        top, values = p_values(counts, float(share))
        decided = np.zeros(DRAWS + 1, bool)
        decided[: look + 1] = values <= ALPHA
        lost = np.zeros(DRAWS + 1, bool)
        lost[: look + 1] = top == 1
        wrong += after[:, decided & lost].sum(axis=1)
        alive = np.where(decided, 0.0, after)
    return wrong + alive.sum(axis=1)


def found_radius(e0, e1, model, **more):
    known = Expectations([0], np.array([e0]), np.array([e1]), 1.0, noise=model)
    return operational_radius(sc.certify(known), draws=DRAWS, alpha=ALPHA, beta=BETA, **more)[0]


def test_every_ablated_world_keeps_its_class():
    """Six features, one kept, binary values: every classifier, every input within the radius."""
    size = 6
    model = NoiseModel("ablation", size=size, keep=1, absent=-1.0)
    found = found_radius(1.0, 0.0, model)
    assert found == 1  # the certificate is 2: predict cannot tell 4 in 6 from 2 in 6 so surely
    assert sc.radius("two_sided", 1.0, 0.0, noise="ablation", size=size, keep=1) == 2
    bits = (np.arange(2 ** (2 * size))[:, None] >> np.arange(2 * size)) & 1
    seen = bits.reshape(-1, size, 2)  # [classifier, feature, value]: 1 where class 0 is given
    kept = seen[seen[:, :, 0].all(axis=1)]  # those with p_A = 1 at the input of zeros
    failing = []
    for word in itertools.product((0, 1), repeat=size):
        p = np.unique(kept[:, np.arange(size), word].mean(axis=1))
        if sum(word) <= found:
            assert (chance_of_failing(p) <= BETA).all()
        elif sum(word) == found + 1:
            failing.append(chance_of_failing(p).max())
    assert max(failing) > BETA  # and no further: two features on, a classifier loses it


def test_every_union_of_cells_keeps_its_class_under_laplace_noise():
    """Nine cells of the line: every set with p_A >= e0, moved by the radius and by parts of it."""
    e0, e1 = 0.93, 0.07
    found = found_radius(e0, e1, NoiseModel("laplace"))
    limit = sc.radius("two_sided", e0, e1, noise="laplace")
    assert 0.5 * limit < found < limit
    edges = np.linspace(-3, 3, 8)
    bits = (np.arange(512)[:, None] >> np.arange(9)) & 1
    for part in (0.3, 1.0):
        for sign in (-1, 1):
            p, q = (bits @ cells(edges - at) for at in (0.0, sign * part * found))
            assert (chance_of_failing(np.unique(q[p >= e0])) <= BETA).all()
    # And it is tight: the worst set, a half-line of probability e0, is lost a little further on.
    worst = cells(np.array([np.log(2 * (1 - e0)) + 1.15 * found]))[1]
    assert chance_of_failing([worst])[0] > BETA


def cells(x):
    """The probability of every cell between these edges, the outer ones without end."""
    below = np.where(x < 0, np.exp(np.minimum(x, 0)) / 2, 1 - np.exp(-np.maximum(x, 0)) / 2)
    return np.diff(np.r_[0, below, 1])


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_it_is_never_above_the_certificate_and_grows_with_the_draws(model):
    counts = [[9000, 800, 200], [9990, 5, 5], [5100, 4900, 0], [100, 9900, 0]]
    certificates = sc.certify(sc.bound(sc.Tally(counts, 1.0, noise=model)))
    before = np.zeros(4)
    for draws in (20, 100, 600):
        found = operational_radius(certificates, draws=draws)
        assert (found >= before).all() and (found <= certificates.column("two_sided")).all()
        before = found
    assert before[1] > 0.4 * certificates.column("two_sided")[1] > 0
    if NOISES[model.name].whole:
        np.testing.assert_array_equal(before, np.rint(before))


def test_the_largest_whole_radius_is_found():
    """One feature more is too many, by the bound itself; none at all where nothing is known."""
    model = NoiseModel("ablation", size=60, keep=4, absent=-1.0)
    found = found_radius(0.97, 0.01, model)
    assert found >= 1
    change = [1 - comb(60 - r, 4) / comb(60, 4) for r in range(8)]
    inside, outside = change[int(found)], change[int(found) + 1]
    assert chance_of_failing([0.97 - inside])[0] <= BETA
    assert chance_of_failing([0.97 - outside])[0] > 0.5 * BETA


def test_another_norm_of_the_same_noise():
    """In linf the ball lies in one of l2 that is sqrt(d) times as large."""
    known = sc.bound(sc.Tally([[9000, 800, 200]], 0.5))
    plain = operational_radius(sc.certify(known), draws=1000)
    flat = operational_radius(sc.certify(known, norm="linf", size=16), draws=1000, size=16)
    np.testing.assert_allclose(flat * 4, plain, rtol=1e-6)
    found = operational_radius(sc.certify(known, norm="linf", size=16), draws=1000)
    np.testing.assert_array_equal(found, flat)  # certificates know the size that they are for
