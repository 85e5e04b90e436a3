"""Every row that the classifier is asked about is counted, and a budget is never exceeded."""

import inspect
import pickle

import numpy as np
import pytest

import simplicert as sc
from simplicert.sampling.calls import BudgetSpent, CallMeter
from simplicert.sampling.progress import show_progress
from simplicert.sampling.sampler import choose_probe
from simplicert.sampling.settings import default_batch_size

X = np.array([[0.9, 0.2], [0.1, 0.7], [0.6, 0.4]], np.float32)


class Counted:
    """A classifier that knows how often it was asked; `fails` says at which calls it breaks."""

    def __init__(self, fails=()):
        """Start at no call."""
        self.rows, self.passes, self.fails = 0, 0, set(fails)

    def __call__(self, batch):
        """Answer, and count the rows."""
        self.rows += len(batch)
        self.passes += 1
        if self.passes in self.fails:
            raise ConnectionError("503")
        return np.column_stack([batch[:, 0], 1 - batch[:, 0]])


@pytest.mark.parametrize(("draws", "most"), [(1, 16), (5, 20), (20, 35), (100, 130), (1000, 1200)])
def test_a_small_question_has_a_small_price(draws, most):
    asked = Counted()
    smooth = sc.Smoothed(asked, sigma=0.5)
    with np.errstate(all="ignore"), pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *args, **kwargs: None)
        smooth.certify(X[:1], draws=draws, seed=0)
    assert draws < asked.rows <= most
    assert smooth.calls == asked.rows


def test_calls_of_predict_and_certify_add_up():
    asked = Counted()
    smooth = sc.Smoothed(asked, sigma=0.5)
    smooth.predict(X, seed=0)
    smooth.certify(X, draws=200, seed=0)
    assert smooth.calls == asked.rows


@pytest.mark.parametrize("kind", ["multinomial", "softmax"])
def test_few_draws_in_passes_of_their_own_are_the_same_draws(kind):
    """Rows that are not filled up, and a smaller probe, change no count."""
    whole = sc.Smoothed(Counted(), sigma=0.5, kind=kind, batch_size=256).certify(
        X, draws=300, seed=3
    )
    few = sc.Smoothed(Counted(), sigma=0.5, kind=kind).certify(X, draws=300, seed=3)
    np.testing.assert_array_equal(whole.radius, few.radius)
    np.testing.assert_array_equal(whole.known.e0, few.known.e0)


@pytest.mark.parametrize("budget", [1, 14, 15, 100, 119, 315, 316, 317, 500])
def test_a_budget_in_memory_is_kept(budget):
    asked = Counted()
    smooth = sc.Smoothed(asked, sigma=0.5)
    try:
        certificates = smooth.certify(X, draws=100, seed=0, budget=budget)
    except BudgetSpent as error:
        assert "budget" in str(error)
        # Without calls for all of them, the draws are not begun.
        assert asked.rows < 100
    else:
        assert len(certificates) == len(X)
    assert asked.rows <= budget


def test_failed_attempts_are_calls_too():
    asked = Counted(fails=[6])
    sc.sample(asked, X[:1], 0.5, 100, budget=(meter := CallMeter(1000)), histograms=False)
    assert meter.count == asked.rows > 200


def test_attempts_never_exceed_the_budget():
    asked = Counted(fails=range(6, 99))
    with pytest.raises(BudgetSpent, match="the budget of 250 calls is spent"):
        sc.sample(asked, X[:1], 0.5, 100, budget=250, histograms=False)
    assert asked.rows <= 250


def test_with_a_rule_drawing_ends_at_a_look():
    """Inputs whose next look is out of reach keep the look that they have."""
    asked = Counted()
    tally = sc.sample(
        asked, X, 0.5, 100_000, until=sc.Until("atol=0.0001"), budget=5000, histograms=False
    )
    assert asked.rows <= 5000
    assert set(tally.draws.tolist()) <= set(tally.plan.looks)
    assert tally.draws.max() < 100_000
    assert sc.bound(tally).e0.shape == (3,)


@pytest.mark.parametrize("budget", [0, -1, 2.5, True, "many"])
def test_a_budget_is_a_number_of_calls(budget):
    with pytest.raises(sc.InvalidInput, match="budget must be a positive whole number of calls"):
        sc.Smoothed(Counted(), sigma=0.5).certify(X, draws=100, budget=budget)


