"""Check a file of certificates without the program that wrote it.

    python verify.py certificates.csv [--run RUN/run.toml]

This file stands alone: Python 3.11 and mpmath, nothing else. Read it; that is what it is for.

A certificate says: within l2 distance `radius` of this input the smoothed classifier answers
`predicted`, and this is issued and false with probability at most alpha. It rests on E0, a lower
bound on the expectation of that class, and E1, an upper bound on that of every other class.

1. The table. An input that abstained promises nothing; `radius` is the largest of the radii, and
   `ensemble` the largest of the paper's.
2. The bounds, of kind multinomial. E0 and E1 are Clopper-Pearson limits of two counts out of n
   draws. The counts are not in the file, but few numbers are the limit of a whole count: we look
   for the counts, and hold them to the gate of the scheme. Others need the tallies.
3. The radii. Each mechanism but Cohen's is a largest value over a parameter, and every value of the
   parameter gives a true radius. We accept a radius only with a parameter that proves it.

Numbers are read as the binary fractions they stand for and worked on with 60 digits. Exit code 0:
all that could be checked holds; 1: something does not; 2: the file cannot be read.
"""

import argparse
import csv
import sys
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from statistics import NormalDist

from mpmath import erfc, exp, log, loggamma, mp, mpf, sqrt

mp.dps = 60

# How a scheme spends alpha: on E0; on E1, or not where E1 = 1 - E0; on its gate. A file must follow
# one way throughout: the better of two, row by row, would spend alpha twice.
WAYS = {
    "gated": [(0.45, 0.45, 0.05), (0.9, None, 0.1)],
    "paper": [(0.5, 0.5, None)],
    "split": [(0.5, 0.5, None), (1.0, None, None)],
}
PROVED_LEVEL = {"paper": 3}  # times alpha: without a gate no more than this is proved
SLACK = mpf("2e-4")  # limits are computed for a tail smaller by 1e-4, to be safe from rounding
ENSEMBLE = {"multinomial": ("cohen", "li", "improved_dp"), "softmax": ("lecuyer", "improved_dp")}


def normal(x):
    """Phi(x), the standard normal distribution function."""
    return erfc(-x / sqrt(2)) / 2


def quantile(p):
    """Phi^-1(p), by Newton's method from a start of 15 digits."""
    if p > 1 - p:
        return -quantile(1 - p)
    x = mpf(NormalDist().inv_cdf(float(p)))
    for _ in range(4):  # each step doubles the digits
        x -= (normal(x) - p) * sqrt(2 * mp.pi) * exp(x * x / 2)
    return x


def attained(gain, low, high, goal):
    """Whether gain(x) >= goal for an x in [low, high], sought by golden section at its one peak."""
    share = (sqrt(5) - 1) / 2
    left, right = high - share * (high - low), low + share * (high - low)
    at_left, at_right = gain(left), gain(right)
    for _ in range(100):
        if max(at_left, at_right) >= goal:
            return True
        if at_left < at_right:
            low, left, at_left = left, right, at_right
            right = low + share * (high - low)
            at_right = gain(right)
        else:
            high, right, at_right = right, left, at_left
            left = high - share * (high - low)
            at_left = gain(left)
    return gain(low) >= goal or gain(high) >= goal


# Is r, a radius at sigma 1, proved by e0 and e1? One function a mechanism, for 0 < e1 < e0 < 1.


def cohen(r, e0, e1):
    """R <= Phi^-1(E0): Cohen et al. 2019, as practised."""
    return normal(r) <= e0


def two_sided(r, e0, e1):
    """R <= (Phi^-1(E0) - Phi^-1(E1)) / 2: Cohen et al. 2019, Theorem 1."""
    return normal(quantile(e1) + 2 * r) <= e0


def li(r, e0, e1):
    """r^2 <= -(2 / w) log(1 - E0 - E1 + 2 M) for some w > 1: Li et al. 2018.

    M = ((E0^(1 - w) + E1^(1 - w)) / 2)^(1 / (1 - w)). What is sought is log(w - 1).
    """

    def gain(order):
        t = exp(order)
        mean = ((e0**-t + e1**-t) / 2) ** (-1 / t)
        return -2 / (1 + t) * log(1 - e0 - e1 + 2 * mean)

    return attained(gain, mpf(-40), mpf(30), r * r)


