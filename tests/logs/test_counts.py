"""Tables of counts are read as they are, or refused with the reason."""

import numpy as np
import pytest

import simplicert as sc
from simplicert.logs import import_counts
from simplicert.logs.counts import read_counts

TABLE = "# a comment\n7 2 1 0\n0\t4 6 2\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "counts.txt"
    path.write_text(TABLE)
    return path


def test_text(table):
    tally = read_counts(table, 0.25)
    assert tally == sc.Tally([[7, 2, 1], [0, 4, 6]], 0.25, labels=[0, 2])


def test_text_without_labels(table):
    table.write_text("7 2 1 2\n0\t4 6 2\n")
    tally = read_counts(table, 0.25, labelled=False)
    assert tally == sc.Tally([[7, 2, 1, 2], [0, 4, 6, 2]], 0.25)


def test_text_with_a_pilot(table, tmp_path):
    pilot = tmp_path / "pilot.txt"
    pilot.write_text("2 1 0 0\n0 1 2 2\n")
    assert read_counts(table, 0.25, pilot=pilot).pilot.tolist() == [[2, 1, 0], [0, 1, 2]]
    pilot.write_text("2 1 0 1\n0 1 2 2\n")
    with pytest.raises(sc.InvalidInput, match="pilot must hold the same inputs, labels"):
        read_counts(table, 0.25, pilot=pilot)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must hold at least one row of counts"),
        ("# only a comment\n", "must hold at least one row of counts"),
        ("1 2 x\n", "must hold whole numbers between blanks, tabs or commas, got .* in row 1"),
        ("1.5 2 0\n", "must hold whole numbers between blanks, tabs or commas, got .* in row 1"),
        ("1 2 0\n1 2\n", "as many numbers in each row as in row 1, 3, got 2 in row 2"),
        ("c0,c1,label\n7,2,1\n7,,1\n", "whole numbers .*, got '7,,1' in row 2"),
        ("7,2 1\n", "whole numbers .*, got '7,2 1' in row 1"),
        ("7 2 1\n1_0 2 1\n", "whole numbers .* in row 2"),
        (f"7 {2**63} 1\n", r"numbers below 2\^63, got more in row 1"),
        (f"7 {'9' * 5000} 1\n", r"numbers below 2\^63, got more in row 1"),
        ("c0 c1 label\n", "must hold at least one row of counts"),
        ("7 2 1\n0 0 1\n", "at least one draw in each row, got none in row 2"),
        ("c0,c1,label\n0,7,2,1\n", "got 3 names for 4 columns"),
        ("idx,c0,c1,label\n0,7,2,1\n", "got a column with the name 'idx'"),
        ("label c0 c1\n0 7 2\n", "got a column with the name 'label'"),
        (",0,1,label\n0,7,2,1\n", "whole numbers .* in row 1"),
        (",c0,c1,label\n0,7,2,1\n", "got a column with the name ''"),
        ("0.5 0.25 0.5\n7 2 1\n", "whole numbers .* in row 1"),
        ("1 nan 0\n", "must hold whole numbers between blanks, tabs or commas, got .* in row 1"),
        (
            "7 2 1\n7 2 5\n",
            r"label in 0..1, got 5 in row 2; a table without labels needs --no-labels",
        ),
        ("7 2 -1\n", "got -1 in row 1"),
        ("image,c0,c1,label\n0,7,2,1\n", "name 'image': leave it out, or move it to the end"),
        ("0 7 2 1\n1 6 3 1\n", "first column, leave it out: .* 9 to 10 draws as read, and all 9"),
        ("cat dog label\n7 2 bird\n", "a class's number, from 0, or its name in the header"),
        ("cat cat label\n7 2 cat\n", "a class's number, from 0, or its name in the header"),
        ("c0,c1,label\n0.7,0.3,1\n", "in row 1; shares of the draws are no counts"),
        ("c0,c1,abstain\n7,2,1\n", "label in its last column, got the name 'abstain'; a table"),
        ("c0,c1,abstain,label\n7,2,1,2\n", r"label in 0..1, got 2 in row 1"),
        ("-7 2 1\n", "counts must not be negative"),
        ("7 0\n", "at least two classes"),
    ],
)
def test_bad_text(tmp_path, text, message):
    path = tmp_path / "counts.txt"
    path.write_text(text)
    with pytest.raises(sc.InvalidInput, match=message):
        read_counts(path, 0.25)


