"""`sc.gate`: the command's result as an object."""

import numpy as np
import pytest

import simplicert as sc
from simplicert.errors import InvalidInput


def made(folder, shares=(0.95, 0.05), seed=0, **more):
    counts = np.random.default_rng(seed).multinomial(1000, shares, 40)
    tally = sc.Tally(counts, 0.5, labels=[0] * 40)
    return sc.create_run(folder, sc.Manifest(0.5, 40, 2, **more), tally)


def test_each_criterion_has_its_value_interval_and_words(tmp_path):
    run = made(tmp_path / "run")
    found = sc.gate(run, ["accuracy@0.5>=0.9", "average_radius>=3", "statement@0.5>=0.5"])
    accuracy, average, statement = found.checks
    certificates = run.certify()
    rate = sc.metrics.certified_accuracy(certificates, 0.5)
    assert (accuracy.value, accuracy.low, accuracy.high) == (rate.value, rate.low, rate.high)
    assert accuracy.holds and not average.holds and not found.passed and not found
    assert average.low < average.value == sc.metrics.average_radius(certificates).value
    assert average.words.startswith("average_radius>=3 FAILS: 0.")
    assert statement.low is None and "95 %" not in statement.words
    assert "inputs drawn like these" in found.sentences[0]


def test_a_path_a_run_and_a_study_are_the_same(tmp_path):
    run, asked = made(tmp_path / "run"), ["accuracy@0.25>=0.5"]
    study = sc.metrics.Study("run", run)
    records = [sc.gate(one, asked).record() for one in (run, run.folder, str(run.folder), study)]
    assert all(record == records[0] for record in records) and records[0]["passed"]


def test_a_baseline_and_groups(tmp_path):
    good, bad = made(tmp_path / "good"), made(tmp_path / "bad", (0.6, 0.4))
    assert sc.gate(good, ["accuracy@0.5>=0"], baseline=bad, groups="label")
    found = sc.gate(bad, ["accuracy@0.5>=0"], baseline=good.folder)
    assert not found and found.checks[-1].group == "against baseline good"
    assert "against the baseline a loss counts" in found.remarks[-1]


def ablated(folder):
    noise = sc.NoiseModel("ablation", size=64, keep=8)
    tally = sc.Tally([[900, 100]] * 5, 1.0, labels=[0] * 5, noise=noise)
    return sc.create_run(folder, sc.Manifest(1.0, 5, 2).with_noise(noise), tally)


def test_half_a_feature_is_no_radius(tmp_path):
    run = ablated(tmp_path / "run")
    assert sc.gate(run, ["accuracy@1>=0.5"]).record()["norm"] == "l0"
    with pytest.raises(InvalidInput, match=r"whole number after @, got 'accuracy@0.5>=0.5': .*l0"):
        sc.gate(run, ["accuracy@0.5>=0.5"])


@pytest.mark.parametrize(
    ("run", "asked", "said"),
    [
        (3, ["abstained<=1"], "run must be an opened run or the path"),
        ("run", "accuracy@0>=0", "requirements must be a list"),
        ("run", [], "requirements must be a list"),
    ],
)
def test_refused(tmp_path, run, asked, said):
    made(tmp_path / "run")
    with pytest.raises(InvalidInput, match=said):
        sc.gate(tmp_path / run if isinstance(run, str) else run, asked)
