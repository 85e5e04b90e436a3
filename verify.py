"""Check a file of certificates without the program that wrote it.

    python verify.py certificates.csv [--run RUN/run.toml]

This file stands alone: it needs Python 3.11 and mpmath (and pyarrow, only to read the counts of a
run). It is written to be read.

A certificate says: within l2 distance `radius` of this input the smoothed classifier answers
`predicted`. The chance that a false certificate is issued is at most `level`. It rests on E0, a
lower bound on the expectation of that class, and E1, an upper bound on that of every other class.

1. The table. Its columns are exactly ours, every cell is spelled the way we spell it, and no cell
   contradicts another: an input that abstained promises nothing, `radius` is the largest of the
   radii, `ensemble` the largest of the paper's.
2. The bounds, for kind multinomial. E0 and E1 are compared with the Clopper-Pearson limits of
   count_top and count_second out of n draws, and the counts with the gate of the scheme. Older
   files have no counts, but few numbers are the limit of a whole count, so we look for the counts.
   Other bounds need more of the tallies than the file has, and so does two_sided of scheme joint,
   which is bounded itself.
3. The radii. Each mechanism except Cohen's is a maximum over a parameter, and every value of the
   parameter gives a true radius. We accept a radius only with a parameter that proves it. A radius
   by a mechanism that is not here must be proved by two_sided: any smaller radius is true.
   `lipschitz` is (E0 - E1) / 2 over a constant in run.toml, which is taken as given.
4. With --run, sigma, alpha, kind, scheme, method, sensitivity, grid and draws are compared with
   run.toml, and label, class, counts and inputs with the parts beside it. A part must match the
   checksum in its name and say that it belongs to this run, and no draw counts twice.

Numbers are read as the binary fractions they stand for, and computed with 60 digits. Exit code 0:
everything was checked and holds; 1: something does not hold; 2: the file cannot be read; 3: nothing
is wrong, but something that a radius rests on was not checked, and a line says what.
"""

import argparse
import hashlib
import os
import re
import stat
import struct
import sys
import time
import tomllib
from bisect import bisect_left
from collections import Counter
from functools import cache
from itertools import accumulate
from pathlib import Path
from statistics import NormalDist

from mpmath import erfc, exp, log, loggamma, mp, mpf, sqrt

mp.dps = 60

MOST_BYTES, MOST_ROWS, MOST_DRAWS = 2**28, 10**6, 10**9  # larger files are not read
MOST_PART, MOST_UNPACKED, MOST_CONTENTS = 2**31, 2**31, 2**24  # bytes: part, unpacked, its contents
# Numbers in all parts together, each of 16 to 40 bytes in memory: always, per byte of the files
# beyond that, and never more.
FEW_VALUES, VALUES_PER_BYTE, MOST_VALUES = 2**24, 16, 2**27
TRIES, PAUSE = 12, 0.1  # readings of a folder in which parts vanish, and seconds between two
BEFORE = ("index", "label", "top", "predicted", "correct", "abstained", "radius", "e0", "e1")
AFTER = ("ensemble", "winner", "draws", "sigma", "alpha", "kind", "scheme")
NEEDED = ("index", "labels", "invalid", "votes_invalid", "segments")  # columns of parts, compared
NEEDED += tuple(f"{a}_{b}" for a in ("counts", "votes", "pilot") for b in ("class", "value"))
HISTORY = ("looks", "alpha_spent", "stopped")  # only if inputs were drawn look by look
LAST = ("method", "level", "count_top", "count_second", "sensitivity", "grid")  # not in older files
SETTINGS = ("sigma", "alpha", "kind", "scheme", "method", "level", "sensitivity", "grid")
WHOLE = {"index", "label", "top", "predicted", "draws", "looks", "count_top", "count_second"}
WORDS = {
    "correct": "True|False",
    "abstained": "True|False",
    "winner": "cohen|li|lecuyer|improved_dp",
    "kind": "multinomial|softmax",
    "scheme": "gated|paper|split|joint|imported",
    "stopped": "[a-z ]{1,20}",
    "method": "[a-z_+]{1,20}",
}
# No sign: nothing here is negative. A decimal has a point or an exponent.
NUMBER = r"(0|[1-9][0-9]{0,16})(\.[0-9]{1,20}(e[+-][0-9]{1,3})?|e[+-][0-9]{1,3})"
MAY_BE_EMPTY = {"label", "predicted", "correct", "e0", "e1", "ensemble", "winner", "draws"}
MAY_BE_EMPTY |= {"stopped", "count_top", "count_second", "grid"}

