"""`simplicert verify` as a user types it: lines, JSON, exit codes."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from simplicert.store.manifest import read_manifest, write_manifest
from simplicert.store.parts import read_part, write_part

MODEL = """
import numpy as np
WEIGHTS = np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32)
def make():
    return lambda batch: batch @ WEIGHTS
"""


@pytest.fixture
def run(command, tmp_path, monkeypatch, request):
    """A run of twelve inputs with its certificates beside it, the folder current."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    name = "verified_" + "".join(c if c.isalnum() else "_" for c in request.node.name)
    (tmp_path / f"{name}.py").write_text(MODEL)
    inputs = np.random.default_rng(1).random((12, 6)).astype(np.float32)
    np.savez("data.npz", inputs=inputs)
    words = ["--model", f"{name}:make", "--data", "data.npz", "--sigma", "0.3", "--draws", "200"]
    code, _, said = command("sample", *words, "--out", "mine", "--quiet", "--device", "cpu")
    assert code == 0, said
    assert command("certify", "mine", "--out", "mine.csv")[0] == 0
    return tmp_path / "mine"


def own(run):
    """The run's model, named by the user: the run's own word runs no code."""
    return ["--model", read_manifest(run).made["model"]]


def test_all_holds(command, run):
    code, out, said = command("verify", "mine", "--replay", "3", *own(run), "--json", "found.json")
    assert (code, said) == (0, "")
    lines = out.splitlines()
    assert lines[-1] == "mine: all holds"
    stage, note = [line for line in lines[:-1] if not line.startswith("ok    ")]
    assert stage == (
        "note  certificates: mine.csv: that nothing comes before the noise (sensitivity 1) is the "
        "run's word, as no draw shows it"
    )
    assert re.fullmatch(r"note  replay: --seed [0-9]+ chooses the inputs to draw again", note)
    assert sum("come again bit for bit" in line for line in lines) == 3
    found = json.loads((run.parent / "found.json").read_text())
    assert found["holds"] is True
    assert len(found["checks"]) == len(lines) - 1
    assert {check["about"] for check in found["checks"]} == {
        "files", "draws", "certificates", "replay",
    }  # fmt: skip


def test_json_is_printed_as_by_other_commands(command, run):
    """One line of JSON and nothing else; a file after it is the older form, in either order."""
    code, out, said = command("verify", "mine", "--json")
    assert (code, said, out.count("\n")) == (0, "", 1)
    found = json.loads(out)
    assert found["run"] == "mine" and found["holds"] is True
    assert command("verify", "--json", "mine")[1] == out
    for words in (["mine", "--json", "found.json"], ["--json", "found.json", "mine"]):
        code, lines, _ = command("verify", *words)
        assert code == 0 and lines.endswith("mine: all holds\n")
        assert json.loads((run.parent / "found.json").read_text()) == found
        (run.parent / "found.json").unlink()
    text = (run.parent / "mine.csv").read_text()
    (run.parent / "mine.csv").write_text(text.replace(",0.3,0.001,", ",0.3,0.0001,"))
    code, out, _ = command("verify", "mine", "--json")
    assert code == 1 and json.loads(out)["holds"] is False


def test_something_wrong_is_exit_code_one(command, run):
    text = (run.parent / "mine.csv").read_text()
    (run.parent / "mine.csv").write_text(text.replace(",0.3,0.001,", ",0.3,0.0001,"))
    code, out, _ = command("verify", "mine", "--json", "found.json")
    assert code == 1
    assert "WRONG certificates: mine.csv does not follow from the tallies" in out
    assert out.splitlines()[-1] == "mine: 1 of 7 checks failed"
    assert json.loads((run.parent / "found.json").read_text())["holds"] is False


@pytest.mark.parametrize(
    "words, says",
    [
        (["nowhere"], "is not a run folder"),
        (["mine", "other"], "run must be one run folder, got mine and other"),
        (["mine", "--replay", "-1"], "replay must not be negative, got -1"),
        (["mine", "--replay", "1", "--seed", "-1"], "seed must not be negative, got -1"),
        (["mine", "--certificates", "lost.csv"], "certificates must be plain files that exist"),
        (["mine", "--json", "no/such/folder.json"], "cannot read or write no/such/folder.json"),
        (["mine", "--replay", "1", "--model", "lost.pt2"], "to be drawn again, and none was"),
    ],
)
def test_bad_usage_is_exit_code_two(command, run, words, says):
    code, _, said = command("verify", *words)
    assert code == 2
    assert says in said
    assert "Traceback" not in said


def test_a_replay_that_was_not_made_is_not_said_to_hold(command, run):
    code, out, _ = command("verify", "mine", "--replay", "1", "--model", "lost.pt2")
    last = out.splitlines()[-1]
    assert (code, last) == (2, "mine: nothing is wrong, but no input was drawn again")


@pytest.mark.slow
def test_the_seed_is_fresh_and_repeats_the_choice(command, run):
    """Of 220 choices of 3 among 12, five in a row are the same by chance once in 2 * 10^9."""

    def chosen(*words):
        lines = command("verify", "mine", "--replay", "3", *own(run), *words)[1].splitlines()
        seed = next(line for line in lines if "--seed" in line).split("--seed ")[1].split()[0]
        return seed, [line for line in lines if "come again" in line]

    found = [chosen() for _ in range(5)]
    assert len({tuple(inputs) for _, inputs in found}) > 1
    assert chosen("--seed", found[0][0]) == found[0]
    assert "a seed that whoever made the run may have known" in str(
        command("verify", "mine", "--replay", "1", *own(run), "--seed", "0")
    )


def test_a_tolerant_replay_is_said_in_the_last_line(command, run):
    manifest = read_manifest(run)
    write_manifest(run, replace(manifest, made=manifest.made | {"processor": "Another 9000"}))
    for path in (run / "parts").iterdir():
        tally = read_part(path, manifest)
        sums = np.array(tally.softmax_sums)
        sums[:, 0] -= 1  # a score in its last bit
        path.unlink()
        squares = np.minimum(tally.softmax_squares, sums)
        forged = replace(tally, softmax_sums=sums, softmax_squares=squares, looks=None)
        write_part(run / "parts", forged, manifest)
    code, out, _ = command("verify", "mine", "--replay", "2", *own(run), "--json", "found.json")
    assert code == 0
    assert "says that it was drawn on another kind of machine (processor Another 9000" in out
    said = "mine: all holds, 2 of the inputs drawn again within a tolerance and not bit for bit"
    assert out.splitlines()[-1] == said
    found = json.loads((run.parent / "found.json").read_text())
    assert sum(check["tolerant"] for check in found["checks"]) == 2
