"""The whole job: its level where the truth is known, and what it refuses."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from boxed import EDGE, MIDDLE, SIGMA, draw_boxed, line_radius, place_boxed, true_radius
from places import half_written
from scipy.special import ndtr
from scipy.stats import binom

import simplicert as sc
from simplicert.errors import InvalidInput
from simplicert.geometry import (
    NeighbourSearch,
    box_radius,
    choose_inputs,
    job,
    open_search,
    search_run,
)
from simplicert.geometry.job import certify_neighbour, compare_radii
from simplicert.geometry.opening import refuse_run, split_alpha
from simplicert.store.manifest import Manifest
from simplicert.store.neighbours import write_neighbours

LITTLE = NeighbourSearch(pilot=64, copies=4, draws=500)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("boxed")
    place_boxed(folder, "boxed_model")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        draw_boxed(folder, "boxed_model:network")
        yield folder


def opened(place, search=LITTLE, run="run", data="data.npz", model="boxed_model:network"):
    return open_search(sc.open_run(place / run), model, str(place / data), search)


def test_rows_do_not_depend_on_the_other_inputs(place):
    together = search_run(opened(place), np.array([0, 1]), compare=True)
    (alone,) = search_run(opened(place), np.array([1]), compare=True)
    assert together[1] == alone
    edge, middle = together
    assert edge.moved and not middle.moved
    assert middle.radius == middle.own == middle.plain and middle.found == 0
    assert middle.own_alpha == middle.alpha and middle.neighbour_alpha == 0
    assert edge.own < edge.plain  # the price of the share
    assert edge.found == pytest.approx(edge.radius) and edge.found > edge.own
    assert edge.found <= true_radius(EDGE)
    assert edge.own_alpha + edge.neighbour_alpha <= edge.alpha
    assert edge.holds_for == "perturbed inputs in [0, 1]"
    assert edge.total_draws == 1000 + edge.pilot_draws + 500
    summary = compare_radii(together)
    assert summary["inputs"] == 2 and summary["moved"] == summary["won"] == 1


def test_the_level_is_at_most_alpha_exactly():
    """Every outcome of 40 draws at x and 40 at x' is enumerated; no error budget is needed."""
    alpha, n, truth = 0.1, 40, true_radius(EDGE)
    own_alpha, other_alpha = split_alpha(alpha, 0.5)
    assert 0.999999 * alpha < own_alpha + other_alpha <= alpha
    counts = np.column_stack([np.arange(n + 1), n - np.arange(n + 1)])

    def certified(level):
        return sc.certify(sc.bound(sc.Tally(counts, SIGMA), level))

    known = certified(alpha).known
    job = SimpleNamespace(plain=SimpleNamespace(known=known), alphas=(own_alpha, other_alpha))
    own = certified(own_alpha)
    weights = binom.pmf(np.arange(n + 1), n, ndtr(line_radius(EDGE) / SIGMA))
    worst = 0.0
    for shift in (0.05, 0.1, 0.2):
        other = np.clip(EDGE + shift * np.array([2, 0, 0, 1, 0, 0]), 0, 1).astype(np.float32)
        there = binom.pmf(np.arange(n + 1), n, ndtr(line_radius(other) / SIGMA))
        wrong = np.zeros((n + 1, n + 1))
        for top in (0, 1):
            around = certify_neighbour(job, sc.Tally(counts, SIGMA), top)
            found = np.array([box_radius(EDGE, other, radius) for radius in around])
            radius = np.maximum(own.radius[:, None], found)
            here = (own.known.top == top)[:, None]
            wrong += here & ((radius > truth) if top == 0 else (radius > 0))
        rate = float(weights @ wrong @ there)
        assert rate <= alpha
        worst = max(worst, rate)
    assert worst > 0  # the test sees wrong certificates where there are some


def test_a_neighbour_of_another_class_proves_nothing():
    known = sc.bound(sc.Tally([[0, 100]], SIGMA), 0.1)
    job = SimpleNamespace(plain=SimpleNamespace(known=known), alphas=(0.05, 0.05))
    there = sc.Tally([[0, 100], [100, 0]], SIGMA)
    around = [certify_neighbour(job, there, top) for top in (0, 1)]
    assert [list(radii > 0) for radii in around] == [[False, True], [True, False]]


