"""The estimated cost of predictions is compared with predictions that were made."""

import json

import numpy as np
import pytest
from linear import line_array, point

import simplicert as sc
from simplicert.plan import ServiceSettings, estimate_serving, pilot_population, point_population
from simplicert.plan.serving import REPEATS
from simplicert.store import Manifest
from simplicert.tables.plan import serving_record, serving_table


def test_as_predictions_turn_out():
    """Simulated from p_A alone, and drawn by a classifier with that p_A: the same mean draws.

    Draws of a prediction at p_A = .8 vary by about 35; the mean of 1,000 by less than 1.2, that of
    4,000 by less than .6: four standard errors of the difference are below 5.4.
    """
    drawn = sc.Smoothed(line_array, 0.5).predict(
        np.repeat(point(0.8, 0.5), 1000, axis=0), draws=500, seed=0
    )
    people = point_population(0.8, None, 2).some(np.zeros(4000 // REPEATS, int))
    found = estimate_serving(ServiceSettings(500), people)
    assert found.mean == pytest.approx(drawn.draws.mean(), abs=5.4)
    assert found.abstained == pytest.approx(drawn.abstained.mean(), abs=0.01)
    assert found.disagreed == 0


def test_money_and_time():
    people = point_population(0.999, None, 3)
    found = estimate_serving(ServiceSettings(100, seconds=0.01, price=3.6), people)
    assert found.million == pytest.approx(1e6 * found.mean * 0.01 * 0.001)
    cells = dict(serving_table(found).rows)
    assert cells["a million predictions cost"] == f"{found.million:,.2f}"
    assert float(cells["seconds of one worker, mean"]) >= found.mean * 0.01
    record = serving_record(found)
    assert record["mean_draws"] == found.mean and record["operational_radius"] is None
    assert estimate_serving(ServiceSettings(100), people).million is None


def test_near_ties_abstain():
    assert estimate_serving(ServiceSettings(100), point_population(0.501, None, 2)).abstained > 0.9


def test_inputs_of_a_run():
    tally = sc.Tally([[990, 10, 0], [400, 350, 250]], 0.5)
    found = estimate_serving(
        ServiceSettings(200), pilot_population(tally, "multinomial"), np.array([0.2, 0.0])
    )
    assert 0 < found.abstained < 0.6 and "2 inputs" in found.source
    cells = dict(serving_table(found).rows)
    assert cells["has an operational radius"] == "50.0 % of inputs"
    assert cells["operational radius, mean over all"] == "0.1000"


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"draws": 3}, "draws must be a whole number of at least"),
        ({"price": 1.0}, "price must come with the time of a draw"),
        ({"price": -1.0, "seconds": 1.0}, "price must be"),
    ],
)
def test_refused(setting, message):
    with pytest.raises(sc.InvalidInput, match=message):
        ServiceSettings(**setting)


def test_as_it_is_typed(command, tmp_path):
    run = tmp_path / "run"
    random = np.random.default_rng(0)
    tally = sc.Tally(random.multinomial(1000, [0.9, 0.06, 0.04], 5), 0.5, plan=sc.Plan((1000,)))
    sc.create_run(run, Manifest(0.5, 5, 3, plan=tally.plan), tally)
    code, out, err = command("plan", "--serve", run, "--draws", 300, "--throughput", 1000)
    assert (code, err) == (0, "") and "predict with up to 300 draws at alpha 0.001" in out
    code, out, _ = command("plan", "--serve", run, "--json")
    found = json.loads(out)
    assert code == 0 and found["draws_at_most"] == 1000 and len(found["operational_radius"]) == 5
    for words, said in (
        (["--serve", run, "--radius", 1], "radius has no place beside serve, got 1"),
        (["--price", 3, "--draws", 100, "--sigma", 1], "price must come with serve"),
        (["--sigma", 1], "draws must be given"),
    ):
        code, _, err = command("plan", *words)
        assert code == 2 and said in err