# How a scheme spends alpha: on E0; on E1, or None where E1 = 1 - E0; on its gate. A whole file must
# follow one way: taking the better of two, row by row, would spend alpha twice. With two classes
# clopper_pearson is one_sided.
PAIR, ONE = (0.45, 0.45, 0.05), (0.9, None, 0.1)
BESIDE = (0.045, 0.045, 0.05)  # scheme joint: a tenth of .9 alpha, the rest is for two_sided
ALONE = "buehler"  # of scheme joint: two_sided alone, without e0 and e1
WAYS = {
    "gated": {"clopper_pearson": [PAIR, ONE], "one_sided": [ONE]},
    "paper": {"clopper_pearson": [(0.5, 0.5, None)]},
    "split": {
        "clopper_pearson": [(0.5, 0.5, None), (1.0, None, None)],
        "one_sided": [(1.0, None, None)],
    },
    "joint": {ALONE: [], "buehler+pair": [BESIDE, ONE]},
}
METHODS = {
    "multinomial": {**WAYS, "imported": ("radius", "count")},
    "softmax": {
        "gated": ("bentkus+betting", "bentkus+bernstein", "hoeffding"),
        "paper": ("hoeffding",),
        "split": ("bentkus+betting", "bentkus+bernstein", "hoeffding"),
    },
}
FORMER = {"bentkus+betting": "bentkus+bernstein"}  # default: what it was in run format 1
PROVED_LEVEL = {"paper": 3}  # times alpha: without a gate only this level is proved
SLACK = mpf("2e-4")  # limits are computed for a tail smaller by 1e-4, for safety from rounding
DOUBLES = mpf("1e-9")  # more than the relative rounding error of a sum of doubles
ERRORS = (OSError, ValueError, LookupError, TypeError, ArithmeticError, RuntimeError, MemoryError)
ENSEMBLE = {"multinomial": ("cohen", "li", "improved_dp"), "softmax": ("lecuyer", "improved_dp")}


def normal(x):
    """Return Phi(x), the standard normal distribution function."""
    return erfc(-x / sqrt(2)) / 2


def quantile(p):
    """Return Phi^-1(p), by Newton's method from a start that is right to 15 digits."""
    if p > 1 - p:
        return -quantile(1 - p)
    x = mpf(NormalDist().inv_cdf(float(p)))
    for _ in range(4):  # each step doubles the correct digits
        x -= (normal(x) - p) * sqrt(2 * mp.pi) * exp(x * x / 2)
    return x


def attained(gain, low, high, goal):
    """Tell whether gain(x) >= goal for an x in [low, high], by golden section to its one peak."""
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


# Do e0 and e1 prove r, a radius at sigma 1? One function per mechanism, for 0 < e1 < e0 < 1.


def cohen(r, e0, e1):
    """R <= Phi^-1(E0): Cohen et al. 2019, as practised."""
    return normal(r) <= e0


def two_sided(r, e0, e1):
    """R <= (Phi^-1(E0) - Phi^-1(E1)) / 2: Cohen et al. 2019, Theorem 1."""
    return normal(quantile(e1) + 2 * r) <= e0


def li(r, e0, e1):
    """r^2 <= -(2 / w) log(1 - E0 - E1 + 2 M) for some w > 1: Li et al. 2018.

    M = ((E0^(1 - w) + E1^(1 - w)) / 2)^(1 / (1 - w)). The search is over log(w - 1).
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

    For some epsilon >= 0, where delta is what the analytic Gaussian mechanism needs at distance r:
    Phi(r/2 - epsilon/r) - e^epsilon Phi(-r/2 - epsilon/r).
    """

    def gain(epsilon):
        delta = normal(r / 2 - epsilon / r) - exp(epsilon) * normal(-r / 2 - epsilon / r)
        return e0 - exp(2 * epsilon) * e1 - (1 + exp(epsilon)) * delta

    return attained(gain, mpf(0), log(e0 / e1) / 2, mpf(0))


PROOFS = {proof.__name__: proof for proof in (cohen, li, lecuyer, improved_dp, two_sided)}
MECHANISM = "[a-z][a-z0-9_]{0,30}"  # names of mechanisms, also of those that are not here
PROVED_FOR = {"multinomial": tuple(PROOFS), "softmax": ("lecuyer", "improved_dp", "two_sided")}


@cache
def tail(n, p, q, k):
    """Return P(Bin(n, p) >= k), with q = 1 - p: the largest term to 60 digits, others as doubles.

    Each term is a multiple of the one before; we add the falling ones until they are negligible.
    """
    if k <= 0:
        return mpf(1)
    up = k > n * p
    at = k if up else k - 1
    choose = loggamma(n + 1) - loggamma(at + 1) - loggamma(n - at + 1)
    largest = exp(choose + at * log(p) + (n - at) * log(q))
    term, total, odds = 1.0, 1.0, float(p / q if up else q / p)
    while at != (n if up else 0) and term > total * 1e-25:
        term *= odds * ((n - at) / (at + 1) if up else at / (n - at + 1))
        total += term
        at += 1 if up else -1
    return largest * total if up else 1 - largest * total


def count_behind(n, p, q, a):
    """Return the count out of n draws whose lower limit at tail a is p; None if there is none.

    It is the least k with P(Bin(n, p) >= k) <= a, and that probability must be very close to a.
    """
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if tail(n, p, q, middle) <= a else (middle + 1, high)
    return low if a * (1 - SLACK) <= tail(n, p, q, low) <= a else None


