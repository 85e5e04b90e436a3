"""`simplicert attack` as a user types it: exit code 0 if nothing breaks, else 1 and a warning."""

import re
import signal
from dataclasses import replace

import numpy as np
import pytest
from known import SIGMA, data_of, drawn, place_model, true_distance
from scipy.special import ndtr

import simplicert as sc
from simplicert.metrics.study import read_studies
from simplicert.report.blocks import attack_cautions
from simplicert.report.views import make_views
from simplicert.store.attacks import read_attack
from simplicert.store.manifest import Manifest

LITTLE = ("--steps", 4, "--restarts", 1, "--samples", 8, "--explore", 200, "--confirm", 2000)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("typed")
    place_model(folder, "typed_truth")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        drawn(folder, "typed_truth:network")
        yield folder


@pytest.fixture(scope="module")
def inflated(place):
    """Counts as if each input were 1.5 times as far from the boundary as it is."""
    honest = sc.open_run(place / "run")
    inputs = np.load(place / "data.npz")["inputs"]
    far = np.array([1.5 * true_distance(x) for x in inputs])
    draws, top = 2_000_000, honest.certify().known.top
    hits = np.ceil(draws * ndtr(far / SIGMA) + 4 * np.sqrt(draws) / 2).astype(np.int64)
    counts = np.where(np.arange(2) == top[:, None], hits[:, None], draws - hits[:, None])
    plan = sc.Plan((draws,))
    manifest = replace(honest.manifest, plan=plan)
    own = sc.create_run(place / "inflated", manifest, sc.Tally(counts, SIGMA, plan=plan))
    assert (own.certify().radius > 1.45 * far / 1.5).all()
    return place / "inflated"


def own(place):
    """The run's model and data, given by the user."""
    return ("--model", "typed_truth:network", "--data", data_of(place))


def test_nothing_is_broken(command, place):
    run, table = place / "run", place / "run" / "attack.csv"
    words = ("attack", run, *own(place), *LITTLE)
    code, out, err = command(*words)
    assert code == 0
    assert re.search(r"inputs attacked +4 of 4\ncertificates broken +0\nsmallest ratio +1\.", out)
    assert f"wrote {table}" in out
    assert "surviving an attack proves nothing" in out
    assert err.splitlines()[-1].startswith("4 of 4 inputs, broken 0, smallest ratio 1.")
    rows = read_attack(table)
    assert [row.broken for row in rows] == [False] * 4
    assert all(row.found > true_distance(x) for row, x in zip(rows, inputs(place), strict=True))
    before = table.read_bytes()
    assert command(*words, "--quiet")[::2] == (0, "")  # again: nothing is left to do
    assert table.read_bytes() == before


def test_a_first_stage_is_left_out(command, place):
    """The attack moves what the noise is added to: radii are those there, and a warning says so."""
    honest = sc.open_run(place / "run")
    source = {**honest.manifest.source, "sensitivity": 4.0}
    staged = sc.create_run(
        place / "staged", replace(honest.manifest, source=source), honest.tally()
    )
    words = ("attack", staged.folder, *own(place), "--inputs", 1, *LITTLE)
    code, _, err = command(*words)
    assert code == 0 and "sensitivity of 4 is left out" in " ".join(err.split())
    (row,) = read_attack(staged.folder / "attack.csv")
    assert row.radius in honest.certify().radius.tolist()
    assert row.radius not in staged.certify().radius.tolist()
    (view,) = [view for view in make_views(read_studies([staged.folder])) if view.kind == row.kind]
    (said,) = attack_cautions(view)  # and not that radii have changed since
    assert "at the noise, behind the first stage" in said


def inputs(place):
    return np.load(place / "data.npz")["inputs"]