def test_it_names_the_function_that_must_serve(command, tmp_path):
    """A run on a grid is served on that grid, by scores of the same limit."""

    def scored(batch):
        return np.where(batch[:, :1] > 0, [[3.9, 0.1, 0.0]], [[0.1, 3.9, 0.0]])

    x = np.full((2, 3), 0.5, np.float32)
    asked = {"outputs": "scores", "score_limit": 4.0, "grid": 1 / 8}
    tally = sc.sample(scored, x, 0.5, 2000, **asked)
    run = sc.create_run(tmp_path / "run", Manifest(0.5, 2, 3, plan=tally.plan), tally)
    assert run.tally() == sc.open_run(run.folder).tally() == tally
    code, out, _ = command("plan", "--serve", run.folder, "--kind", "soft")
    words = " ".join(out.split())
    assert code == 0
    assert (
        "Smoothed with sigma 0.5, kind softmax, grid 0.125, outputs scores, score_limit 4" in words
    )
    code, out, _ = command("plan", "--serve", run.folder, "--kind", "soft", "--json")
    found = json.loads(out)
    smooth = sc.Smoothed(scored, **found["smoothed"])
    mine = smooth.operational_radius(run.certify(kind="softmax"))
    assert found["operational_radius"] == mine.tolist() and mine[0] > 0
    other = sc.Smoothed(scored, **found["smoothed"] | {"grid": None})
    with pytest.raises(sc.InvalidInput, match=r"whose grid is None, got 0\.125"):
        other.operational_radius(run.certify(kind="softmax"))


@pytest.mark.parametrize(
    ("declared", "kind", "scheme", "level", "said"),
    [
        (
            {},
            None,
            "gated",
            0.001,
            "from the run's own bounds, scheme gated, kind multinomial; of ",
        ),
        ({"scheme": "split"}, None, "split", 0.001, "from the run's own bounds, scheme split"),
        (
            {"scheme": "paper"},
            None,
            "paper",
            0.003,
            "scheme paper, kind multinomial; of each input wrong with probability at most 0.003, "
            "which is what is proved of it at alpha 0.001",
        ),
        ({"scheme": "joint"}, None, "joint", 0.001, "from the run's own bounds, scheme joint"),
        (
            {"scheme": "joint", "method": "buehler"},
            None,
            "gated",
            0.001,
            "from bounds beside the run's own, scheme gated, kind multinomial; of each input wrong "
            "with probability at most 0.001; method buehler bounds the radius and neither",
        ),
        (
            {"scheme": "paper"},
            "softmax",
            "paper",
            0.003,
            "from bounds beside the run's own, scheme paper, kind softmax",
        ),
    ],
)
def test_the_operational_radius_says_what_it_rests_on(
    command, tmp_path, declared, kind, scheme, level, said
):
    """And it is that of the bounds named, at the level that is proved of them."""
    counts = np.array([[990, 10, 0], [400, 350, 250]])
    scores = {"softmax_sums": counts << 40, "softmax_squares": counts << 40, "votes": counts}
    tally = sc.Tally(counts, 0.5, pilot=counts // 10, plan=sc.Plan((1000,)).reserved(), **scores)
    run = tmp_path / "run"
    sc.create_run(run, Manifest(0.5, 2, 3, plan=tally.plan, **declared), tally)
    words = ("plan", "--serve", run, *(() if kind is None else ("--kind", kind)))
    code, out, err = command(*words)
    assert (code, err) == (0, "") and said in out
    found = json.loads(command(*words, "--json")[1])
    known = sc.bound(tally, 0.001, kind or "multinomial", scheme)
    assert known.level == pytest.approx(level)
    exact = sc.operational_radius(sc.certify(known), draws=1000)
    assert found["operational_radius"] == exact.tolist() and exact[0] > 0 == exact[1]
    assert said in found["operational_radius_rests_on"]
