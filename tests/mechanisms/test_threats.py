"""Radii of other noises and norms: against other arithmetic, and against worst classifiers."""

import itertools
import json
from collections import Counter
from fractions import Fraction
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf
from scipy.optimize import linprog

import simplicert as sc
from simplicert.mechanisms.ablation import change_limits
from simplicert.mechanisms.threats import find_threat
from simplicert.noises import NOISES

GOLDEN = Path(__file__).parents[3] / "shared" / "golden" / "laplace.json"
NAMES = {"pure_dp": "lecuyer"}  # the reference's name -> ours

# Our own digits of the same references, from the formulas of docs/threats.md in 40 digits.
POINTS = [(0.6, 0.3), (0.7, 0.2), (0.99, 1e-4), (0.4, 0.3), (0.1, 1e-3), (0.55, 0.44)]
EVERY = [
    find_threat("gaussian", "l1"),
    find_threat("gaussian", "linf", size=3072),
    find_threat("laplace"),
    find_threat("uniform"),
    find_threat("uniform", "linf", size=3072),
    find_threat("exponential-linf"),
    find_threat("ablation", size=784, keep=45),
    *(find_threat("deletion", norm, rate=0.8) for norm in NOISES["deletion"].norms),
]


def laplace_reference(name, e0, e1):
    """The radius in 40 digits, by a fine scan where the formula has a parameter."""
    with mp.workdps(40):
        e0, e1 = mpf(e0), mpf(e1)
        pure = mp.log(e0 / e1) / 2
        if name == "one_sided":
            return max(-mp.log(2 * (1 - e0)), mpf(0))
        if name == "lecuyer":
            return pure
        if name == "teng":
            return max(pure, -mp.log(1 - e0 + e1))
        if name == "two_sided":
            return pure if e0 <= 0.5 else -mp.log(4 * e1 * (1 - e0)) / 2

        def improved(epsilon):
            gap = (e0 - mp.exp(2 * epsilon) * e1) / (1 + mp.exp(epsilon))
            return epsilon - 2 * mp.log(1 - gap)

        def renyi(order):
            t = mp.exp(order)
            mean = ((e0**-t + e1**-t) / 2) ** (-1 / t)
            room = -mp.log(1 - e0 - e1 + 2 * mean)

            def excess(distance):
                first = (1 + t) / (1 + 2 * t) * mp.exp(t * distance)
                second = t / (1 + 2 * t) * mp.exp(-(1 + t) * distance)
                return mp.log(first + second) / t - room

            low, high = mpf(0), room + mp.log((1 + 2 * t) / (1 + t)) / t + 1
            for _ in range(70):
                middle = (low + high) / 2
                low, high = (middle, high) if excess(middle) <= 0 else (low, middle)
            return low

        ends, function = ((0, pure), improved) if name == "improved_dp" else ((-9, 12), renyi)
        return scan(function, *map(mpf, ends))


def scan(function, low, high):
    """The largest value of a function with one top near the best of 24 points."""
    at = max((low + (high - low) * k / 24 for k in range(25)), key=function)
    a, b = max(at - (high - low) / 24, low), min(at + (high - low) / 24, high)
    for _ in range(60):
        one, two = a + (b - a) / 3, b - (b - a) / 3
        a, b = (a, two) if function(one) > function(two) else (one, b)
    return max(function(a), function(at))


@pytest.mark.parametrize("name", ["one_sided", "lecuyer", "teng", "two_sided", "improved_dp"])
@pytest.mark.parametrize("point", POINTS)
def test_laplace_agrees_with_forty_digits(name, point):
    found, reference = sc.radius(name, *point, noise="laplace"), laplace_reference(name, *point)
    assert found <= reference
    assert found == pytest.approx(float(reference), rel=1e-9, abs=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["one_sided", "lecuyer", "teng", "two_sided"])
