"""The audit reports every finding where it should, and nowhere else."""

import numpy as np
import pytest
from scipy.stats import norm

from simplicert.logs.audit import audit_log, radius_cap
from simplicert.logs.log import Log, StatedSettings
from simplicert.logs.row_checks import index_step

STATED = StatedSettings(0.5, 0.001, 100_000)
ROWS = 500


def clean(**change):
    """A log without findings: every 20th input of CIFAR, radii with all digits."""
    random = np.random.default_rng(0)
    label = random.integers(0, 10, ROWS)
    predicted = np.where(random.random(ROWS) < 0.3, -1, random.integers(0, 10, ROWS))
    radius = np.where(predicted < 0, 0.0, random.uniform(0.001, 1.9, ROWS))
    fields = {
        "index": 20 * np.arange(ROWS),
        "predicted": predicted,
        "radius_text": tuple(repr(float(r)) for r in radius),
        "label": label,
        "correct": (label == predicted).astype(int),
    }
    return Log(**{**fields, **change})


def found(log, stated=STATED):
    """Return the findings by their codes."""
    findings = audit_log(log, stated)
    assert len({finding.code for finding in findings}) == len(findings)
    assert all("\n" not in finding.sentence for finding in findings)
    return {finding.code: finding for finding in findings}


def with_texts(change):
    """Return the clean log with some radii printed differently, by row."""
    texts = list(clean().radius_text)
    for row, text in change.items():
        texts[row] = text
    return tuple(texts)


def live_rows(number):
    return np.flatnonzero(clean().live)[:number].tolist()


def test_nothing_is_found_where_nothing_is_wrong():
    assert found(clean()) == {}
    assert found(clean(label=None, correct=None)) == {}
    assert found(clean(), None) == {}


def test_lines_left_out():
    finding = found(clean(left_out=("line 9, 'ACR: 1'", "line 10, 'x'")))["left_out"]
    assert finding.sentence == "2 lines are no row and left out: first line 9, 'ACR: 1'"


def test_repeated():
    index = clean().index.copy()
    index[7] = index[3]
    everything = found(clean(index=index))
    assert everything["repeated"].rows == (3, 7)
    assert "1 input in several rows (index 60)" in everything["repeated"].sentence
    assert "missing" in everything  # 140 is gone


def test_missing():
    keep = np.ones(ROWS, bool)
    keep[[0, 4, 250, 251]] = False
    log = clean()
    part = Log(
        log.index[keep],
        log.predicted[keep],
        tuple(np.array(log.radius_text)[keep]),
    )
    everything = found(part)
    assert set(everything) == {"missing"}
    assert everything["missing"].sentence.startswith(
        "of 500 indices up to 9980 at step 20, 4 missing (0, 80, 5000, 5020): "
    )


def test_many_missing_indices_are_not_all_named():
    keep = np.arange(100) % 10 != 3
    log = Log(np.arange(100)[keep], np.zeros(90, int), ("0.123456789",) * 90)
    assert "10 missing (3, 13, 23, 33, 43, ...)" in found(log)["missing"].sentence


def test_one_far_index_needs_no_memory():
    log = Log(np.array([0, 1, 2, 10**15]), np.zeros(4, int), ("0.123456789",) * 4)
    assert found(log)["missing"].sentence.endswith(
        "999999999999997 missing (3, 4, 5, 6, 7, ...): averages are over the others"
    )


@pytest.mark.parametrize(
    ("index", "step"),
    [
        ([0, 20, 40, 60], 20),
        ([60, 0, 20, 40], 20),  # in any order
        ([5, 25, 45, 105], 20),
        ([0, 20, 40, 60, 65], None),
        ([0, 0, 0], None),
        ([7], None),
        ([3, 17, 18, 90, 91, 400], None),  # a random choice of inputs has no step
    ],
)
def test_steps(index, step):
    assert index_step(np.array(index)) == step


