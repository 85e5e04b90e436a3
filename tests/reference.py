"""Reference radii at sigma = 1 and sensitivity 1, in 100-digit arithmetic of their own.

Each mechanism takes (e0, e1) as exact reals, 0 < e1 < e0 < 1 and e0 + e1 <= 1, and returns an mpf
whose first 25 digits, at least, are right. Every search rests on a proof, given where it is made,
that the slope changes sign once: the maximum found is the global one, and no scan is needed.
"""

from collections.abc import Callable
from statistics import NormalDist

import numpy as np
from mpmath import mp, mpf

Place = tuple[mpf, mpf]

# Two adjacent floats share 16 digits, and the slope in `li` loses four times as many as they share.
DIGITS = 100

# Enough to place a maximum where the slope itself loses few digits: half the time of 100.
SEARCH_DIGITS = 40

# Where the package and its golden radii end the search over omega - 1. The supremum over all
# omega > 1 is larger by up to 6.2e-5 of itself; tests/mechanisms/test_li.py holds both together.
SMALLEST_ORDER = mp.exp(-9)

# A maximum is flat: an argument good to 20 digits gives a value good to well over 30.
ARGUMENT_TOLERANCE = mpf(10) ** -20

# How nearly a radius must meet its constraint, relative to delta.
VALUE_TOLERANCE = mpf(10) ** -30


@mp.workdps(DIGITS)
def cohen(e0: float, e1: float) -> mpf:
    """Phi^-1(E0), and 0 where E0 <= 1/2: paper eq. (Cohen_Bound)."""
    return quantile(mpf(e0)) if e0 > 1 / 2 else mpf(0)


@mp.workdps(DIGITS)
def two_sided(e0: float, e1: float) -> mpf:
    """(Phi^-1(E0) - Phi^-1(E1)) / 2: Cohen et al. 2019, Theorem 1."""
    return (quantile(mpf(e0)) - quantile(mpf(e1))) / 2


@mp.workdps(DIGITS)
def li(e0: float, e1: float, smallest: mpf = SMALLEST_ORDER) -> mpf:
    """Supremum over omega - 1 >= smallest of paper eq. (Li_Bound); at 0 its limit is included.

    With t = omega - 1, the squared radius is 2 A(t) / (1 + t), where A = -log(1 - E0 - E1 + 2 M)
    and M is the power mean of E0 and E1 with exponent -t. Half the log-ratio being s, log M is
    constant - log(cosh(s t)) / t = constant - s * (average of tanh on [0, s t]), which is convex
    in t because tanh is concave. So M, and M plus a constant, are log-convex, A is concave, and
    the slope (1 + t) A' - A never rises.
    """
    top, runner_up = mpf(e0), mpf(e1)
    geometric_mean = mp.sqrt(top * runner_up)
    half_log_ratio = mp.log(top / runner_up) / 2

    def height_and_slope(t: mpf) -> tuple[mpf, mpf]:
        if t == 0:
            mean, log_mean_slope = geometric_mean, -(half_log_ratio**2) / 2
        else:
            # log(cosh(s t)), without the cancellation of cosh near 1.
            log_cosh = mp.log1p(2 * mp.sinh(half_log_ratio * t / 2) ** 2)
            mean = geometric_mean * mp.exp(-log_cosh / t)
            log_mean_slope = (log_cosh / t - half_log_ratio * mp.tanh(half_log_ratio * t)) / t
        gap = (top - mean) + (runner_up - mean)
        height = -mp.log1p(-gap)
        return height, -2 * mean * log_mean_slope / (1 - gap) * (1 + t) - height

    def slope(t: mpf) -> mpf:
        return height_and_slope(t)[1]

    best = mpf(smallest)
    if slope(best) > 0:
        high = mpf(1) / 2
        while slope(high) > 0:
            high *= 2
        best = sign_change(slope, best, high)
    return mp.sqrt(2 * height_and_slope(best)[0] / (1 + best))


