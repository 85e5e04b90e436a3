"""Logs of input-specific sampling have draws in each row, three decimals, and a summary below."""

import numpy as np
import pytest

from simplicert.logs import iss

HEADER = "idx\tlabel\tpredict\tpA\tsamplesize\tradius\tcorrect\ttime_forward\n"
ROWS = """\
0\t3\t3\t0.934\t20000\t0.377\t1\t1.204
20\t7\t-1\t0.301\t0\t0.000\t0\t0.104
40\t4\t6\t0.521\t90000\t0.013\t0\t5.310
"""
SUMMARY = """\
===Certification Summary(absolute)===
image number=3, total time=6.6, time_iss=0.1, total sample size=110000, loss control=1.00%
Radius: 0.0  Number: 1  Acc: 33.3%
ACR: 0.125
"""


@pytest.mark.parametrize("text", [HEADER + ROWS + SUMMARY, ROWS + SUMMARY, HEADER + ROWS])
def test_rows_with_and_without_header_and_summary(tmp_path, text):
    path = tmp_path / "log"
    path.write_text(text)
    log = iss.read_iss(path)
    assert log.index.tolist() == [0, 20, 40]
    assert log.predicted.tolist() == [3, -1, 6]
    assert log.draws.tolist() == [20000, 0, 90000]
    assert log.bound_text == ("0.934", "0.301", "0.521")
    assert log.seconds.tolist() == [1.204, 0.104, 5.31]
    np.testing.assert_allclose(log.radius.lower, [0.3765, -0.0005, 0.0125], rtol=1e-12)
    assert len(log.left_out) == (4 if SUMMARY in text else 0)
    assert "not proved" in log.notes[0]