@pytest.mark.parametrize(
    ("rows", "step", "sentence"),
    [
        (427, 100, "ends at index 42600 after 427 rows; 50000 inputs at step 100 would make 500"),
        (100, 20, "ends at index 1980 after 100 rows; 10000 inputs at step 20 would make 500"),
        (500, 20, None),
        (500, 100, None),
        (26_032, 1, None),
        (600, 2500, None),  # a training set: its size is not known
    ],
)
def test_short(rows, step, sentence):
    log = Log(step * np.arange(rows), np.zeros(rows, int), ("0.123456789",) * rows)
    finding = found(log).get("short")
    assert (finding and finding.sentence) == (sentence and f"the log {sentence}")


def test_running_totals_are_recognised():
    log = clean()
    finding = found(clean(correct=log.correct.cumsum()))["running_total"]
    assert f"ends at {log.correct.sum()}" in finding.sentence
    assert "recomputed from predict == label" in finding.sentence


def test_a_running_total_that_never_passes_one():
    log = Log(
        np.arange(3), np.array([1, -1, 2]), ("0.5",) * 3, np.array([1, 1, 1]), np.ones(3, int)
    )
    assert "running_total" in found(log)


def test_correct_that_is_not_binary():
    correct = clean().correct.copy()
    correct[[5, 9]] = 7
    finding = found(clean(correct=correct))["not_binary"]
    assert finding.rows == (5, 9)
    assert "in 2 rows (7 at index 100)" in finding.sentence


def test_correct_that_disagrees():
    correct = clean().correct.copy()
    correct[[2, 4]] = 1 - correct[[2, 4]]
    everything = found(clean(correct=correct))
    assert everything["correct"].rows == (2, 4)
    assert "in 2 rows (index 40, 80)" in everything["correct"].sentence


def test_an_abstention_is_never_correct():
    label = np.full(ROWS, -1)
    log = clean(label=label, correct=(label == clean().predicted).astype(int))
    assert "correct" in found(log)


def test_negative_radii():
    idle = int(np.flatnonzero(~clean().live)[0])
    row = live_rows(1)[0]
    log = clean(radius_text=with_texts({idle: "-0.31", row: "-0.123456789"}))
    finding = found(log)["negative"]
    assert finding.rows == tuple(sorted((idle, row)))
    assert "negative in 2 rows, 1 row of them without a class" in finding.sentence


def test_skipped():
    predicted = clean().predicted.copy()
    predicted[predicted == -1] = -2
    assert "predict is -2 in" in found(clean(predicted=predicted))["skipped"].sentence


def test_rounding():
    log = clean()
    texts = tuple(f"{r:.3}" for r in log.radius.value)
    finding = found(clean(radius_text=texts))["rounding"]
    assert finding.sentence.endswith("rounded up, by at most 0.005")
    assert set(finding.rows) == set(np.flatnonzero(log.live).tolist())
    assert "rounding" in found(clean(radius_text=texts), None)
    assert "rounding" not in found(clean(radius_text=texts, count=np.full(ROWS, 99)))


def test_the_cap_is_that_of_all_draws_agreeing():
    assert radius_cap(np.array(100_000), 0.001) == pytest.approx(norm.ppf(0.001**1e-5), rel=1e-9)
    assert [
        round(float(radius_cap(np.array(n), a)), 3) for n, a in ((10**5, 0.01), (10**4, 0.001))
    ] == [
        3.911,
        3.199,
    ]
    assert radius_cap(np.array([0, 1, 5]), 0.1).tolist()[:2] == [
        0.0,
        0.0,
    ]  # too few draws certify nothing
    assert radius_cap(np.array([0]), 0.9) == 0