@pytest.mark.parametrize(
    "text",
    [
        "7,2,1,0\n0, 4, 6, 2\n",
        "c0,c1,c2,label\n7,2,1,0\n0,4,6,2\n",
        "0,1,2,label\n7,2,1,0\n0,4,6,2\n",
        '\ufeff"class 0","class 1","class 2","label"\r\n7,2,1,0\r\n0,4,6,2\r\n',
        "class 0\tclass 1\tclass 2\tlabel\n7\t2\t1\t0\n0\t4\t6\t2\n",
        "c0,c1,c2,label\n7.0,2.0,1.0,0\n0.0,4.,6.0,2.0\n",
        "cat,dog,bird,label\n7,2,1,cat\n0,4,6,bird\n",
        "# made elsewhere\n\nc0 c1 c2 label\n7 2 1 0 # the first\n\n0 4 6 2\n",
    ],
)
def test_text_with_commas_tabs_and_a_header(tmp_path, text):
    path = tmp_path / "counts.csv"
    path.write_bytes(text.encode())
    assert read_counts(path, 0.25) == sc.Tally([[7, 2, 1], [0, 4, 6]], 0.25, labels=[0, 2])


def test_a_class_is_not_read_as_the_label_nor_a_label_as_a_class(table):
    """Either mistake would be silent: the counts would be of draws that were never made."""
    with pytest.raises(sc.InvalidInput, match=r"hold a label .* give --labels: .* 10 to 12 draws"):
        read_counts(table, 0.25, labelled=False)
    table.write_text("7 2 1\n6 4 0\n")
    with pytest.raises(
        sc.InvalidInput, match=r"hold a count .* give --no-labels: .* 9 to 10 draws"
    ):
        read_counts(table, 0.25)
    assert read_counts(table, 0.25, labelled=False).draws.tolist() == [10, 10]
    table.write_text("7 2 1\n6 5 0\n")  # unequal either way: as it was asked for
    assert read_counts(table, 0.25).draws.tolist() == [9, 11]
    assert read_counts(table, 0.25, labelled=False).draws.tolist() == [10, 11]


def test_tabs_and_blanks_in_one_table(table):
    table.write_text("7 2\t1 0\n0\t4 6 2\n")
    assert read_counts(table, 0.25) == sc.Tally([[7, 2, 1], [0, 4, 6]], 0.25, labels=[0, 2])


def test_a_column_of_abstentions_holds_draws_without_a_class(table):
    """They count against every class, and none of them can be the answer."""
    expected = sc.Tally([[7, 2, 1], [0, 4, 6]], 0.25, labels=[0, 2], invalid=[3, 3])
    table.write_text("c0,c1,c2,Abstain,label\n7,2,1,3,0\n0,4,6,3,2\n")
    assert read_counts(table, 0.25) == expected
    table.write_text("abstain cat dog bird label\n3 7 2 1 cat\n3 0 4 6 bird\n")
    assert read_counts(table, 0.25) == expected
    table.write_text("c0,c1,c2,invalid\n7,2,1,3\n0,4,6,3\n")
    assert read_counts(table, 0.25, labelled=False).invalid.tolist() == [3, 3]


def test_an_array_of_its_own_is_told_how_to_be_saved(tmp_path):
    np.save(tmp_path / "counts.npy", [[7, 2, 1]])
    with pytest.raises(sc.InvalidInput, match=r"got .*counts.npy.*: save it by np.savez"):
        read_counts(tmp_path / "counts.npy", 0.25)


def test_numbers_of_columns_are_no_counts(table):
    table.write_text("0,1,2\n7,2,1\n0,4,6\n")
    with pytest.raises(sc.InvalidInput, match="row 1, got the numbers of its columns"):
        read_counts(table, 0.25, labelled=False)


