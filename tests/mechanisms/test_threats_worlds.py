"""Every noise and norm: closed forms in 40 digits, and worst sets of cells of small worlds.

A world is the noise on one or two axes, cut into cells. Cells instead of points give an attacker
less to work with, never more, so the worst sets of cells must not win inside the radius; along the
worst direction they nearly do just outside. With e0 + e1 <= 1 the worst sets are those of Neyman
and Pearson: cells in the order of the likelihood ratio, split where the probability demands it.
"""

import itertools

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.special import ndtr

import simplicert as sc
from simplicert.mechanisms.threats import _THREATS

PAIRS = [(0.9, 0.05), (0.6, 0.3), (0.35, 0.1)]

# Where each row of the table is checked; the names are tests.
CHECKED = {
    ("gaussian", "l2"): "tests/mechanisms/test_mechanisms.py",
    ("gaussian", "l1"): "here",
    ("gaussian", "linf"): "here",
    ("laplace", "l1"): "here, tests/mechanisms/test_threats.py",
    ("uniform", "l1"): "here, tests/mechanisms/test_threats.py",
    ("uniform", "linf"): "here",
    ("exponential-linf", "linf"): "here",
    ("splitting", "l1"): "tests/noises",
    ("ablation", "l0"): "tests/mechanisms/test_threats.py, test_shifts.py",
    ("deletion", "edits"): "tests/mechanisms/test_threats.py",
    ("deletion", "insertions"): "tests/mechanisms/test_threats.py",
    ("deletion", "deletions"): "tests/mechanisms/test_threats.py",
    ("brightness", "brightness"): "here",
    ("contrast", "log contrast"): "here",
    ("shift", "shift"): "here",
}


def test_every_row_is_checked_somewhere():
    assert set(CHECKED) == set(_THREATS)


def normal_quantile(p):
    """Phi^-1 in 40 digits."""
    return mp.sqrt(2) * mp.erfinv(2 * p - 1)


def reference(noise, norm, e0, e1, size):
    """The two-sided radius at scale 1, by the formula of docs/threats.md, in 40 digits."""
    e0, e1 = mpf(e0), mpf(e1)
    gap = e0 - e1
    if noise == "uniform":
        return gap if norm == "l1" else 2 * (1 - (1 - gap / 2) ** (mpf(1) / size))
    if noise in ("laplace", "exponential-linf"):
        return mp.log(e0 / e1) / 2 if e0 <= 0.5 else -mp.log(4 * e1 * (1 - e0)) / 2
    half = (normal_quantile(e0) - normal_quantile(e1)) / 2
    return half / mp.sqrt(size) if norm == "linf" else half


ROWS = [
    (noise, norm)
    for noise, norm in _THREATS
    if noise not in ("ablation", "deletion", "splitting") and (noise, norm) != ("gaussian", "l2")
]


