"""A board reads or refuses every file, certifies counts anew, and flags what was forged."""

import csv
import json
from html import escape

import numpy as np
import pytest

import simplicert as sc
from simplicert.board import make_board, read_board
from simplicert.board.entry import RADII
from simplicert.tables.published import published_names, read_published

CLAIM = "[[claim]]\ndraws = 100000\nalpha = 0.001\n"


def codes(entry):
    return {finding.code for finding in entry.findings}


def by_name(board):
    return {entry.source.path.name: entry for entry in board.entries}


def test_every_file_is_read_refused_or_counted(tmp_path, write_log):
    write_log(tmp_path / "cifar10" / "sigma_0.50")
    (tmp_path / "predictions").write_text("idx\tlabel\tpredict\tcorrect\ttime\n0\t1\t1\t1\t2\n")
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "headed").write_text("idx\tlabel\tpredict\tradius\tcorrect\ttime\n")
    (tmp_path / "curve_acc").write_text("0.0\t0.8\n0.1\t0.7\n")
    (tmp_path / "radii.txt").write_text("idx\tradius\n1\t0.5\n")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00\x80")
    (tmp_path / "code.py").write_text("x = 1\n")
    header = "idx\tlabel\tpredict\tradius\tcorrect\n"
    (tmp_path / "no_scale.tsv").write_text(f"{header}0\t1\t1\t.5\t1\n")
    (tmp_path / "counts_sigma_0.5.txt").write_text("900 80 20 0\n10 900 90 1\n")
    (tmp_path / "bad_sigma_0.5").write_text(
        "idx\tlabel\tpredict\tradius\tcorrect\n0\ta\t1\t.5\t1\n"
    )
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    board = read_board([tmp_path])
    assert sorted(by_name(board)) == ["counts_sigma_0.5.txt", "sigma_0.50"]
    reasons = {one.source.path.name: one.reason for one in board.refusals}
    assert reasons["predictions"] == "predictions without radii: nothing is certified"
    assert reasons["empty"] == "an empty file"
    assert reasons["headed"] == "a header without rows"
    assert "averages at each radius" in reasons["curve_acc"]
    assert "a column predict is missing" in reasons["radii.txt"]
    assert "neither text nor" in reasons["binary"]
    assert "sigma is unknown" in reasons["no_scale.tsv"]
    assert "label must be an integer, got 'a'" in reasons["bad_sigma_0.5"]
    assert "not followed" in reasons["link"]
    assert board.others == 1


def test_counts_are_certified_at_the_common_alpha(tmp_path):
    text = "900 80 20 0\n10 900 90 1\n400 350 250 0\n"
    (tmp_path / "counts_sigma_0.5.txt").write_text(text)
    for alpha in (0.001, 0.05):
        (entry,) = read_board([tmp_path], alpha=alpha).entries
        counts = [[900, 80, 20], [10, 900, 90], [400, 350, 250]]
        tally = sc.Tally(counts, sigma=0.5, labels=[0, 1, 0])
        own = sc.certify(sc.bound(tally, alpha=alpha))
        np.testing.assert_array_equal(entry.radius, own.radius)
        assert entry.recertified
        assert entry.settings.alpha == alpha
        assert entry.e1 is not None  # both were measured: it has a place on the simplex


def test_a_run_and_an_imported_log_are_read(tmp_path, write_log):
    tally = sc.Tally([[900, 80, 20], [40, 35, 25]], sigma=0.5, labels=[0, 0])
    sc.create_run(tmp_path / "a" / "run", sc.Manifest(sigma=0.5, inputs=3, classes=3), tally)
    log = write_log(tmp_path / "log.tsv", inputs=5)
    sc.logs.import_log("cohen", log, 0.5, tmp_path / "a" / "imported", draws=100_000)
    board = read_board([tmp_path / "a"], alpha=0.01)
    entries = by_name(board)
    own = sc.certify(sc.bound(tally, alpha=0.01))
    np.testing.assert_array_equal(entries["run"].radius, own.radius)
    assert "missing" in codes(entries["run"])
    assert entries["imported"].settings.alpha == 0.001
    assert not entries["imported"].recertified


