"""What is said of a drawing while it goes on: done, given up, drawn, and left."""

import simplicert as sc
from simplicert.drawing.driver import ProgressCounter


def test_progress_counts_from_zero_and_subtracts_what_a_rule_saved():
    said = []
    counter = ProgressCounter(3, lambda: False, said.append, planned=600, each=200)
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
