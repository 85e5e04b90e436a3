"""docs/coverage.md shows what mutation testing found, and every survivor has its reason."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def mutants(benchmark):
    """benchmarks/mutant_page.py."""
    return benchmark("mutant_page")


def test_nine_in_ten_mutants_are_killed(mutants):
    result, _ = mutants.read()
    rows = [row for held in result.values() for row in held["mutants"]]
    assert len(rows) > 300
    assert sum(row["outcome"] != "survived" for row in rows) >= 0.9 * len(rows)


def test_every_survivor_is_explained_and_nothing_else(mutants):
    result, reasons = mutants.read()
    explained = {(name, change) for name, found in reasons.items() for change in found}
    assert {(name, change) for name, _, change in mutants.survivors(result)} == explained


def test_the_page_shows_it(mutants):
    assert mutants.page(*mutants.read()) in (ROOT / "docs" / "coverage.md").read_text()


def test_both_rooms_of_the_mathematics_were_tried(mutants):
    """A file that is new or has moved is tried when the benchmark runs next."""
    assert {name.split("/")[0] for name in mutants.read()[0]} == {"bounds", "mechanisms"}