def bounds_wrong(way, n, alpha, e0, e1, counts=None):  # noqa: PLR0911
    """Say why E0 and E1 are not limits at this alpha; None if they are."""
    for_e0, for_e1, _ = way
    if not (0 < e1 < 1 and 0 < e0 < 1 and (e1 < e0 or way is BESIDE)):
        return "e0 must be above e1, and both inside (0, 1)"
    if for_e1 is None and e1 < 1 - e0:
        return "e1 is below 1 - e0, and nothing else bounds the other classes"
    if counts is None:
        wins = count_behind(n, e0, 1 - e0, for_e0 * alpha)
        others = wins if for_e1 is None else count_behind(n, 1 - e1, e1, for_e1 * alpha)
        if wins is None or others is None:
            return f"{'e0' if wins is None else 'e1'} is the limit of no whole count of {n} draws"
        return gate_wrong(way, n, alpha, wins, n - others)
    wins, rival = counts
    spent = tail(n, e0, 1 - e0, wins) / (for_e0 * alpha)
    if spent * (1 + DOUBLES) > 1:
        return f"e0 is above the limit of {wins} of {n} draws"
    if for_e1 is not None:
        for_rival = tail(n, 1 - e1, e1, n - rival) / (for_e1 * alpha)
        if for_rival * (1 + DOUBLES) > 1:
            return f"e1 is below the limit of {rival} of {n} draws"
        if abs(spent - for_rival) > SLACK * max(spent, for_rival):
            return f"e0 and e1 are no limits of {wins} and {rival} of {n} draws at one level"
    return gate_wrong(way, n, alpha, wins, rival)


def gate_wrong(way, n, alpha, wins, rival):
    """Say why these counts do not pass the gate, if the scheme has one; None if they do."""
    _, for_e1, gate = way
    if wins + rival > n:
        return f"the counts behind e0 and e1, {wins} and {rival}, are more than {n} draws"
    both = n if for_e1 is None else wins + rival  # with one bound: a majority of all draws
    half = mpf(1) / 2
    if gate is not None and tail(both, half, half, wins) > gate * alpha:
        return f"{wins} against {both - wins} draws do not pass the gate"
    return None


def number(text):
    """Read a cell as the binary fraction it stands for; an empty cell is 0."""
    return mpf(float(text or 0))


def open_plain(path, most, *, follow=True):
    """Open a plain file of at most so many bytes; a pipe would let us wait for ever.

    A link is followed if the user named it, and not inside a run, where it could show any file.
    """

    def opener(name, flags):
        flags |= getattr(os, "O_NONBLOCK", 0) | (0 if follow else getattr(os, "O_NOFOLLOW", 0))
        return os.open(name, flags)

    def check(status):
        refuse(not stat.S_ISREG(status.st_mode), f"{path} must be a plain file")
        refuse(status.st_size > most, f"{path} must have at most {most} bytes")

    check(Path(path).stat(follow_symlinks=follow))
    file = open(path, "rb", opener=opener)  # noqa: SIM115  (it is returned)
    try:
        check(os.fstat(file.fileno()))  # it may have been replaced since
    except ValueError:
        file.close()
        raise
    return file


def read_bytes(path):
    """Read the whole content of a file that is not too large."""
    with open_plain(path, MOST_BYTES) as file:
        return file.read(MOST_BYTES)


def refuse(wrong, why):
    """Stop reading if something is wrong, and say why."""
    if wrong:
        raise ValueError(why)


def read_table(path):
    """Read rows as dictionaries, and the mechanisms; ValueError if the file is not one of ours."""
    first, *lines = read_bytes(path).decode("ascii").split("\n")
    columns = first.split(",")
    mechanisms = columns[len(BEFORE) : columns.index("ensemble")] if "ensemble" in columns else []
    expected = [
        [*BEFORE, *mechanisms, *AFTER, *history, *last]
        for history in ((), HISTORY)
        for last in ((), LAST)
    ]
    named = all(re.fullmatch(MECHANISM, name) for name in mechanisms)
    known = mechanisms and named and len(set(columns)) == len(columns)
    threat = columns[-2:] == ["noise", "norm"]
    refuse(threat, "it is of another noise or norm than Gaussian and l2, which is all I can prove")
    refuse(columns not in expected or not known, "its columns are not those of certificates")
    refuse(lines.pop() or not 0 < len(lines) <= MOST_ROWS, f"it must have 1 to {MOST_ROWS} rows")
    grammar = [re.compile(spelling(name, name in mechanisms)) for name in columns]
    rows = []
    for line in lines:
        cells = line.split(",")
        refuse(len(cells) != len(columns), f"row {len(rows) + 1} has {len(cells)} cells")
        for name, cell, form in zip(columns, cells, grammar, strict=True):
            refuse(not form.fullmatch(cell), f"{name} is {cell[:40]!r} in row {len(rows) + 1}")
        rows.append(dict(zip(columns, cells, strict=True)))
    for name in SETTINGS:
        refuse(len({row.get(name) for row in rows}) > 1, f"{name} changes from row to row")
    refuse(len({row["index"] for row in rows}) < len(rows), "an input comes twice")
    for name, most in (("sigma", float("inf")), ("sensitivity", float("inf")), ("alpha", 1)):
        refuse(not 0 < float(rows[0].get(name, 0.5)) < most, f"{name} is out of its range")
    most = max(int(row["draws"] or 0) for row in rows)
    refuse(most > MOST_DRAWS, f"draws must be at most {MOST_DRAWS}, got {most}")
    return rows, mechanisms