@pytest.mark.parametrize(
    "point",
    [(0.9, 5e-324), (0.9, 1e-310), (0.4, 1e-310), (1 - 2**-53, 0.4 * 2**-53), (1 - 1e-15, 1e-17)],
)
def test_laplace_agrees_with_forty_digits_at_the_ends_of_floats(name, point):
    found, reference = sc.radius(name, *point, noise="laplace"), laplace_reference(name, *point)
    assert found <= reference
    assert found == pytest.approx(float(reference), rel=1e-9, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("point", POINTS)
def test_laplace_li_agrees_with_forty_digits(point):
    found, reference = sc.radius("li", *point, noise="laplace"), laplace_reference("li", *point)
    assert found <= reference
    assert found == pytest.approx(float(reference), rel=1e-7)


def test_laplace_li_is_not_lost_near_a_tie():
    """A search that had not ended was refused by its own check, and the radius was 0."""
    random = np.random.default_rng(4)
    e0 = random.uniform(0.01, 0.5, 300)
    e1 = e0 * (1 - 10 ** random.uniform(-6, -4, 300))
    assert (sc.radius("li", e0, e1, noise="laplace") > 0.1 * (e0 - e1)).all()


@pytest.mark.skipif(not GOLDEN.exists(), reason="the reference radii are not beside the project")
def test_laplace_agrees_with_the_golden_radii():
    points = json.loads(GOLDEN.read_text())["points"]
    for name in ("one_sided", "pure_dp", "teng", "improved_dp", "li", "two_sided"):
        for point in points:
            found = sc.radius(
                NAMES.get(name, name), point["e0"], point["e1"], noise="laplace", scale=1.0
            )
            # The references take e0 and e1 as decimals; as floats they are others by 1e-16 or so,
            # which counts up to a thousand times in the logarithm of 1 - e0.
            assert found == pytest.approx(float(point[name]), rel=1e-9, abs=1e-12)
            assert found <= float(point[name]) + 1e-13


def test_which_published_radius_under_laplace_noise_is_larger():
    """What docs/threats.md says of them."""
    random = np.random.default_rng(5)
    e0 = random.uniform(0.01, 0.999, 2000)
    e1 = np.minimum(e0 * random.uniform(0, 1, 2000), 1 - e0)
    found = {name: sc.radius(name, e0, e1, noise="laplace") for name in ("one_sided", "lecuyer")}
    teng = sc.radius("teng", e0, e1, noise="laplace")
    assert all((values <= teng + 1e-12).all() for values in found.values())
    assert sc.radius("li", 0.9, 0.01, noise="laplace") > sc.radius(
        "teng", 0.9, 0.01, noise="laplace"
    )
    assert sc.radius("li", 0.3, 0.1, noise="laplace") < sc.radius("teng", 0.3, 0.1, noise="laplace")


@settings(max_examples=60)
@given(data=st.data())
def test_no_mechanism_is_above_the_limit_of_its_threat(data):
    threat = data.draw(st.sampled_from(EVERY))
    e0 = np.array(data.draw(st.lists(st.floats(1e-6, 1 - 1e-9), min_size=1, max_size=5)))
    e1 = e0 * np.array(data.draw(st.floats(1e-6, 1)))
    e1 = np.minimum(e1, 1 - e0)
    live = e1 < e0
    limit = threat.mechanisms["two_sided"].radius(e0[live], e1[live])
    for row in threat.mechanisms.values():
        if row.needs == "pair":
            found = row.radius(e0[live], e1[live])
            assert (found <= limit * (1 + 1e-9) + 1e-9).all() and (found >= 0).all()


@pytest.mark.parametrize("threat", EVERY, ids=lambda t: f"{t.noise}-{t.norm}")
def test_more_evidence_never_shrinks_a_radius(threat):
    e0, e1 = np.linspace(0.35, 0.999, 200), np.linspace(0.3, 1e-6, 200)
    e1 = np.minimum(e1, 1 - e0)
    for row in threat.mechanisms.values():
        if row.needs == "pair":
            assert (np.diff(row.radius(e0, e1)) >= -1e-9).all()


# --- small discrete worlds, in which the worst classifier is found by linear programming ---


def smallest_lead(first, second, e0, e1):
    """The smallest p_A - p_B at x' over all classifiers with p_A >= e0 and p_B <= e1 at x.

    A classifier gives each outcome shares of A and of B. `first` and `second` are the
    distributions of outcomes at x and x'.
    """
    outcomes = sorted(set(first) | set(second))
    p = np.array([float(first.get(o, 0)) for o in outcomes])
    q = np.array([float(second.get(o, 0)) for o in outcomes])
    zeros = np.zeros(len(p))
    bounds = np.array([np.r_[-p, zeros], np.r_[zeros, p]])
    shares = np.hstack([np.eye(len(p))] * 2)
    found = linprog(
        np.r_[q, -q],
        A_ub=np.vstack([bounds, shares]),
        b_ub=np.r_[-e0, e1, np.ones(len(p))],
        bounds=(0, 1),
    )
    assert found.status == 0
    return found.fun


def ablated(x, keep):
    """What ablation makes of x: each set of `keep` places with the values there."""
    sets = list(itertools.combinations(range(len(x)), keep))
    return {tuple((i, x[i]) for i in kept): Fraction(1, len(sets)) for kept in sets}


@pytest.mark.parametrize(("size", "keep"), [(4, 1), (5, 2), (6, 2), (8, 2)])
@pytest.mark.parametrize(("e0", "e1"), [(0.9, 0.05), (0.8, 0.1), (0.7, 0.3), (0.97, 0.02)])
def test_ablation_certifies_all_that_the_worst_classifier_allows(size, keep, e0, e1):
    found = int(sc.radius("two_sided", e0, e1, noise="ablation", size=size, keep=keep))
    x = [0] * size
    leads = [
        smallest_lead(ablated(x, keep), ablated([1] * r + [0] * (size - r), keep), e0, e1)
        for r in range(size + 1)
    ]
    assert all(lead > 0 for lead in leads[: found + 1])
    if found < size:
        assert leads[found + 1] <= 1e-9


def test_ablation_counts_choices_exactly():
    for size, keep in ((12, 3), (50, 7), (784, 45)):
        limits = change_limits(size, keep)
        for r in (0, 1, 2, size // 2, size - keep, size):
            exact = 1 - Fraction(comb(size - r, keep), comb(size, keep))
            assert limits[r] >= exact or limits[r] == 1
            assert limits[r] == pytest.approx(float(exact), abs=1e-12)


def thinned(word, rate):
    """What deletion makes of a word: every subsequence with its probability."""
    found = Counter()
    for kept in itertools.product((0, 1), repeat=len(word)):
        left = "".join(itertools.compress(word, kept))
        found[left] += (1 - rate) ** sum(kept) * rate ** (len(word) - sum(kept))
    return found


def distance(first, second, replace=1):
    """Edits that turn one word into the other; `replace` is what a replacement costs."""
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        before, row = row, [i]
        for j, b in enumerate(second, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (0 if a == b else replace)))
    return row[-1]


def is_subsequence(short, long):
    rest = iter(long)
    return all(letter in rest for letter in short)


@pytest.mark.slow
@pytest.mark.parametrize(("e0", "e1", "rate"), [(0.9, 0.05, 0.8), (0.75, 0.1, 0.85)])
def test_deletion_holds_for_every_pair_of_short_words(e0, e1, rate):
    words = ["".join(w) for n in range(5) for w in itertools.product("ab", repeat=n)]
    thin = {word: thinned(word, rate) for word in words}
    radii = {
        norm: sc.radius("two_sided", e0, e1, noise="deletion", norm=norm, rate=rate)
        for norm in NOISES["deletion"].norms
    }
    assert min(radii.values()) >= 1
    for x, y in itertools.permutations(words, 2):
        near = {"edits": distance(x, y)}
        if is_subsequence(x, y):
            near["insertions"] = len(y) - len(x)
        if is_subsequence(y, x):
            near["deletions"] = len(x) - len(y)
        wanted = [norm for norm, steps in near.items() if steps <= radii[norm]]
        if wanted:
            assert smallest_lead(thin[x], thin[y], e0, e1) > 0, (x, y, wanted)


def test_one_more_edit_than_the_radius_of_deletion_can_flip_the_class():
    e0, e1, rate = 0.9, 0.05, 0.8
    steps = int(sc.radius("two_sided", e0, e1, noise="deletion", rate=rate)) + 1
    words = [thinned(letter * steps, rate) for letter in "ab"]  # every token replaced
    assert smallest_lead(*words, e0, e1) <= 1e-9


@pytest.mark.parametrize("norm", NOISES["deletion"].norms)
@pytest.mark.parametrize(
    ("e0", "e1"), [(1 - 2**-53, 1e-17), (1 - 3e-16, 4e-17), (1 - 3e-12, 3e-17)]
)
def test_deletion_near_certainty_agrees_with_forty_digits(norm, e0, e1):
    """What the gap leaves of 1 must not be lost in the rounding of the gap."""
    for rate in (0.9, 0.9999):
        with mp.workdps(40):
            gap = mpf(e0) - mpf(e1)
            room = {"edits": 1 - gap / 2, "insertions": 1 / (1 + gap), "deletions": 1 - gap}[norm]
            limit = mp.log(room) / mp.log(mpf(rate))
        found = sc.radius("two_sided", e0, e1, noise="deletion", norm=norm, rate=rate)
        assert limit - 2 < found < limit


@pytest.mark.parametrize("noise", ["laplace", "uniform"])
@pytest.mark.parametrize("shift", [(1.0, 0.0), (0.5, 0.5), (0.75, 0.25)])
@pytest.mark.parametrize(("e0", "e1"), [(0.9, 0.05), (0.6, 0.3), (0.35, 0.1)])
def test_additive_noise_on_two_axes(noise, shift, e0, e1):
    """Cells of a grid instead of points give an attacker less to work with, never more.

    So the worst classifier of cells must not win inside the radius, in any direction of l1, and
    along an axis it nearly does just outside.
    """
    found = sc.radius("two_sided", e0, e1, noise=noise)
    edges = np.linspace(-6, 6, 25) if noise == "laplace" else np.linspace(-2, 2, 33)
    for factor, inside in ((0.97, True), (1.25, False)):
        moved = [factor * found * part for part in shift]
        p = np.outer(cell_shares(noise, edges, 0), cell_shares(noise, edges, 0))
        q = np.outer(*(cell_shares(noise, edges, m) for m in moved))
        cells = [dict(enumerate(values.ravel())) for values in (p, q)]
        lead = smallest_lead(*cells, e0, e1)
        if inside:
            assert lead > -1e-9
        elif shift == (1.0, 0.0):
            assert lead < 0


def cell_shares(noise, edges, at):
    """The probability of every cell, the outer ones without end, of noise around `at`."""
    x = edges - at
    if noise == "uniform":
        below = np.clip((x + 1) / 2, 0, 1)
    else:
        below = np.where(x < 0, np.exp(np.minimum(x, 0)) / 2, 1 - np.exp(-np.maximum(x, 0)) / 2)
    return np.diff(np.r_[0, below, 1])


# --- what is refused ---


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"noise": "laplac"}, "noise must be one of gaussian, laplace"),
        ({"noise": "laplace", "norm": "l2"}, r"norm must be one that laplace noise certifies \(l1"),
        ({"noise": "laplace", "sigma": 1.0}, "sigma is not a number of laplace noise"),
        ({"noise": "laplace", "scale": 0.0}, "scale must be a positive finite number, got 0.0"),
        ({"noise": "laplace", "scale": -1.0}, "scale must be a positive finite number, got -1.0"),
        ({"scale": 1.0}, "scale is not a number of gaussian noise, whose scale is called sigma"),
        ({"norm": "linf"}, "size must be given for gaussian noise and norm linf, got None"),
        ({"size": 3}, "size has no meaning for gaussian noise and norm l2, got 3"),
        ({"noise": "ablation", "size": 9}, "keep must be given for ablation noise"),
        ({"noise": "ablation", "size": 9, "keep": 10}, "keep must be at most size = 9, got 10"),
        ({"noise": "ablation", "size": 9, "keep": 2.5}, "keep must be a whole number above 0"),
        ({"noise": "ablation", "size": "x", "keep": 2}, "size must be a whole number above 0"),
        (
            {"noise": "ablation", "size": 10**30, "keep": 2},
            "size must be at most 10,000,000, got 1",
        ),
        ({"norm": "linf", "size": 10**30}, "size must be at most 10,000,000, got 1"),
        ({"noise": "uniform", "norm": "linf", "size": 10**400}, "size must be at most 10,000,000"),
        ({"noise": "ablation", "size": 9, "keep": 2, "sensitivity": 2.0}, "sensitivity must be 1"),
        ({"noise": "deletion", "rate": 1.0}, "rate must lie between 0 and 1, got 1.0"),
        ({"noise": "deletion", "rate": float("nan")}, "rate must lie between 0 and 1, got nan"),
    ],
)
def test_bad_settings_are_one_sentence(settings_, message):
    with pytest.raises(sc.InvalidInput, match=message):
        sc.radius("two_sided", 0.9, 0.05, **settings_)