def test_an_honest_log_is_not_flagged_and_its_numbers_are_right(tmp_path, write_log):
    path = write_log(tmp_path / "sigma_0.50", inputs=500)
    (tmp_path / "board.toml").write_text(CLAIM)
    (entry,) = read_board([tmp_path]).entries
    assert codes(entry) == {"rounding"}
    rows = list(csv.DictReader(path.read_text().splitlines(), delimiter="\t"))
    for at, value in zip(RADII, entry.accuracy_at(RADII).value, strict=True):
        # 3 digits, rounded to nearest: the lower end is counted, so never more than their own
        theirs = np.mean([r["predict"] == r["label"] and float(r["radius"]) > at for r in rows])
        assert theirs - 0.01 <= value <= theirs


def forge_radius(rows):
    rows[3][2:5] = [rows[3][1], "2.5", 1]  # 5 sigma, of 100,000 draws
    return rows


def forge_repetitions(rows):
    certified = next(row for row in rows if row[1] == row[2])
    return [*rows, certified, certified]


def shift_labels(rows):
    moved = [row[1] for row in rows[1:] + rows[:1]]
    return [[row[0], label, *row[2:]] for row, label in zip(rows, moved, strict=True)]


def total_correct(rows):
    totals = np.cumsum([row[4] for row in rows])
    return [[*row[:4], total, row[5]] for row, total in zip(rows, totals, strict=True)]


def drop_inputs(rows):
    return rows[:5] + rows[8:]


@pytest.mark.parametrize(
    ("alter", "code", "verdict"),
    [
        (forge_radius, "above_cap", "disproved"),
        (forge_repetitions, "repeated", "doubtful"),
        (shift_labels, "labels", "doubtful"),
        (total_correct, "running_total", "doubtful"),
        (drop_inputs, "missing", "doubtful"),
    ],
)
def test_forged_rows_are_flagged(tmp_path, write_log, alter, code, verdict):
    (tmp_path / "board.toml").write_text(CLAIM)
    write_log(tmp_path / "cifar10" / "forged" / "sigma_0.50", inputs=500, alter=alter)
    for seed in (1, 2):
        write_log(tmp_path / "cifar10" / f"honest{seed}" / "sigma_0.50", inputs=500, seed=seed)
    entries = read_board([tmp_path]).entries
    flagged = {entry.source.path.parent.name: entry for entry in entries}
    assert code in codes(flagged["forged"])
    assert flagged["forged"].verdict == verdict
    for name in ("honest1", "honest2"):
        assert codes(flagged[name]) == {"rounding"}
    if code == "labels":
        assert flagged["forged"].numbering != flagged["honest1"].numbering
        assert flagged["honest1"].numbering == flagged["honest2"].numbering


def test_another_numbering_in_several_folders_is_only_noted(tmp_path, write_log):
    for folder, alter in (("a", shift_labels), ("b", shift_labels), ("c", None)):
        for seed in range(2 if alter else 5):
            path = tmp_path / folder / "cifar10" / f"log{seed}" / "sigma_0.50"
            write_log(path, seed=seed, alter=alter, inputs=20)
    entries = read_board([tmp_path / folder for folder in "abc"]).entries
    for entry in entries:
        shifted = entry.source.root.name in "ab"
        assert ("numbering" in codes(entry)) == shifted
        assert "labels" not in codes(entry)
    assert len({entry.numbering for entry in entries}) == 2


def test_a_radius_above_every_usual_cap_is_flagged_where_nothing_is_stated(tmp_path, write_log):
    write_log(tmp_path / "sigma_0.50", inputs=500, alter=forge_radius)
    (entry,) = read_board([tmp_path]).entries
    assert "above_usual" in codes(entry)
    assert entry.verdict == "doubtful"


def test_repeated_rows_gain_nothing(tmp_path, write_log):
    plain = write_log(tmp_path / "a" / "sigma_0.50", inputs=100)
    text = plain.read_text()
    lines = text.splitlines()
    wrong = next(line for line in lines[1:] if line.split("\t")[4] == "0")
    index, label = wrong.split("\t")[:2]
    forged = f"{index}\t{label}\t{label}\t1.5\t1\t0.1\n"  # a second try at a lost input
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "sigma_0.50").write_text(text + forged * 50)
    first, second = read_board([tmp_path]).entries
    np.testing.assert_array_equal(first.accuracy_at(RADII).hits, second.accuracy_at(RADII).hits)
    assert len(first) == len(second) == 100


