"""The Python example of docs/sampling.md, run as a reader would: from an empty folder."""

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import simplicert as sc

PAGE = (Path(__file__).parents[1] / "docs" / "sampling.md").read_text()
SECTION = re.search(r"^## From Python\n(.*?)(?=^## )", PAGE, re.DOTALL | re.MULTILINE)[1]
BLOCKS = re.findall(r"^```(\w+)[^\n]*\n(.*?)^```$", SECTION, re.DOTALL | re.MULTILINE)


@pytest.mark.slow
def test_the_example_prints_what_the_page_shows(tmp_path):
    """It stops halfway and continues; another process then finds nothing left to draw."""
    (_, program), (_, line), (_, shown) = BLOCKS
    assert [language for language, _ in BLOCKS] == ["python", "sh", "text"]
    assert line == "python draw.py\n"
    (tmp_path / "draw.py").write_text(program)
    printed = [run_example(tmp_path) for _ in range(2)]
    assert printed[0] == shown
    assert printed[1] == shown.replace("complete: False", "complete: True")


def run_example(folder):
    words = [sys.executable, "draw.py"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_draws_what_an_undisturbed_call_draws(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "draw"}
    exec(BLOCKS[0][1], names)
    whole = sc.draw(names["classifier"], names["inputs"], **{**names["asked"], "out": "whole"})
    tallies = [run.tally() for run in (names["outcome"].run, whole.run)]
    np.testing.assert_array_equal(tallies[0].counts, tallies[1].counts)
    assert tallies[0] == tallies[1]


def read_block(title):
    """The program of that title on the page, executed; a dictionary of its names."""
    names = {"__name__": title.removesuffix(".py")}
    exec(re.search(rf'^```python title="{title}"\n(.*?)^```$', PAGE, re.DOTALL | re.M)[1], names)
    return names


def test_the_network_of_another_framework(monkeypatch):
    """Keras itself need not be here: a network that wants channels last and gives probabilities."""
    seen = []

    def predict(batch):
        seen.append(batch.shape)
        return np.tile([0.8, 0.2], (len(batch), 1))

    network = SimpleNamespace(predict_on_batch=predict)
    saving = SimpleNamespace(load_model=lambda path, compile: network)
    monkeypatch.setitem(sys.modules, "keras", SimpleNamespace(saving=saving))
    classify = read_block("keras_net.py")["make"]()
    images = np.zeros((2, 3, 4, 5), np.float32)
    tally = sc.sample(classify, images, 0.25, 50, outputs="probabilities")
    assert {shape[1:] for shape in seen} == {(4, 5, 3)} and tally.counts[:, 0].tolist() == [50, 50]


def test_a_service_that_answers_with_names():
    names = read_block("api_net.py")
    asked = []

    def answer(request):
        rows = json.loads(request.data)["rows"]
        asked.append(len(rows))
        labels = ["virginica" if row[0] > 0.5 else "setosa" for row in rows]
        return io.BytesIO(json.dumps({"labels": labels}).encode())

    names["urlopen"] = answer
    inputs = np.array([[2.0], [-2.0]], np.float32)
    tally = sc.sample(
        names["make"](), inputs, 0.25, 50, outputs="labels", num_classes=3, budget=200
    )
    assert tally.counts.argmax(axis=1).tolist() == [2, 0] and sum(asked) <= 200