def test_a_false_certificate_is_cried_out(command, inflated, place):
    code, _, err = command("attack", inflated, *own(place), "--quiet", *LITTLE)
    assert code == 1
    rows = read_attack(inflated / "attack.csv")
    assert [row.broken for row in rows] == [True] * 4
    for row in rows:
        assert (
            f"BROKEN CERTIFICATE: input {row.index} is certified as class {row.certified} within "
            f"{row.radius!r}, and at distance {row.found!r} the smoothed class is {row.rival}"
        ) in err
        perturbation = np.load(inflated / f"attack-{row.index}.npy")
        moved = inputs(place)[row.index].astype(float) + perturbation
        side = moved.ravel() @ weights(place) + np.float32(0.3)
        assert (side < 0) == (row.certified == 0)
    assert err.splitlines()[-1] == "simplicert: 4 of 4 certificates are broken"


def weights(place):
    import typed_truth

    return typed_truth.W.astype(float)


def test_the_other_kind_has_a_table_of_its_own(command, place):
    words = ("--kind", "soft", "--index", 1, "--index", 3, "--seed", 5, *LITTLE)
    code, _, err = command("attack", place / "run", *own(place), *words)
    assert code == 0
    assert "exploratory: the run did not declare this kind" in err
    rows = read_attack(place / "run" / "attack-softmax.csv")
    assert [(row.index, row.kind, row.seed, row.inputs) for row in rows] == [
        (1, "softmax", 5, 2),
        (3, "softmax", 5, 2),
    ]


def test_interrupted_it_keeps_what_is_done_and_says_how_to_go_on(
    command, place, tmp_path, monkeypatch
):
    from simplicert.attack import job

    attack_input, done = job.attack_input, []

    def interrupted(*args):
        done.append(args)
        signal.raise_signal(signal.SIGINT)
        return attack_input(*args)

    monkeypatch.setattr(job, "attack_input", interrupted)
    out, whole = tmp_path / "attack.csv", tmp_path / "whole.csv"
    some = ("--index", 0, "--index", 2, "--out")
    words = ("attack", place / "run", *own(place), *LITTLE, *some, out)
    code, _, err = command(*words)
    assert code == 130 and len(done) == 1
    assert "stopping after this input" in err
    assert "stopped; 1 of 2 inputs are kept: the same command goes on" in err
    monkeypatch.setattr(job, "attack_input", attack_input)
    assert command(*words)[0] == command(*words[:-1], whole)[0] == 0
    assert out.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--inputs", "9"), "inputs must lie in 1..4"),
        (("--inputs", "1", "--index", "1"), "inputs (1) and index cannot be given together"),
        (("--index", "7"), "index must name certified inputs of the run, got [7]"),
        (("--steps", "0"), "steps must be a whole number in 1..1048576, got 0"),
        (("--level", "1"), "level must lie strictly between 0 and 1, got 1.0"),
        (("--seed", "-1"), "seed must be a whole number from 0 on, got -1"),
        (("--kind", "loud"), "kind must be one of multinomial, softmax"),
        (("--device", "toaster"), "device must be cpu or a device that torch has here"),
        (("--model", "typed_truth:function"), "model must be what"),
        (("--data", "digits"), "data must be what"),
        (("--data", "nowhere.npz"), "--model and --data say where they are"),
        (("--mean", "a"), "mean must be numbers separated by commas, got 'a'"),
        (("--out", "nowhere/attack.csv"), "out must lie in a folder that exists"),
        (("--out", "attack.parquet"), "out must end in .csv"),
    ],
)
def test_bad_input_is_one_sentence(command, place, words, message):
    before = sorted(path.name for path in (place / "run").iterdir())
    given = own(place)
    given = given[: 2 if "--data" in words else 4][2 if "--model" in words else 0 :]
    code, out, err = command("attack", place / "run", *given, *words)
    assert (code, out) == (2, "")
    assert message in err and err.count("\n") == 1
    assert sorted(path.name for path in (place / "run").iterdir()) == before


def test_what_is_no_run_of_ours(command, tmp_path):
    code, _, err = command("attack", tmp_path / "nowhere")
    assert code == 2 and "run must be a folder that exists" in err
    sc.create_run(tmp_path / "counts", Manifest(0.5, 1, 3), sc.Tally([[90, 5, 5]], 0.5))
    code, _, err = command("attack", tmp_path / "counts")
    assert code == 2 and "run must have been drawn by sample to be attacked" in err
