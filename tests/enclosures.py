"""Radii at sigma = 1 enclosed by ball arithmetic: intervals that are proved to hold the true value.

A second reference, made otherwise than tests/reference.py: python-flint's balls instead of many
digits, the formulas of the paper instead of their solved forms, and a search that leaves out no
part of a parameter's range instead of a proof that there is one maximum (but for `li`). Each
mechanism takes floats 0 < e1 < e0 < 1, e0 + e1 <= 1.
"""

from collections.abc import Callable
from statistics import NormalDist

from flint import arb, arb_series, ctx

ctx.prec = 256  # bits; a tie of neighbouring floats takes up most of them
ctx.cap = 2  # terms of a series: a value and a derivative

Function = Callable[[arb_series], arb_series]

TIGHT = arb("1e-16")  # relative width of what is returned, about
EXTRA_BITS = 256  # for a slope that loses four times the digits that E0 and E1 share
HALVINGS = 100  # at most, of the interval that holds a peak
MOST_BOXES = 20_000  # before a search is given up with an error, never with an answer
LEAST_ORDER, LARGEST_ORDER = -9, 30  # of log(omega - 1), where the package searches


def cohen(e0: float, e1: float) -> arb:
    """Phi^-1(E0), and 0 where E0 <= 1/2: paper eq. (Cohen_Bound)."""
    return quantile(arb(e0)) if e0 > 1 / 2 else arb(0)


def two_sided(e0: float, e1: float) -> arb:
    """(Phi^-1(E0) - Phi^-1(E1)) / 2: Cohen et al. 2019, Theorem 1."""
    return (quantile(arb(e0)) - quantile(arb(e1))) / 2


def li(e0: float, e1: float) -> arb:
    """Paper eq. (Li_Bound), the largest over the orders that the package searches.

    With t = omega - 1 the power mean of exponent -t is E1 exp((log 2 - log(1 + (E1 / E0)^t)) / t).
    Near a tie the radius hardly depends on t, and boxes would have to be as small as its changes:
    this mechanism alone rests on the proof, in tests/reference.py, that it has one maximum.
    """
    top, rest = arb(e0), arb(e1)

    def squared(order: arb_series) -> arb_series:
        t = order.exp()
        mean = rest * ((arb(2).log() - (1 + ((rest / top).log() * t).exp()).log()) / t).exp()
        return log_less((top - mean) + (rest - mean)) * -2 / (1 + t)

    with ctx.extraprec(EXTRA_BITS):
        return peak(squared, arb(LEAST_ORDER), arb(LARGEST_ORDER)).sqrt()


def log_less(gap: arb_series) -> arb_series:
    """log(1 - gap), with all digits of a small gap."""
    return arb_series([(-gap[0]).log1p(), -gap[1] / (1 - gap[0])])


def lecuyer(e0: float, e1: float) -> arb:
    """Paper eq. (Lecuyer_bound), the largest over epsilon in (0, 1] that leave a delta."""
    top, rest = arb(e0), arb(e1)

    def squared(epsilon: arb_series) -> arb_series:
        delta = (top - (2 * epsilon).exp() * rest) / (1 + epsilon.exp())
        return epsilon * epsilon / (2 * (arb(5) / 4 / delta).log())

    def bound(box: arb) -> arb:
        """Above the radius on a whole box, also where it reaches past the last delta."""
        low, high = box.lower(), box.upper()
        delta = (top - (2 * low).exp() * rest) / (1 + low.exp())
        return (
            high * high / (2 * (arb(5) / 4 / delta.upper()).log()) if delta.upper() > 0 else arb(0)
        )

    last = (top / rest).log() / 2
    return largest(squared, arb(0), arb(1) if last > 1 else last.upper(), bound).sqrt()


def improved_dp(e0: float, e1: float) -> arb:
    """Paper eq. (NewDP): the largest L with E0 >= e^(2 epsilon) E1 + (1 + e^epsilon) delta(L).

    For some epsilon >= 0, where delta is that of the analytic Gaussian mechanism. An estimate is
    proved from both sides: a little below it some epsilon will do, a little above it none.
    """
    top, rest = arb(e0), arb(e1)
    last = (top / rest).log() / 2  # beyond it e^(2 epsilon) E1 alone exceeds E0
    estimate, epsilon = estimated(top, rest, last)
    low, high = (estimate * (1 - TIGHT)).mid(), (estimate * (1 + TIGHT)).mid()
    if not lack(top, rest, low, epsilon) <= 0:
        raise ArithmeticError(f"no epsilon found for {low}")
    if not lacking(top, rest, high, last.upper()):
        raise ArithmeticError(f"an epsilon may exist for {high}")
    return low.union(high)


def lack(top: arb, rest: arb, radius: arb, epsilon: arb) -> arb:
    """What E0 lacks to allow this radius by this epsilon."""
    factor = epsilon.exp()
    return factor * factor * rest + (1 + factor) * delta(radius, epsilon) - top


def delta(radius: arb, epsilon: arb) -> arb:
    """Of the analytic Gaussian mechanism; it falls as epsilon rises."""
    near, far = (normal(side * radius / 2 - epsilon / radius) for side in (1, -1))
    return near - epsilon.exp() * far


def slope_of_lack(top: arb, rest: arb, radius: arb, epsilon: arb) -> arb:
    """Its derivative in epsilon; the two densities in it cancel, as their ratio is e^epsilon."""
    factor = epsilon.exp()
    near, far = (normal(side * radius / 2 - epsilon / radius) for side in (1, -1))
    return factor * (near - far - 2 * factor * (far - rest))