@pytest.mark.parametrize(("noise", "norm"), ROWS)
@pytest.mark.parametrize("size", [1, 3072])
def test_the_limit_agrees_with_forty_digits(noise, norm, size):
    """Never above, and within a few units of the last place."""
    sizes = {"size": size} if noise in ("gaussian", "uniform") and norm == "linf" else {}
    with mp.workdps(40):
        for e0, e1 in [*PAIRS, (0.999999, 1e-7), (0.5, 0.5 - 1e-9), (0.1, 1e-12)]:
            found = sc.radius("two_sided", e0, e1, noise=noise, norm=norm, **sizes)
            wanted = reference(noise, norm, e0, e1, size)
            assert found <= wanted
            assert found == pytest.approx(float(wanted), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize(("noise", "norm"), [("uniform", "l1"), ("uniform", "linf")])
def test_one_sided_is_two_sided_with_all_the_rest(noise, norm):
    sizes = {"size": 7} if norm == "linf" else {}
    for e0 in (0.3, 0.5, 0.51, 0.9, 1 - 1e-12):
        found = sc.radius("one_sided", e0, 1e-15, noise=noise, norm=norm, **sizes)
        with mp.workdps(40):
            rest = min(mpf(1) - mpf(e0), mpf(1) / 2)
            wanted = reference(noise, norm, max(e0, 0.5), rest, 7)
        assert found <= wanted and found == pytest.approx(float(wanted), rel=1e-9, abs=1e-15)


# Worst sets of cells


def worst_lead(p, q, e0, e1):
    """The smallest q(A) - q(B) over sets with p(A) >= e0, p(B) <= e1, by Neyman and Pearson."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(p > 0, q / p, np.inf)
    order = np.argsort(ratio)
    p, q = p[order], q[order]
    return take(p, q, e0) - (q[p == 0].sum() + take(p[::-1], q[::-1], e1))


def take(p, q, share):
    """Sum q over the first cells that have this share of p, the last of them in part."""
    live = p > 0
    p, q = p[live], q[live]
    before = np.cumsum(p) - p
    part = np.clip((share - before) / p, 0, 1)
    return float((part * q).sum())


def one_axis(noise, edges, at):
    """Probabilities of the cells between edges, the outer ones without end, around `at`."""
    x = edges - at
    if noise == "uniform":
        below = np.clip((x + 1) / 2, 0, 1)
    elif noise == "laplace":
        below = np.where(x < 0, np.exp(np.minimum(x, 0)) / 2, 1 - np.exp(-np.maximum(x, 0)) / 2)
    else:
        below = ndtr(x)
    return np.diff(np.r_[0, below, 1])


def two_axes(noise, edges, at):
    """The same for two axes, independent or with density exp(-(largest feature)) / 8."""
    if noise != "exponential-linf":
        return np.outer(*(one_axis(noise, edges, x) for x in at)).ravel()
    fine = np.linspace(edges[0], edges[-1], 12 * (len(edges) - 1) + 1)
    middle, step = (fine[1:] + fine[:-1]) / 2, fine[1] - fine[0]
    far = np.maximum(*np.meshgrid(abs(middle - at[0]), abs(middle - at[1]), indexing="ij"))
    shares = np.exp(-far) / 8 * step**2
    cells = shares.reshape(len(edges) - 1, 12, len(edges) - 1, 12).sum(axis=(1, 3))
    return cells.ravel()


SPANS = {"uniform": 2.5, "laplace": 8.0, "gaussian": 5.0, "exponential-linf": 16.0}

# Directions of length 1 in the norm; the first is the worst.
TURNS = {
    "l1": [(1.0, 0.0), (0.5, 0.5), (0.75, -0.25)],
    "linf": [(1.0, 1.0), (1.0, 0.0), (1.0, -0.5)],
}


@pytest.mark.parametrize(
    ("noise", "norm"),
    [
        ("laplace", "l1"),
        ("uniform", "l1"),
        ("uniform", "linf"),
        ("gaussian", "l1"),
        ("gaussian", "linf"),
        ("exponential-linf", "linf"),
    ],
)
@pytest.mark.parametrize(("e0", "e1"), PAIRS)
def test_the_worst_cells_of_two_axes_do_not_win_inside_the_radius(noise, norm, e0, e1):
    """Outside they do, along the worst direction; exponential-linf is not said to be tight.

    Its cells are sums over a fine grid, right to about a thousandth.
    """
    sizes = {"size": 2} if noise in ("gaussian", "uniform") and norm == "linf" else {}
    found = sc.radius("two_sided", e0, e1, noise=noise, norm=norm, **sizes)
    edges = np.linspace(-SPANS[noise], SPANS[noise], 41)
    slack = 2e-3 if noise == "exponential-linf" else 1e-9
    for place, turn in enumerate(TURNS[norm]):
        for factor in (0.5, 0.98, 1.25):
            moved = [factor * found * part for part in turn]
            p, q = (two_axes(noise, edges, at) for at in ((0.0, 0.0), moved))
            lead = worst_lead(p, q, e0, e1)
            if factor < 1:
                assert lead > -slack, (turn, factor)
            elif place == 0 and noise != "exponential-linf":
                assert lead < 0, (turn, factor)


@pytest.mark.parametrize("noise", ["brightness", "contrast"])
@pytest.mark.parametrize(("e0", "e1"), PAIRS)
def test_the_worst_cells_of_a_parameter(noise, e0, e1):
    """One axis with normal noise: cells of the parameter, whatever the transformation makes."""
    found = sc.radius("two_sided", e0, e1, noise=noise)
    edges = np.linspace(-5, 5, 201)
    for factor, sign in itertools.product((0.5, 0.999, 1.01), (-1, 1)):
        p, q = (one_axis("gaussian", edges, at) for at in (0.0, sign * factor * found))
        assert (worst_lead(p, q, e0, e1) > 0) == (factor < 1)


@pytest.mark.parametrize("sigma", [0.7, 2.0])
@pytest.mark.parametrize(("e0", "e1"), PAIRS)
def test_the_worst_sets_of_whole_shifts(sigma, e0, e1):
    """Pixels are the world: noise rounded to whole pixels, moved by every whole shift."""
    found = sc.radius("two_sided", e0, e1, noise="shift", sigma=sigma)
    edges = (np.arange(-14, 14) + 0.5) / sigma
    for down, across in itertools.product(range(-3, 4), repeat=2):
        p, q = (
            np.outer(
                one_axis("gaussian", edges, at[0] / sigma),
                one_axis("gaussian", edges, at[1] / sigma),
            ).ravel()
            for at in ((0, 0), (down, across))
        )
        if np.hypot(down, across) < found:
            assert worst_lead(p, q, e0, e1) > 0
