"""Sequences of tokens in JSON lines, and what is refused."""

import json

import numpy as np
import pytest

import simplicert as sc
from simplicert.data import jsonl, load_data
from simplicert.data.sequences import hold_sequences, sequence_fingerprint


@pytest.fixture
def written(tmp_path):
    """A file of these lines, objects or texts as they are."""

    def write(*lines, end="\n"):
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        (tmp_path / "some.jsonl").write_text(end.join([*texts, ""]), encoding="utf-8")
        return str(tmp_path / "some.jsonl")

    return write


def test_texts_are_split_at_white_space(written):
    data = load_data(
        written({"text": "  It's\tfine,\nreally…\u2003yes ", "label": 1}, {"text": "", "label": 0})
    )
    assert list(data.inputs) == [("It's", "fine,", "really…", "yes"), ()]
    assert data.labels.tolist() == [1, 0]
    assert data.classes is None
    assert repr(data) == "Dataset(some.jsonl: 2 sequences of tokens, labels)"


def test_tokens_are_taken_as_they_are(written):
    data = load_data(written({"tokens": ["a b", "", "c"]}, {"tokens": []}))
    assert list(data.inputs) == [("a b", "", "c"), ()]
    assert data.labels is None
    assert list(load_data(written({"tokens": [7, 7, -1]})).inputs) == [(7, 7, -1)]


def test_text_labels_are_numbered_in_their_sorted_order(written):
    lines = [{"text": "x", "label": name} for name in ("spam", "ham", "spam", "egg")]
    data = load_data(written(*lines))
    assert data.classes == ("egg", "ham", "spam")
    assert data.labels.tolist() == [2, 1, 2, 0]


def test_sequences_of_equal_length_stay_sequences(written):
    data = load_data(written({"text": "a b"}, {"text": "c d"}, {"text": "e f"}), start=1)
    assert data.inputs.shape == (2,)
    assert data.inputs[np.array([1, 0])].tolist() == [("e", "f"), ("c", "d")]


def test_lines_may_end_as_on_any_system_and_hold_other_separators(written):
    one = load_data(written({"text": "a"}, {"text": "b"}, end="\r\n"))
    assert list(one.inputs) == [("a",), ("b",)]
    assert len(load_data(written('{"tokens": ["a\u2028b\x85"]}'))) == 1
    assert len(load_data(written('\ufeff{"text": "a"}', "", ""))) == 1


def test_the_fingerprint_is_of_the_tokens_and_labels(written):
    base = load_data(written({"text": "a b", "label": 0})).fingerprint
    assert load_data(written({"tokens": ["a", "b"], "label": 0})).fingerprint == base
    others = [
        {"text": "a b", "label": 1},
        {"text": "a b"},
        {"text": "b a", "label": 0},
        {"text": "ab", "label": 0},
        {"tokens": ["a b"], "label": 0},
    ]
    found = {load_data(written(line)).fingerprint for line in others}
    assert len(found) == len(others)
    assert base not in found
    split = [hold_sequences(one) for one in ([("a",), ("b",)], [("a", "b"), ()], [(1,), ("b",)])]
    assert len({sequence_fingerprint(one, None) for one in split}) == 3
    assert sequence_fingerprint(hold_sequences([("1",)]), None) != sequence_fingerprint(
        hold_sequences([(1,)]), None
    )
    sequence_fingerprint(hold_sequences([("\ud800",)]), None)  # JSON may hold half a letter


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["{"], "line 1 of some.jsonl cannot be read as JSON"),
        ([{"text": "a"}, "no"], "line 2 of some.jsonl cannot be read as JSON"),
        ([{"text": "a"}, "", {"text": "b"}], "line 2 of some.jsonl must be a JSON object, got an"),
        (["[1]"], r"line 1 of some.jsonl must be a JSON object, got \[1\]"),
        ([], "some.jsonl must hold at least one line, got none"),
        ([{"label": 1}], "line 1 of some.jsonl must hold either tokens or text, got neither"),
        ([{"text": "a", "tokens": []}], "either tokens or text, got tokens and text"),
        ([{"text": "a", "labels": 1}], "may hold tokens, text, label, got also labels"),
        ([{"text": "a"}, {"tokens": []}], "line 2 .* must hold text like the first line, got tok"),
        ([{"text": 1}], "text in line 1 of some.jsonl must be a text, got 1"),
        ([{"tokens": "ab"}], "tokens in line 1 of some.jsonl must be a list, got 'ab'"),
        ([{"tokens": [1.5]}], "tokens of some.jsonl must be texts or whole numbers, got 1.5 at"),
        ([{"tokens": [True]}], "tokens of some.jsonl must be texts or whole numbers, got True"),
        ([{"tokens": [1]}, {"tokens": ["a"]}], "all texts or all whole numbers, got 'a' at in"),
        ([{"text": "a", "label": 1.0}], "label in line 1 .* whole number in 0..9999999, got 1.0"),
        ([{"text": "a", "label": -1}], "label in line 1 .* got -1"),
        ([{"text": "a", "label": None}], "label in line 1 .* got None"),
        ([{"text": "a", "label": 1}, {"text": "b"}], "line 2 .* a number as its label .* no label"),
        ([{"text": "a", "label": 1}, {"text": "b", "label": "x"}], "got a text as its label"),
    ],
)
def test_what_is_refused(written, lines, sentence):
    with pytest.raises(sc.InvalidInput, match=sentence):
        load_data(written(*lines))


def test_files_that_are_too_large_or_not_there(written, monkeypatch, tmp_path):
    path = written({"text": "a b c"})
    monkeypatch.setattr(jsonl, "MOST_LOG", 10)
    with pytest.raises(sc.InvalidInput, match="must have at most 10 bytes"):
        load_data(path)
    monkeypatch.setattr("simplicert.machine.free_memory", lambda: 100)
    with pytest.raises(sc.InvalidInput, match=r"some.jsonl needs .* bytes of memory, and 100"):
        load_data(path)
    with pytest.raises(sc.InvalidInput, match="must name a file that exists"):
        load_data(str(tmp_path / "other.jsonl"))
