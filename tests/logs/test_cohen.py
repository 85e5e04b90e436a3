"""Cohen's log and its variants are read as each tool writes them."""

import numpy as np
import pytest

import simplicert as sc
from simplicert.logs import cohen

LOCUSLAB = """\
idx\tlabel\tpredict\tradius\tcorrect\ttime
0\t3\t3\t0.0125\t1\t0:00:17.200100
20\t7\t-1\t0.0\t0\t0:00:17.100000
40\t4\t6\t3.91\t0\t0:01:02.500000
60\t1\t1\t7.11e-05\t1\t0:00:17.000000
"""
VARIANTS = {
    "seconds": LOCUSLAB.replace("0:00:17.200100", "17.2"),
    "semantic": LOCUSLAB.replace("\t1\t0:", "\tTrue\t0:").replace("\t0\t0:", "\tFalse\t0:")
    + "CleanACC = 0.5 \n",
    "ethz-spylab": LOCUSLAB.replace("e-05\t1\t", "e-05\t2\t").replace("91\t0\t", "91\t1\t"),
    "henba1": LOCUSLAB.replace("idx", "original_idx").replace("7\t-1", "7\t-2"),
    "denoised-smoothing-tf": LOCUSLAB.replace("0\t3\t3", "0\t[3]\t3"),
    "smoothing-ensembles": "".join(
        line + more + "\n"
        for line, more in zip(
            LOCUSLAB.splitlines(),
            ["\tearly_stopping_ratio\tadditional_batches\testimated_pr", *["\t0.5\t3\t0.99"] * 4],
            strict=True,
        )
    ),
    "ars": LOCUSLAB.replace("\t", " \t ").replace("radius", "l2_radius").replace("0.0 ", "-0.31 "),
    "windows": LOCUSLAB.replace("\n", "\r\n"),
}


def read(tmp_path, text):
    path = tmp_path / "log"
    path.write_bytes(text.encode())
    return cohen.read_cohen(path)


def test_the_original(tmp_path):
    log = read(tmp_path, LOCUSLAB)
    assert log.index.tolist() == [0, 20, 40, 60]
    assert log.label.tolist() == [3, 7, 4, 1]
    assert log.predicted.tolist() == [3, -1, 6, 1]
    assert log.radius_text == ("0.0125", "0.0", "3.91", "7.11e-05")
    assert log.radius.value.tolist() == [0.0125, 0.0, 3.91, 7.11e-05]
    assert log.correct.tolist() == [1, 0, 0, 1]
    assert log.seconds.tolist() == [17.2001, 17.1, 62.5, 17.0]
    assert log.live.tolist() == [True, False, True, True]
    assert (log.draws, log.count, log.left_out, log.notes) == (None, None, (), ())
    assert log.cohen
    assert len(log) == 4


@pytest.mark.parametrize("name", VARIANTS)
def test_variants_say_the_same(tmp_path, name):
    original, log = read(tmp_path, LOCUSLAB), read(tmp_path, VARIANTS[name])
    assert log.index.tolist() == original.index.tolist()
    assert log.label.tolist() == original.label.tolist()
    assert log.live.tolist() == original.live.tolist()
    assert log.predicted[log.live].tolist() == original.predicted[log.live].tolist()
    np.testing.assert_array_equal(log.radius.lower[log.live], original.radius.lower[log.live])
    assert log.seconds.shape == (4,)


def test_what_each_variant_adds(tmp_path):
    assert read(tmp_path, VARIANTS["ethz-spylab"]).correct.tolist() == [1, 0, 1, 2]
    assert read(tmp_path, VARIANTS["henba1"]).predicted[1] == -2
    assert read(tmp_path, VARIANTS["ars"]).radius.value[1] == -0.31
    assert read(tmp_path, VARIANTS["semantic"]).left_out == ("line 6, 'CleanACC = 0.5'",)
    assert read(tmp_path, VARIANTS["semantic"]).correct.tolist() == [1, 0, 0, 1]


def test_multiscale_has_a_note(tmp_path):
    text = (
        "idx\tlabel\tpredict\tradius\tr_neg\tcorrect\tpred_uc\tcorr_uc\tstage\ttime\n"
        "0\t3\t3\t0.52\t-1e+02\t1\t3\t1\t0\t0:00:03\n"
        "20\t3\t-2\t0.0\t-1e+02\t0\t5\t0\t2\t0:00:09\n"
    )
    log = read(tmp_path, text)
    assert log.predicted.tolist() == [3, -2]
    assert "several sigmas" in log.notes[0]


def test_bounds_printed_beside_the_radius_are_kept(tmp_path):
    text = (
        "idx \t label \t predict \t l2_radius \t prob_lb \t correct \t time\n"
        "0 \t 3 \t 3 \t 0.26 \t 0.69846821 \t 1 \t 0:00:03\n"
    )
    assert read(tmp_path, text).bound_text == ("0.69846821",)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("idx\tlabel\tpredict\tcorrect\ttime", "must have a column radius or l2_radius, got idx"),
        ("idx\tlabel\tpredict\tradius\traw_count\ttime", "simplicert import second-order"),
        ("idx\tlabel\tpredict\tradius\tsamplesize\ttime", "simplicert import iss"),
        ("idx\tlabel\tpredict\tlinf_radius\ttime", "radii are not l2: import it by .* --bare"),
        ("idx\tlabel\tpredict\tradius\tproved", "not the one proved"),
        ("number\tlabel\tpredict\tradius", "must have a column idx or original_idx or index"),
        ("idx\tpredict\tradius", "must have a column label"),
    ],
)
def test_other_logs_are_sent_elsewhere(tmp_path, header, message):
    row = "\t".join("1" for _ in header.split("\t"))
    with pytest.raises(sc.InvalidInput, match=message):
        read(tmp_path, f"{header}\n{row}\n")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0.0125", "big", "line 2: radius must be a finite number, got 'big'"),
        ("3.91", "inf", "line 4: radius must be a finite number, got 'inf'"),
        ("20\t7", "20\tcat", "line 3: label must be an integer, got 'cat'"),
        ("4\t6", "4\t6.5", "line 4: predict must be a class"),
        ("05\t1", "05\tyes", "line 5: correct must be 0 or 1, True or False, got 'yes'"),
        ("0:00:17.0", "noon", "line 5: time must be seconds or H:MM:SS"),
    ],
)
def test_cells_that_cannot_be_read_are_named(tmp_path, old, new, message):
    with pytest.raises(sc.InvalidInput, match=message):
        read(tmp_path, LOCUSLAB.replace(old, new))
