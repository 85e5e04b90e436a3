"""The auditor's sentence: against exact binomial limits and against a known truth."""

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import beta

import simplicert as sc
from simplicert.metrics.statement import make_statement


def certificates(counts, labels, alpha=0.001, **options):
    return sc.certify(sc.bound(sc.Tally(counts, 0.5, labels=labels), alpha, **options))


def test_the_number():
    """90 of 100 inputs certified: Clopper-Pearson's limit by scipy's beta, less the level."""
    counts = [[1000, 0]] * 90 + [[510, 490]] * 10
    found = make_statement(certificates(counts, [0] * 100), 0.25, 0.99)
    wanted = beta.ppf(0.01, 90, 11) - 0.001
    assert found.hits == 90 and found.inputs == 100
    assert wanted - 1e-5 < found.share <= wanted
    assert found.sentence == (
        f"With 99 % confidence at least {np.floor(1000 * wanted) / 10:.1f} % of inputs drawn like "
        "these are classified correctly by the smoothed classifier everywhere within l2 distance "
        "0.25 (90 of 100 tested inputs are certified, each wrongly with probability at most 0.001)."
    )
    assert found.record()["share"] == found.share


def test_the_level_is_the_schemes():
    counts, labels = [[1000, 0]] * 50, [0] * 50
    gated, paper = (
        make_statement(certificates(counts, labels, scheme=scheme), 0.1)
        for scheme in ("gated", "paper")
    )
    assert gated.share - paper.share == pytest.approx(0.002, rel=1e-6)


@pytest.mark.slow
def test_it_holds_where_the_truth_is_known():
    """Inputs whose true radius is known: the share it states is below the truth.

    It may fail with 1 - confidence = .05 (and less, by Clopper and Pearson); over 300 test sets
    more than 32 failures would have probability below 2e-5.
    """
    random, alpha, radius, failed = np.random.default_rng(0), 0.05, 0.3, 0
    for _ in range(300):
        true = random.uniform(-0.2, 1.2, 200)  # radius of label 0, negative: another class
        p = ndtr(true / 0.5)
        hits = random.binomial(300, p)
        made = certificates(np.column_stack([hits, 300 - hits]), np.zeros(200, int), alpha)
        truth = 0.9 / 1.4  # P(true radius > .3)
        failed += make_statement(made, radius, 0.95).share > truth
    assert failed <= 32


def test_nothing_certified():
    assert make_statement(certificates([[50, 50]], [0]), 0.0).share == 0


def test_refused():
    made = certificates([[1000, 0]], [0])
    for arguments, message in (
        ((made, -1.0), "radius must not be negative"),
        ((made, float("nan")), "radius must not be negative"),
        ((made, 0.1, 1.0), "confidence must lie strictly between 0 and 1"),
        ((sc.certify(sc.bound(sc.Tally([[1000, 0]], 0.5))), 0.1), "labels are needed"),
    ):
        with pytest.raises(sc.InvalidInput, match=message):
            make_statement(*arguments)


def test_the_sentence_rounds_neither_radius_nor_confidence_up():
    tally = sc.Tally([[990, 8, 2]] * 100, sigma=0.5, labels=[0] * 100)
    certificates = sc.certify(sc.bound(tally))
    said = sc.metrics.make_statement(certificates, 0.4999999, 0.9999999).sentence
    assert said.startswith("With 99.99999 % confidence")
    assert "within l2 distance 0.4999999 (" in said


def test_the_sentence_gives_the_level_with_all_its_digits():
    tally = sc.Tally([[990, 8, 2]] * 100, sigma=0.5, labels=[0] * 100)
    known = sc.bound(tally, 0.0010004999)
    said = sc.metrics.make_statement(sc.certify(known, sensitivity=1.00000049), 0.25).sentence
    assert "with probability at most 0.0010004999)" in said
    assert "sensitivity 1.00000049 (" in said
    paper = sc.certify(sc.bound(tally, 0.05, scheme="paper"))
    assert "at most 0.15)" in sc.metrics.make_statement(paper, 0.25).sentence
    assert "alpha 0.0010004999" in repr(known)