@mp.workdps(DIGITS)
def lecuyer(e0: float, e1: float) -> mpf:
    """Maximum over epsilon in (0, 1], with E0 > e^(2 epsilon) E1, of paper eq. (Lecuyer_bound).

    The radius is epsilon / sqrt(2 Q), Q = log(1.25 (1 + e^epsilon) / margin), and it rises while
    k = 2 Q - epsilon Q' > 0. Write Q' = a + 2 w with a = e^epsilon / (1 + e^epsilon) and
    w = e^(2 epsilon) E1 / margin. On (0, 1], k' = (a - epsilon a') + 2 w (1 - 2 epsilon (1 + w));
    the first bracket is at least 1/2, so k' < 0 needs 4 w (1 + w) > 1/2; then 2 w'' > 1, more than
    |a''|, and k'' = -epsilon (a'' + 2 w'') < 0. So k starts above 0, rises while k' > 0, and once
    falling falls for good: one sign change at most.
    """
    top, runner_up = mpf(e0), mpf(e1)

    def log_term_and_margin(epsilon: mpf) -> tuple[mpf, mpf]:
        margin = top - mp.exp(2 * epsilon) * runner_up
        return mp.log(mpf(5) / 4 * (1 + mp.exp(epsilon)) / margin), margin

    def slope(epsilon: mpf) -> mpf:
        log_term, margin = log_term_and_margin(epsilon)
        # k times the margin: finite as the margin goes to 0.
        share = 1 / (1 + mp.exp(-epsilon))
        return 2 * log_term * margin - epsilon * (share * margin + 2 * (top - margin))

    # A hair inside the limit, where the margin is 0 and the logarithm infinite.
    limit = mp.log(top / runner_up) / 2 * (1 - VALUE_TOLERANCE)
    best = min(limit, mpf(1))
    if slope(best) < 0:
        best = sign_change(slope, mpf(0), best)
    return best / mp.sqrt(2 * log_term_and_margin(best)[0])


@mp.workdps(DIGITS)
def improved_dp(e0: float, e1: float) -> mpf:
    """Maximum over epsilon >= 0 of paper eq. (NewDP), delta being as large as it allows.

    Let u = L/2 - epsilon/L, v = -L/2 - epsilon/L, so that L = u - v, epsilon = (v^2 - u^2) / 2 and
    e^epsilon = phi(u) / phi(v). L is largest where W = (1 + e^epsilon) (Phi(u) - e^epsilon Phi(v))
    + e^(2 epsilon) E1, which rises with L, meets E0 at its minimum over epsilon. Its derivative,
    at fixed L, is e^epsilon (Phi(u) - Phi(v) - 2 e^epsilon (Phi(v) - E1)). Both conditions are
    linear in Phi(u) and Phi(v); solved, with y = e^epsilon / (1 + e^epsilon), they say

        Phi(u) = E0 - (E0 - E1) y^2,    Phi(v) = E1 + (E0 - E1) (1 - y)^2,

    which leaves one equation in epsilon, (v^2 - u^2) / 2 = epsilon. Its left side minus its right
    has the sign of d(u - v)/dy, so the radius is also the largest u - v over y in [1/2, 1].

    One maximum: where the derivative of W is 0, W has a minimum if phi(u) + phi(v) >= L (Phi(u) -
    Phi(v)), which is exactly where u - v has a maximum in y. At fixed L the ratio of the two sides
    rises with epsilon, so W has one interior minimum at most. It also beats epsilon = 0: at the L
    which that allows, the derivative of W has the sign of E0 + E1 - 1, so only E0 + E1 = 1 can tie.
    """
    top, runner_up = mpf(e0), mpf(e1)
    difference = top - runner_up

    def u_and_v(epsilon: mpf) -> tuple[mpf, mpf]:
        rest = 1 / (1 + mp.exp(epsilon))  # 1 - y
        u = quantile(runner_up + difference * rest * (2 - rest))
        return u, quantile(runner_up + difference * rest**2)

    def slope(epsilon: mpf) -> mpf:
        u, v = u_and_v(epsilon)
        return (v - u) * (v + u) / 2 - epsilon

    low, high = mpf(0), mp.log(top / runner_up) / 2
    if runner_up == 1 - top:
        # epsilon = 0 is a zero of the slope: a maximum for E0 up to about 0.9890, a minimum above.
        u = quantile(mpf(1) / 2 + difference / 4)
        if density(u) >= u * difference / 2:
            return 2 * u
        low = high
        while slope(low) <= 0:
            low, high = low / 2, low
    with mp.workdps(SEARCH_DIGITS):
        best = sign_change(slope, low, high)
    u, v = u_and_v(best)
    check_new_dp(top, runner_up, best, u - v)
    return u - v


def check_new_dp(e0: mpf, e1: mpf, epsilon: mpf, radius: mpf) -> None:
    """Refuse a radius that does not meet the two constraints of paper eq. (NewDP) with equality."""
    delta = (e0 - mp.exp(2 * epsilon) * e1) / (1 + mp.exp(epsilon))
    u, v = radius / 2 - epsilon / radius, -radius / 2 - epsilon / radius
    spent = mp.ncdf(u) - mp.exp(epsilon) * mp.ncdf(v)
    if abs(spent - delta) > VALUE_TOLERANCE * delta:
        raise ArithmeticError(f"no optimum of NewDP at e0 = {e0}, e1 = {e1}: {spent} != {delta}")