def lecuyer(r, e0, e1):
    """R <= epsilon / sqrt(2 log(1.25 / delta)): Lecuyer et al. 2019.

    For some epsilon in (0, 1] and delta with E0 >= e^(2 epsilon) E1 + (1 + e^epsilon) delta.
    """

    def gain(epsilon):
        delta = (e0 - exp(2 * epsilon) * e1) / (1 + exp(epsilon))
        return epsilon / sqrt(2 * log(mpf(5) / 4 / delta)) if delta > 0 else mpf(0)

    return attained(gain, mpf(0), min(log(e0 / e1) / 2, mpf(1)), r)


def improved_dp(r, e0, e1):
    """E0 >= e^(2 epsilon) E1 + (1 + e^epsilon) delta: Cullen et al. 2024, eq. NewDP.

    For some epsilon >= 0, delta being what the analytic Gaussian mechanism needs at distance r:
    Phi(r/2 - epsilon/r) - e^epsilon Phi(-r/2 - epsilon/r).
    """

    def gain(epsilon):
        delta = normal(r / 2 - epsilon / r) - exp(epsilon) * normal(-r / 2 - epsilon / r)
        return e0 - exp(2 * epsilon) * e1 - (1 + exp(epsilon)) * delta

    return attained(gain, mpf(0), log(e0 / e1) / 2, mpf(0))


PROOFS = {proof.__name__: proof for proof in (cohen, li, lecuyer, improved_dp, two_sided)}
PROVED_FOR = {"multinomial": tuple(PROOFS), "softmax": ("lecuyer", "improved_dp", "two_sided")}


def tail(n, p, k):
    """P(Bin(n, p) >= k) and P(Bin(n, p) = k), by adding terms until they are nothing."""
    choose = loggamma(n + 1) - loggamma(k + 1) - loggamma(n - k + 1)
    first = term = total = exp(choose + k * log(p) + (n - k) * log(1 - p))
    while k < n and term > total * mpf("1e-24"):
        term *= (n - k) * p / ((k + 1) * (1 - p))
        total += term
        k += 1
    return total, first


@cache
def count_behind(n, p, a):
    """The count out of n draws whose lower limit at tail a is p; None if there is no such count.

    It is the least k with P(Bin(n, p) >= k) <= a, and that probability must be a itself, nearly.
    """
    guess = n * p - sqrt(n * p * (1 - p)) * NormalDist().inv_cdf(float(a))
    k = max(min(int(guess), n), 0)
    total, term = tail(n, p, k)
    while total > a and k < n:
        total, term, k = total - term, term * (n - k) * p / ((k + 1) * (1 - p)), k + 1
    while k > 0 and total + (before := term * k * (1 - p) / ((n - k + 1) * p)) <= a:
        total, term, k = total + before, before, k - 1
    return k if a * (1 - SLACK) <= total <= a else None


def bounds_wrong(way, n, alpha, e0, e1):
    """Why E0 and E1 are no limits at this alpha; None where they are."""
    for_e0, for_e1, gate = way
    if not 0 < e1 < e0 < 1:
        return "e0 must be above e1, and both inside (0, 1)"
    wins = count_behind(n, e0, for_e0 * alpha)
    if for_e1 is None:  # all other classes together
        others = wins if e1 >= 1 - e0 else None
    else:
        others = count_behind(n, 1 - e1, for_e1 * alpha)  # draws that were not the rival's
    if wins is None or others is None:
        return f"{'e0' if wins is None else 'e1'} is the limit of no whole count of {n} draws"
    rival = n - others
    if wins + rival > n:
        return f"the counts behind e0 and e1, {wins} and {rival}, are more than {n} draws"
    if gate is not None and tail(wins + rival, mpf(1) / 2, wins)[0] > gate * alpha:
        return f"{wins} against {rival} draws do not pass the gate"
    return None


def number(text):
    """A cell as the binary fraction it stands for."""
    return mpf(float(text))


def table_wrong(row, radii):
    """What the columns of a row say against each other."""
    promised = any(r > 0 for r in radii.values()) or number(row["radius"]) > 0
    if row["abstained"] == "True":
        if promised or any(row[name] for name in ("predicted", "e0", "e1", "winner")):
            yield "it abstained, and yet something is promised"
        return
    if not promised or row["predicted"] != row["top"]:
        yield "it did not abstain, and yet no class or no radius is promised"
    if number(row["radius"]) != max(radii.values()):
        yield "radius is not the largest of the radii"
    if row["label"] and (row["correct"] == "True") != (row["predicted"] == row["label"]):
        yield "correct is not whether predicted is the label"
    members = {name: radii.get(name) for name in ENSEMBLE[row["kind"]]}
    if row["ensemble"] and None not in members.values():
        best = max(members.values())
        if number(row["ensemble"]) != best or members.get(row["winner"], mpf(0)) != best:
            yield "ensemble or winner is not that of the paper's mechanisms"


