"""Every column, table and figure has one sentence, and none is left over."""

import ast
import re
from pathlib import Path

import pytest

import simplicert
from simplicert.errors import InvalidInput
from simplicert.figures.catalogue import FIGURES as CATALOGUE
from simplicert.glossary import COLUMNS, FIGURES, PAGE_FIGURES, TABLES, explain, list_explanations
from simplicert.mechanisms.threats import find_threat, list_threats
from simplicert.noises import NOISES
from simplicert.report.terms import TERMS, WORDS, explain_terms
from simplicert.types.certificates import RESERVED_COLUMNS

SOURCE = Path(simplicert.__file__).parent
NUMBERS = {"size": 784, "keep": 45, "rate": 0.9}


def test_columns_are_those_of_certificates():
    mechanisms = {
        name
        for noise, norm in list_threats()
        for name in find_threat(
            noise, norm, **{need: NUMBERS[need] for need in NOISES[noise].parameters[norm]}
        ).mechanisms
    }
    assert set(COLUMNS) == RESERVED_COLUMNS | mechanisms


def made_tables():
    """The name of every function that makes a table, and the names that it gives to tables."""
    for path in [*SOURCE.glob("tables/*.py"), *SOURCE.glob("report/*.py")]:
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.endswith("_table"):
                calls = [
                    {item.arg: item.value for item in call.keywords}.get("name")
                    for call in ast.walk(node)
                    if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Grid"
                ]
                if calls:
                    name = node.name.strip("_").removesuffix("_table")
                    yield name, {getattr(value, "value", None) for value in calls}


def test_tables_are_those_that_are_made_and_each_knows_its_name():
    found = dict(made_tables())
    assert set(found) == set(TABLES) and len(found) > 25
    assert {name: names for name, names in found.items() if names != {name}} == {}


def test_figures_are_those_of_the_catalogue_and_of_the_page():
    assert set(FIGURES) == {*CATALOGUE, "history"}
    pages = "".join(path.read_text() for path in SOURCE.glob("report/templates/*.html"))
    plots = re.findall(r'id="([a-z-]+)"[^>]* class="plot"', pages)
    assert set(plots) == set(PAGE_FIGURES)
    assert set(re.findall(r'figure_tip\("([a-z-]+)"\)', pages)) == set(PAGE_FIGURES)


def test_every_sentence_is_one():
    for _, name, text in list_explanations():
        assert text[0].isupper() or text.startswith("multinomial"), name
        assert text.endswith(".") and len(text) < 140, name


def test_the_page_says_the_same():
    terms = explain_terms()
    assert all(terms[name] == text for name, text in COLUMNS.items())
    assert all(terms[word] == COLUMNS[column] for word, column in WORDS.items())
    assert terms["improved DP"] == COLUMNS["improved_dp"]
    assert not {*TERMS} & {*COLUMNS, *WORDS}  # one place for each


@pytest.mark.parametrize("name", ["two_sided", "Two sided", " cohen-minus-li ", "curves"])
def test_a_name_is_found_as_people_write_it(name):
    assert explain(name)


def test_an_unknown_name_is_refused_with_an_offer():
    with pytest.raises(InvalidInput, match=r"got 'raduis'; did you mean radius"):
        explain("raduis")


def test_the_command(command):
    code, out, err = command("explain", "winner")
    page = (SOURCE.parents[1] / "docs" / "results.md").read_text()
    assert (code, err) == (0, "") and out in page
    assert len(command("explain")[1].splitlines()) == len(list_explanations())
    code, out, err = command("explain", "nothing")
    assert code == 2 and out == "" and "must be that of a column" in err
