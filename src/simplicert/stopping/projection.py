"""Project a tally to the end of its plan: what is likely, and the best to hope for.

Nothing here proves anything. A projection only decides whether drawing on is worth it: stopping
early turns a certificate into an abstention at worst, never into a false one.
`unanimous_tally` makes the best tally there is, in which all draws agree.
"""

from typing import Any

import numpy as np
from scipy.special import ndtri

from simplicert.bounds import binomial
from simplicert.bounds.box import largest_other
from simplicert.types import FIXED_POINT, Floats, Ints, Tally
from simplicert.types.scores import BINS

LEAST = 3.0  # draws by which a mean score may be missed, however little the scores vary


def unanimous_tally(tally: Tally, draws: int) -> Tally:
    """Make a tally of one input whose draws all agree, with the kinds of evidence of this tally.

    What cannot be certified for it cannot be certified for any input with that many draws.
    """
    first = np.zeros((1, tally.classes), np.int64)
    first[0, 0] = 1
    held: dict[str, Any] = {"counts": first * draws}
    for name in ("softmax_sums", "softmax_squares"):
        if getattr(tally, name) is not None:
            held[name] = first * (draws << FIXED_POINT)
    if tally.votes is not None:
        held["votes"] = first * draws
    if tally.pilot is not None:
        held["pilot"] = first * int(tally.pilot.sum(axis=1).max())
    if tally.leaders is not None:
        leaders = np.arange(tally.leaders.shape[1])[None]
        bins = BINS if tally.histograms is None else tally.histograms.shape[2]
        histograms = np.zeros((1, leaders.size + 1, bins), np.int64)
        histograms[:, 1:, 0] = draws
        histograms[:, 0, -1] = draws
        held |= {"leaders": leaders, "histograms": histograms}
    held["lipschitz"] = tally.lipschitz
    return Tally(**held, sigma=tally.sigma, plan=tally.plan, noise=tally.noise)


def project_likely(tally: Tally) -> Tally:
    """Project the counts to the last look as if every class kept its share."""
    assert tally.plan is not None
    last = tally.plan.looks[-1]
    return _project_tally(
        tally,
        lambda counts, _: apportion_counts(counts, last),
        tally.softmax_sums,
        tally.histograms,
    )


def project_hopeful(tally: Tally, tail: float) -> Tally:
    """Do the same with the top class as strong, and its rivals as weak, as they may be.

    A class lies beyond that with probability `tail` (roughly, for softmax scores).
    """
    assert tally.plan is not None
    last = tally.plan.looks[-1]

    def best(counts: Ints, top: Ints) -> Ints:
        """Put each row's top class at its upper limit, the others at most at the rival's lower."""
        n, rows = counts.sum(axis=1), np.arange(len(counts))
        high = np.ceil(binomial.clopper_pearson_upper(counts[rows, top], n, np.array(tail)) * last)
        rival = largest_other(counts, top)
        low, _ = binomial.clopper_pearson_lower(rival, n, np.array(tail))
        others = np.minimum(
            apportion_counts(counts, last), np.floor(low * last).astype(int)[:, None]
        )
        return _fill_counts(others, top, high.astype(np.int64), last)

    sums = None if tally.softmax_sums is None else _hopeful_sums(tally, tail)
    scores = None if tally.histograms is None else _hopeful_histograms(tally, tail)
    return _project_tally(tally, best, sums, scores)


def _fill_counts(others: Ints, top: Ints, high: Ints, total: int | Ints) -> Ints:
    """Make rows sum to `total`: the top class gets `high` or more, the others at most `others`."""
    rows, out = np.arange(len(others)), others.copy()
    out[rows, top] = 0
    room = np.maximum(total - high, 0)
    held = out.sum(axis=1)
    shrink = np.minimum(1.0, room / np.maximum(held, 1))
    out = np.floor(out * shrink[:, None]).astype(np.int64)
    out[rows, top] = total - out.sum(axis=1)
    return np.asarray(out)


def _hopeful_sums(tally: Tally, tail: float) -> Ints:
    """Raise the top class's softmax sum and lower the others', at the tally's own draws."""
    assert tally.softmax_sums is not None
    top, rows, n = _leading_class(tally), np.arange(len(tally)), tally.draws
    own, rival = tally.softmax_sums[rows, top], largest_other(tally.softmax_sums, top)
    high = own + (_sum_deviation(tally, top, own) * -ndtri(tail)).astype(np.int64)
    # A rival's scores are taken to vary as a binomial's would, which is the most they can.
    mean = rival / (n << FIXED_POINT)
    spread = np.sqrt(n * mean * (1 - mean)) + LEAST
    low = rival - (spread * -ndtri(tail) * 2.0**FIXED_POINT).astype(np.int64)
    most = n << FIXED_POINT
    others = np.minimum(tally.softmax_sums, np.maximum(low, 0)[:, None])
    return _fill_counts(others, top, np.minimum(high, most), most)


