"""experiments/cifar10/shorter.py on tallies whose answers are known."""

import pytest
from memory import DRAWS, made

import simplicert as sc


def test_shorter_runs_are_parts_of_longer_ones(shorter, clear):
    looks = shorter.nested(clear.tally, (100, 500, DRAWS))
    for few, more in ((100, 500), (500, DRAWS)):
        assert (looks[few].draws == few).all()
        assert (looks[few].counts <= looks[more].counts).all()
        assert (looks[few].invalid <= looks[more].invalid).all()
    assert (looks[DRAWS].counts == clear.tally.counts).all()
    assert clear.tally.invalid.any() and (looks[DRAWS].invalid == clear.tally.invalid).all()


def test_a_reserve_is_kept_by_every_shorter_run(shorter, clear):
    """The same draws at half of alpha: nothing that is cut out of them spends the other half."""
    kept = made("kept", reserve=0.5)
    for looks in (shorter.nested(kept.tally, (100, DRAWS)), shorter.nested(clear.tally, (DRAWS,))):
        for draws, tally in looks.items():
            assert tally.plan.looks == (draws,)
            assert tally.plan.weights == (0.5 if 100 in looks else 1.0,)
    for draws in (DRAWS // 2, DRAWS):
        less, more = (shorter.at_draws(one, draws).radius for one in (kept, clear))
        assert (less <= more).all() and (less < more).any()
    less, more = (shorter.stopped_early(one, "radius=0.25") for one in (kept, clear))
    assert less["mean"] < more["mean"]


def test_stopping_early_decides_the_same_inputs(shorter, clear):
    """A rule stops only where it has its answer or no hope of one: few inputs change sides."""
    for rule in ("radius=0.25", "decided"):
        found = shorter.stopped_early(clear, rule)
        assert 0 < found["share_of_draws"] < 1 and found["median_draws"] < DRAWS
        # Futility gives up at most a few certificates; a plan spends its alpha on several looks.
        assert found["reached_fixed"] - 0.1 <= found["reached"] <= found["reached_fixed"] + 0.05


@pytest.mark.slow
def test_the_ensemble_needs_fewer_draws(shorter, clear):
    found = shorter.draws_needed(clear)
    assert found["two_sided"] <= found["ensemble"] < found["draws"] == DRAWS


def test_the_longer_run_beside_its_part(shorter, clear):
    longer = made("longer", draws=10 * DRAWS)
    found = shorter.longer(clear, longer)
    short, part, whole = found["rows"]
    assert [row["draws"] for row in (short, part, whole)] == [DRAWS, DRAWS, 10 * DRAWS]
    assert whole["agree"] == 1 and whole["gained"] == 0
    assert whole["refused"] < part["refused"] and part["gained"] > 0
    assert whole["means"]["two_sided"] > part["means"]["two_sided"]
    # Draws of the same inputs: the parts' spread, and ten times of it for a short run's own noise.
    assert 0 < found["spread"] < 0.01
    assert part["means"]["cohen"] == pytest.approx(
        short["means"]["cohen"], abs=10 * found["spread"]
    )


@pytest.mark.slow
def test_the_joint_bound_reaches_the_mean_with_fewer_draws(shorter, clear):
    found = shorter.joint_saves(clear)
    assert found["draws"] == found["share"] * DRAWS < DRAWS
    pair = clear.certificates("multinomial").column("two_sided").mean()
    parts = shorter.nested(clear.tally, [round(DRAWS * part / 20) for part in range(1, 21)])
    for draws, reaches in ((found["draws"], True), (found["draws"] - DRAWS // 20, False)):
        known = sc.bound(parts[draws], 0.001, scheme="joint")
        assert (sc.certify(known).column("two_sided").mean() >= pair) == reaches
