"""What the explorer computes in the browser is never above the package, and within 1e-6 of it."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import simplicert as sc
from simplicert.mechanisms.naming import EXAMPLE
from simplicert.mechanisms.threats import find_threat, list_threats
from simplicert.noises import NOISES
from simplicert.report.explorer import explorer_page

pytestmark = pytest.mark.slow

NEAR = 1e-6
POINTS = 1000

RADII = """
return arguments[0].map(({ noise, norm, numbers, e0, e1 }) => {
  const threat = threats.find((one) => one.noise === noise && one.norm === norm);
  const at = (name, i) => atScale(threat, unitRadius(threat, name, e0[i], e1[i], numbers), 1);
  const all = ({ name }) => [name, e0.map((_, i) => at(name, i))];
  return Object.fromEntries(threat.mechanisms.map(all));
});
"""

SCORES = """
const threat = threats.find((one) => one.kind === "softmax");
return arguments[0].map(({ alpha, ...scores }) => {
  const { e0, e1, reason } = boundScores(scores, alpha);
  return { e0, e1, reason, radii: allRadii(threat, e0, e1, {}, 0.12) };
});
"""

CERTIFICATES = """
const threat = threats[0];
return arguments[0].map(({ alpha, sigma, ...counts }) => {
  const { e0, e1, reason } = boundCounts(counts, alpha);
  return { e0, e1, reason, radii: allRadii(threat, e0, e1, {}, sigma) };
});
"""


@pytest.fixture(scope="module")
def loaded(driver, tmp_path_factory):
    """The page, open in the browser."""
    path = tmp_path_factory.mktemp("explorer") / "explorer.html"
    path.write_text(explorer_page(), encoding="utf-8")
    driver.get(path.as_uri())
    return driver


def make_points(random):
    """Points all over the triangle, towards its sides and on two of them: (2, POINTS)."""
    part = POINTS // 5
    inside = np.sort(random.dirichlet([1, 1, 1], size=2 * part), axis=1)[:, :0:-1].T
    low = random.uniform(0.01, 0.99, part)
    floor = np.stack([low, np.minimum(low, 1 - low) * 10 ** random.uniform(-12, -0.01, part)])
    left = 1 - 10 ** random.uniform(-12, -0.4, part)
    corner = np.stack([left, (1 - left) * random.choice([1.0, 0.7, 1e-3], part)])
    equal = random.uniform(0.01, 0.5, part)
    ties = np.stack([equal, equal * (1 - 10 ** random.uniform(-9, -1, part))])
    return np.concatenate([inside, floor, corner, ties], axis=1)


def test_radii_of_every_threat(loaded):
    """A thousand points a threat, in one call: every mechanism of the table that reads a pair."""
    random = np.random.default_rng(21)
    asked = []
    for noise, norm in list_threats():
        e0, e1 = make_points(random)
        numbers = {name: EXAMPLE[name] for name in NOISES[noise].parameters[norm]}
        asked.append({"noise": noise, "norm": norm, "numbers": numbers, "e0": e0, "e1": e1})
    sent = [{**one, "e0": one["e0"].tolist(), "e1": one["e1"].tolist()} for one in asked]
    for one, found in zip(asked, loaded.execute_script(RADII, sent), strict=True):
        about = {"noise": one["noise"], "norm": one["norm"], **one["numbers"]}
        table = find_threat(**about).mechanisms
        assert set(found) == {
            name
            for name, row in table.items()
            if row.needs == "pair" and "multinomial" in row.kinds
        }
        for name, radii in found.items():
            ours = sc.radius(name, one["e0"], one["e1"], **about)
            apart = ours - np.array(radii, dtype=float)
            assert (apart >= 0).all(), (about, name, apart.min())
            assert (apart < NEAR).all(), (about, name, apart.max())


def test_other_numbers_of_ablation_and_deletion(loaded):
    random = np.random.default_rng(22)
    e0, e1 = make_points(random)
    settings = [
        ("ablation", "l0", {"size": 3072, "keep": 1}),
        ("ablation", "l0", {"size": 10, "keep": 10}),
        ("deletion", "deletions", {"rate": 0.999}),
        ("uniform", "linf", {"size": 1}),
    ]
    sent = [
        {"noise": noise, "norm": norm, "numbers": numbers, "e0": e0.tolist(), "e1": e1.tolist()}
        for noise, norm, numbers in settings
    ]
    for (noise, norm, numbers), found in zip(
        settings, loaded.execute_script(RADII, sent), strict=True
    ):
        for name, radii in found.items():
            ours = sc.radius(name, e0, e1, noise=noise, norm=norm, **numbers)
            apart = ours - np.array(radii, dtype=float)
            assert (apart >= 0).all() and (apart < NEAR).all(), (noise, name)


def make_counts(random, classes, inputs):
    """Counts of few and of many draws, clear and close, with the ends among them."""
    draws = (10 ** random.uniform(0.7, 6.5, inputs)).astype(int)
    shares = random.dirichlet([3.0, *[0.5] * (classes - 1)], size=inputs)
    counts = np.array([random.multinomial(n, p) for n, p in zip(draws, shares, strict=True)])
    counts[:20] = 0
    counts[:20, 0] = draws[:20]  # all draws agree
    counts[20:30] = 0
    counts[20:30, :2] = np.stack([draws[20:30] - 1, np.ones(10, int)], axis=1)
    return counts


@pytest.mark.parametrize("classes", [2, 3, 10])
@pytest.mark.parametrize("alpha", [0.001, 0.1])
def test_bounds_and_certificates_of_counts(loaded, classes, alpha):
    """A thousand tallies in all: the same word for each, and bounds that prove no more."""
    random = np.random.default_rng(100 * classes + round(1 / alpha))
    counts = make_counts(random, classes, 170)
    known = sc.bound(sc.Tally(counts, sigma=0.12), alpha=alpha)
    certificates = sc.certify(known)
    order = np.sort(counts, axis=1)[:, ::-1]
    sent = [
        {"wins": a, "rival": b, "draws": n, "classes": classes, "alpha": alpha, "sigma": 0.12}
        for a, b, n in zip(
            order[:, 0].tolist(), order[:, 1].tolist(), counts.sum(axis=1).tolist(), strict=True
        )
    ]
    found = loaded.execute_script(CERTIFICATES, sent)
    assert [one["reason"] for one in found] == known.reason.tolist()
    live = known.reason == "certified"
    assert live.sum() > 80
    e0, e1 = (np.array([one[name] for one in found])[live] for name in ("e0", "e1"))
    for apart in (known.e0[live] - e0, e1 - known.e1[live]):
        assert (apart >= 0).all() and (apart < NEAR).all(), (apart.min(), apart.max())
    for name in found[0]["radii"]:
        radii = np.array([one["radii"][name] for one in found])[live]
        apart = certificates.radii[name][live] - radii
        assert (apart >= 0).all() and (apart < NEAR).all(), (name, apart.min(), apart.max())


def make_scores(random, inputs):
    """Mean scores of a first and a second class, whole sums among them, n, and the spread."""
    draws = (10 ** random.uniform(1.5, 6.3, inputs)).astype(int)
    first = np.sort(random.beta(4, 2, inputs))
    first[-20:] = 1 - 10 ** random.uniform(-6, -2, 20)
    second = np.minimum((1 - first) * random.uniform(0.05, 1, inputs), 0.97 * first)
    whole = random.random(inputs) < 0.3
    first[whole] = (np.round(first * draws) / draws)[whole]
    second = np.minimum(second, 1 - first)
    spread = random.choice([0.0, 0.003, 0.3, 1.0], inputs)
    return first, second, draws, spread


def _to_units(means, draws):
    """Sums of so many scores with these means, in units of 2^-40, exactly."""
    rows = zip(means.tolist(), draws.tolist(), strict=True)
    return np.array([[int(Fraction(x) * n * 2**40) for x in row] for row, n in rows])


def tally_of_scores(first, second, draws, spread, classes=40):
    """A tally with these mean scores, rounded down as the sampler does; the others are behind."""
    rest = np.maximum(1 - first - second, 0)[:, None] * np.ones(classes - 2) / (classes - 2)
    means = np.column_stack([first, second, np.minimum(rest, second[:, None])])
    squares = means**2 + spread[:, None] * means * (1 - means)
    n = draws[:, None]
    sums, squares = (_to_units(values, draws) for values in (means, squares))
    lost = n // 2 * (sums > n)  # half a unit for each score
    wins = np.minimum(np.round(first * draws).astype(int), draws)
    rival = np.minimum(np.round(second * draws).astype(int), draws - wins)
    rival = np.where((rival == 0) & (wins < draws), 1, rival)
    votes = np.zeros(means.shape, int)
    votes[:, 0], votes[:, 1] = wins, rival
    left = draws - wins - rival
    for place in range(2, classes):
        votes[:, place] = np.minimum(left, rival)
        left = left - votes[:, place]
    assert not left.any() and means.sum(axis=1).min() > 1 - 1e-9
    tally = sc.Tally(
        votes,
        0.12,
        softmax_sums=sums - lost,
        softmax_squares=np.minimum(squares, sums - lost),
        votes=votes,
    )
    return tally, wins, rival


@pytest.mark.parametrize("alpha", [0.001, 0.1])
def test_bounds_and_certificates_of_scores(loaded, alpha):
    """A thousand in all, by the package's own method for scores and its own sums."""
    random = np.random.default_rng(round(1 / alpha))
    first, second, draws, spread = make_scores(random, 520)
    tally, wins, rival = tally_of_scores(first, second, draws, spread)
    known = sc.bound(tally, alpha=alpha, kind="softmax")
    certificates = sc.certify(known)
    sent = [
        {"first": a, "second": b, "spread": s, "alpha": alpha, "votes": {"wins": w, "rival": r,
         "draws": n, "classes": 3}}
        for a, b, s, w, r, n in zip(
            *(v.tolist() for v in (first, second, spread, wins, rival, draws)), strict=True
        )
    ]  # fmt: skip
    found = loaded.execute_script(SCORES, sent)
    assert [one["reason"] for one in found] == known.reason.tolist()
    live = known.reason == "certified"
    assert live.sum() > 300
    e0, e1 = (np.array([one[name] for one in found])[live] for name in ("e0", "e1"))
    for apart in (known.e0[live] - e0, e1 - known.e1[live]):
        assert (apart >= 0).all() and (apart < NEAR).all(), (apart.min(), apart.max())
    assert set(found[0]["radii"]) == {"lecuyer", "improved_dp", "two_sided"}
    for name in found[0]["radii"]:
        radii = np.array([one["radii"][name] for one in found])[live]
        apart = certificates.radii[name][live] - radii
        assert (apart >= 0).all() and (apart < NEAR).all(), (name, apart.min(), apart.max())


def test_golden_radii(loaded):
    """The committed reference, from arithmetic of forty digits that shares no code with either."""
    points = json.loads((Path(__file__).parents[2] / "golden_radii.json").read_text())
    e0, e1 = ([row[key] for row in points] for key in ("E0", "E1"))
    sent = [{"noise": "gaussian", "norm": "l2", "numbers": {}, "e0": e0, "e1": e1}]
    (found,) = loaded.execute_script(RADII, sent)
    for name, radii in found.items():
        true = np.array([row["tight" if name == "two_sided" else name] for row in points])
        apart = true - np.array(radii)
        assert (apart >= 0).all() and (apart < NEAR).all(), (name, apart.min(), apart.max())
