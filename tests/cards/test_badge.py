"""A badge says one number, rounded down, and says where there is none."""

from xml.etree import ElementTree

import simplicert as sc

SVG = "{http://www.w3.org/2000/svg}"


def made(folder, counts, labels, **more):
    tally = sc.Tally(counts, 0.5, labels=labels)
    inputs = more.pop("inputs", len(counts))
    return sc.create_run(folder, sc.Manifest(0.5, inputs, len(counts[0]), **more), tally)


def texts(card):
    root = ElementTree.fromstring(card.to_badge())
    shown = " ".join(item.text for item in root.iter(f"{SVG}text"))
    assert root.get("role") == "img" and root.get("aria-labelledby") == "title"
    return shown, root.find(f"{SVG}title").text


def test_accuracy_is_rounded_down_and_the_title_has_the_rest(tmp_path):
    """Two of three inputs: 66.6 and not 66.7."""
    run = made(tmp_path / "run", [[990, 8, 2], [990, 8, 2], [400, 350, 250]], [0, 0, 0])
    shown, title = texts(sc.card(run, radius=0.25))
    assert shown == "certified 66.6 % at 0.25 l2"
    assert "2 of 3 inputs (66.6 %, rounded down; 95 % interval" in title
    assert "within l2 distance 0.25" in title and "sigma 0.5" in title and "at most 0.001" in title


def test_without_labels_nothing_is_said_of_accuracy(tmp_path):
    shown, title = texts(sc.card(made(tmp_path / "run", [[990, 10], [500, 500]], None)))
    assert shown == "certified 1 of 2 inputs" and "nothing is said of accuracy" in title


def test_an_unfinished_run_has_no_number(tmp_path):
    run = made(tmp_path / "run", [[990, 10]], [0], inputs=2)
    shown, title = texts(sc.card(run))
    assert shown == "certified incomplete" and "1 of 2 inputs are missing" in title


def test_a_run_that_does_not_hold_says_so(tmp_path):
    run = made(tmp_path / "run", [[990, 10]] * 4, [0] * 4)
    toml = run.folder / "run.toml"
    toml.write_text(toml.read_text().replace("alpha = 0.001", "alpha = 0.01"))
    card = sc.card(run.folder, name='"><script>')
    shown, title = texts(card)
    assert shown == "certified does not hold" and "do not quote its numbers" in title
    assert "<script" not in card.to_badge() and "#a3003f" in card.to_badge()


def test_numbers_of_features_have_their_word(tmp_path):
    noise = sc.NoiseModel("ablation", size=784, keep=45)
    tally = sc.Tally([[2000, 0]] * 5, 1.0, labels=[0] * 5, noise=noise)
    run = sc.create_run(tmp_path / "run", sc.Manifest(1.0, 5, 2).with_noise(noise), tally)
    assert texts(sc.card(run, radius=1))[0] == "certified 100.0 % at 1 features changed (l0)"


def test_the_command_writes_it_and_replaces_it(tmp_path, command):
    run = made(tmp_path / "run", [[990, 10]] * 4, [0] * 4).folder
    out = tmp_path / "badge.svg"
    for _ in range(2):
        assert command("card", run, "--radius", 0.25, "--out", out)[0] == 0
    text = out.read_text()
    assert "100.0 % at 0.25 l2" in text and "http" not in text.replace("http://www.w3.org", "")
    code, _, err = command("card", run, "--format", "badge", "--out", tmp_path / "b.md")
    assert code == 2 and "out must end in .svg" in err