def density(x: mpf) -> mpf:
    """Return the standard normal density."""
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def quantile(p: mpf) -> mpf:
    """Phi^-1(p) to nearly all digits, for p in (0, 1) from 1e-300."""
    if p > 1 / 2:
        return -quantile(1 - p)
    x = mpf(NormalDist().inv_cdf(float(p)))
    enough = mpf(10) ** (-mp.dps / 3)  # each of Halley's steps triples the digits
    step = mpf(1)
    while abs(step) > enough:
        step = (mp.erfc(-x / mp.sqrt(2)) / 2 - p) / density(x)
        x -= step / (1 + x * step / 2)
    return x


def sign_change(slope: Callable[[mpf], mpf], low: mpf, high: mpf) -> mpf:
    """Where a slope turns from positive at `low` to negative at `high`, by Chandrupatla's method.

    The answer and the sign change lie in one interval, `ARGUMENT_TOLERANCE` times `high` long.
    """
    at_low, at_high = slope(low), slope(high)
    if not at_low > 0 > at_high:
        raise ArithmeticError(f"no maximum between {low} and {high}: slopes {at_low}, {at_high}")
    tolerance = ARGUMENT_TOLERANCE * high
    # The sign changes between `new` and `old`; `out` is the last end left outside.
    new, at_new, old, at_old = low, at_low, high, at_high
    part = mpf(1) / 2
    while abs(old - new) > tolerance:
        x = new + part * (old - new)
        at_x = slope(x)
        if (at_x > 0) == (at_new > 0):
            out, at_out = new, at_new
        else:
            out, at_out, old, at_old = old, at_old, new, at_new
        new, at_new = x, at_x
        part = interpolated_part((new, at_new), (old, at_old), (out, at_out))
        margin = tolerance / (2 * abs(old - new))
        part = min(max(part, margin), 1 - margin)
    return new if abs(at_new) < abs(at_old) else old


def interpolated_part(new: Place, old: Place, out: Place) -> mpf:
    """Part of the way from `new` to `old` at which to look next, from three (x, slope) pairs."""
    (x, at_x), (y, at_y), (z, at_z) = new, old, out
    place, level = (x - y) / (z - y), (at_x - at_y) / (at_z - at_y)
    if level**2 < place and (1 - level) ** 2 < 1 - place:
        inverse_quadratic = at_x / (at_y - at_x) * at_z / (at_y - at_z)
        return inverse_quadratic + (z - x) / (y - x) * at_x / (at_z - at_x) * at_y / (at_z - at_y)
    return mpf(1) / 2


def points(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw hard and easy points (e0, e1) of the triangle 0 < e1 < e0 < 1, e1 <= 1 - e0."""
    random = np.random.default_rng(seed)
    kept = np.empty((2, 0))
    while kept.shape[1] < count:
        e0, e1 = np.concatenate(families(count // 7 + 1, random), axis=1)  # seven families
        inside = (e1 > 0) & (e1 < e0) & (e0 < 1) & (e1 <= 1 - e0)
        kept = np.concatenate([kept, [e0[inside], e1[inside]]], axis=1)
    # Shuffled, so that the first few points are of every family too.
    e0, e1 = random.permutation(kept, axis=1)[:, :count]
    return e0, e1


def families(size: int, random: np.random.Generator) -> list[np.ndarray]:
    """Draw `size` pairs (e0, e1) of each family; some pairs may fall outside the triangle."""

    def power_of_ten(low: float, high: float) -> np.ndarray:
        return 10 ** random.uniform(low, high, size)

    def either(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.where(random.random(size) < 1 / 2, one, other)

    uniform = random.dirichlet([1, 1, 1], size).T[:2]
    small = np.array([power_of_ten(-300, -1), power_of_ten(-300, -1)])
    sure = 1 - power_of_ten(-12, -1)
    level = either(random.uniform(0, 1 / 2, size), power_of_ten(-12, -1))
    edge = either(1 / 2 + power_of_ten(-12, -1), 1 - power_of_ten(-12, np.log10(1 / 2)))
    near_half = 1 / 2 + either(power_of_ten(-12, -2), -power_of_ten(-12, -2))
    return [
        np.sort(uniform, axis=0)[::-1],
        np.sort(small, axis=0)[::-1],
        np.array([sure, (1 - sure) * either(power_of_ten(-6, 0), random.uniform(0, 1, size))]),
        np.array([level + power_of_ten(-12, -2), level]),
        np.array([edge, 1 - edge]),
        np.array([near_half, np.minimum(near_half, 1 - near_half) - power_of_ten(-12, -2)]),
        np.array([random.uniform(0, 1, size), power_of_ten(-300, -2)]),
    ]
