"""Runs that stop early: each input stops at its own look, whichever process draws it."""

import random as chance
import subprocess
import time
from dataclasses import replace

import numpy as np
import places
import pytest
from places import asked, drawn, words

import simplicert as sc
from simplicert.store.manifest import read_manifest, write_manifest
from simplicert.store.parts import read_part

RULES = ["radius=0.3", "atol=0.02", "rtol=0.2", "decided"]


def soon(place, out, **more):
    return asked(place, out, **{"draws": 1600, "until": "radius=0.3", **more})


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", ["multinomial", "softmax"])
def test_a_run_stops_as_sample_does(place, rule, kind):
    complete, run = drawn(soon(place, "run", until=rule, kind=kind))
    assert complete
    assert run.missing == 0
    data, module = np.load("data.npz"), __import__(place[1])
    direct = sc.sample(
        module.make(),
        data["inputs"],
        0.4,
        1600,
        labels=data["labels"],
        batch_size=64,
        plan=sc.Until(rule).plan(1600).reserved(),
        until=sc.Until(rule, kind=kind, scheme=run.manifest.scheme),
    )
    assert run.tally() == direct
    assert len(np.unique(direct.draws)) > 1  # they stopped at different looks
    assert direct.draws.mean() < 1600
    assert run.manifest.plan.looks == (200, 400, 800, 1600)
    assert set(run.stopped) <= {"certified", "below target", "hopeless", "budget"}
    assert (run.stopped == "certified").any()


@pytest.mark.slow
def test_what_was_drawn_is_the_beginning_of_what_would_have_been(place):
    """Stopping chooses how many of an input's draws are used, never which."""
    tally = drawn(soon(place, "run"))[1].tally()
    for look in np.unique(tally.draws):
        whole = drawn(asked(place, f"fixed-{look}", draws=int(look)))[1].tally()
        rows = tally.draws == look
        np.testing.assert_array_equal(tally.counts[rows], whole.counts[rows])
        np.testing.assert_array_equal(tally.softmax_sums[rows], whole.softmax_sums[rows])
        np.testing.assert_array_equal(tally.histograms[rows], whole.histograms[rows])


@pytest.mark.slow
@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2)])
def test_shards_in_any_order_make_the_same_run(place, order):
    _, whole = drawn(soon(place, "whole"))
    for number in order:
        drawn(soon(place, "shards", shard=f"{number}/3"))
    assert sc.open_run("shards").tally() == whole.tally()


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["radius=0.3", pytest.param("atol=0.02", marks=pytest.mark.long)])
def test_stopped_after_any_batch_and_resumed(place, rule):
    """Stopping after 1, 2, 3, ... batches and resuming each time ends in the same tally."""
    _, whole = drawn(soon(place, "whole", until=rule))
    for batches in range(1, 200):
        calls = []

        def stop(calls=calls, batches=batches):
            calls.append(1)
            return len(calls) >= batches

        complete, run = drawn(soon(place, "run", until=rule), stop=stop)
        if complete:
            break
    assert complete
    assert batches > 3
    assert run.tally() == whole.tally()
    np.testing.assert_array_equal(run.stopped, whole.stopped)


