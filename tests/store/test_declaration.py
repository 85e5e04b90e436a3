"""What may be declared before the draws."""

import pytest

import simplicert as sc
from simplicert.noises import NoiseModel
from simplicert.store.declaration import LISTS, TEXTS, check_declaration

CERTAIN = NoiseModel("splitting")


@pytest.mark.parametrize("scheme", [None, "exact"])
def test_without_chance_alpha_is_0_and_the_scheme_exact(scheme):
    assert check_declaration(0.0, "hard", scheme, None, CERTAIN) == "multinomial"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((0.001, "multinomial", "exact"), "alpha must be 0 and scheme exact, got 0.001 and 'exact"),
        ((0.001, "multinomial", None), "alpha must be 0 and scheme exact, got 0.001 and None"),
        ((0.0, "multinomial", "gated"), "alpha must be 0 and scheme exact, got 0.0 and 'gated'"),
        ((0.0, "multinomial", "joint"), "scheme must be left out with splitting noise"),
        ((0.0, "softmax", "exact"), "kind must be multinomial with splitting noise"),
    ],
)
def test_without_chance_anything_else_is_refused(given, words):
    with pytest.raises(sc.InvalidInput, match=words):
        check_declaration(*given, None, CERTAIN)


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, float("nan"), 1, "0.1", None])
def test_alpha_lies_between_0_and_1(alpha):
    with pytest.raises(sc.InvalidInput, match="alpha must lie strictly between 0 and 1, got"):
        check_declaration(alpha, "hard", "gated")


NO_TEXT = [5, 1.5, True, [1], ["a"], {"a": "b"}]


@pytest.mark.parametrize("table", TEXTS)
def test_what_is_shown_as_a_text_is_one(table):
    for name in TEXTS[table]:
        sc.Manifest(0.5, 1, 2, **{table: {name: "a text"} if name != "holds" else {}})
        for value in NO_TEXT:
            words = f"^{name} in the table {table} must be a text, got "
            with pytest.raises(sc.InvalidInput, match=words):
                sc.Manifest(0.5, 1, 2, **{table: {name: value}})


@pytest.mark.parametrize("table", LISTS)
def test_what_is_a_list_of_texts_is_one(table):
    for name in LISTS[table]:
        sc.Manifest(0.5, 1, 2, **{table: {name: ["a", "b"]}})
        for value in (5, "a", True, [1], [["a"]], ["a", 2], {"a": "b"}, None):
            words = f"^{name} in the table {table} must be a list of texts, got "
            with pytest.raises(sc.InvalidInput, match=words):
                sc.Manifest(0.5, 1, 2, **{table: {name: value}})


def test_a_long_value_is_cut_in_the_sentence():
    with pytest.raises(sc.InvalidInput) as caught:
        sc.Manifest(0.5, 1, 2, source={"label": ["a" * 1000]})
    assert len(str(caught.value)) < 150