def test_a_mechanism_without_a_proof_for_the_noise_is_refused():
    with pytest.raises(sc.InvalidInput, match="'cohen' has no proof for laplace noise and norm l1"):
        sc.radius("cohen", 0.9, 0.05, noise="laplace")
    with pytest.raises(sc.UnsoundMechanism, match="above the limit"):
        sc.radius(lambda e0, e1: 0 * e0 + 3.0, 0.9, 0.05, noise="laplace")


def test_the_row_of_another_threat_is_refused():
    """Gaussian's two_sided is above the limit of Laplace noise at (.6, .3), and the reverse."""
    with pytest.raises(sc.InvalidInput, match="one for laplace noise and norm l1, got one for gau"):
        sc.radius(sc.MECHANISMS["two_sided"], 0.6, 0.3, noise="laplace")
    row = find_threat("laplace").mechanisms["two_sided"]
    assert sc.radius(row, 0.6, 0.3, noise="laplace") > 0
    known = sc.bound(sc.Tally([[900, 80, 20]], 0.5))
    for call in (
        lambda: sc.radius(row, 0.9, 0.01),
        lambda: sc.certify(known, mechanisms={"mine": row}),
    ):
        with pytest.raises(
            sc.InvalidInput, match="one for gaussian noise and norm l2, got one for"
        ):
            call()


def test_the_norms_of_gaussian_noise():
    l2 = sc.radius("two_sided", 0.9, 0.05, sigma=0.5)
    assert sc.radius("two_sided", 0.9, 0.05, sigma=0.5, norm="l1") == l2
    linf = sc.radius("two_sided", 0.9, 0.05, sigma=0.5, norm="linf", size=3072)
    assert linf <= l2 / np.sqrt(3072) and linf == pytest.approx(l2 / np.sqrt(3072), rel=1e-12)
