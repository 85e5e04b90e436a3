"""What may be declared before the draws."""

import pytest

import simplicert as sc
from simplicert.noises import NoiseModel
from simplicert.store.declaration import check_declaration

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
