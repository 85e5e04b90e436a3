"""The card: every number recomputed, nothing claimed that does not hold, names escaped."""

import re

import numpy as np
import pytest
from figured import write_attacks, write_run
from scipy import stats

import simplicert as sc
from simplicert.cards.facts import hide_folders
from simplicert.errors import DamagedRun, InvalidInput
from simplicert.store.attacks import read_attack, write_attack

HOSTILE = '<img src=x onerror=alert(1)> [a](javascript:b) `c` | "d" </style>'


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Forty inputs: thirty certified as their label, six as another class, four not at all."""
    counts = [[1990, 10, 0]] * 30 + [[10, 1990, 0]] * 6 + [[1000, 1000, 0]] * 4
    tally = sc.Tally(counts, 0.5, labels=[0] * 40, plan=sc.Plan((2000,)))
    made = {"model": "/home/me/net.pt2", "data": "cifar10:/home/me/pictures"}
    settings = sc.Manifest(0.5, 40, 3, plan=tally.plan, made=made)
    return sc.create_run(tmp_path_factory.mktemp("runs") / "mine", settings, tally)


@pytest.fixture(scope="module")
def made(run):
    return sc.card(run, draws=100)


def section(card, title):
    return next(part for part in card.sections if part.title == title)


def said(card, title):
    return "\n".join(section(card, title).sentences)


def test_scope_counts_what_is_certified_and_what_is_wrong(made):
    assert "36 of 40 inputs have a certificate" in said(made, "What is certified")
    assert "l2 perturbations of the input" in said(made, "What is certified")
    assert "6 inputs are certified as a wrong class" in said(made, "What is not certified")
    assert "The model itself, without the noise." in said(made, "What is not certified")


def test_accuracy_and_its_interval_by_an_independent_formula(run, made):
    table = section(made, "Certified accuracy").table
    radius = run.certify().radius
    assert [row[0] for row in table.rows] == ["0", "0.25", "0.5", "0.75", "1"]
    for row in table.rows:
        hits = int((radius[:30] > float(row[0])).sum())
        low = stats.beta.ppf(0.025, hits, 41 - hits)
        high = stats.beta.ppf(0.975, hits + 1, 40 - hits)
        assert row[3] == f"{hits} of 40" and float(row[1]) == np.floor(1000 * hits / 40) / 10
        assert row[2] == f"{np.floor(100 * low):.0f}-{np.ceil(100 * high):.0f}"
        assert float(row[4]) <= float(row[1])


def test_what_predict_answers_is_the_operational_radius(run, made):
    reach = sc.operational_radius(run.certify(), draws=100)
    for row in section(made, "Certified accuracy").table.rows:
        kept = int(((reach[:30] >= float(row[0])) & (reach[:30] > 0)).sum())
        assert float(row[4]) == np.floor(1000 * kept / 40) / 10


def test_the_statement_is_at_a_radius_fixed_before_the_draws(run, made):
    wanted = sc.metrics.make_statement(run.certify(), 0.25).sentence
    assert wanted in section(made, "Sentences to say").sentences
    assert "half the scale of the noise, fixed before" in said(made, "Inputs that were not tested")
    asked = sc.card(run, radius=0.4, draws=100)
    assert "l2 distance 0.4" in said(asked, "Sentences to say")
    assert "must not have been chosen by the results" in said(asked, "Inputs that were not tested")
    assert "0.4" in [row[0] for row in section(asked, "Certified accuracy").table.rows]


def test_what_not_to_say_has_reasons(made):
    rows = dict(section(made, "Sentences not to say").table.rows)
    assert "6 of these inputs" in rows["A certified decision is a right one."]
    assert "does not tell attacked from clean" in rows["A certified input was not attacked."]
    assert rows["75.0 % robust."].startswith("It is a share of 40 tested inputs")


def test_abstentions_cost_and_checks(made):
    clean = said(made, "Abstentions, clean and attacked")
    assert "no certificate for 4 of 40 (10.0 %" in clean and "no attack" in clean
    assert "2,000 forward passes" in said(made, "Cost of a decision")
    checks = section(made, "Verification").table.rows
    assert ("files", "holds", "run.toml is as it was written") in checks
    assert "no input was drawn again" in said(made, "Verification")


def test_the_reader_learns_nothing_of_my_folders(made):
    for text in (made.to_markdown(), made.to_html(), made.to_model_card()):
        assert "/home/me" not in text and "net.pt2" in text and "pictures" in text
    assert hide_folders("at ~/a/b.csv") == "at b.csv" and hide_folders("a/b") == "a/b"
    assert hide_folders(r"cifar10:C:\Users\me\data") == "cifar10:data"


@pytest.fixture(scope="module")
def attacked(tmp_path_factory):
    return write_attacks(write_run(tmp_path_factory.mktemp("attacked") / "run"))


def test_an_attack_in_the_folder_or_by_its_name(attacked, tmp_path):
    rows = read_attack(attacked / "attack.csv")
    inside = sum(row.broken for row in rows)
    card = sc.card(attacked, draws=100)
    text = said(card, "Abstentions, clean and attacked")
    assert f"of {len(rows)} attacked inputs" in text and f"confirmed for {inside}," in text
    assert "not in its file" in text
    write_attack(tmp_path / "other.csv", rows[:1])
    named = sc.card(attacked, attack=tmp_path / "other.csv", draws=100)
    assert "of 1 attacked inputs" in said(named, "Abstentions, clean and attacked")


def test_an_attack_on_another_run_has_no_place(run, attacked):
    with pytest.raises(DamagedRun, match="another run, kind or norm"):
        sc.card(run, attack=attacked / "attack.csv", draws=100)


def test_an_attack_in_another_norm_or_on_other_radii(attacked, tmp_path):
    card = sc.card(attacked, norm="l1", draws=100)
    assert "no attack on these" in said(card, "Abstentions, clean and attacked")
    row = read_attack(attacked / "attack.csv")[-1]
    far = type(row)(**{**vars(row), "radius": row.radius / 2, "rival": None, "found": None})
    write_attack(tmp_path / "old.csv", [far])
    card = sc.card(attacked, attack=tmp_path / "old.csv", draws=100)
    assert card.believable and "1 of 1 radii have changed" in "".join(card.cautions)
    with pytest.raises(DamagedRun, match="another run, kind or norm"):
        sc.card(attacked, norm="l1", attack=tmp_path / "old.csv", draws=100)


def test_a_broken_certificate_ends_all_sentences(attacked, tmp_path):
    row = next(row for row in read_attack(attacked / "attack.csv") if row.found is not None)
    broken = type(row)(**{**vars(row), "found": row.radius / 2})
    write_attack(tmp_path / "broken.csv", [broken])
    card = sc.card(attacked, attack=tmp_path / "broken.csv", draws=100)
    assert not card.believable and card.cautions[0].startswith("BROKEN")
    assert said(card, "Sentences to say").startswith("Nothing:")
    with pytest.raises(InvalidInput, match="must not carry numbers"):
        card.to_model_card()


def test_a_damaged_run_says_so_first(tmp_path):
    tally = sc.Tally([[990, 10]] * 3, 0.5, labels=[0] * 3)
    sc.create_run(tmp_path / "run", sc.Manifest(0.5, 3, 2), tally)
    toml = tmp_path / "run" / "run.toml"
    toml.write_text(toml.read_text().replace("alpha = 0.001", "alpha = 0.01"))
    card = sc.card(tmp_path / "run", draws=100)
    assert not card.believable
    assert card.cautions[0].startswith("verification failed: files: run.toml was altered")
    assert said(card, "What is certified").startswith("This does not hold as it is stated")
    assert said(card, "Inputs that were not tested").startswith("Nothing is said")


def test_names_of_strangers_are_text(tmp_path):
    made = {"model": HOSTILE, "data": HOSTILE}
    settings = sc.Manifest(0.5, 3, 2, made=made)
    tally = sc.Tally([[990, 10]] * 3, 0.5, labels=[0] * 3)
    card = sc.card(sc.create_run(tmp_path / "run", settings, tally), name=HOSTILE, draws=100)
    page = card.to_html()
    assert "<img" not in page and "&lt;img src=x onerror=alert(1)&gt;" in page
    assert page.count("</style>") == 1 and "default-src 'none'" in page and "<script" not in page
    text = card.to_markdown()
    assert "<img" not in text and "\\[a\\](javascript:b)" in text and "\\`c\\`" in text
    table = [line for line in text.splitlines() if line.startswith("| model ")]
    assert len(re.findall(r"(?<!\\)\|", table[0])) == 3


def test_without_labels_nothing_is_said_of_accuracy(tmp_path):
    tally = sc.Tally([[990, 10]] * 3, 0.5)
    card = sc.card(sc.create_run(tmp_path / "run", sc.Manifest(0.5, 3, 2), tally), draws=100)
    assert "nothing is said of accuracy" in said(card, "Certified accuracy")
    assert card.model_index == () and "robust." not in card.to_markdown().split("robust, ")[1]
    assert "model-index" not in card.to_model_card()


def test_whole_radii_and_draws_without_chance(tmp_path):
    noise = sc.NoiseModel("ablation", size=784, keep=45)
    tally = sc.Tally([[2000, 0]] * 5, 1.0, labels=[0] * 5, noise=noise)
    settings = sc.Manifest(1.0, 5, 2).with_noise(noise)
    card = sc.card(sc.create_run(tmp_path / "run", settings, tally), draws=100)
    assert "at most 1 feature " in said(card, "Sentences to say")
    assert "one change, fixed before the draws" in said(card, "Inputs that were not tested")
    assert "larger than the radius" in said(card, "What is not certified")


def test_bad_arguments(run):
    with pytest.raises(InvalidInput, match="draws must be positive"):
        sc.card(run, draws=0)
    with pytest.raises(InvalidInput, match="radius must be a number from 0 on"):
        sc.card(run, radius=-1.0)
    with pytest.raises(InvalidInput, match="name must not be empty"):
        sc.card(run, name=" ")