def spelling(name, is_mechanism):
    """Return the pattern of a column's cells; mechanisms may be empty (method buehler)."""
    form = "0|[1-9][0-9]{0,15}" if name in WHOLE else WORDS.get(name, NUMBER)
    return f"({form})?" if name in MAY_BE_EMPTY or is_mechanism else form


def is_alone(row):
    """Tell whether a row has two_sided alone, as files of scheme joint had that name no method."""
    return row["scheme"] == "joint" and row.get("method", ALONE) == ALONE


def table_wrong(row, radii):
    """Yield each contradiction between the columns of a row."""
    margin = is_alone(row)
    radius, ensemble = number(row["radius"]), number(row["ensemble"])
    if any((row[name] == "") != (margin and name != "two_sided") for name in radii):
        yield "a radius is empty or not, against the scheme"
    if (row["ensemble"] == "") != margin:
        yield "ensemble is empty or not, against the scheme"
    if not all(value < float("inf") for value in (*radii.values(), radius, ensemble)):
        yield "a radius is infinite"
    correct = str(row["abstained"] == "False" and row["top"] == row["label"])
    if row["correct"] != (correct if row["label"] else ""):
        yield "correct is not whether predicted is the label"
    if radius != max(*radii.values(), ensemble):
        yield "radius is not the largest of the radii"
    if (row["winner"] == "") != (ensemble == 0):
        yield "winner is empty or not, against ensemble"
    if row["abstained"] == "True":
        if max(radius, ensemble, *radii.values()) > 0 or any(
            row[name] for name in ("predicted", "e0", "e1", "winner")
        ):
            yield "it abstained, and yet something is promised"
        return
    if radius == 0 or row["predicted"] != row["top"]:
        yield "it did not abstain, and yet no class or no radius is promised"
    if any((row[name] == "") != margin for name in ("e0", "e1")):
        yield "e0 or e1 is empty or not, against the scheme"
    members = {name: radii[name] for name in ENSEMBLE[row["kind"]] if name in radii}
    best = max(members.values(), default=mpf(0))
    lost = len(members) < len(ENSEMBLE[row["kind"]])  # then ensemble is proved on its own
    first = next((name for name in members if members[name] == best > 0), "")
    if not margin and (
        ensemble < best or (not lost and (ensemble, row["winner"]) != (best, first))
    ):
        yield "ensemble or winner is not that of the paper's mechanisms"
    if row["winner"] and row["winner"] not in ENSEMBLE[row["kind"]]:
        yield "winner is not one of the paper's mechanisms"


MORE = ("cdf", "lipschitz")  # mechanisms that use more than e0 and e1, for kind softmax


def drawn_sigma(row):
    """Return the unit of the radii: sigma in single precision, as drawn, over the sensitivity.

    Files with the older columns were made with sigma as it was given.
    """
    sigma = float(row["sigma"])
    if "sensitivity" not in row:
        return mpf(sigma)
    single = struct.unpack("f", struct.pack("f", sigma))[0]
    return mpf(min(sigma, single)) / number(row["sensitivity"])


def radii_wrong(row, radii, proved, elsewhere, constant):
    """Yield the radii that E0 and E1 do not prove; count those they do, and those left open."""
    e0, sigma = number(row["e0"]), drawn_sigma(row)
    e1 = min(number(row["e1"]), 1 - e0)  # if one class has E0, all others share 1 - E0
    claims = [
        (name, name if name in PROOFS else "two_sided", radius)
        for name, radius in radii.items()
        if name not in MORE  # these use more than e0 and e1
    ]
    if constant is not None and radii.get("lipschitz", 0) > 0:
        steep = 2 * mpf(constant) * number(row["sensitivity"])  # of a difference of two scores
        if 0 < e1 < e0 < 1 and radii["lipschitz"] * steep <= e0 - e1:
            proved["lipschitz"] += 1
        else:
            yield f"lipschitz = {row['lipschitz']} does not follow from the constant {constant}"
    if row["winner"] in PROOFS and radii.get(row["winner"]) != number(row["ensemble"]):
        claims.append(("ensemble", row["winner"], number(row["ensemble"])))
    for name, mechanism, radius in claims:
        if radius == 0:
            continue
        sound = 0 < e1 < e0 < 1 and mechanism in PROVED_FOR[row["kind"]] and sigma > 0
        if sound and PROOFS[mechanism](radius / sigma, e0, e1):
            proved[name] += 1
        elif (row["scheme"], name) == ("joint", "two_sided"):
            elsewhere[name] += 1  # bounded itself
        else:
            yield f"{name} = {row[name]} does not follow from e0 and e1 of kind {row['kind']}"


def counts_of(row):
    """Return the two counts of a row, None if it has none."""
    if not row.get("count_top") or not row.get("count_second"):
        return None
    return int(row["count_top"]), int(row["count_second"])


def check_level(rows, level):
    """Complain of a level below the proved one, or of a method without such a proof."""
    row = rows[0]
    if "level" in row and float(row["level"]) < min(level, 1) * (1 - 1e-12):
        yield "all", f"level is {row['level']}, and no less than {level:g} is proved"
    if "method" in row and row["method"] not in METHODS[row["kind"]].get(row["scheme"], ()):
        yield "all", f"scheme {row['scheme']} of kind {row['kind']} has no method {row['method']}"
    for name in MORE:
        if name in row and row["kind"] != "softmax":
            yield "all", f"{name} has no proof for kind {row['kind']}"