def lacking(top: arb, rest: arb, radius: arb, last: arb) -> bool:
    """Whether E0 is proved to lack something for every epsilon in [0, last]."""
    boxes = [(arb(0), last)]
    for _ in range(MOST_BOXES):
        if not boxes:
            return True
        left, right = boxes.pop()
        factor = left.exp()
        if factor * factor * rest + (1 + factor) * delta(radius, right) > top:
            continue
        middle, box = ((left + right) / 2).mid(), left.union(right)
        slope = slope_of_lack(top, rest, radius, box)
        if lack(top, rest, radius, middle) + slope * (box - middle) > 0:
            continue
        end = left if slope > 0 else right
        if (slope > 0 or slope < 0) and lack(top, rest, radius, end) > 0:
            continue
        boxes += [(left, middle), (middle, right)]
    return False


def estimated(top: arb, rest: arb, last: arb) -> tuple[arb, arb]:
    """A radius and its epsilon, by golden section on what docs/method.md derives; not trusted."""
    golden = (arb(5).sqrt() - 1) / 2

    def length(epsilon: arb) -> arb:
        part = 1 / (1 + epsilon.exp())
        u, v = (rest + (top - rest) * share for share in (part * (2 - part), part * part))
        # u exceeds 1/2 where the radius is large
        upper = -near_quantile(1 - u, 2) if u > 1 / 2 else near_quantile(u, 2)
        return (upper - near_quantile(v, 2)).mid()

    low, high = arb(0), last.mid()
    left, right = (high - golden * high).mid(), (golden * high).mid()
    at_left, at_right = length(left), length(right)
    for _ in range(60):
        if at_left < at_right:
            low, left, at_left = left, right, at_right
            right = (low + golden * (high - low)).mid()
            at_right = length(right)
        else:
            high, right, at_right = right, left, at_left
            left = (high - golden * (high - low)).mid()
            at_left = length(left)
    return max((at_left, left), (at_right, right), (length(arb(0)), arb(0)), key=lambda p: p[0])


def quantile(p: arb) -> arb:
    """Phi^-1(p), by Newton's method on intervals: what it maps into itself holds the root."""
    if p > 1 / 2:
        return -quantile(1 - p)
    x = near_quantile(p, 3)
    for size in ("1e-60", "1e-40", "1e-20"):
        box = arb(x, (1 + abs(x)) * arb(size))
        inner = x - (normal(x) - p) / density(box)
        if box.contains(inner):
            return inner
    raise ArithmeticError(f"no quantile found at {p}")


def near_quantile(p: arb, steps: int) -> arb:
    """A number near Phi^-1(p), for p <= 1/2; each step doubles its fifteen digits."""
    x = arb(NormalDist().inv_cdf(float(p.mid())))
    for _ in range(steps):
        x = (x - (normal(x) - p) / density(x)).mid()
    return x


def normal(x: arb) -> arb:
    """Phi."""
    return (-x / arb(2).sqrt()).erfc() / 2


def density(x: arb) -> arb:
    """The derivative of Phi."""
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


def largest(
    function: Function, low: arb, high: arb, bound: Callable[[arb], arb] | None = None
) -> arb:
    """The largest value on [low, high]: between a value that is reached and one that none exceeds.

    Boxes are halved until each is below a value reached, or rises or falls throughout (then its
    largest value is at its ends), or is so flat that it adds nothing. `bound` helps where the
    function is not defined on a whole box.
    """
    boxes, best, most = [(low, high)], arb(0), arb(0)
    for _ in range(MOST_BOXES):
        if not boxes:
            return best.union(most)
        left, right = boxes.pop()
        middle, box = ((left + right) / 2).mid(), left.union(right)
        value, slope = expanded(function, box)
        centre = at(function, middle)
        if centre.is_finite() and centre.lower() > best:
            best = centre.lower()
        if bound is not None and bound(box) < best:
            continue
        if value.is_finite() and value < best:
            continue
        if slope > 0 or slope < 0:
            end = at(function, right if slope > 0 else left)
            best, most = max(best, end.lower()), max(most, end.upper())
            continue
        upper = (centre + slope * (box - middle)).upper()
        if upper.is_finite() and upper <= best * (1 + TIGHT):
            most = max(most, upper)
            continue
        boxes += [(left, middle), (middle, right)]
    raise ArithmeticError("the largest value was not enclosed")


def peak(function: Function, low: arb, high: arb) -> arb:
    """The largest value of a function that rises, then falls: its slope changes sign once."""
    if expanded(function, low)[1] < 0:
        return at(function, low)
    for _ in range(HALVINGS):
        middle = ((low + high) / 2).mid()
        slope = expanded(function, middle)[1]
        if slope > 0:
            low = middle
        elif slope < 0:
            high = middle
        else:
            break
    box, middle = low.union(high), ((low + high) / 2).mid()
    return at(function, middle) + expanded(function, box)[1] * (box - middle)


def expanded(function: Function, box: arb) -> tuple[arb, arb]:
    """Enclosures of all values and all slopes on a box."""
    try:
        found = function(arb_series([box, 1]))
    except ValueError:  # a division by what may be 0 somewhere on the box
        return arb("nan"), arb("nan")
    return found[0], found[1]


def at(function: Function, x: arb) -> arb:
    """An enclosure of one value."""
    try:
        return function(arb_series([x]))[0]
    except ValueError:
        return arb("nan")
