"""Neither gate nor verify accepts a log whose own radii disprove its stated level."""

import json
from pathlib import Path

import pytest

from simplicert.files import content_checksum
from simplicert.logs.audit import find_disproofs
from simplicert.store import open_run
from simplicert.store.manifest import CHECKSUM_LINE, read_manifest

HEADER = "idx\tlabel\tpredict\tradius\tcorrect\ttime"
# The largest radius of 100,000 draws at alpha .01 and sigma .25 prints as .978; at .001 as .953.
ROWS = [
    f"{20 * item}\t{item % 10}\t{item % 10}\t{radius}\t1\t0:00:10.5"
    for item, radius in enumerate([0.978, 0.5, 0.978, 0.3, 0.01] * 100)
]
DISPROVED = "the stated level is disproved: "


def written(place, rows=ROWS):
    path = place / "sigma_0.25"
    path.write_text("\n".join([HEADER, *rows]) + "\n")
    return path


@pytest.fixture
def imported(command, tmp_path):
    def run(name="log", alpha=0.001, rows=ROWS):
        words = ["--sigma", 0.25, "--draws", 100_000, "--alpha", alpha, "--out", tmp_path / name]
        assert command("import", "cohen", written(tmp_path, rows), *words)[0] == 0
        return tmp_path / name

    return run


def test_gate_fails_and_makes_no_statement(command, imported):
    run = imported()
    code, out, _ = command("gate", run, "--require", "accuracy@0.25>=0.1")
    assert code == 1 and "the stated level is not disproved by the audit" in out
    assert "The stated level is disproved: the radius is above 0.9529 in 200 rows" in out
    assert "alpha 0.01 with 100000 draws" in out and "probability at most" not in out
    found = json.loads(command("gate", run, "--require", "accuracy@0.25>=0.1", "--json")[1])
    assert not found["passed"] and found["statements"] == []
    assert found["remarks"][0].startswith(DISPROVED)


def test_verify_fails(command, imported):
    run = imported()
    code, out, _ = command("verify", run)
    assert code == 1 and f"WRONG audit: {DISPROVED}the radius is above 0.9529" in out
    assert "all holds" not in out


def test_the_level_that_fits_passes_both(command, imported):
    run = imported(alpha=0.01)
    code, out, _ = command("gate", run, "--require", "accuracy@0.25>=0.1")
    assert code == 0 and "with probability at most 0.01 by the own account of the log" in out
    code, out, _ = command("verify", run)
    assert (
        code == 0 and "ok    audit: nothing in the log disproves sigma 0.25 and alpha 0.01" in out
    )
    assert "note  audit: radii are printed rounded to nearest" in out  # a remark, no disproof


def test_all_others_repeat_it(command, imported, tmp_path):
    run = imported()
    code, out, err = command("certify", run, "--out", tmp_path / "c.csv")
    assert code == 0 and DISPROVED.strip() in err and "chance of a wrong" not in out
    assert "its audit disproves that: no level is proved" in out
    code, out, _ = command("table", run)
    assert code == 0 and DISPROVED in out and "chance of a wrong" not in out
    assert DISPROVED in command("status", run)[1]
    assert DISPROVED in command("figure", "accuracy", run, "--out", tmp_path / "f.png")[2]
    assert command("report", run, "--out", tmp_path / "r.html")[0] == 0
    page = (tmp_path / "r.html").read_text()
    assert "imported log, its stated level is disproved: the radius is above" in page
    assert "no level is proved" in page


def rewritten(run: Path, change):
    """Change run.toml and seal it again, as a forger can."""
    path = run / "run.toml"
    text = change(path.read_text().partition(CHECKSUM_LINE)[0])
    path.write_text(text + f"{CHECKSUM_LINE}{content_checksum(text.encode())}\n")


def without(text, *names):
    """Return a TOML text without these lists."""
    lines, inside = [], False
    for line in text.splitlines(keepends=True):
        inside = inside or any(line.startswith(f"{name} = [") for name in names)
        if not inside:
            lines.append(line)
        inside = inside and not line.rstrip().endswith("]")
    return "".join(lines)


def test_codes_are_kept_and_old_folders_work_without(imported):
    run = imported()
    source = read_manifest(run).source
    assert source["audit_codes"] == ["rounding", "above_cap"]
    said = find_disproofs(open_run(run))
    rewritten(run, lambda text: without(text, "audit_codes"))
    assert "audit_codes" not in read_manifest(run).source
    assert find_disproofs(open_run(run)) == said and len(said) == 1


def test_findings_taken_out_of_run_toml_are_found_again(command, imported):
    run = imported()
    rewritten(run, lambda text: without(text, "audit", "audit_codes"))
    assert open_run(run).audit == ()
    code, out, _ = command("verify", run)
    assert code == 1 and "above the cap in 200 rows: 100000 draws at alpha 0.001 prove no E0" in out
    assert command("gate", run, "--require", "accuracy@0.25>=0.1")[0] == 1


def test_a_clean_log_is_not_found_again(imported):
    rows = [row.replace("0.978", "0.952") for row in ROWS]
    run = imported(rows=rows)
    rewritten(run, lambda text: without(text, "audit", "audit_codes"))
    assert find_disproofs(open_run(run)) == ()


def test_a_sigma_that_does_not_fit_disproves(command, tmp_path):
    path = tmp_path / "log.tsv"
    path.write_text("idx\tlabel\tpredict\tradius\tprob_lb\n0\t1\t1\t0.25\t0.841345\n")
    words = ["--sigma", 0.5, "--draws", 1000, "--out", tmp_path / "log"]
    assert command("import", "cohen", path, *words)[0] == 0
    code, out, _ = command("verify", tmp_path / "log")
    assert code == 1 and f"{DISPROVED}radius and bound do not fit sigma 0.5" in out
