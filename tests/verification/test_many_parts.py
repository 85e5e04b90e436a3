"""A verification of many parts reads each once, says how far it is, and misses nothing."""

import pytest

import simplicert as sc
from simplicert.store import write_certificates
from simplicert.store.parts import _encode_table, write_part
from simplicert.store.run import PARTS, read_records
from simplicert.types.tally import select_inputs
from simplicert.verification import checks, verify_run
from simplicert.verification.certificates import _unequal_cells


@pytest.fixture
def run(tmp_path, benchmark):
    """Forty inputs in eight parts, with certificates beside them."""
    folder = tmp_path / "run"
    benchmark("scale").make_run(folder, 40, 8)
    write_certificates(sc.open_run(folder).certify(), folder.with_suffix(".csv"))
    return sc.open_run(folder)


def test_each_part_is_read_once_and_progress_is_told(run, monkeypatch):
    read, told = [], []
    own = checks.read_part_record
    monkeypatch.setattr(checks, "read_part_record", lambda *a: read.append(a[0]) or own(*a))
    monkeypatch.setattr("simplicert.store.run.read_part_record", lambda *a: pytest.fail("again"))
    found = list(verify_run(run.folder, report=lambda *words: told.append(words)))
    *others, stage = found
    assert all(check.holds for check in others) and len(others) == 6
    assert stage.holds is None and "(sensitivity 1) is the run's word" in stage.says
    assert sorted(read) == run.paths()
    assert told[:8] == [("parts", number, 8) for number in range(1, 9)]
    assert told[-1][0] == "columns of run.csv" and told[-1][1] == told[-1][2]


def test_one_bad_part_among_many_is_named(run):
    """Parts are joined before they are checked as tallies; what is wrong is still one of them."""
    bad = run.paths()[3]
    table = read_records(run)[bad].table
    labels = table["labels"].to_numpy().copy()
    labels[2] = 99
    table = table.set_column(table.column_names.index("labels"), "labels", [labels])
    name, content = _encode_table(table, run.manifest, 1.0, {})
    bad.unlink()
    (run.folder / PARTS / name).write_bytes(content)
    wrong = [check.says for check in verify_run(run.folder) if check.holds is False]
    assert name in wrong[0] and "labels must lie in 0..9" in wrong[0]
    assert "5 of 40 inputs are missing" in wrong[1]


def test_an_input_in_two_parts_is_checked_in_each(run):
    """Parts that share an input lie in layers of their own."""
    held = run.tally()
    other = select_inputs(held, held.inputs < 3)
    write_part(run.folder / PARTS, other, run.manifest, 9.0)
    says = [check.says for check in verify_run(run.folder)]
    assert "3000 draws are held by two parts; they count once" in says


def test_values_of_another_type_are_other_values():
    assert _unequal_cells([1, 2.0, None, "x"], [1, 2.0, None, "x"]) == []
    assert _unequal_cells([True, 1, 1.0, None], [1, 1.0, True, 0]) == [0, 1, 2, 3]
    assert _unequal_cells([1.0, 2.0], [1.0, 2.0 + 4e-16]) == [1]
