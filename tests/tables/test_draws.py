"""Every table says how many draws its radii are from, and what a stopping rule leaves unknown."""

from dataclasses import replace

import numpy as np
import pytest
from certified import drawn

from simplicert.metrics.study import Study
from simplicert.stopping import RULES, plan_looks
from simplicert.tables import (
    TableOptions,
    field_table,
    pairs_table,
    paper1_table,
    paper2_table,
    summary_table,
)
from simplicert.tables.summary import RULE_CAVEATS, draws_sentence

EARLY = "n = 157 to 20,000, each stopped by radius=0.3: it asks only who reaches that radius"


def early(certificates, reasons=("certified", "budget")):
    """The same certificates as of a run whose first inputs were stopped at the first look."""
    draws = np.full(len(certificates), 20_000)
    draws[:20] = 157
    why = np.where(draws == 157, *reasons)
    return replace(certificates, known=replace(certificates.known, draws=draws, stopped=why))


def by_rule(study, rule):
    manifest = replace(study.run.manifest, plan=plan_looks(20_000, rule))
    return Study(study.name, replace(study.run, manifest=manifest))


@pytest.fixture
def stopped(held):
    return by_rule(held("stopped", early(drawn())), "radius=0.3")


@pytest.mark.parametrize("table", [field_table, paper1_table, paper2_table])
def test_a_table_says_how_many_draws_and_which_rule(table, held, stopped):
    whole = held("whole", drawn())
    (note,) = (note for note in table([whole]).notes if "n = " in note)
    assert note.endswith("; n = 1,000")
    (note,) = (note for note in table([stopped]).notes if "n = " in note)
    assert EARLY in note


def test_runs_of_different_draws_are_not_like_with_like(held, stopped):
    grid = pairs_table([held("whole", drawn()), stopped], TableOptions(radii=(0.5,)))
    assert any(note.startswith("settings differ") for note in grid.notes)
    assert any(note.startswith("whole ") and note.endswith("; n = 1,000") for note in grid.notes)
    assert any(note.startswith("stopped ") and EARLY in note for note in grid.notes)
    record = grid.records[0]
    assert [record[f"first_{name}"] for name in ("draws_min", "draws_max")] == [1000, 1000]
    assert [record[f"second_{name}"] for name in ("draws_min", "draws_max")] == [157, 20_000]
    assert (record["first_until"], record["second_until"]) == ("fixed", "radius=0.3")


def test_every_rule_that_stops_early_says_what_it_leaves_unknown():
    assert set(RULE_CAVEATS) == set(RULES) - {"fixed"}
    for rule in ("radius=0.3", "atol=0.01", "rtol=0.05", "decided"):
        said = draws_sentence(early(drawn()), rule)
        assert f"each stopped by {rule}: {RULE_CAVEATS[rule.partition('=')[0]]}" in said


def test_one_runs_summary_says_it_with_the_rule_and_without():
    assert summary_table(drawn()).notes[-1] == "n = 1,000"
    assert summary_table(early(drawn()), "radius=0.3").notes[-1].startswith(EARLY)
    said = summary_table(early(drawn())).notes[-1]
    assert said.startswith("n = 157 to 20,000, 20 inputs stopped early by the run's rule")
    unfinished = summary_table(early(drawn(), ("unfinished", "budget"))).notes[-1]
    assert unfinished == "n = 157 to 20,000"
    ruled = summary_table(early(drawn(), ("unfinished", "certified")), "atol=0.1").notes[-1]
    assert "20 inputs not finished, whose radii may still grow; others stopped by atol=0.1" in ruled


def test_a_log_without_draws():
    bare = drawn()
    bare = replace(bare, known=replace(bare.known, draws=None))
    assert summary_table(bare).notes[-1] == "n not recorded"


def test_shares_of_the_summary_are_those_of_the_field_table(held):
    certificates = drawn(inputs=300, seed=5)
    grid = summary_table(certificates)
    radii = [float(text.removeprefix("acc>")) for text in grid.headings if "acc>" in text]
    shares = field_table([held("a", certificates)], TableOptions(radii=tuple(radii)))
    best = certificates.columns.index("two_sided")
    mine = grid.rows[best][-len(radii) :]
    assert len(radii) > 2
    assert [f"{100 * float(text):.1f}" for text in mine] == list(shares.rows[0][2:-2])