@pytest.mark.slow
def test_wrong_certificates_stay_within_alpha_from_the_draws_on(place):
    """40 searches of one input at alpha .2: 25 or more wrong have a chance below 1e-8."""
    alpha, copies = 0.2, 40
    np.savez(place / "many.npz", inputs=np.tile(EDGE.reshape(1, 2, 3), (copies, 1, 1)))
    draw_boxed(
        place, "boxed_model:network", "many", "many.npz", draws=60, alpha=alpha, batch_size=64
    )
    search = NeighbourSearch(pilot=32, copies=4, draws=60)
    rows = search_run(opened(place, search, "many", "many.npz"), np.arange(copies))
    wrong = sum(row.radius > true_radius(EDGE) or row.predicted == 1 for row in rows)
    assert binom.sf(24, copies, alpha) < 1e-8
    assert wrong < 25
    assert sum(row.moved for row in rows) > copies / 4


def test_a_classifier_without_gradients_is_searched_too(place):
    draw_boxed(place, "boxed_model:function", "plain", outputs="logits", draws=200)
    found = opened(place, LITTLE, "plain", model="boxed_model:function")
    assert found.gradients.name == "noise"
    (row,) = search_run(found, np.array([0]))
    assert row.radius <= true_radius(EDGE) and row.same_draws is None
    with pytest.raises(InvalidInput, match="rows must hold same_draws"):
        compare_radii([row])


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"sigma": None, "noise": "laplace", "scale": 0.5}, "got laplace noise and l1"),
        ({"noise_scale": np.full((2, 3), 0.5)}, "got gaussian noise and scaled l2"),
        ({"grid": 1 / 255}, "run must be drawn without a grid for geometry, got one of"),
        ({"sensitivity": 2.0}, "run must have sensitivity 1 for geometry, got 2"),
        ({"kind": "softmax"}, "got softmax and gated"),
        ({"scheme": "paper"}, "got multinomial and paper"),
        ({"until": "atol=0.05", "draws": 4000}, "run must have one look for geometry, got a plan"),
    ],
)
def test_refuses_runs_that_the_bound_is_not_about(place, tmp_path, settings, sentence):
    np.savez(tmp_path / "data.npz", inputs=np.zeros((1, 2, 3), np.float32))
    run = draw_boxed(tmp_path, "boxed_model:function", **{"draws": 8, "batch_size": 8, **settings})
    with pytest.raises(InvalidInput, match=sentence):
        refuse_run(run)


def test_refuses_imported_and_unfinished_runs(place, tmp_path):
    tally = sc.Tally([[90, 10]], SIGMA)
    run = sc.create_run(tmp_path / "half", Manifest(SIGMA, 2, 2), tally)
    with pytest.raises(InvalidInput, match="run must be finished for geometry, and 1 inputs"):
        refuse_run(run)
    whole = sc.create_run(tmp_path / "whole", Manifest(SIGMA, 1, 2), tally)
    with pytest.raises(InvalidInput, match="run must have been drawn by sample for geometry"):
        open_search(whole)


def test_refuses_data_outside_the_box_before_any_draw(place):
    inputs = np.stack([MIDDLE, MIDDLE + 0.6]).reshape(2, 2, 3)
    np.savez(place / "outside.npz", inputs=inputs)
    draw_boxed(place, "boxed_model:function", "outside", "outside.npz", draws=8, batch_size=8)
    found = opened(place, LITTLE, "outside", "outside.npz", "boxed_model:function")
    with pytest.raises(InvalidInput, match=r"data: input 1 must lie in \[0, 1\]"):
        search_run(found, np.array([0, 1]))
    assert len(search_run(found, np.array([0]))) == 1


def test_refuses_a_table_of_something_else(place, tmp_path):
    path = tmp_path / "geometry.csv"
    path.write_text("")
    with pytest.raises(sc.DamagedRun, match="cannot be read as a table of neighbours"):
        search_run(opened(place), np.array([0]), path)
    with pytest.raises(InvalidInput, match=r"out must end in .csv or .json"):
        search_run(opened(place), np.array([0]), tmp_path / "table.txt")
    with pytest.raises(InvalidInput, match="out must lie in a folder that exists"):
        search_run(opened(place), np.array([0]), tmp_path / "no" / "table.csv")


