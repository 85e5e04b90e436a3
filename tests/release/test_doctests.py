"""Every public function and class has an example in its docstring, which pytest also runs."""

import doctest
import inspect
from pathlib import Path

import pytest

import simplicert as sc
from simplicert import adapters, figures, metrics, models, tables, training

ROOT = Path(__file__).parents[2]
MODULES = (sc, models, training, metrics, tables, figures, adapters)  # those of release/surface.txt

# Names without an example, and why.
WITHOUT = {
    "simplicert.DamagedRun": "it takes a broken run folder; tests/store breaks many",
    "simplicert.SamplingFailed": "it takes a classifier that fails in the middle of a run",
    "simplicert.TrainingFailed": "it takes a training that diverges",
    "simplicert.SimplicertWarning": "it is filtered by category and never raised by users",
    "simplicert.adapters.smoothed_estimator": "it takes ART; docs/integrations.md has one",
    "simplicert.adapters.SmoothingEstimator": "it takes VERONA; docs/integrations.md has one",
}

PUBLIC = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in MODULES
    for name in module.__all__
}
CALLABLE = {name: value for name, value in PUBLIC.items() if callable(value)}


def has_example(value):
    """Whether the docstring holds an example that expects some output."""
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(value) or "")
    return any(example.want or example.exc_msg for example in examples)


@pytest.mark.parametrize("name", CALLABLE)
def test_a_public_name_has_an_example(name):
    assert has_example(CALLABLE[name]) == (name not in WITHOUT)


def test_only_public_names_are_excused():
    assert set(WITHOUT) <= set(CALLABLE)


def test_the_names_are_those_of_the_pinned_interface():
    lines = (ROOT / "release" / "surface.txt").read_text().splitlines()
    pinned = {line.split("(")[0].split(":")[0] for line in lines if not line.startswith(" ")}
    assert pinned == set(PUBLIC)


def test_the_examples_are_run():
    """Pytest collects docstrings of the package, and no example is skipped."""
    settings = (ROOT / "pyproject.toml").read_text()
    assert "--doctest-modules" in settings and 'testpaths = ["tests", "src"]' in settings
    for value in CALLABLE.values():
        for example in doctest.DocTestParser().get_examples(inspect.getdoc(value) or ""):
            assert doctest.SKIP not in example.options
