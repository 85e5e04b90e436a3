"""`--outputs scores --score-limit` is recorded, replayed and attacked; each needs the other."""

import tomllib

import numpy as np
import pytest

import simplicert as sc

MODEL = """
import numpy as np
def scored():
    def scores(batch):
        above = batch.reshape(len(batch), -1)[:, :1] > 0
        return np.where(above, [[3.9, 0.1, 0.0]], [[0.1, 3.9, 0.0]])
    return scores
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a model of scores and inputs on a grid."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "limited_scores.py").write_text(MODEL)
    np.savez("data.npz", inputs=np.full((2, 4), 0.5, np.float32))
    return tmp_path


def test_from_sample_to_attack(place, command):
    origin = ["--model", "limited_scores:scored", "--data", "data.npz"]
    asked = ["--outputs", "scores", "--score-limit", 4, "--grid", "1/8", "--kind", "softmax"]
    noise = ["--sigma", 0.5, "--draws", 500]
    code, _, err = command("sample", *origin, *noise, *asked, "--out", "run", "--quiet")
    assert code == 0, err
    source = tomllib.loads((place / "run" / "run.toml").read_text())["source"]
    assert (source["outputs"], source["score_limit"], source["grid"]) == ("scores", 4.0, 0.125)
    known = sc.open_run("run").certify().known
    assert known.reading.score_limit == 4.0 and (known.e0 > 0.6).all() and (known.e0 < 0.83).all()
    code, out, _ = command("verify", "run", "--replay", 2, *origin)
    assert code == 0 and "come again bit for bit" in out
    effort = ["--steps", 2, "--restarts", 1, "--samples", 4, "--explore", 200, "--confirm", 400]
    code, out, err = command("attack", "run", *origin, *effort, "--inputs", 1, "--out", "a.csv")
    assert code == 0, err
    # Other settings are another run.
    asked[3] = 5
    code, _, err = command("sample", *origin, *noise, *asked, "--out", "run", "--quiet")
    assert code == 2 and "was made with score_limit = 4.0, and score_limit = 5.0" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--outputs", "scores"], "score_limit must be given with outputs="),
        (["--score-limit", 2], "score_limit must come with outputs="),
        (["--outputs", "scores", "--score-limit", -1], "score_limit must be a positive finite"),
    ],
)
def test_refused(place, command, words, said):
    asked = ["--model", "limited_scores:scored", "--data", "data.npz", "--sigma", 0.5]
    code, _, err = command("sample", *asked, "--draws", 50, *words, "--out", "none", "--quiet")
    assert code == 2 and said in err and not (place / "none").exists()
