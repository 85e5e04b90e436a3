"""The table of an attack reads back exactly, and is refused if it was altered."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simplicert.errors import DamagedRun, InvalidInput
from simplicert.store import Manifest
from simplicert.store.attacks import COLUMNS, AttackRow, attack_path, read_attack, write_attack

ROW = AttackRow(
    index=3, certified=1, radius=0.5, rival=2, found=0.75, draws=1000, tests=2, level=1e-5,
    inputs=2, confirm=500, explore=64, steps=5, restarts=1, samples=4, gradients="network",
    seed=0, kind="multinomial", alpha=0.001, scheme="gated", sigma=0.25, norm="l2", run="ab12",
)  # fmt: skip
NONE = replace(ROW, index=4, rival=None, found=None)


def test_what_follows_from_the_distances():
    assert (ROW.ratio, ROW.broken) == (1.5, False)
    assert (NONE.ratio, NONE.broken) == (None, False)
    assert replace(ROW, found=0.49).broken
    assert not replace(ROW, found=0.5).broken  # a certificate covers what is nearer


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(found=st.none() | st.floats(1e-300, 1e300), radius=st.floats(1e-300, 1e300))
def test_numbers_read_back_as_they_were(tmp_path_factory, found, radius):
    path = tmp_path_factory.mktemp("table") / "attack.csv"
    rows = [replace(ROW, radius=radius, found=found, rival=None if found is None else 2), NONE]
    write_attack(path, rows)
    assert read_attack(path) == rows
    assert path.read_text().splitlines()[0] == ",".join(COLUMNS)


def test_each_kind_has_its_own_table(tmp_path):
    manifest = Manifest(0.5, 1, 3)
    assert attack_path(tmp_path, manifest, "multinomial") == tmp_path / "attack.csv"
    assert attack_path(tmp_path, manifest, "softmax") == tmp_path / "attack-softmax.csv"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("index,", "number,", "is no table of an attack: its first line"),
        ("0.75", "0.45", "line 2: broken contradicts the distances"),
        ("0.75", "-1", "line 2: found must be positive and finite"),
        ("0.75", "nan", "line 2: found must be positive and finite"),
        ("0.75", "", "line 2: found and rival come together"),
        ("0.75", "x", "line 2: a cell must hold a number"),
        ("3,1,0.5", "3,2,0.5", "line 2: rival must not be the certified class"),
        ("3,1,0.5", "4,1,0.5", "holds an input twice"),
        ("3,1,0.5", "3,1,inf", "line 2: radius must be positive and finite"),
        ("3,1,0.5", "-3,1,0.5", "line 2: index must not be negative"),
        ("3,1,0.5", f"{2**63},1,0.5", f"line 2: index must not be .*, got {2**63}"),
        ("gated", "<script>", "line 2: scheme must be a plain word"),
        ("multinomial", "hard", "line 2: kind must be one of KINDS"),
        (",5,1,4,", ",5,2,4,", "its rows have different settings"),
        ("3,1,", "3,", "line 2: "),
        ("3,1,", "3,1,1,", "line 2: "),
    ],
)
def test_an_altered_table_is_one_sentence(tmp_path, old, new, message):
    path = tmp_path / "attack.csv"
    write_attack(path, [ROW, NONE])
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(DamagedRun, match=message):
        read_attack(path)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"\x00", b"index\n"])
def test_something_else_is_no_table(tmp_path, content):
    path = tmp_path / "attack.csv"
    path.write_bytes(content)
    with pytest.raises(DamagedRun, match="attack"):
        read_attack(path)


def test_a_row_that_cannot_be():
    with pytest.raises(InvalidInput, match="level must be positive"):
        replace(ROW, level=0.0)