def history_wrong(row, shares):
    """Tell whether the look or the alpha spent so far differs from the plan's."""
    spent = [weight for look, weight in shares.items() if look <= int(row["draws"])]
    gap = number(row["alpha_spent"]) - number(row["alpha"]) * mpf(sum(spent))
    return int(row["looks"]) != len(spent) or abs(gap) > DOUBLES * number(row["alpha"])


def check_bounds(rows, run):
    """Return complaints about E0 and E1, what was checked, and whether everything was."""
    kind, scheme, alpha = (rows[0][name] for name in ("kind", "scheme", "alpha"))
    shares, offered = None, 1
    if run is not None and "plan" in run:
        plan = run["plan"]
        shares = dict(zip(plan["looks"], plan["weights"], strict=True))
        offered = max(plan.get("offered", 1), sum(plan["weights"]), 1)
    level = float(alpha) * PROVED_LEVEL.get(scheme, 1) * offered
    wrong = list(check_level(rows, level))
    if shares is None and "looks" in rows[0]:
        said = "bounds: not checked; --run must say which share of alpha each look may spend"
        return wrong, said, False
    whole = kind == "multinomial" and scheme in WAYS and all(row["draws"] for row in rows)
    whole = whole and not is_alone(rows[0])
    gated = scheme in ("gated", "joint") and all(map(counts_of, rows))
    if not whole and not gated:
        said = f"bounds: not checked; kind {kind} by scheme {scheme} needs the tallies"
        return wrong, said, False
    methods = WAYS.get(scheme, {}) if kind == "multinomial" else {}
    ways = methods.get(rows[0].get("method")) or [w for ways in methods.values() for w in ways]
    if rows[0].get("method") in ("clopper_pearson", "buehler+pair") and more_than_two(rows, run):
        ways = ways[:1]  # one bound alone would be one_sided, which was not declared
    issued = [row for row in rows if row["abstained"] == "False"]
    complaints = []
    for way in ways or (PAIR, ONE):
        found = []
        for row in issued:
            n, counts = int(row["draws"]), counts_of(row)
            spent = number(alpha) * mpf(1 if shares is None else shares.get(n, 0))
            if n == 0 or spent <= 0:
                reason = "its draws are at no look of the plan"
            elif "count_top" in row and counts is None:
                reason = "count_top or count_second is empty"
            elif "looks" in row and history_wrong(row, shares):
                reason = "looks or alpha_spent is not what the plan has there"
            elif whole:
                reason = bounds_wrong(way, n, spent, number(row["e0"]), number(row["e1"]), counts)
            else:
                reason = gate_wrong(way, n, spent, *counts)
            found += [(row["index"], reason)] if reason else []
        complaints.append(found)
    fewest = min(complaints, key=len)
    good = f"{len(issued) - len(fewest)} of {len(issued)}"
    behind = "their counts" if "count_top" in rows[0] else "whole counts"
    said = f"bounds: {good} pairs are limits of {behind}; proved level {level:g}"
    if not whole:
        said = f"bounds: not checked, but that {good} pass the gate; the rest needs the tallies"
    return wrong + fewest, said, whole


def more_than_two(rows, run):
    """Tell whether there are more than two classes, by the run or by the classes in the rows."""
    return any(int(row["top"]) > 1 for row in rows) or (run is not None and run["classes"] > 2)  # noqa: PLR2004


def read_run(path):
    """Read the settings in run.toml."""
    run = tomllib.loads(read_bytes(path).decode())
    tables = [run.get(name, {}) for name in ("source", "plan", "noise")]
    refuse(not all(isinstance(table, dict) for table in tables), f"{path} is no run.toml")
    numbers = [*run.get("plan", {}).get("weights", ()), run.get("plan", {}).get("offered", 1)]
    refuse(not all(0 < number < float("inf") for number in numbers), f"{path} has no such plan")
    return run


def run_constant(run):
    """Return the Lipschitz constant of the scores that run.toml states, None if it states none."""
    stated = None if run is None else run.get("source", {}).get("lipschitz")
    usable = stated is None or (isinstance(stated, float) and 0 < stated < float("inf"))
    refuse(not usable, f"run.toml has no such constant: {stated!r}")
    return stated


def check_run(rows, run):
    """Complain of settings that differ from those the run declares."""
    source, scheme = run.get("source", {}), run.get("scheme", "gated")
    kind = run.get("kind", "multinomial")
    default = next(iter(METHODS.get(kind, {}).get(scheme, [""])))
    if run.get("format") == 1:
        default = FORMER.get(default, default)
    declared = {
        "sigma": run["sigma"],
        "alpha": run.get("alpha", 0.001),
        "kind": kind,
        "scheme": scheme,
        "method": run.get("method") or source.get("method") or default,
        "sensitivity": source.get("sensitivity", 1.0),
        "grid": source.get("grid", ""),
    }
    if "lipschitz" in rows[0] and run_constant(run) is None:
        yield "all", "lipschitz needs a constant of the scores, and the run has none"
    logits = source.get("outputs", "logits") == "logits" and not source.get("autocast")
    if "lipschitz" in rows[0] and ("grid" in source or not logits):
        yield "all", "lipschitz has no proof on a grid, in half precision or without logits"
    for name, wanted in declared.items():
        told = rows[0].get(name)
        same = told == wanted if isinstance(wanted, str) else told and float(told) == wanted
        if told is not None and not same:
            yield "all", f"{name} is {told or 'empty'}, and the run declares {wanted!r}"
    if "noise" in run or "noise_scale" in source:  # a file that has lost its columns noise and norm
        own = run.get("noise", {"name": "gaussian"}).get("name")
        scaled = ", a share of sigma for each feature" * ("noise_scale" in source)
        yield "all", f"noise is Gaussian in l2, and the run declares {own!r}{scaled}"
    if len(rows) > run["inputs"]:
        yield "all", f"there are {len(rows)} rows, and the run has {run['inputs']} inputs"