def test_npz_holds_any_field_of_a_tally(tmp_path):
    path = tmp_path / "counts.npz"
    counts = np.array([[7, 2, 1], [0, 4, 6]])
    np.savez(path, counts=counts, labels=[0, 2], index=[5, 9], votes=counts, pilot=counts)
    expected = sc.Tally(counts, 0.25, labels=[0, 2], index=[5, 9], votes=counts, pilot=counts)
    assert read_counts(path, 0.25) == expected


def test_bad_npz(tmp_path):
    path = tmp_path / "counts.npz"
    np.savez(path, labels=[0])
    with pytest.raises(sc.InvalidInput, match=r"must hold an array 'counts', got .'labels'."):
        read_counts(path, 0.25)
    np.savez(path, counts=[[1, 2]], mood=[1])
    with pytest.raises(sc.InvalidInput, match="got also mood"):
        read_counts(path, 0.25)
    np.savez(path, counts=np.array([[object()]], dtype=object), allow_pickle=True)
    with pytest.raises(sc.InvalidInput, match="must be an npz file"):
        read_counts(path, 0.25)
    path.write_text("not a zip")
    with pytest.raises(sc.InvalidInput, match="npz file of plain arrays"):
        read_counts(path, 0.25)


def test_the_counts_are_no_pilot(table):
    """Selected from the draws that bound it, a class is wrong up to twice as often as alpha."""
    with pytest.raises(sc.InvalidInput, match="pilot must hold separate draws"):
        read_counts(table, 0.25, pilot=table)


def test_hostile_npz(tmp_path):
    """Each damage that was tried gives one sentence, and no traceback."""
    path = tmp_path / "counts.npz"
    np.save(tmp_path / "plain.npy", np.arange(4))
    path.write_bytes((tmp_path / "plain.npy").read_bytes())
    with pytest.raises(sc.InvalidInput, match="must be an npz file"):
        read_counts(path, 0.25)
    np.savez_compressed(path, counts=np.arange(4000).reshape(2, -1))
    content = bytearray(path.read_bytes())
    content[200:230] = b"x" * 30
    path.write_bytes(bytes(content))
    with pytest.raises(sc.InvalidInput, match="must be an npz file"):
        read_counts(path, 0.25)


def test_a_compressed_text_is_not_unpacked(tmp_path):
    path = tmp_path / "counts.txt.xz"
    path.write_bytes(b"\xfd7zXZ\x00garbage")
    with pytest.raises(sc.InvalidInput, match="must be UTF-8 text"):
        read_counts(path, 0.25)


def test_a_name_that_is_no_text(tmp_path):
    import os

    path = tmp_path / os.fsdecode(b"\xffbad.txt")
    path.write_text(TABLE)
    run = import_counts(path, 0.25, tmp_path / "run")
    assert "bad.txt" in sc.open_run(run.folder).manifest.source["file"]


def test_import_declares_its_settings(table, tmp_path):
    run = import_counts(table, 0.25, tmp_path / "run", alpha=0.01, scheme="paper", kind="hard")
    declared = sc.open_run(tmp_path / "run").manifest
    assert (declared.alpha, declared.kind, declared.scheme) == (0.01, "multinomial", "paper")
    assert declared.source["file"] == "counts.txt"
    assert len(declared.source["sha256"]) == 32
    assert declared.package == sc.__version__
    assert run.certify().known.scheme == "paper"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": 0}, "alpha must lie strictly between 0 and 1"),
        ({"kind": "x"}, "kind must be one of"),
        ({"scheme": "x"}, "scheme must be one of gated, paper, split"),
        (
            {"kind": "soft", "scheme": "joint"},
            "one of gated, paper, split for kind softmax, got 'joint'",
        ),
        ({"kind": "soft"}, "kind softmax needs softmax_sums .* counts.txt holds none"),
        ({"scheme": "split"}, "scheme split needs --pilot"),
    ],
)
def test_import_refuses_before_it_writes(table, tmp_path, change, message):
    with pytest.raises(sc.InvalidInput, match=message):
        import_counts(table, 0.25, tmp_path / "run", **change)
    assert not (tmp_path / "run").exists()


