"""Ways to spend alpha on class counts, as radii at sigma 1: ours, and those of others.

Each maps (counts, pilot counts, alpha) to two-sided radii, 0 where it abstains. All use the same
exact limits (Clopper and Pearson) on the same counts, so that they differ in their accounting only.

  cohen       Cohen et al. (2019), Algorithm CERTIFY: a pilot selects the class, the other draws
              bound it from below by all of alpha; the rivals together have the rest
  bonferroni  a pilot selects the class; one limit for each of K classes, alpha / K each, as
              Delattre et al. (2025, arXiv 2504.02412) describe the usual correction
  cpm         class partitioning, Delattre et al. (2025), from the paper's description and its
              authors' program: the pilot's two leading classes are cells of their own; of the
              others the largest become cells until all that are left have together no more of
              the pilot than the runner-up, and those are one cell. One limit for each of m cells,
              alpha / m each: the cells do not depend on the draws that bound them, and the limit
              on a cell holds for every class in it, so the level is alpha.
  paper       alpha / 2 each, the class selected by the same draws (proved level 3 alpha)
  gated       our default (level alpha), no pilot
  joint       our bound on the radius itself (level alpha), no pilot
"""

import numpy as np

import simplicert as sc
from simplicert.bounds import SCHEMES, binomial

PILOT = 100  # draws that select the class where they are separate


def radii(known):
    """Two-sided radii of what is known; 0 where it was refused."""
    return sc.certify(known, ["two_sided"]).radius


def of_scheme(scheme, method=None):
    """One of the package's own."""

    def found(counts, pilot, alpha):
        tally = sc.Tally(counts, sigma=1.0, pilot=pilot)
        return radii(sc.bound(tally, alpha, scheme=scheme, method=method))

    return found


def from_limits(e0, e1):
    """Radii of a pair of limits: E_1 is at most 1 - E_0."""
    return sc.radius("two_sided", e0, np.minimum(e1, 1 - e0))


def bonferroni(counts, pilot, alpha):
    """One limit a class."""
    n, rows, classes = counts.sum(axis=1), np.arange(len(counts)), counts.shape[1]
    top = pilot.argmax(axis=1)
    others = counts.copy()
    others[rows, top] = -1
    tail = np.array(alpha / classes)
    e0, _ = binomial.clopper_pearson_lower(counts[rows, top], n, tail)
    return from_limits(e0, binomial.clopper_pearson_upper(others.max(axis=1), n, tail))


def partition(pilot):
    """Cells of classes, by their counts in the pilot alone; the top class is the first."""
    order = np.argsort(-pilot, kind="stable").tolist()
    cells, rest = [[order[0]], [order[1]]], order[2:]
    while rest and pilot[rest].sum() > pilot[order[1]]:
        cells.append([rest.pop(0)])
    return [*cells, rest] if rest else cells


def cpm(counts, pilot, alpha):
    """One limit a cell of the pilot's partition."""
    n = counts.sum(axis=1)
    cells = [partition(seen) for seen in pilot]
    held = [[row[cell].sum() for cell in of] for row, of in zip(counts, cells, strict=True)]
    tail = alpha / np.array([len(of) for of in cells])
    e0, _ = binomial.clopper_pearson_lower(np.array([own for own, *_ in held]), n, tail)
    rival = np.array([max(others) for _, *others in held])
    return from_limits(e0, binomial.clopper_pearson_upper(rival, n, tail))


# name: (radii, draws that are made besides)
WAYS = {
    "cohen": (of_scheme("split", "one_sided"), PILOT),
    "bonferroni": (bonferroni, PILOT),
    "cpm": (cpm, PILOT),
    "paper": (of_scheme("paper"), 0),
    "gated": (of_scheme("gated"), 0),
}
if "joint" in SCHEMES["multinomial"]:
    WAYS["joint"] = (of_scheme("joint"), 0)
