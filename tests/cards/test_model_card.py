"""The model card is what the Hub reads: parsed by YAML, and by huggingface_hub where it is."""

import pytest

import simplicert as sc
from simplicert.cards.model_card import render_model_card

yaml = pytest.importorskip("yaml")
NAME = 'a: "b" # é 😀 {c} [d] \\ %e @f\u2028g\x85h\x07i'


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    tally = sc.Tally([[1990, 10]] * 2 + [[1000, 1000]], 0.5, labels=[0] * 3)
    held = {"data": "cifar10:here", "shape": [3, 32, 32]}
    run = sc.create_run(
        tmp_path_factory.mktemp("runs") / "run", sc.Manifest(0.5, 3, 2, made=held), tally
    )
    return sc.card(run, name=NAME, radii=[0.5, 9], draws=100)


def front(text):
    assert text.startswith("---\n")
    return yaml.safe_load(text.split("\n---\n")[0].removeprefix("---\n"))


def test_yaml_reads_what_was_meant(made):
    held = front(made.to_model_card())
    (model,) = held["model-index"]
    assert model["name"] == 'a: "b" # é 😀 {c} [d] \\ %e @f g h?i'
    (result,) = model["results"]
    assert result["task"] == {"type": "image-classification"}
    assert result["dataset"] == {"type": "cifar10", "name": "cifar10:here"}
    values = {item["name"]: (item["type"], item["value"]) for item in result["metrics"]}
    assert values["Certified accuracy at l2 radius > 0.5"] == ("certified_accuracy", 0.6666)
    assert values["Certified accuracy at l2 radius > 9"] == ("certified_accuracy", 0.0)
    assert values["Inputs without a certificate"] == ("abstention_rate", 0.3334)
    assert held["model-index"] == list(made.model_index)


@pytest.mark.slow
def test_the_hub_reads_it(made, tmp_path):
    hub = pytest.importorskip("huggingface_hub")
    loaded = hub.ModelCard(made.to_model_card())
    results = {item.metric_name: item.metric_value for item in loaded.data.eval_results}
    assert results["Certified accuracy at l2 radius > 0.5"] == 0.6666
    assert loaded.data.model_name.startswith("a: ") and "simplicert" in loaded.data.tags
    loaded.save(tmp_path / "README.md")
    assert "model-index" in (tmp_path / "README.md").read_text()


def test_a_name_cannot_end_the_metadata():
    text = render_model_card([{"name": "---\nevil: 1", "results": []}], "body")
    assert front(text)["model-index"][0]["name"] == "---\nevil: 1" and "\nevil" not in text