def test_the_cap_tells_alpha(tmp_path, write_log):
    def saturate(rows):
        for row in rows[:5]:
            row[2], row[3] = row[1], "1.96"  # the cap of 100,000 draws at alpha .01, sigma .5
        return rows

    write_log(tmp_path / "sigma_0.50", inputs=500, alter=saturate)
    (entry,) = read_board([tmp_path]).entries
    assert (100_000, 0.01) in entry.inferred
    (tmp_path / "board.toml").write_text(CLAIM)
    (entry,) = read_board([tmp_path]).entries
    assert entry.verdict == "disproved"


def test_codes_say_which_radii_are_reached(tmp_path):
    text = "idx\tlabel\tpredict\tradius\tcorrect\n0\t1\t1\t0.26000\t1\n1\t1\t2\t0.90000\t0\n"
    (tmp_path / "sigma_0.50").write_text(text + "2\t1\t1\t0.24000\t1\n3\t1\t-1\t0.0\t0\n")
    (entry,) = read_board([tmp_path]).entries
    assert entry.reached.tolist() == [2, 0, 1, 0]


def test_names_are_escaped_everywhere(tmp_path, write_log):
    folder = tmp_path / "in"
    folder.mkdir()
    nasty = "<img src=x onerror=alert(1)>&\"'"
    write_log(folder / nasty / "sigma_0.50")
    (folder / "<script>bad").write_text("<script>alert(2)</script>\n")
    (folder / "board.toml").write_text(
        '[[claim]]\nmethod = "</script><b>m</b>"\ndata = "=cmd()"\nsource = "<i>s</i>"\n'
    )
    make_board([folder], tmp_path / "out")
    pages = [*(tmp_path / "out").rglob("*.html"), *(tmp_path / "out").rglob("*.js")]
    assert len(pages) == 14
    for page in pages:
        text = page.read_text()
        for forged in ("<img", "<b>m", "<i>s", "<script>alert", "<script>bad", "</script><b"):
            assert forged not in text.replace("</script></body>", ""), (page, forged)
    rows = list(csv.DictReader((tmp_path / "out" / "board.csv").read_text().splitlines()))
    assert rows[0]["data"] == " =cmd()"  # no spreadsheet runs it
    assert nasty in rows[0]["log"]


def test_tables_hold_everything(tmp_path, write_log):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "board.toml").write_text(CLAIM)
    write_log(folder / "cifar10" / "a" / "sigma_0.50", alter=forge_radius)
    (folder / "notes.txt").write_text("nothing\n")
    out = tmp_path / "out"
    make_board([folder], out)
    held = json.loads((out / "board.json").read_text())
    (log,) = held["logs"]
    assert {one["code"] for one in log["findings"]} == {"above_cap", "rounding", "short"}
    assert log["settings_from"]["alpha"] == "claim"
    assert "Sun et al. 2025" in held["average_certified_radius"]
    assert len(log["sha256"]) == 64
    assert held["refused"][0]["log"].endswith("notes.txt")
    page = (out / "data" / "0.js").read_text()
    for one in log["findings"]:
        assert one["sentence"].split("'")[0] in page
    scripts = "".join(p.read_text() for p in out.rglob("*.js"))
    assert "http" not in scripts.replace("http://www.w3.org/2000/svg", "")


def test_without_pages_the_table_stands_alone(tmp_path, write_log):
    write_log(tmp_path / "in" / "sigma_0.50")
    make_board([tmp_path / "in"], tmp_path / "out", pages=False)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {
        "index.html", "claimed.html", "refused.html", "rows.js",
        "board.js", "board.css", "board.csv",
    }  # fmt: skip


def test_what_papers_claim_has_a_page_of_its_own(tmp_path, write_log):
    write_log(tmp_path / "in" / "sigma_0.50")
    make_board([tmp_path / "in"], tmp_path / "out", pages=False)
    page = (tmp_path / "out" / "claimed.html").read_text()
    for name in published_names():
        for row in read_published(name).rows:
            assert escape(row.name) in page and row.arxiv in page
    assert "claimed" not in (tmp_path / "out" / "rows.js").read_text()
    assert 'href="claimed.html"' in (tmp_path / "out" / "index.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"paths": []}, "paths must name at least one"),
        ({"paths": ["nowhere"]}, "must be a file or folder that exists, got 'nowhere'"),
        ({"paths": ["."], "alpha": 2.0}, "alpha must lie strictly between 0 and 1, got 2.0"),
    ],
)
def test_bad_arguments(arguments, words):
    with pytest.raises(sc.InvalidInput, match=words):
        read_board(**arguments)