def radii_wrong(row, radii, proved):
    """Radii that E0 and E1 do not prove; those that they do are counted."""
    e0, sigma = number(row["e0"]), number(row["sigma"])
    e1 = min(number(row["e1"]), 1 - e0)  # an expectation of E0 leaves no more for all others
    for name, holds in PROOFS.items():
        if radii.get(name, 0) == 0:
            continue
        sound = 0 < e1 < e0 < 1 and name in PROVED_FOR[row["kind"]]
        if sound and holds(radii[name] / sigma, e0, e1):
            proved[name] += 1
        else:
            yield f"{name} = {row[name]} does not follow from e0 and e1 of kind {row['kind']}"


def check_bounds(rows, run_toml):
    """Complaints about E0 and E1 of the rows issued, and in words what was checked."""
    kind, scheme, alpha = (rows[0][name] for name in ("kind", "scheme", "alpha"))
    if kind != "multinomial" or scheme not in WAYS:
        return [], f"bounds: not checked; kind {kind} by scheme {scheme} needs the tallies"
    shares, offered = {int(row["draws"]): 1 for row in rows}, 1  # of alpha, by draws
    if run_toml is not None:
        plan = tomllib.loads(Path(run_toml).read_text(encoding="utf-8"))["plan"]
        shares = dict(zip(plan["looks"], plan["weights"], strict=True))
        offered = max(plan.get("offered", 1), sum(plan["weights"]), 1)
    elif "looks" in rows[0]:
        return [], "bounds: not checked; --run must say which share of alpha each look may spend"
    issued = [row for row in rows if row["abstained"] == "False"]
    complaints = []
    for way in WAYS[scheme]:
        found = []
        for row in issued:
            n, spent = int(row["draws"]), number(alpha) * mpf(shares.get(int(row["draws"]), 0))
            reason = "its draws are at no look of the plan"
            if spent > 0:
                reason = bounds_wrong(way, n, spent, number(row["e0"]), number(row["e1"]))
            found += [(row["index"], reason)] if reason else []
        complaints.append(found)
    fewest = min(complaints, key=len)
    level = float(alpha) * PROVED_LEVEL.get(scheme, 1) * offered
    pairs = f"{len(issued) - len(fewest)} of {len(issued)} pairs are limits of whole counts"
    return fewest, f"bounds: {pairs}; proved level {level:g}"


def check(path, run_toml):
    """All complaints, each an input and a sentence, and a summary in lines."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = list(rows[0])
    mechanisms = columns[columns.index("e1") + 1 : columns.index("ensemble")]
    settings = {(row["sigma"], row["alpha"], row["kind"], row["scheme"]) for row in rows}
    if len(settings) > 1 or len({row["index"] for row in rows}) < len(rows):
        raise ValueError("an input comes twice, or settings change from row to row")
    wrong, proved, elsewhere = [], Counter(), Counter()
    for row in rows:
        radii = {name: number(row[name]) for name in mechanisms if row[name]}
        reasons = list(table_wrong(row, radii))
        if row["abstained"] == "False" and row["e0"]:
            reasons += radii_wrong(row, radii, proved)
        best = max(radii, key=radii.get)
        elsewhere[best] += radii[best] > 0 and (best not in PROOFS or not row["e0"])
        wrong += [(row["index"], reason) for reason in reasons]
    more, bounds = check_bounds(rows, run_toml)
    issued = sum(row["abstained"] == "False" for row in rows)
    said = [
        f"{path}: {issued} of {len(rows)} inputs certified; "
        + "sigma {}, alpha {}, {}, {}".format(*settings.pop()),
        bounds,
        "radii: proved by e0 and e1 are "
        + (", ".join(f"{count} of {name}" for name, count in proved.items()) or "none"),
    ]
    for name in +elsewhere:
        said.append(f"radii: not checked; {elsewhere[name]} inputs have {name} from the tallies")
    return wrong + more, said


def main():
    """Read the arguments, check, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("certificates", help="a CSV that simplicert wrote")
    parser.add_argument("--run", metavar="run.toml", help="says what each look may spend")
    given = parser.parse_args()
    try:
        wrong, said = check(given.certificates, given.run)
    except (OSError, ValueError, KeyError, IndexError, TypeError, ArithmeticError) as error:
        print(f"{given.certificates} cannot be read as certificates: {error!r}", file=sys.stderr)
        return 2
    for index, reason in wrong:
        print(f"WRONG  input {index}: {reason}")
    print(*said, f"{len(wrong)} complaints" if wrong else "no complaint", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