def test_a_run_stops_at_its_budget_and_goes_on(tmp_path, monkeypatch):
    """What is drawn is kept, and three small budgets make the run that one large one makes."""
    inputs = np.random.default_rng(0).random((12, 2)).astype(np.float32)
    weights = np.array([[1, -1], [0, 0]], np.float32)
    asked = [0]

    def classify(batch):
        return batch @ weights

    def count_and_wrap(function):
        def counted(batch):
            asked[0] += len(batch)
            return np.array(function(batch))

        return counted

    # Outside of the classifier, which a run knows by its code and the numbers that it uses.
    monkeypatch.setattr("simplicert.sampling.noisy.wrap_array_function", count_and_wrap)

    def draw(out, budget):
        before = asked[0]
        outcome = sc.draw(classify, inputs, 0.5, 50, tmp_path / out, budget=budget, seed=1,
                          histograms=False, device="cpu", labels=[0] * 12)  # fmt: skip
        assert outcome.calls == asked[0] - before <= (budget or 10_000)
        return outcome

    whole = draw("whole", 10_000)
    assert whole.complete and not whole.spent
    first = draw("some", 300)
    assert not first.complete and "budget of 300 calls is spent" in first.spent
    assert 0 < len(first.run.done()) < 12
    second = draw("some", 250)
    assert len(first.run.done()) < 12
    last = draw("some", None)
    assert last.complete and not second.complete
    np.testing.assert_array_equal(last.run.tally().counts, whole.run.tally().counts)


def test_several_workers_cannot_share_a_budget(tmp_path):
    with pytest.raises(sc.InvalidInput, match="budget must be left out with several workers"):
        sc.draw("digits", "digits", 0.5, 50, tmp_path / "run", budget=10, workers=2)


def test_a_run_of_few_draws_is_recorded_and_resumed(tmp_path):
    def classify(batch):
        return np.column_stack([batch[:, 0], 1 - batch[:, 0]])

    made = {"seed": 1, "device": "cpu", "labels": [0, 1, 0]}
    outcome = sc.draw(classify, X, 0.5, 40, tmp_path / "run", **made)
    rows = outcome.run.manifest.source["probe_rows"]
    assert 0 < rows < outcome.run.manifest.source["batch_size"]
    again = sc.draw(classify, X, 0.5, 4000, tmp_path / "run", extend=True, **made)
    assert again.run.manifest.source["probe_rows"] == rows
    assert again.run.tally().counts.sum(axis=1).tolist() == [4000] * 3


def test_a_meter_goes_to_another_process():
    meter = CallMeter(10)
    meter.spend(4)
    copy = pickle.loads(pickle.dumps(meter))
    copy.spend(6)
    assert (meter.left, copy.left) == (6, 0)


def test_batches_are_whole_for_many_draws_or_many_inputs():
    assert choose_probe(256, 1, 100_000) is None
    assert choose_probe(256, 1, 3200) == 100
    assert choose_probe(256, 500, 5000) is None
    assert choose_probe(256, 5, 100) == 3
    assert choose_probe(2, 1, 5) is None
    assert choose_probe(256, 500, 100_000, budget=640) == 20


def test_functions_of_few_features_have_larger_batches():
    assert default_batch_size((64,), "cpu", 10**6) == 256
    assert default_batch_size((64,), "cpu", 10**6, torch_kind=False) == 2048
    assert default_batch_size((64,), "cpu", 1000, torch_kind=False) == 256
    assert default_batch_size((3, 32, 32), "cpu", 10**6, torch_kind=False) == 256
    assert default_batch_size((3, 2000, 2000), "cpu", 10**6, torch_kind=False) == 1


def test_one_line_shows_progress_where_somebody_looks(capsys):
    smooth = sc.Smoothed(Counted(), sigma=0.5)
    smooth.certify(X, draws=100, seed=0)
    assert capsys.readouterr().err == ""
    smooth.certify(X, draws=100, seed=0, progress=True)
    assert capsys.readouterr().err.startswith("\rcertify: 0 of 3 inputs")


def test_the_line_counts_and_goes_away(capsys, monkeypatch):
    clock = iter(np.arange(0.0, 100.0))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    with show_progress("certify", 4, 1000, shown=True) as count:
        assert count(250, 1) is False
    lines = capsys.readouterr().err.split("\r")
    assert "certify: 1 of 4 inputs" in lines[2] and "left" in lines[2]
    assert lines[-2].strip() == lines[-1] == ""


@pytest.mark.parametrize(
    "function", [sc.Smoothed, sc.Smoothed.certify, sc.sample, sc.draw, sc.radius, sc.compare]
)
def test_help_shows_types_as_they_are_written(function):
    signature = str(inspect.signature(function))
    assert "_typing" not in signature and "_Buffer" not in signature


def test_help_of_certify_fits_a_screen():
    import pydoc

    words = pydoc.render_doc(sc.Smoothed.certify, renderer=pydoc.plaintext)
    rows = sum(-(-max(len(line), 1) // 100) for line in words.splitlines())
    assert rows <= 24