@pytest.mark.slow
def test_kills_change_nothing(place, monkeypatch):
    _, whole = drawn(soon(place, "whole"))
    monkeypatch.setenv("PAUSE", "0.02")
    more = ("--until", "radius=0.3", "--draws", "1600")
    luck = chance.Random(1)
    for _ in range(6):
        process = subprocess.Popen(
            words(place, "killed", *more), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        places.soon((place[0] / "killed" / "run.toml").exists)
        time.sleep(luck.uniform(0.0, 0.8))
        process.kill()
        process.wait()
    monkeypatch.setenv("PAUSE", "0")
    done = subprocess.run(
        words(place, "killed", *more), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert sc.open_run("killed").tally() == whole.tally()


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["radius=0.3", "atol=0.02"])
def test_extended_it_goes_on_by_the_same_rule(place, rule):
    """With one more look, inputs that were certified may need more draws."""
    _, run = drawn(soon(place, "run", until=rule))
    before = run.tally().draws
    _, longer = drawn(soon(place, "run", until=rule, draws=4000, extend=True))
    plan = longer.manifest.plan
    assert plan.looks == (200, 400, 800, 1600, 4000)
    assert plan.rule == rule
    assert longer.missing == 0
    after = longer.tally().draws
    assert (after >= before).all()
    assert set(after.tolist()) <= set(plan.looks)


def test_another_rule_is_another_run(place):
    drawn(soon(place, "run"))
    with pytest.raises(
        sc.InvalidInput, match=r"was made with until = radius=0\.3, and until = deci"
    ):
        drawn(soon(place, "run", until="decided"))
    with pytest.raises(sc.InvalidInput, match="was made with"):
        drawn(asked(place, "run", draws=1600))


def test_a_random_model_does_not_stop_early(place):
    with pytest.raises(sc.InvalidInput, match="until must not be asked for"):
        drawn(soon(place, "run", model=f"{place[1]}:noisy"))
    assert not (place[0] / "run").exists()


def test_a_bad_rule_writes_nothing(place):
    with pytest.raises(sc.InvalidInput, match="until must be radius=R, atol=X, rtol=X or decided"):
        drawn(soon(place, "run", until="soon"))
    assert not (place[0] / "run").exists()


@pytest.mark.slow
def test_a_stopped_tally_is_bounded_by_its_plan_only(place):
    _, run = drawn(soon(place, "run"))
    tally = run.tally()
    alone = sc.Tally(tally.counts, tally.sigma)
    planned, naive = sc.bound(tally), sc.bound(alone)
    both = ~planned.abstained & ~naive.abstained
    assert both.any()
    assert (planned.e0[both] < naive.e0[both]).all()


@pytest.mark.slow
def test_certificates_say_how_each_input_was_drawn(place):
    _, run = drawn(soon(place, "run"))
    frame = run.certify().to_frame()
    assert list(frame.columns[-9:-6]) == ["looks", "alpha_spent", "stopped"]
    assert list(frame.columns[-6:-4]) == ["method", "level"]
    plan = run.manifest.plan
    np.testing.assert_array_equal(frame["draws"], np.array(plan.looks)[frame["looks"] - 1])
    share = np.cumsum(plan.weights)[frame["looks"] - 1]
    np.testing.assert_allclose(frame["alpha_spent"], 0.001 * share)
    assert (frame["alpha_spent"] <= 0.001 * (1 + 1e-12)).all()
    certified = frame["stopped"] == "certified"
    assert certified.any()
    assert (frame["radius"][certified] >= 0.3).all()
    assert (frame["radius"][frame["stopped"] == "below target"] < 0.3).all()
    plain = drawn(asked(place, "plain"))[1].certify().to_frame()
    assert not {"looks", "alpha_spent", "stopped"} & set(plain.columns)


@pytest.mark.slow
def test_a_lost_first_part_is_drawn_again(place):
    """Later draws alone make no look, so the inputs are drawn again from the first draw."""
    _, run = drawn(soon(place, "run"))
    whole = run.tally()
    first = next(path for path in run.paths() if (read_part(path, run.manifest).looks == 1).all())
    first.unlink()
    again = sc.open_run("run")
    assert again.missing > 0
    assert drawn(soon(place, "run"))[0]
    assert sc.open_run("run").tally() == whole


def test_a_plan_of_ones_own_is_marked_by_the_rule(place):
    data, module = np.load("data.npz"), __import__(place[1])
    plan = sc.Plan((100, 300), (0.5, 0.5))
    until = sc.Until("decided")
    tally = sc.sample(module.make(), data["inputs"], 0.4, 300, plan=plan, until=until)
    assert tally.plan.rule == "decided"


@pytest.mark.slow
def test_a_reserve_is_kept_for_an_extension(place):
    _, run = drawn(asked(place, "run"))
    assert run.manifest.plan.weights == (0.9,)
    assert (run.manifest.source["reserve"], run.manifest.reserve) == (0.1, 0.1)
    for draws, share in ((400, 0.05), (800, 0.025)):
        _, run = drawn(asked(place, "run", draws=draws, extend=True))
        assert run.manifest.plan.weights[-1] == pytest.approx(share)
        assert run.certify().known.level == 0.001
    _, half = drawn(asked(place, "half", reserve="50%"))
    _, half = drawn(asked(place, "half", draws=400, extend=True, reserve="0.5"))
    assert half.manifest.plan.weights == (0.5, 0.25)
    _, plain = drawn(asked(place, "plain", reserve="0"))
    assert plain.manifest.plan.weights == (1.0,) and "reserve" not in plain.manifest.source
    _, plain = drawn(asked(place, "plain", draws=400, extend=True))
    assert plain.certify().known.level == pytest.approx(0.0015)
    with pytest.raises(sc.InvalidInput, match=r"made with reserve = 0\.0, and reserve = 0\.5 was"):
        drawn(asked(place, "plain", draws=400, extend=True, reserve="0.5"))


@pytest.mark.slow
def test_the_looks_of_a_rule_share_what_is_not_in_reserve(place):
    _, run = drawn(soon(place, "run"))
    whole = sc.Until(run.manifest.plan.rule).plan(run.manifest.plan.looks[-1])
    assert run.manifest.plan == whole.reserved(0.1)


@pytest.mark.slow
@pytest.mark.parametrize(("written", "share"), [(None, 0.0), (True, 0.5)])
def test_a_run_from_before_goes_on_as_it_was_begun(place, written, share):
    """Its run.toml has no reserve, or `reserve = true`, which meant half."""
    drawn(asked(place, "run", reserve=str(share)), stop=lambda: True)
    folder = place[0] / "run"
    manifest = read_manifest(folder)
    source = {name: value for name, value in manifest.source.items() if name != "reserve"}
    source |= {} if written is None else {"reserve": written}
    write_manifest(folder, replace(manifest, source=source))
    content = (folder / "run.toml").read_bytes()
    complete, run = drawn(asked(place, "run"))
    assert complete and run.manifest.plan.weights == (1 - share,)
    assert drawn(asked(place, "run", reserve=f"{100 * share:g} %"))[0]
    assert (folder / "run.toml").read_bytes() == content
    with pytest.raises(sc.InvalidInput, match=f"reserve = {share}, and reserve = 0.1 was asked"):
        drawn(asked(place, "run", reserve="10%"))
    _, run = drawn(asked(place, "run", draws=400, extend=True))
    assert run.certify().known.level == pytest.approx(0.001 if share else 0.0015)


@pytest.mark.parametrize("text", ["1", "-0.1", "95%", "half", "", "nan", "--out"])
def test_a_reserve_that_is_no_share_is_refused_before_anything_is_written(place, text):
    with pytest.raises(sc.InvalidInput, match=r"reserve must be a share of alpha in 0\.\.0\.9"):
        drawn(asked(place, "run", reserve=text))
    assert not (place[0] / "run").exists()
