"""Runs of texts: the same bits by any engine, after any interruption; verified and refused."""

import json
from pathlib import Path

import numpy as np
import pytest
import scenes
from places import asked, drawn, words

import simplicert as sc


def test_the_command_draws_what_python_draws(text_place, command):
    folder, name = text_place
    assert command(*words(text_place, "typed", "--stop", "9")[3:])[0] == 0
    classify = __import__(name).make()
    lines = [json.loads(line) for line in (folder / "texts.jsonl").read_text().splitlines()]
    texts, labels = [line["text"] for line in lines], [line["label"] for line in lines]
    called = sc.draw(
        classify, texts, None, 150, "called", labels=labels, noise="deletion", rate=0.6,
        select=slice(9), batch_size=64, device="cpu",
    ).run  # fmt: skip
    typed = sc.open_run("typed")
    assert called.tally() == typed.tally()
    assert called.manifest.data_fingerprint == typed.manifest.data_fingerprint
    assert typed.manifest.noise == {"name": "deletion", "rate": 0.6}
    assert typed.manifest.source["noise"] == "deletion, of the tokens as loaded"
    certificates = typed.certify()
    assert certificates.known.norm == "edits"
    assert (certificates.radius == np.floor(certificates.radius)).all()


def test_it_is_verified_by_drawing_again_and_never_resumed_as_another(text_place, command):
    _, name = text_place
    assert command(*words(text_place, "run", "--stop", "8")[3:])[0] == 0
    where = ("--model", f"{name}:make", "--data", "texts.jsonl")
    code, out, _ = command("verify", "run", "--replay", "3", "--seed", "0", *where)
    assert code == 0
    assert out.count("150 draws come again bit for bit") == 3
    code, _, said = command(*words(text_place, "run", "--stop", "8")[3:], "--rate", "0.7")
    assert (code, "noise" in said, "0.7" in said) == (2, True, True)
    lines = Path("texts.jsonl").read_text().replace("w1 ", "w2 ")
    Path("texts.jsonl").write_text(lines)
    code, _, said = command(*words(text_place, "run", "--stop", "8")[3:])
    assert (code, "data_fingerprint" in said) == (2, True)
    code, out, _ = command("verify", "run", "--replay", "1", *where)
    assert (code, "the data is not the run's" in out) == (1, True)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--data", "digits"], "got deletion: it is for sequences of tokens"),
        (["--noise", "gaussian", "--sigma", "1"], "rate is not a number of gaussian noise"),
        (["--rate", "1"], "rate must lie between 0 and 1, got 1.0"),
        (["--grid", "1/255"], "grid must be left out with deletion noise"),
        (["--mean", "0.5"], "mean"),
    ],
)
def test_refusals_are_one_sentence_and_exit_code_2(text_place, command, options, sentence):
    code, _, said = command(*words(text_place, "run")[3:], *options)
    assert code == 2
    assert sentence in said
    assert said.strip().count("\n") <= 1
    assert not (text_place[0] / "run").exists()


def test_other_noise_of_texts_is_refused_before_anything_is_drawn(text_place):
    for more in ({"sigma": 0.5}, {"noise": "laplace", "scale": 0.5}, {"sigma": 0.5, "grid": 0.1}):
        settings = {"noise": "gaussian", "rate": None, **more}
        with pytest.raises(sc.InvalidInput, match="noise must be deletion for sequences of tok"):
            drawn(asked(text_place, "run", **settings))


def test_a_network_is_not_trained_on_texts(text_place):
    from simplicert.training.sets import training_sets

    with pytest.raises(sc.InvalidInput, match="arrays of numbers to train a network on, got the"):
        training_sets("texts.jsonl", None)


def test_shards_make_the_whole(text_place):
    for shard in ("2/2", "1/2"):
        assert drawn(asked(text_place, "run", shard=shard, stop=9))[0]
    assert sc.open_run("run").tally() == drawn(asked(text_place, "alone", stop=9))[1].tally()


@pytest.mark.slow
def test_any_number_of_processes_draws_the_same_bits(text_place):
    scenes.same_bits(text_place, (2,))


@pytest.mark.slow
def test_a_killed_worker_costs_its_unit_only(text_place):
    scenes.killed_worker(text_place)


@pytest.mark.slow
def test_a_killed_leader_is_continued_bit_for_bit(text_place):
    scenes.killed_leader(text_place)


@pytest.mark.slow
def test_stopped_and_resumed(text_place):
    scenes.stopped_and_resumed(text_place)