def _leading_class(tally: Tally) -> Ints:
    """Return (N,) the class that scores are expected to favour."""
    return np.asarray((tally.counts if tally.votes is None else tally.votes).argmax(axis=1))


def _sum_deviation(tally: Tally, top: Ints, own: Ints) -> Floats:
    """Return (N,) a little more than the standard deviation of the top class's sum (2^-40)."""
    n, rows = tally.draws, np.arange(len(tally))
    mean = own / (n << FIXED_POINT)
    square = (
        mean
        if tally.softmax_squares is None
        else (tally.softmax_squares[rows, top] / (n << FIXED_POINT))
    )
    varied = np.sqrt(np.maximum(square - mean**2, 0) * n)
    return np.asarray((varied + LEAST) * 2.0**FIXED_POINT)


def _hopeful_histograms(tally: Tally, tail: float) -> Ints:
    """Move the share of draws that may be missed (Massart's) up, or down for rivals."""
    assert tally.histograms is not None and tally.leaders is not None
    moved = np.ceil(np.sqrt(-np.log(tail) / 2 * tally.draws)).astype(np.int64)[:, None, None]
    ours = tally.leaders == _leading_class(tally)[:, None]
    ours = np.column_stack([ours, np.zeros(len(ours), bool)])[:, :, None]
    up = _drop_first_draws(tally.histograms, moved)
    down = _drop_first_draws(tally.histograms[:, :, ::-1], moved)[:, :, ::-1]
    up[:, :, -1:] += tally.histograms.sum(axis=2, keepdims=True) - up.sum(axis=2, keepdims=True)
    down = down.copy()
    down[:, :, :1] += tally.histograms.sum(axis=2, keepdims=True) - down.sum(axis=2, keepdims=True)
    return np.where(ours, up, down)


def _drop_first_draws(histograms: Ints, count: Ints) -> Ints:
    """Take the first `count` draws out of histograms, in the order of the bins."""
    left = np.maximum(np.cumsum(histograms, axis=2) - count, 0)
    return np.asarray(np.diff(left, axis=2, prepend=0))


def _project_tally(tally: Tally, grown: Any, sums: Ints | None, scores: Ints | None) -> Tally:
    """Make a tally at the last look; `grown` maps counts (N, K + 1) and top classes to counts."""
    assert tally.plan is not None
    last, fields = tally.plan.looks[-1], dict[str, Any]()
    for name, rest in (("counts", "invalid"), ("votes", "votes_invalid")):
        values = getattr(tally, name)
        if values is not None:
            top = values.argmax(axis=1)
            grows = grown(np.column_stack([values, getattr(tally, rest)]), top)
            fields[name], fields[rest] = grows[:, :-1], grows[:, -1]
    if sums is not None:
        growth = last / tally.draws[:, None]
        fields["softmax_sums"] = np.floor(sums * growth).astype(np.int64)
        if tally.softmax_squares is not None:
            mass = fields["softmax_sums"]
            least = mass * (mass / (last << FIXED_POINT)) * (1 + 1e-9)  # no scores have less
            squares = np.ceil(np.maximum(tally.softmax_squares * growth, least))
            fields["softmax_squares"] = np.minimum(squares.astype(np.int64), mass)
        if tally.softmax_rest is not None:
            whole = sums is not tally.softmax_sums  # hopeful sums leave nothing to the others
            others = np.floor(tally.softmax_rest * growth).astype(np.int64)
            fields["softmax_rest"] = others * 0 if whole else others
            fields["softmax_classes"] = tally.softmax_classes
    if scores is not None:
        flat = apportion_counts(scores.reshape(-1, scores.shape[2]), last)
        fields["histograms"] = flat.reshape(scores.shape)
        fields["leaders"] = tally.leaders
    return Tally(
        **fields,
        sigma=tally.sigma,
        index=tally.index,
        pilot=tally.pilot,
        plan=tally.plan,
        norm=tally.norm,
        grid=tally.grid,
        reading=tally.reading,
        noise=tally.noise,
        lipschitz=tally.lipschitz,
    )


def apportion_counts(counts: Ints, total: int) -> Ints:
    """Scale counts to sum to `total`; the largest remainders are rounded up."""
    exact = counts * (total / counts.sum(axis=1, keepdims=True))
    out = np.floor(exact).astype(np.int64)
    order = np.argsort(out - exact, axis=1, kind="stable")
    short = total - out.sum(axis=1)
    up = np.arange(counts.shape[1]) < short[:, None]
    np.put_along_axis(out, order, np.take_along_axis(out, order, axis=1) + up, axis=1)
    return np.asarray(out)
