"""A curve bounded from a few of its points: never below any point of it, and nearly equal."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from simplicert.bounds.joint import search, segments, sums
from simplicert.bounds.joint.buehler import CaseColumns, largest_rival_quantile, make_cases
from simplicert.bounds.joint.tail import tail_probability

COUNTS = [
    (300, 100, 1000),
    (600, 50, 1000),
    (9000, 800, 10**4),
    (5500, 4000, 10**4),
    (990, 10, 1000),
    (9990, 8, 10**4),
    (30_000, 10_000, 10**5),
    (57_000, 3, 10**5),
    (40, 9, 60),
    (60, 0, 60),
]


def case_of(wins, rival, draws, a=9e-4):
    counts = (np.array([v]) for v in (wins, rival, draws))
    return next(make_cases(*counts, np.array([a]), 0.1))


def columns_of(case):
    return CaseColumns(*(np.array([value]) for value in case))


def try_radius(case, r, step):
    """What is proved of one radius with points so many deviations apart."""
    columns = columns_of(case)
    made = search.make_curve_tails(columns), np.array([0]), np.array([r]), np.array([step])
    return search.try_radii(columns, *made)


def curve_of(case, r, step):
    start, stop = np.array([case.low - 2 * r]), np.array([largest_rival_quantile(case, r)])
    made = (np.array([value]) for value in (r, case.draws, step))
    return segments.place_points(np.minimum(start, stop), stop, *made)


def whole_curve(case, r, count=3000):
    """Log P at points all along the curve of a radius, each with all its terms."""
    tail = sums.take_tail(search.make_curve_tails(columns_of(case)).stairs, 0)
    x = np.linspace(case.low - 2 * r, largest_rival_quantile(case, r), count)
    p = np.maximum(ndtr(x), 1e-300)
    found = tail_probability(tail, np.minimum(ndtr(x + 2 * r), 1 - p), p, 30.0)
    return np.log(found)


@pytest.mark.parametrize(("wins", "rival", "draws"), COUNTS)
@pytest.mark.parametrize("step", [0.2, 0.35, 1.2, 4.0])
def test_no_point_of_the_curve_is_above_its_bound(wins, rival, draws, step):
    """Also with points several deviations apart: the bound is then large, and true."""
    case = case_of(wins, rival, draws)
    for share in (0.3, 0.6, 1.0):
        r = case.pair + share * (case.guess - case.pair)
        largest, lowered, seen = try_radius(case, r, step)
        truth = whole_curve(case, r - lowered[0]).max()
        assert truth <= largest[0] + 1e-9
        assert seen[0] <= largest[0]
        if step <= 0.35:
            assert largest[0] <= truth + 0.06
            assert lowered[0] <= 0.02 * (case.estimate - r)


@pytest.mark.parametrize(("wins", "rival", "draws"), COUNTS)
def test_segments_are_never_below_the_curve(wins, rival, draws):
    """Each point of a segment, in 60 steps: its own radius is at least that of the curve."""
    case = case_of(wins, rival, draws)
    r = case.guess
    points = curve_of(case, r, 0.8)
    cells = segments._three_cells(points.rival, points.top)
    logs = np.log(cells)
    lowered = segments._sag_of_segments(points, cells, np.diff(logs, axis=2))[0]
    for t in np.linspace(0, 1, 61):
        mixed = np.exp((1 - t) * logs[..., :-1] + t * logs[..., 1:])[:, 0]
        top, rest = mixed[0] / mixed.sum(axis=0), mixed[1] / mixed.sum(axis=0)
        own = (ndtri(top) - ndtri(rest)) / 2
        assert (own >= r - lowered - 1e-9).all()


def test_hoelder_by_hand():
    """Binomial tails of 30 draws: at the middle of a segment, below the geometric mean over Z^n."""
    from scipy.stats import multinomial

    p, q = np.array([0.5, 0.2, 0.3]), np.array([0.6, 0.25, 0.15])
    middle = np.sqrt(p * q)
    total = middle.sum()
    k, b = np.meshgrid(np.arange(31), np.arange(31), indexing="ij")
    inside = (k + b <= 30) & (k - b >= 15)
    cells = np.column_stack([k[inside], b[inside], 30 - k[inside] - b[inside]])
    prob = [multinomial.pmf(cells, 30, cell).sum() for cell in (p, q, middle / total)]
    assert prob[2] <= np.sqrt(prob[0] * prob[1]) / total**30
    logs = np.log([[prob[0], prob[1]]])
    weights = np.log(np.stack([p, q], axis=1))[:, None, :]
    bound = segments._peak_between(weights, np.diff(weights, axis=2), logs, np.array([[30]]))
    assert np.log(prob).max() <= bound[0, 0] < np.log(prob).max() + 0.3


@pytest.mark.parametrize(("wins", "rival", "draws"), COUNTS)
def test_points_reach_from_end_to_end(wins, rival, draws):
    case = case_of(wins, rival, draws)
    points = curve_of(case, case.guess, 0.35)
    used = points.rival[0, : points.used[0]]
    stop = largest_rival_quantile(case, case.guess)
    assert used[0] == min(case.low - 2 * case.guess, stop)
    assert (np.diff(points.rival[0]) >= 0).all()
    left = 1 - ndtr(used[-1]) - ndtr(used[-1] + 2 * case.guess)
    if points.edge[0]:
        assert used[-1] <= stop and left * draws < 0.1
    else:
        assert used[-1] == stop


def test_the_last_point_of_all_dominates_what_is_beyond_the_edge():
    """Two classes share all draws: beyond the edge nothing but the corner is asked."""
    case = case_of(700, 300, 1000)
    points = curve_of(case, case.guess, 0.35)
    assert points.edge[0]
    corner = 1 - ndtr(points.rival[0, -1])
    beyond = np.linspace(points.rival[0, -1], case.high, 50)
    assert (np.minimum(ndtr(beyond + 2 * case.guess), 1 - ndtr(beyond)) <= corner).all()


def test_a_lost_normaliser_would_be_seen(monkeypatch):
    """Without Z the bound lies below some curves: the first test of this file notices."""
    monkeypatch.setattr(segments, "_peak_between", lambda *_: np.full((1, 1), -np.inf))
    above = []
    for counts in COUNTS:
        case = case_of(*counts)
        largest, lowered, _ = try_radius(case, case.guess, 4.0)
        above.append(whole_curve(case, case.guess - lowered[0]).max() > largest[0] + 1e-9)
    assert any(above)
