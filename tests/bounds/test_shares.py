"""What each scheme spends, side by side with what its theorem allows; and why it refuses."""

import numpy as np
import pytest

import simplicert as sc
from simplicert.bounds import gated, joint, paper, sides, split


@pytest.mark.parametrize(
    "spent",
    [
        2 * gated.PAIR + 2 * gated.GATE,  # Theorem 2
        gated.ONE + gated.GUARD,  # Theorem 1, whose proof needs GUARD <= 1/2 too
        joint.RADIUS + 2 * joint.GATE,
        2 * paper.HALF,
        2 * split.HALF,
        sides.MEAN + sides.BANDS,
    ],
)
def test_a_scheme_spends_alpha_and_no_more(spent):
    assert spent == pytest.approx(1, abs=1e-12)
    assert gated.GUARD <= 0.5


def test_the_region_of_the_joint_limit_is_part_of_its_share():
    """Its two sides and the test together spend .9 alpha; the pair is its corner."""
    assert 0 < joint.REGION_ALONE < joint.REGION < 1
    assert pytest.approx(0.045) == (joint.RADIUS * joint.REGION) / 2


def test_the_joint_limit_is_asked_at_its_share():
    """The gate left aside, a margin is Buehler's limit at .9 alpha and at no other level."""
    from simplicert.bounds.joint.search import segment_lower

    known = sc.bound(sc.Tally([[180, 60, 60]], 1.0), 0.05, scheme="joint")
    one = np.array([1])
    at = segment_lower(180 * one, 60 * one, 300 * one, np.array([0.045]), joint.REGION)
    np.testing.assert_array_equal(known.margin, at)


@pytest.mark.parametrize("scheme", ["gated", "paper", "joint", "split"])
@pytest.mark.parametrize("counts", [[[50, 50]], [[40, 40, 20]]])
def test_equal_counts_are_called_a_tie(scheme, counts):
    assert sc.bound(sc.Tally(counts, 1.0, pilot=counts), scheme=scheme).reason[0] == "tie"


@pytest.mark.parametrize("scheme", ["gated", "paper", "split"])
def test_softmax_expectations_never_exceed_one_together(scheme):
    """To the last bit, also where two classes share all scores and rounding decides."""
    random = np.random.default_rng(0)
    n = random.integers(200, 10**6, 2000)
    own = (random.uniform(0.6, 0.999, n.size) * n * 2.0**40).astype(np.int64)
    sums = np.column_stack([own, (n << 40) - own, np.zeros_like(own)])
    votes = np.column_stack([n - n // 10, n // 10, np.zeros_like(n)])
    method = "hoeffding"  # half-widths are the same on both sides: the limits meet exactly
    tally = sc.Tally(votes, 1.0, softmax_sums=sums, votes=votes, pilot=votes)
    known = sc.bound(tally, 0.05, kind="softmax", scheme=scheme, method=method)
    assert not known.abstained.all()
    live = ~known.abstained
    assert (known.e1[live] <= 1 - known.e0[live]).all()


def test_a_small_lead_is_no_tie():
    assert sc.bound(sc.Tally([[51, 49]], 1.0)).reason[0] in ("overlap", "gate")