@pytest.mark.parametrize("name", ["rows.csv", "rows.json"])
def test_a_stopped_search_goes_on_with_the_same_rows(place, tmp_path, name, monkeypatch):
    """What is done is read, not searched again; the file is that of an undisturbed search."""
    whole, path = tmp_path / f"whole-{name}", tmp_path / name
    both = np.array([0, 1])
    expected = search_run(opened(place), both, whole)
    calls, seen = iter([False, True]), []
    rows = search_run(opened(place), both, path, stop=lambda: next(calls))
    assert len(rows) == 1
    real = job.search_input
    monkeypatch.setattr(
        job, "search_input", lambda *now, **more: seen.append(now[1]) or real(*now, **more)
    )
    assert search_run(opened(place), both, path) == expected
    assert seen == [1]
    assert path.read_bytes() == whole.read_bytes()
    left = half_written(path)  # by one that was killed as it wrote the last row
    assert search_run(opened(place), both, path) == expected
    assert seen == [1] and not left.exists()


def test_a_search_of_other_settings_is_refused(place, tmp_path):
    """The better of two is covered by neither: nothing is searched, and the file stays."""
    path = tmp_path / "rows.csv"
    search_run(opened(place), np.array([0]), path)
    before = path.read_bytes()
    for change, sentence in (
        ({"seed": 1}, "with seed = 0, and seed = 1 was asked for: use the same settings"),
        ({"draws": 400}, "with fresh = 500, and fresh = 400 was asked for"),
        ({"share": 0.25}, "with share = 0.5, and share = 0.25 was asked for"),
    ):
        with pytest.raises(InvalidInput, match=sentence):
            search_run(opened(place, replace(LITTLE, **change)), np.array([0]), path)
    with pytest.raises(InvalidInput, match="holds a search without --compare"):
        search_run(opened(place), np.array([0]), path, compare=True)
    with pytest.raises(InvalidInput, match="holds a search of input 0, which was not asked for"):
        search_run(opened(place), np.array([1]), path)
    assert path.read_bytes() == before


def test_a_raised_radius_in_the_table_is_refused(place, tmp_path):
    """What the run itself proves is compared, and no neighbour covers more than its own ball."""
    path = tmp_path / "rows.csv"
    edge, middle = search_run(opened(place), np.array([0, 1]), path)
    for row, change in (
        (middle, {"own": 2 * middle.own, "radius": 2 * middle.own}),
        (middle, {"plain": 2 * middle.plain}),
        (edge, {"own_alpha": edge.own_alpha / 2}),
    ):
        write_neighbours(path, [replace(row, **change)])
        with pytest.raises(InvalidInput, match=r"rows.csv holds a search with (own|plain)"):
            search_run(opened(place), np.array([0, 1]), path)
    write_neighbours(path, [replace(middle, predicted=middle.predicted + 1)])
    with pytest.raises(InvalidInput, match=r"holds a search with predicted = 1, and predicted = 0"):
        search_run(opened(place), np.array([0, 1]), path)
    write_neighbours(path, [replace(edge, found=5.0, radius=5.0, neighbour_radius=9.0)])
    with pytest.raises(InvalidInput, match=r"500 draws prove .* at most: it was altered"):
        search_run(opened(place), np.array([0, 1]), path)
    write_neighbours(path, [edge])
    far = str(2 * edge.neighbour_radius)
    path.write_text(path.read_text().replace(str(edge.found), far))
    with pytest.raises(sc.DamagedRun, match="row 1: found must be at most neighbour_radius"):
        search_run(opened(place), np.array([0, 1]), path)


def test_inputs_are_chosen_by_number(place):
    run = sc.open_run(place / "run")
    assert choose_inputs(run, None, [], 0).tolist() == [0, 1]
    assert choose_inputs(run, None, [1, 1], 0).tolist() == [1]
    assert len(choose_inputs(run, 1, [], 0)) == 1
    for count, index, sentence in (
        (3, [], r"inputs must lie in 1..2"),
        (1, [0], "cannot be given together"),
        (None, [5], r"index must name inputs of the run, got \[5\]"),
    ):
        with pytest.raises(InvalidInput, match=sentence):
            choose_inputs(run, count, index, 0)
