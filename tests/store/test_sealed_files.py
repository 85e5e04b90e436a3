"""What a seal covers may be as large as a part or as the largest log, and no larger."""

import pytest

import simplicert as sc
from simplicert.store import seals


@pytest.mark.parametrize("lower", ["MOST_FILE", "MOST_LOG"])
def test_the_larger_of_two_limits_holds(tmp_path, monkeypatch, lower):
    run = sc.create_run(tmp_path / "run", sc.Manifest(0.5, 1, 2), sc.Tally([[9, 1]], 0.5))
    monkeypatch.setattr(seals, lower, 10)
    names = [file.name for file in seals.list_sealed_files(run)]
    assert len(names) == 2 and "run.toml" in names
    for limit in ("MOST_FILE", "MOST_LOG"):
        monkeypatch.setattr(seals, limit, 10)
    with pytest.raises(sc.SimplicertError, match="at most 10 bytes"):
        seals.list_sealed_files(run)
