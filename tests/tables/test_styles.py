"""Styles are found by name, and an option that a style does not take is refused."""

import pytest
from certified import drawn

from simplicert.errors import InvalidInput
from simplicert.tables import STYLES, TableOptions, field_table, make_table

EVERYTHING = {
    "kind": "multinomial",
    "column": "cohen",
    "population": "all",
    "radii": (0.5,),
    "inclusive": False,
    "intervals": True,
}


def test_the_default_is_the_field_s(held):
    assert make_table([held("a", drawn())]) == field_table([held("a", drawn())])


def test_an_unknown_style_is_refused_with_the_list(held):
    with pytest.raises(InvalidInput, match="one of field, paper1, paper2, pairs, got 'x'"):
        make_table([held("a", drawn())], "x")


@pytest.mark.parametrize("name", EVERYTHING)
@pytest.mark.parametrize("style", STYLES)
def test_a_choice_is_taken_or_refused_and_never_ignored(held, style, name):
    studies = [held("a", drawn()), held("b", drawn(), 1.0)]
    asked = TableOptions(**{name: EVERYTHING[name]})
    if name in STYLES[style].takes:
        assert make_table(studies, style, asked).rows
    else:
        with pytest.raises(InvalidInput, match=f"{name} has no place in style {style}"):
            make_table(studies, style, asked)
