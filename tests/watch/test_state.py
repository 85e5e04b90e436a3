"""What a page about an unfinished run may say, against counts by hand."""

import numpy as np
import pytest
from watched import CLEAR, CLOSE, WRONG, begin

import simplicert as sc
from simplicert.store import Manifest
from simplicert.types import Plan
from simplicert.watch.state import count_at_ceiling, longest_beginning, read_watch_state


def test_three_statements_of_an_unfinished_run(tmp_path):
    state = read_watch_state(begin(tmp_path, [CLEAR, CLOSE, WRONG, CLEAR]))
    first = state.shares[0]
    assert (first.radius, first.hits, first.done) == (0.0, 2, 4)
    assert first.final == (2 / 10, (2 + 6) / 10)
    assert (first.rate.hits, first.rate.total) == (2, 4)
    assert first.rate.low < 0.2 and first.rate.high > 0.8  # of four inputs little is known
    assert state.labelled and not state.ended and state.sign == ">"


def test_without_labels_every_certified_input_counts(tmp_path):
    state = read_watch_state(begin(tmp_path, [CLEAR, CLOSE, WRONG], labels=None))
    assert not state.labelled and state.shares[0].hits == 2


def test_the_interval_is_over_the_beginning_of_the_runs_order(tmp_path):
    """Inputs 0, 1 and 5 are done: 5 may be there because it was easy, and does not count."""
    state = read_watch_state(begin(tmp_path, [CLEAR, CLOSE, CLEAR], index=[0, 1, 5]))
    first = state.shares[0]
    assert (first.hits, first.done) == (2, 3)
    assert (first.rate.hits, first.rate.total) == (1, 2)
    listed = [7, 3, 0, 1, 2, 4, 5, 6, 8, 9]
    state = read_watch_state(
        begin(tmp_path / "b", [CLEAR, CLOSE, CLEAR], index=[7, 3, 5], listed=listed)
    )
    assert state.shares[0].rate.total == 2


def test_nothing_is_said_of_an_order_that_is_not_known(tmp_path):
    tally = sc.Tally([CLEAR], 0.5, labels=[0])
    run = sc.create_run(tmp_path / "run", Manifest(0.5, 4, 3), tally)
    assert read_watch_state(run).shares[0].rate is None


def test_failed_inputs_are_misses_and_do_not_hold_up_the_beginning():
    planned, done = np.arange(6), np.array([0, 2, 4])
    assert longest_beginning(planned, done, set()).tolist() == [0]
    assert longest_beginning(planned, done, {1}).tolist() == [0, 1, 2]
    assert longest_beginning(planned, np.arange(6), set()).tolist() == list(range(6))
    assert longest_beginning(None, done, set()) is None


def test_inputs_at_the_ceiling_are_those_whose_draws_agree():
    tally = sc.Tally([[1000, 0, 0], [999, 1, 0], [0, 1000, 0]], 0.5)
    certificates = sc.certify(sc.bound(tally))
    found, highest = count_at_ceiling(certificates, tally)
    assert found == 2
    assert highest == certificates.radius.max()


def test_an_input_between_looks_does_not_count(tmp_path):
    """Half of its draws are there: no look of the plan, and no certificate yet."""
    plan = Plan((1000,))
    whole = sc.Tally([CLEAR], 0.5, labels=[0], index=[0], plan=plan)
    manifest = Manifest(0.5, 4, 3, plan=plan, index=[0, 1, 4])
    run = sc.create_run(tmp_path / "run", manifest, whole)
    from simplicert.store.parts import write_part

    half = sc.Tally([[495, 4, 1]], 0.5, labels=[0], index=[1], plan=plan)
    write_part(run.folder / "parts", half, run.manifest)
    state = read_watch_state(sc.open_run(run.folder))
    assert state.status["done"] == 1 and len(state.certificates) == 1


def test_a_run_without_draws_has_nothing_to_say(tmp_path):
    run = begin(tmp_path, [CLEAR])
    for path in run.paths():
        path.unlink()
    state = read_watch_state(sc.open_run(run.folder))
    assert state.certificates is None and state.shares == () and state.seconds_left is None


def test_a_log_is_not_watched(tmp_path):
    from simplicert.store.imported import ImportedRun

    log = ImportedRun(tmp_path, None)
    with pytest.raises(sc.InvalidInput, match="was imported: there is nothing to watch"):
        read_watch_state(log)