def list_parts(folder):
    """List the parts once two lists in a row agree: others may write and remove some meanwhile."""
    before, now = None, sorted(Path(folder).glob("*.parquet"))
    for _ in range(TRIES):
        if now == before:
            break
        before, now = now, sorted(Path(folder).glob("*.parquet"))
    return now


def read_parts(folder, run):
    """Read the rows of all parts, and complain of parts that are not this run's.

    Where one has vanished, list the parts again: who merges parts removes them only once the merged
    part is in the folder.
    """
    known = {}
    for left in reversed(range(TRIES)):
        paths = list_parts(folder)
        known = {path: known[path] for path in paths if path in known}
        before = [sum(size[k] for _, _, size in known.values()) for k in (0, 1)]
        try:
            for path in paths:
                if path not in known:
                    known[path] = read_part(path, run, before)
                    before = [sum(both) for both in zip(before, known[path][2], strict=True)]
            break
        except FileNotFoundError:
            if not left:
                raise
            time.sleep(PAUSE)
    rows = [row for part, _, _ in known.values() for row in part]
    return rows, [("all", reason) for _, reason, _ in known.values() if reason]


def read_part(path, run, before):
    """Return the rows of a part, what is wrong with it if anything, and its numbers and bytes.

    `before` counts the numbers and bytes of all parts that were read before.
    """
    import pyarrow.parquet as pq  # not needed for anything else

    limits = {f"thrift_{what}_size_limit": MOST_CONTENTS for what in ("string", "container")}
    with open_plain(path, MOST_PART, follow=False) as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:32]
        if digest != path.stem.rpartition("-")[2]:
            return (
                [],
                f"{path} was altered or is a copy: its checksum does not match its name",
                (0, 0),
            )
        with pq.ParquetFile(file, **limits) as part:
            if strange := strange_settings(part.schema_arrow.metadata or {}, run):
                return [], f"{path} belongs to another run: its {strange} is not this run's", (0, 0)
            size = count_values(path, file, part.metadata), os.fstat(file.fileno()).st_size
            values, held = map(sum, zip(size, before, strict=True))
            most = min(max(FEW_VALUES, VALUES_PER_BYTE * held), MOST_VALUES)
            refuse(values > most, f"parts of {held} bytes must hold at most {most} numbers")
            rows = part.read(columns=list(NEEDED), use_threads=False).to_pylist()
    first = min((row["index"] for row in rows), default=0)
    if path.name != f"{first:08d}-{digest}.parquet":
        return [], f"{path} is a copy under another name: its draws would count twice", (0, 0)
    return rows, None, size


def strange_settings(told, run):
    """Name the first of its run's settings that a part tells otherwise; None if there is none."""
    stated = run.get("format")
    refuse(type(stated) is not int, f"run.toml has no such format: {stated!r}")
    wanted = {
        "run": run.get("id"),
        "sigma": float(run["sigma"]).hex(),
        "classes": run["classes"],
        "format": stated if stated > 1 else None,  # the first format did not say so
    }
    if "noise" not in run:  # another noise is complained of anyway
        wanted["noise"] = None
    if b"sensitivity" in told:  # parts of earlier versions do not say it
        wanted["sensitivity"] = float(run.get("source", {}).get("sensitivity", 1)).hex()
    for name, value in wanted.items():
        if told.get(name.encode()) != (None if value is None else str(value).encode()):
            return name
    return None


