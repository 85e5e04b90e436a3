"""In second-order logs the count of the class is read, and dipole's pairs are refused."""

import pytest

import simplicert as sc
from simplicert.logs import second_order

BASELINE = """\
idx\tlabel\tpredict\tradius\traw_count\tp_A_bar\tcorrect\ttime
0\t9\t9\t0.143\t72076\t0.716361\t1\t0:00:00.400604
10\t0\t-1\t0.0\t50010\t0.495226\t0\t0:00:00.060281
"""


def read(tmp_path, text):
    path = tmp_path / "log"
    path.write_text(text)
    return second_order.read_second_order(path)


def test_baseline(tmp_path):
    log = read(tmp_path, BASELINE)
    assert log.count.tolist() == [72076, 50010]
    assert log.bound_text == ("0.716361", "0.495226")
    assert log.predicted.tolist() == [9, -1]
    assert log.cohen


def test_the_second_order_radius_is_not_cohens(tmp_path):
    names = "raw_grad_norm\tgrad_norm_bound\tgrad_norm_bound_nonvacuous"
    text = BASELINE.replace("p_A_bar\t", f"p_A_bar\t{names}\t").replace(
        "361\t", "361\t.7\t1.3\t0\t"
    )
    log = read(tmp_path, text.replace("226\t", "226\t1.4\t1.6\t0\t"))
    assert log.count.tolist() == [72076, 50010]
    assert not log.cohen


def test_dipole_is_refused(tmp_path):
    text = BASELINE.replace("raw_count", "raw_count_symmetric")
    with pytest.raises(sc.InvalidInput, match="draws come in pairs and are not independent"):
        read(tmp_path, text)


def test_a_log_without_counts(tmp_path):
    with pytest.raises(sc.InvalidInput, match="must have a column raw_count"):
        read(tmp_path, BASELINE.replace("raw_count", "number"))
