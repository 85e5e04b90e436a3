"""Attacks on sequences of tokens: edits that are what they say, and flips that are there."""

import json
from dataclasses import replace

import numpy as np
import pytest
from words_world import edit_distance, is_part

import simplicert as sc
from simplicert.attack.edits import EditBall, TokenEdit
from simplicert.store.attacks import read_attack

MODEL = """
def make():
    return lambda batch: [int(one.count("good") > one.count("bad")) for one in batch]
"""
LITTLE = ("--steps", 4, "--restarts", 1, "--explore", 200, "--confirm", 1000, "--quiet")


@pytest.fixture
def reviews(tmp_path, monkeypatch, command):
    """A run of four texts, and the words that name its model and data."""
    texts = ["good " * 12, "a bad film " * 8, "good fun", "the end is bad bad"]
    lines = [json.dumps({"text": text}) + "\n" for text in texts]
    (tmp_path / "reviews.jsonl").write_text("".join(lines))
    (tmp_path / "edit_model.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    where = ("--model", "edit_model:make", "--data", "reviews.jsonl")
    noise = ("--noise", "deletion", "--rate", "0.7", "--outputs", "labels", "--classes", "2")
    more = ("--draws", "1000", "--device", "cpu", "--out", "run", "--quiet")
    assert command("sample", *where, *noise, *more)[0] == 0
    return where


def test_edits_are_made_at_their_places_and_counted():
    ball = EditBall(("a", "b", "c"), "edits", ["x"])
    made = ball.apply([TokenEdit(1, None), TokenEdit(0, "x"), TokenEdit(3, "y", True)])
    assert made.tokens == ("x", "c", "y")
    assert ball.norm(made) == 3
    assert ball.perturbation(made).tolist() == ["x", "c", "y"]
    assert ball.apply([]).tokens == ball.centre
    assert ball.perturbation(ball.apply([TokenEdit(n, None) for n in range(3)])).size == 0


@pytest.mark.parametrize("kind", ["edits", "insertions", "deletions"])
def test_a_path_never_claims_less_than_the_distance_and_keeps_its_kind(kind):
    random = np.random.default_rng(0)
    centre = tuple(random.choice(["a", "b"], 6).tolist())
    ball = EditBall(centre, kind, ["a", "b"])
    for _ in range(30):
        order = random.permutation(6)
        drawn = [ball.random_edit(random, ["a", "b"]) for _ in range(3)]
        apart = list({(e.place, e.inserted): e for e in drawn}.values())
        for path in [apart, *ball.paths(order, "a", 4), *ball.paths(order, None, 4)]:
            made = ball.apply(path)
            assert edit_distance(centre, made.tokens) <= made.distance
            assert kind != "insertions" or is_part(centre, made.tokens)
            assert kind != "deletions" or is_part(made.tokens, centre)


@pytest.mark.slow
def test_honest_certificates_survive_and_flips_beyond_are_found(reviews, command):
    code, out, err = command("attack", "run", *reviews, *LITTLE)
    assert code == 0, err
    rows = read_attack(sc.open_run("run").folder / "attack.csv")
    assert rows and all(row.norm == "edits" and row.noise == "deletion" for row in rows)
    assert all(row.found is None or row.found > row.radius for row in rows)
    assert any(row.found is not None for row in rows)
    assert "in edits" in " ".join(out.split()) or "tokens" in out
    again = command("attack", "run", *reviews, *LITTLE)
    assert again[0] == 0 and read_attack(sc.open_run("run").folder / "attack.csv") == rows


@pytest.mark.slow
@pytest.mark.parametrize("norm", ["insertions", "deletions"])
def test_other_norms_are_attacked_by_their_own_edits(reviews, command, norm):
    code, _, err = command("attack", "run", *reviews, *LITTLE, "--norm", norm)
    assert code == 0, err
    rows = read_attack(sc.open_run("run").folder / f"attack-{norm}.csv")
    assert all(row.norm == norm and not row.broken for row in rows)


def test_a_forged_certificate_is_broken_and_the_text_is_kept(reviews, command):
    """The same counts under a rate of .95 would be certified far beyond what holds at .7."""
    run = sc.open_run("run")
    certificates = run.certify()
    known = replace(certificates.known, noise=replace(certificates.known.noise, rate=0.95))
    forged = sc.certify(known)
    assert (forged.radius > certificates.radius).all()
    from simplicert.attack import Effort, attack_run, open_target

    target = open_target(run, *reviews[1::2])
    effort = Effort(4, 1, 16, 200, 1000, 0.001, 0)
    rows = attack_run(target, forged, np.array([0]), effort, run.folder / "forged.csv")
    assert rows[0].broken
    kept = np.load(run.folder / "forged-0.npy")
    assert kept.dtype.kind == "U"
    counts = [int((kept == word).sum()) for word in ("good", "bad")]
    assert edit_distance(("good",) * 12, tuple(kept.tolist())) <= rows[0].found
    assert counts[1] > 0 or counts[0] < 12