def test_softmax_is_imported_with_what_it_needs(tmp_path):
    counts, path = np.array([[7, 2, 1], [0, 4, 6]]), tmp_path / "soft.npz"
    np.savez(path, counts=counts, softmax_sums=counts << 39)
    with pytest.raises(sc.InvalidInput, match="scheme gated of kind softmax needs votes"):
        import_counts(path, 0.25, tmp_path / "run", kind="soft")
    import_counts(path, 0.25, tmp_path / "paper", kind="soft", scheme="paper").certify()
    np.savez(path, counts=counts, softmax_sums=counts << 39, votes=counts)
    import_counts(path, 0.25, tmp_path / "run", kind="soft").certify()


LISTS = "idx\tlabel\tcounts\n0\t1\t[7, 2, 1]\n20\t2\t[0, 4, 6]\n"


@pytest.mark.parametrize("text", [LISTS, LISTS.partition("\n")[2]])
def test_lists_with_and_without_header(tmp_path, text):
    path = tmp_path / "N.txt"
    path.write_text(text)
    expected = sc.Tally([[7, 2, 1], [0, 4, 6]], 0.25, labels=[1, 2], index=[0, 20])
    assert read_counts(path, 0.25) == expected
    assert read_counts(path, 0.25, labelled=False).labels is None


def test_lists_with_a_pilot(tmp_path):
    path, pilot = tmp_path / "N.txt", tmp_path / "N0.txt"
    path.write_text(LISTS)
    pilot.write_text(LISTS.replace("[7, 2, 1]", "[3, 0, 0]"))
    assert read_counts(path, 0.25, pilot=pilot).pilot.tolist() == [[3, 0, 0], [0, 4, 6]]
    pilot.write_text(LISTS.replace("20\t2", "40\t2"))
    with pytest.raises(sc.InvalidInput, match="pilot must hold the same inputs, labels"):
        read_counts(path, 0.25, pilot=pilot)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("40\t1\t[1, 2]", "line 4 must hold 3 counts, as the first line does, got 2"),
        ("40\t1\t[1, 2, 3", r"line 4 must hold an index, a label and a list of counts.*got '40"),
        ("40\t1\t[1, 2, true]", "line 4 must hold an index, a label and a list"),
        ("40\t1\t[1, 2, 0.5]", "line 4 must hold an index, a label and a list"),
        ("40\t1\t5", "line 4 must hold an index, a label and a list"),
        ("40\t[1, 2, 3]", "line 4 must hold an index, a label and a list"),
        ("40\t1\t[__import__('os').getpid(), 2, 3]", "line 4 must hold an index, a label"),
        ("40\t3\t[1, 2, 3]", r"labels must lie in 0..2 \(K = 3\), got 3"),
        ("20\t1\t[1, 2, 3]", "index must name each input once"),
    ],
)
def test_bad_lists(tmp_path, line, message):
    path = tmp_path / "N.txt"
    path.write_text(LISTS + line + "\n")
    with pytest.raises(sc.InvalidInput, match=message):
        read_counts(path, 0.25)


def test_import_of_lists(tmp_path):
    path = tmp_path / "N.txt"
    path.write_text(LISTS)
    import_counts(path, 0.25, tmp_path / "run")
    assert sc.open_run(tmp_path / "run").tally().index.tolist() == [0, 20]


@pytest.mark.parametrize(
    "text",
    [
        "null\t01e999[",
        "0'0\t[90, 80,",
        "idx\tlabel\t[counts]\n",
        "0\t1\t[99999999999999999999, 1]\n",
        "0\t1\t" + "[" * 100_000 + "\n",
        "99999999999999999999\t1\t[3, 1]\n",
    ],
)
def test_lists_that_are_none(tmp_path, text):
    """The fuzzer found one of these; the others are close to it."""
    (tmp_path / "counts.txt").write_text(text)
    with pytest.raises(sc.InvalidInput, match="must hold"):
        read_counts(tmp_path / "counts.txt", 0.5)
