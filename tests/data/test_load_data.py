"""Which inputs are chosen, what they are called, and what the fingerprint depends on."""

import numpy as np
import pytest

from simplicert.data import load_data
from simplicert.errors import InvalidInput

VALUES = np.arange(30, dtype=np.float32).reshape(10, 3)
LABELS = np.arange(10) % 4


@pytest.fixture
def spec(tmp_path):
    np.savez(tmp_path / "ten.npz", inputs=VALUES, labels=LABELS)
    return str(tmp_path / "ten.npz")


def of(folder, inputs=VALUES, labels=LABELS, **more):
    """The fingerprint of these arrays."""
    held = {"inputs": inputs} | ({} if labels is None else {"labels": labels}) | more
    np.savez(folder / "other.npz", **held)
    return load_data(str(folder / "other.npz")).fingerprint


@pytest.mark.parametrize(
    "choice", [{"start": 3}, {"stop": 4}, {"step": 4}, {"start": 1, "stop": 99, "step": 3}]
)
def test_a_range_keeps_the_original_numbers(spec, choice):
    data = load_data(spec, **choice)
    expected = np.arange(10)[slice(choice.get("start"), choice.get("stop"), choice.get("step"))]
    np.testing.assert_array_equal(data.index, expected)
    np.testing.assert_array_equal(data.labels, LABELS[expected])
    assert data.inputs.shape == (len(expected), 3) == (len(data), 3)
    np.testing.assert_array_equal(data.inputs[np.arange(len(data))], VALUES[expected])
    assert data.fingerprint == load_data(spec).fingerprint


def test_a_file_lists_inputs_in_its_own_order(spec, tmp_path):
    listed = tmp_path / "index.txt"
    listed.write_text("7 2\n\n# a remark\n9 # another\n")
    data = load_data(spec, index_file=listed)
    assert data.index.tolist() == [7, 2, 9] and data.labels.tolist() == [3, 2, 1]
    np.testing.assert_array_equal(data.inputs[np.array([2, 0])], VALUES[[9, 7]])
    listed.write_text(" ".join(str(n) for n in reversed(range(10))))
    np.testing.assert_array_equal(load_data(spec, index_file=listed).inputs[0], VALUES[9])


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"start": 10}, r"start must lie in 0\.\.9, got 10"),
        ({"start": -1}, r"start must lie in 0\.\.9, got -1"),
        ({"step": 0}, "step must be at least 1, got 0"),
        ({"start": 5, "stop": 5}, "stop must exceed start = 5, got 5"),
        ({"stop": -2}, "stop must exceed start = 0, got -2"),
    ],
)
def test_impossible_ranges(spec, choice, message):
    with pytest.raises(InvalidInput, match=message):
        load_data(spec, **choice)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "must list at least one input, got none"),
        (b"1 10", r"must list inputs in 0\.\.9, got 10"),
        (b"-1", r"must list inputs in 0\.\.9, got -1"),
        (b"1 2 1", "must list each input once, got 1"),
        (b"1 2.5", "must hold whole numbers: .*2.5"),
        (b"\xff\xfe\x00", "must hold whole numbers"),
    ],
)
def test_impossible_files(spec, tmp_path, content, message):
    listed = tmp_path / "index.txt"
    listed.write_bytes(content)
    with pytest.raises(InvalidInput, match=message):
        load_data(spec, index_file=listed)


def test_a_file_that_is_not_there_or_comes_with_a_range(spec, tmp_path):
    with pytest.raises(InvalidInput, match=r"must hold whole numbers: .*No such file"):
        load_data(spec, index_file=tmp_path / "absent.txt")
    (tmp_path / "index.txt").write_text("1")
    with pytest.raises(
        InvalidInput, match=r"index_file \(index\.txt\) and start, stop, step cannot"
    ):
        load_data(spec, index_file=tmp_path / "index.txt", step=2)


def test_fingerprint_is_of_values_and_labels_and_their_order(spec, tmp_path):
    fingerprint = load_data(spec).fingerprint
    assert of(tmp_path) == fingerprint
    assert of(tmp_path, VALUES.astype(np.float64), LABELS.astype(np.uint8)) == fingerprint
    assert of(tmp_path, classes=list("abcd")) == fingerprint
    nudged = VALUES.copy()
    nudged[4, 1] = np.nextafter(nudged[4, 1], 100)
    others = [
        of(tmp_path, nudged),
        of(tmp_path, VALUES[::-1]),
        of(tmp_path, labels=None),
        of(tmp_path, labels=LABELS[::-1]),
        of(tmp_path, VALUES[:, None]),
        of(tmp_path, VALUES[:9], LABELS[:9]),
    ]
    assert len({fingerprint, *others}) == 7


def test_large_inputs_are_read_in_parts(tmp_path, monkeypatch):
    whole = of(tmp_path)
    for chunk in (1, 4, 7):
        monkeypatch.setattr("simplicert.data.dataset.CHUNK", chunk)
        assert of(tmp_path) == whole


def test_forms_are_listed(tmp_path):
    for spec in ("mnist", "file.xlsx", "file.npy", "tfds:mnist", ""):
        with pytest.raises(InvalidInput, match=r"data must be digits, file\.npz, .* got '"):
            load_data(spec)
    with pytest.raises(InvalidInput, match=r"got 'x.npy'; np.savez\('data.npz', inputs="):
        load_data("x.npy")
    with pytest.raises(InvalidInput, match="a folder of images is folder:"):
        load_data(str(tmp_path))


def test_repr(spec):
    assert repr(load_data(spec)) == "Dataset(ten.npz: 10 inputs of (3,), labels)"
