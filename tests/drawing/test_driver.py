"""What is said of a drawing while it goes on, and what a worker that died has left."""

import numpy as np
import pytest

import simplicert as sc
from simplicert.drawing.driver import ProgressCounter, _find_orphaned_part
from simplicert.drawing.queue import Unit
from simplicert.store.parts import write_part
from simplicert.store.run import PARTS, Run


def test_progress_counts_from_zero_and_subtracts_what_a_rule_saved():
    said = []
    counter = ProgressCounter(3, lambda: False, said.append, planned=600, each=200)
    assert (counter.calls, counter.saved) == (0, 0)
    assert not counter.count_batch(100)
    counter.count_finished(sc.Tally([[90, 10]], 0.5))  # done with half of its 200
    counter.count_batch(250)
    counter.count_failed()
    counter.count_finished(sc.Tally([[150, 50]], 0.5, index=[1]))
    counts = [(now.inputs, now.done, now.failed, now.draws, now.left) for now in said]
    assert counts == [
        (3, 0, 0, 100, 500),
        (3, 1, 0, 100, 400),
        (3, 1, 0, 350, 150),
        (3, 1, 1, 350, 150),
        (3, 2, 1, 350, 150),
    ]
    counter.count_batch(400)  # draws that failed were made twice
    assert said[-1].left == 0 and said[-1].tally is None


def test_it_stops_when_the_caller_or_the_budget_says_so():
    stop = []
    counter = ProgressCounter(1, lambda: bool(stop), lambda progress: None)
    assert not counter.stop()
    stop.append(True)
    assert counter.stop() and counter.count_batch(1)
    stop.clear()
    counter.spent = "the budget is spent"
    assert counter.stop()


@pytest.mark.parametrize(
    ("items", "span", "found"),
    [
        ([2, 3], (100, 300), True),
        ([2, 3], (0, 300), False),  # the same end
        ([2, 3], (100, 200), False),
        ([2], (100, 300), False),
        ([2, 4], (100, 300), False),
        ([3, 2], (100, 300), False),
        ([0, 1], (100, 300), False),
    ],
)
def test_the_part_of_a_worker_that_died_is_known_by_its_inputs_and_draws(
    tmp_path, items, span, found
):
    manifest = sc.Manifest(0.5, 6, 2, index=[0, 1, 6], source={"format": "sample", "seed": 7})
    run = Run(tmp_path, manifest)
    (run.folder / PARTS).mkdir()
    spans = [(item, 7, 100, 300) for item in (2, 3)]
    kept = sc.Tally([[120, 80], [190, 10]], 0.5, index=[2, 3], segments=spans)
    write_part(run.folder / PARTS, kept, manifest, 1.0)
    tally = _find_orphaned_part(run, Unit(0, np.array(items), span, None))
    assert (tally == kept) if found else tally is None
