"""A replay finds forgeries, says what cannot be drawn again, and tolerates other machines."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from places import asked, drawn
from verified import checks, forged, fresh, moved, wrong

import simplicert as sc
from simplicert.sampling import Sampler
from simplicert.store.manifest import read_manifest, write_manifest
from simplicert.verification.replay import Replay, _measure_difference, _redraw_input


def rewritten(run, **changes):
    """Return the run with other settings in run.toml and a new checksum."""
    manifest = read_manifest(run.folder)
    made = manifest.made | changes.pop("made", {})
    source = manifest.source | changes.pop("source", {})
    write_manifest(run.folder, replace(manifest, made=made, source=source, **changes))
    return run


def test_a_forged_tally_does_not_come_again(place):
    run = forged(fresh(place), moved)
    said = wrong(run, count=40)
    assert "input 0: 1 of its 150 draws fall on other classes when drawn again" in said
    assert said.count("these differ: counts") == 40


@pytest.mark.parametrize("name", ["softmax_sums", "votes", "histograms", "labels"])
def test_every_kind_of_sum_is_compared(place, name):
    def change(tally):
        values = np.array(getattr(tally, name))
        if name == "labels":
            values = (values + 1) % 4
        elif name == "softmax_sums":
            values[:, 0] += 1
        else:
            flat = values.reshape(len(values), -1)
            rows, top = np.arange(len(flat)), flat.argmax(axis=1)
            width = values.shape[-1]
            flat[rows, top] -= 1
            flat[rows, top // width * width + (top + 1) % width] += 1
        return {name: values}

    said = wrong(forged(fresh(place), change), count=3)
    assert said.count(f"these differ: {name}") == 3


def test_the_inputs_are_chosen_by_the_seed(place):
    run = fresh(place)

    def chosen(seed):
        return [c.says for c in checks(run, count=4, seed=seed) if c.about == "replay"]

    assert chosen(0) == chosen(0) != chosen(1)


def test_another_model_or_other_data_are_told_by_their_fingerprints(place):
    run = fresh(place)
    assert "the model is not the run's" in wrong(run, count=2, model=f"{place[1]}:other")
    data = np.load("data.npz")
    np.savez("data.npz", inputs=data["inputs"] + 1, labels=data["labels"])
    assert "the data is not the run's" in wrong(run, count=2)


def test_a_model_that_changed_under_its_name(place):
    """The fingerprint of a function is of its source; what it reads elsewhere shows in outputs."""
    run = rewritten(fresh(place), answers=[100.0] * 16)
    assert "does not give the outputs that run.toml keeps" in wrong(run, count=1)


@pytest.mark.slow
def test_another_kind_of_machine_is_said_and_a_few_draws_allowed(place):
    run = fresh(place, draws=1000, stop=5)
    rewritten(run, made={"numpy": "0.0"})
    found = checks(run, count=5)
    assert "another kind of machine (numpy 0.0 there" in str(found)
    assert not wrong(run, count=5)
    run = forged(run, moved)
    assert not wrong(run, count=5)
    assert "1 of its 1000 draws fall on other classes" in str(checks(run, count=5))
    run = forged(run, moved)
    assert "2 of its 1000 draws fall on other classes" in wrong(run, count=5)
    rewritten(run, package="9.9")
    assert "simplicert 9.9 there" in str(checks(run, count=1))


def shifted(values, share, draws):
    """Move a share of all draws from the most frequent class to another."""
    values = np.array(values)
    rows, top = np.arange(len(values)), values.argmax(axis=1)
    mass = np.full(len(values), int(share * draws * 2**40))
    values[rows, top] -= mass
    values[rows, (top + 1) % values.shape[1]] += mass
    return values


def forged_scores(name, share):
    """Alter the scores by a share of all draws, and leave the counts as they are."""

    def change(tally):
        draws = int(tally.draws[0])
        values = np.array(getattr(tally, name))
        if name == "softmax_sums":
            values = shifted(values, share, draws)
            squares = np.minimum(tally.softmax_squares, values)
            return {name: values, "softmax_squares": squares}
        if name == "softmax_squares":
            return {name: np.maximum(values - int(share * draws * 2**40), 0)}
        if name == "leaders":
            return {name: values[:, ::-1]}
        if name == "histograms":
            count = int(share * draws)
            order = np.argsort(-values, axis=-1)
            held = np.take_along_axis(values, order, -1)
            taken = np.zeros_like(values)  # from the fullest bins, as many as it takes
            before = held.cumsum(axis=-1) - held
            np.put_along_axis(taken, order, np.clip(count - before, 0, held), -1)
            return {name: values - taken + np.roll(taken, values.shape[-1] // 2, axis=-1)}
        raise AssertionError(name)

    return change


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, share",
    [("softmax_sums", 0.002), ("softmax_squares", 0.01), ("histograms", 0.05), ("leaders", 0)],
)
def test_an_edited_processor_does_not_switch_the_comparison_of_scores_off(place, name, share):
    run = rewritten(fresh(place, draws=1000, stop=5), made={"processor": "Another 9000"})
    assert not wrong(run, count=5, seed=0)
    said = wrong(forged(run, forged_scores(name, share)), count=5, seed=0)
    assert said.count("more than another kind of machine explains") == 5
    assert name in said


@pytest.mark.parametrize("votes, found", [(1, 0), (2, 5)])
def test_votes_are_compared_on_another_kind_of_machine(place, votes, found):
    """One of a thousand may move."""
    run = rewritten(fresh(place, draws=1000, stop=5), made={"processor": "Another 9000"})

    def change(tally):
        return {"votes": moved(replace(tally, counts=tally.votes, looks=None), votes)["counts"]}

    assert wrong(forged(run, change), count=5, seed=0).count("explains: votes") == found


def test_all_draws_of_an_input_are_made_again_and_added():
    """A tally that was added up from several calls holds several spans of them."""
    spans = [(3, 7, 0, 10), (3, 7, 20, 25)]
    held = sc.Tally([[9, 6]], 0.5, index=[3], segments=spans)
    asked = []

    def tally(inputs, at, span, *, labels, plan):
        asked.append((inputs.tolist(), at.tolist(), span, labels.tolist(), plan))
        made = [[6, 4]] if span == (0, 10) else [[3, 2]]
        return sc.Tally(made, 0.5, labels=labels, index=at, segments=[(3, 7, *span)])

    data = SimpleNamespace(inputs=np.arange(8.0), labels=np.arange(8) % 2)
    drawn = _redraw_input(SimpleNamespace(tally=tally), data, held, np.array([3]))
    assert drawn.counts.tolist() == [[9, 6]] and drawn.segments.tolist() == held.segments.tolist()
    assert asked == [([3.0], [3], span, [1], None) for span in ((0, 10), (20, 25))]


def test_code_in_a_model_s_file_is_not_trusted_unasked():
    assert Replay(1).trust is False


def test_draws_that_select_the_class_are_compared_on_another_kind_of_machine():
    held, other = (sc.Tally([[900, 100]], 0.5, pilot=[pilot]) for pilot in ([90, 10], [10, 90]))
    near = sc.Tally([[900, 100]], 0.5, pilot=[[89, 11]])
    assert _measure_difference(held, other).beyond == {"pilot"}
    assert not _measure_difference(held, near).beyond
    far = sc.Tally([[900, 100]], 0.5, pilot=[[88, 12]])  # one of a hundred may move
    assert _measure_difference(held, far).beyond == {"pilot"}


@pytest.mark.slow
@pytest.mark.parametrize("share, found", [(0.0009, 0), (0.0011, 5)])
def test_the_tolerance_is_as_large_as_it_is_said_to_be(place, share, found):
    """A mean score may move by 0.001; what is hidden so is said to be tolerated."""
    run = rewritten(fresh(place, draws=1000, stop=5), made={"processor": "Another 9000"})
    run = forged(run, forged_scores("softmax_sums", share))
    assert wrong(run, count=5, seed=0).count("explains: softmax_s") == found
    tolerated = [c for c in checks(run, count=5, seed=0) if c.tolerant]
    assert len(tolerated) == 5 - found
    assert all("not bit for bit" in c.says for c in tolerated)


def test_scores_of_logits_that_agree_move_no_further_than_the_proof_says():
    """|softmax(z + d) - softmax(z)| <= max|d| / 2, and squares twice that; 10^5 random logits."""
    random = np.random.default_rng(0)
    logits = random.normal(size=(100_000, 4)) * 3
    logits[:1000] = 0.0  # where the slope is largest
    move = random.choice([-1.0, 1.0], size=logits.shape) * 0.002
    one, other = (np.exp(z) / np.exp(z).sum(axis=1, keepdims=True) for z in (logits, logits + move))
    assert np.abs(one - other).max() <= 0.001
    assert np.abs(one**2 - other**2).max() <= 0.002


def test_a_run_drawn_by_sampling_says_which_draws_it_holds(place):
    """Without that the draws would pass for imported counts."""
    run = forged(fresh(place), lambda tally: {"segments": None})
    assert "nothing says which draws they are" in wrong(run)


def cannot(run, **replay):
    (last,) = [c for c in checks(run, **{"count": 2} | replay) if c.about == "replay"]
    assert last.holds is None
    return last.says


@pytest.mark.slow
def test_what_cannot_be_drawn_again_is_said(place):
    assert "random by itself" in cannot(fresh(place, model=f"{place[1]}:noisy"))
    run = fresh(place, "other")
    assert "--model and --data say where they are" in cannot(run, model="lost.pt2")
    assert "mean must be numbers" in cannot(run, mean="x")
    rewritten(run, source={"device": "cuda:7"})
    assert "device must be cpu or a device that torch has here" in cannot(run)


def test_normalisation_is_the_run_s_and_is_not_asked_for_again(place):
    run = fresh(place, mean="0.5", std="0.2")
    assert (run.manifest.source["mean"], run.manifest.source["std"]) == ([0.5], [0.2])
    found = checks(run, count=3)
    assert sum(c.about == "replay" and c.holds is True for c in found) == 3
    assert not wrong(run, count=3, mean="0.5", std="0.2")
    says = cannot(run, mean="0.4", std="0.2")
    assert "mean must be the run's [0.5], got [0.4]: leave it out" in says


def test_a_run_that_keeps_no_normalisation_is_told(place):
    """Earlier versions wrote such runs."""
    run = fresh(place, mean="0.5", std="0.2")
    manifest = read_manifest(run.folder)
    kept = {name: v for name, v in manifest.source.items() if name not in ("mean", "std")}
    write_manifest(run.folder, replace(manifest, source=kept))
    assert "the model is not the run's" in wrong(run, count=1)
    found = checks(run, count=3, mean="0.5", std="0.2")
    assert sum(c.about == "replay" and c.holds is True for c in found) == 3
    complete, _ = drawn(asked(place, "run", mean="0.5", std="0.2"))  # resumed as before
    assert complete and read_manifest(run.folder).source == kept


@pytest.mark.slow
def test_resuming_uses_the_run_s_normalisation(place):
    calls = []
    request = asked(place, "run", mean="0.5", std="0.2")
    complete, _ = drawn(request, stop=lambda: calls.append(1) or len(calls) > 5)
    assert not complete
    with pytest.raises(sc.InvalidInput, match=r"mean must be the run's \[0\.5\], got \[0\.1\]"):
        drawn(replace(request, mean=(0.1,)))
    complete, run = drawn(replace(request, mean=None, std=None))
    assert complete
    whole = fresh(place, "whole", mean="0.5", std="0.2")
    np.testing.assert_array_equal(run.tally().counts, whole.tally().counts)
    extended = replace(request, mean=None, std=None, draws=200, extend=True)
    complete, run = drawn(extended)
    assert complete and not wrong(run, count=3)


def test_a_model_that_fails_is_one_finding(place, monkeypatch):
    run = fresh(place)

    def fails(*args, **more):
        raise RuntimeError("out of memory\nand more")

    monkeypatch.setattr(Sampler, "tally", fails)
    assert "input 2: the model failed (RuntimeError: out of memory" in wrong(run, count=40)
