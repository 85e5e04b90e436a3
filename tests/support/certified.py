"""Certificates for the tests of this folder: drawn from small counts, or stated outright."""

import numpy as np
from hypothesis import strategies as st

import simplicert as sc

# Few values, so that ties and radii exactly at a threshold are common.
RADII = (0.0, 0.25, 0.5, 1.0, 1.75)
ENSEMBLE = sc.PAPER_ENSEMBLE["multinomial"]


def drawn(inputs: int = 60, seed: int = 0) -> sc.Certificates:
    """Inputs of every sort: refused, certified and wrong, and won by each of the ensemble."""
    random = np.random.default_rng(seed)
    open_race = random.dirichlet([1.0, 0.7, 0.4, *[0.01] * 7], size=inputs)
    # One class sure and the rest even: the corner of the simplex where Li is the largest.
    sure = np.column_stack([np.full(inputs, 0.955), np.full((inputs, 9), 0.005)])
    truth = np.where(random.random((inputs, 1)) < 0.2, sure, open_race)
    counts = random.multinomial(1000, truth)
    labels = np.where(random.random(inputs) < 0.7, counts.argmax(axis=1), 0)
    tally = sc.Tally(counts, sigma=0.5, labels=labels)
    return sc.certify(sc.bound(tally, alpha=0.05))


def stated(right: list[bool], **columns: list[float]) -> sc.Certificates:
    """Certificates with the given radii of each mechanism; `right` says where top is the label."""
    radii = {name: np.array(values, dtype=float) for name, values in columns.items()}
    rows = len(right)
    known = sc.Expectations(
        top=np.zeros(rows, int),
        e0=np.full(rows, 0.9),
        e1=np.full(rows, 0.05),
        labels=np.where(right, 0, 1),
    )
    members = np.stack([radii.get(name, np.zeros(rows)) for name in ENSEMBLE])
    best = members.max(axis=0)
    winner = np.where(best > 0, np.array(ENSEMBLE)[members.argmax(axis=0)], "")
    return sc.Certificates(known, radii, best, winner)


@st.composite
def certificates(draw) -> sc.Certificates:
    """A few inputs, the first of them right and certified, so that no population is empty."""
    rows = draw(st.integers(0, 12))
    values = st.lists(st.sampled_from(RADII), min_size=rows, max_size=rows)
    right = draw(st.lists(st.booleans(), min_size=rows, max_size=rows))
    columns = {name: [1.0, *draw(values)] for name in ENSEMBLE}
    return stated([True, *right], **columns)