def count_values(path, file, contents):
    """Count the numbers in the columns that are compared, before memory is taken for them.

    A table of contents may understate them, so the headers of the pages are added up too: equal
    numbers take no space, and a kilobyte may announce a billion.
    """
    refuse(contents.num_rows > MOST_ROWS, f"{path} has too many rows")
    total, unpacked = 0, 0
    for group in map(contents.row_group, range(contents.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            if column.path_in_schema.partition(".")[0] not in NEEDED:
                continue
            refuse(
                column.physical_type not in ("INT32", "INT64"),
                f"{path} must hold whole numbers in column {column.path_in_schema}",
            )
            starts = [column.data_page_offset, column.dictionary_page_offset or 0]
            file.seek(min(start for start in starts if start > 0))
            announced = add_pages(file.read(column.total_compressed_size))
            sizes = list(map(max, announced, stated_numbers(column)))
            total, unpacked = total + sizes[0], unpacked + sizes[1]
    refuse(unpacked > MOST_UNPACKED, f"{path} must unpack to at most {MOST_UNPACKED} bytes")
    return total


def stated_numbers(column):
    """Return the numbers and the unpacked bytes of a column, as the table of contents has them."""
    return column.num_values, column.total_uncompressed_size


def add_pages(pages):
    """Add up the numbers and the unpacked bytes that the headers of a column's pages announce."""
    at, values, unpacked = 0, 0, 0
    while at < len(pages):
        header, at = read_header(pages, at)
        own, packed = header[2], header[3]
        inner = header.get(5) or header.get(8) or {1: 0}  # a page of numbers, of either version
        refuse(min(inner[1], own, packed) < 0, "a page of a part announces less than nothing")
        values, unpacked, at = values + inner[1], unpacked + own, at + packed
    return values, unpacked


def read_header(pages, at, depth=0):
    """Read a structure of Thrift's compact protocol, which Parquet's headers are written in.

    Return its fields by number, and where it ends. One that is cut short is an IndexError.
    """

    def varint():
        nonlocal at
        value = place = 0
        while pages[at] > 127:  # noqa: PLR2004  (the highest bit says that more follows)
            value, place, at = value | (pages[at] & 127) << place, place + 7, at + 1
            refuse(place > 63, "a page of a part has no header")  # noqa: PLR2004
        value, at = value | pages[at] << place, at + 1
        return value

    held, number = {}, 0
    while pages[at]:
        step, kind = pages[at] >> 4, pages[at] & 15
        at += 1
        code = None if step else varint()
        number = number + step if step else (code >> 1) ^ -(code & 1)
        if kind in (4, 5, 6):  # whole numbers: even codes are positive, odd ones negative
            code = varint()
            held[number] = (code >> 1) ^ -(code & 1)
        elif kind == 12 and depth < 8:  # noqa: PLR2004  (a structure)
            held[number], at = read_header(pages, at, depth + 1)
        elif kind == 8:  # noqa: PLR2004  (a text)
            length = varint()
            at += length
        else:
            at += {1: 0, 2: 0, 3: 1, 7: 8}[kind]  # truth values, a byte, a double
    return held, at + 1


def span_wrong(row, spans, run):
    """Say why a row's draws cannot be those that the run was to make; None if they can."""
    source = run.get("source", {})
    if source.get("format") == "sample" and not ("plan" in run and spans):
        return "nothing says which draws they are, as every run that was drawn does"
    if "segments" in row:
        made = sum(row["counts_value"]) + (row.get("invalid") or 0)
        told = sum(stop - first for _, first, stop in spans)
        sound = told == made or ("plan" not in run and told < made)
        if not sound or any(not 0 <= first < stop for _, first, stop in spans):
            return f"its {made} draws are not those that it says it holds"
        if ("plan" in run or "seed" in source) and {a for a, _, _ in spans} - {source.get("seed")}:
            return f"it holds draws of another seed than the run's, {source.get('seed')}"
    return None


def seen(folder, run):
    """Read what the parts hold of each input: counts, votes, pilot, and draws without a class.

    Return it with complaints about the parts, which then cannot be compared.
    """
    rows, read = [], read_parts(folder, run)
    wrong = read[1]
    for row in read[0]:
        flat = row.get("segments") or []  # seed, first draw and one past the last, repeated
        spans = list(zip(flat[::3], flat[1::3], flat[2::3], strict=True))
        if reason := span_wrong(row, spans, run):
            wrong.append((str(row["index"]), reason))
        rows.append((sum(stop - first for _, first, stop in spans), spans, row))
    held, taken, random = {}, {}, run.get("source", {}).get("random")
    for _, spans, row in sorted(rows, key=lambda one: -one[0]):
        before, kept = taken.setdefault(row["index"], ([], {}))
        if kept and (not spans or () in kept or any(share_draws(known, spans) for known in before)):
            # Drawn by two processes: no draw counts twice, and the longer row counts.
            other = kept.get(tuple(spans)) if spans else next(iter(kept.values()))
            if other is not None and other != row and not random:
                wrong.append((str(row["index"]), "two parts hold the same draws and disagree"))
            continue
        kept[tuple(spans)] = row
        add_spans(before, spans)
        mine = held.setdefault(row["index"], {"label": row.get("labels")})
        if mine["label"] != row.get("labels"):
            wrong.append((str(row["index"]), "two parts disagree about its label"))
        for name in ("counts", "votes"):
            if f"{name}_class" in row:
                cells = dict(zip(row[f"{name}_class"], row[f"{name}_value"], strict=True))
                cells[-1] = row.get("invalid" if name == "counts" else "votes_invalid") or 0
                mine[name] = mine.get(name, Counter()) + Counter(cells)
        if "pilot_class" in row:
            mine["pilot"] = dict(zip(row["pilot_class"], row["pilot_value"], strict=True))
    return held, wrong


def add_spans(before, spans):
    """Keep spans in few sorted lists, beside the furthest end up to each of them.

    A list is more than twice as long as the next, so that a span is sorted only a few times.
    """
    while before and len(before[-1][0]) <= 2 * len(spans):
        spans = before.pop()[0] + spans
    spans = sorted(spans)
    before.append((spans, list(accumulate(((seed, stop) for seed, _, stop in spans), max))))


def share_draws(known, spans):
    """Tell whether spans (seed, first draw, one past the last) share a draw with sorted ones.

    Of those that begin before the end of a span, the one that reaches furthest decides. A row that
    names no draws may share any, and `seen` sees to that.
    """
    begun, ends = known
    for seed, first, stop in spans:
        count = bisect_left(begun, (seed, stop))
        if count and ends[count - 1] > (seed, first):
            return True
    return False


def check_counts(rows, held):
    """Complain of inputs, draws, classes and counts that differ from the parts of the run."""
    if lost := held.keys() - {int(row["index"]) for row in rows}:
        yield "all", f"input {min(lost)} of the run is not in the file"
    for row in rows:
        mine = held.get(int(row["index"]))
        if mine is None:
            yield row["index"], "the run does not hold this input"
            continue
        if int(row["draws"]) != mine["counts"].total():
            yield row["index"], f"the run holds {mine['counts'].total()} draws"
        if row["label"] != ("" if mine["label"] is None else str(mine["label"])):
            yield row["index"], f"label is {row['label'] or 'empty'}, and the run's another"
        cells = mine.get("counts" if row["kind"] == "multinomial" else "votes")
        if cells is None or "count_top" not in row:
            continue
        top = int(row["top"])
        rival = max((count for name, count in cells.items() if name != top), default=0)
        if counts_of(row) != (cells[top], rival):
            yield row["index"], f"the run counts {cells[top]} and {rival} draws"
        chosen = mine.get("pilot") if row["scheme"] == "split" else cells
        chosen = {name: count for name, count in (chosen or {}).items() if name >= 0}
        by_sums = row["scheme"] == "paper" and row["kind"] == "softmax"
        if not by_sums and top != min(chosen, key=lambda name: (-chosen[name], name), default=top):
            yield row["index"], "top is not the class that the run's draws choose"


def say_stage(row, run):
    """Say whose word the sensitivity is: no count depends on it, and every radius does."""
    whose = "file" if run is None else "run"
    if float(row.get("sensitivity", 1)) == 1:
        return f"sensitivity: that nothing comes before the noise is the {whose}'s word"
    said = f"sensitivity: {row['sensitivity']} of a first stage, by which radii are divided,"
    return f"{said} is the {whose}'s word"


def check(path, run_toml):
    """Return all complaints (input, sentence), a summary, and whether everything was checked."""
    rows, mechanisms = read_table(path)
    run = None if run_toml is None else read_run(run_toml)
    wrong, proved, elsewhere, constant = [], Counter(), Counter(), run_constant(run)
    for row in rows:
        radii = {name: number(row[name]) for name in mechanisms}
        reasons = list(table_wrong(row, radii))
        if row["abstained"] == "False" and row["e0"]:
            reasons += radii_wrong(row, radii, proved, elsewhere, constant)
        best = max(radii, key=radii.get)
        beyond = best in MORE and not (best == "lipschitz" and constant is not None)
        elsewhere[best] += radii[best] > 0 and (beyond or not row["e0"])
        wrong += [(row["index"], reason) for reason in reasons]
    more, bounds, whole = check_bounds(rows, run)
    wrong += more
    issued = sum(row["abstained"] == "False" for row in rows)
    settings = "sigma {sigma}, alpha {alpha}, {kind}, {scheme}".format(**rows[0])
    said = [f"{path}: {issued} of {len(rows)} inputs certified; {settings}", bounds]
    tally = ", ".join(f"{count} of {name}" for name, count in proved.items()) or "none"
    said.append(f"radii: proved by e0 and e1 are {tally}")
    for name in +elsewhere:
        said.append(f"radii: not checked; {elsewhere[name]} inputs have {name} from the tallies")
    said.append(say_stage(rows[0], run))
    if constant is not None and "lipschitz" in mechanisms:
        said.append(f"the constant {constant} of the scores, in run.toml, is taken as given")
    if run is not None:
        wrong += check_run(rows, run)
        parts = Path(run_toml).parent / "parts"
        try:
            refuse(parts.is_symlink(), f"{parts} must be a folder, and is a link")
            foreign = []
            if parts.is_dir():
                held, foreign = seen(parts, run)
                wrong += foreign or check_counts(rows, held)
            compared = parts.is_dir() and not foreign
            said.append(f"run: settings{' and counts' * compared} were held to it")
        except ImportError:
            said.append("run: counts not compared; pyarrow is needed to read them")
            whole = False
    return wrong, said, whole and not +elsewhere


def main():
    """Read the arguments, check, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("certificates", help="a CSV that simplicert wrote")
    parser.add_argument("--run", metavar="run.toml", help="the run that it was made from")
    given = parser.parse_args()
    try:
        wrong, said, whole = check(given.certificates, given.run)
    except ERRORS as error:
        text = str(error)[:200]
        print(f"{given.certificates} cannot be read as certificates: {text}", file=sys.stderr)
        return 2
    for index, reason in wrong:
        print(f"WRONG  input {index}: {reason}")
    last = "no complaint" if whole else "no complaint, but not all was checked"
    print(*said, f"{len(wrong)} complaints" if wrong else last, sep="\n")
    return 1 if wrong else 0 if whole else 3


if __name__ == "__main__":
    sys.exit(main())