def test_published_logs_that_top_out_too_high():
    """1.96 at sigma 0.5 is 3.91 sigma: the cap of alpha 0.01, not of the 0.001 stated."""
    rows = live_rows(2)
    everything = found(clean(radius_text=with_texts(dict.fromkeys(rows, "1.96"))))
    finding = everything["above_cap"]
    assert finding.rows == tuple(rows)
    assert "above 1.906 in 2 rows" in finding.sentence
    assert "100000 draws at alpha 0.001 and sigma 0.5" in finding.sentence
    # all digits here, so that 1.96 is exact: it needs more draws and is no cap of common settings
    assert f"index {20 * rows[0]} needs at least" in finding.sentence
    printed = tuple(f"{float(text):.3}" for text in with_texts(dict.fromkeys(rows, "1.96")))
    sentence = found(clean(radius_text=printed))["above_cap"].sentence
    assert "the largest possible at alpha 0.01 with 100000 draws" in sentence
    assert "needs at least 149684 draws at alpha 0.001" in sentence
    assert "above_cap" not in found(clean(radius_text=printed), StatedSettings(0.5, 0.01, 100_000))
    assert "above_cap" not in found(clean(radius_text=printed), StatedSettings(0.5, 0.001, 149_684))
    assert "above_cap" in found(clean(radius_text=printed), StatedSettings(0.5, 0.001, 149_683))


def test_rounding_up_to_above_the_cap_is_allowed_for():
    """The cap is 1.9056; printed to three digits it is 1.91."""
    printed = tuple(f"{r:.3}" for r in clean().radius.value)
    row = live_rows(1)[0]
    log = clean(radius_text=(*printed[:row], "1.91", *printed[row + 1 :]))
    assert "above_cap" not in found(log)


def test_draws_that_are_not_stated():
    finding = found(clean(), StatedSettings(0.5, 0.001))["draws_unknown"]
    assert "draws are not stated" in finding.sentence
    assert "needs at least" in finding.sentence


def test_draws_of_each_row_decide():
    draws = np.full(ROWS, 100_000)
    row = live_rows(1)[0]
    draws[row] = 0
    assert found(clean(draws=draws), StatedSettings(0.5, 0.001))["above_cap"].rows == (row,)


@pytest.mark.parametrize("text", ["1000.0", "9.9"])
def test_absurd_radii_are_reported_and_do_not_break(text):
    row = live_rows(1)[0]
    log = clean(radius_text=with_texts({row: text}))
    assert "needs more than 1,000,000,000,000 draws at" in found(log)["above_cap"].sentence


def test_radii_of_another_formula_have_no_cap():
    assert found(clean(cohen=False), StatedSettings(0.1, 0.001, 10)) == {}


def bounds(sigma, digits=6):
    return tuple(f"{norm.cdf(r / sigma):.{digits}}" for r in clean().radius.value)


def test_sigma_that_does_not_fit():
    assert found(clean(bound_text=bounds(0.5))) == {}
    assert found(clean(bound_text=bounds(0.5, 3))) == {}
    finding = found(clean(bound_text=bounds(0.25, 17)))["sigma"]
    assert "do not fit sigma 0.5 in" in finding.sentence
    assert "sigma" not in found(clean(bound_text=bounds(0.25), cohen=False))


def test_the_sigma_that_would_fit_is_named():
    log = Log(np.array([40]), np.array([1]), ("0.25",), bound_text=("0.8413",))
    assert found(log, StatedSettings(0.5, 0.001, 10_000))["sigma"].sentence.endswith(
        "at index 40 sigma 0.25 does"
    )


def test_bounds_above_their_counts():
    """The limit of 900 of 1000 at alpha 0.001 is 0.86746 (binomial arithmetic)."""
    fields = {"count": np.array([900]), "cohen": False}
    right = Log(np.array([0]), np.array([1]), ("9.99",), bound_text=("0.867464",), **fields)
    assert found(right, StatedSettings(0.5, 0.001, 1000)) == {}
    in_full = Log(
        np.array([0]), np.array([1]), ("1",), bound_text=("0.8674640180257484",), **fields
    )
    assert found(in_full, StatedSettings(0.5, 0.001, 1000)) == {}
    assert "bound" in found(right, StatedSettings(0.5, 0.001, 1001))
    assert "bound" in found(right, StatedSettings(0.5, 0.0005, 1000))
    assert "bound" not in found(right, StatedSettings(0.5, 0.002, 1000))


def test_notes_of_the_format_come_first():
    log = clean(notes=("first",), left_out=("line 3, 'x'",))
    assert [finding.code for finding in audit_log(log, STATED)] == ["note", "left_out"]
