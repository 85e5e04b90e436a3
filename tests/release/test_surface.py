"""The public interface is what release/surface.txt says, and holds what was promised."""

import inspect
import runpy
from pathlib import Path

import pytest

import simplicert as sc

FOLDER = Path(__file__).parents[2] / "release"
PINNED = (FOLDER / "surface.txt").read_text().splitlines()

NONE = object()  # stands for any value
# The calls of the design, by which names and keywords are fixed; signatures may grow.
PROMISED = [
    (sc.radius, ("improved_dp", 0.6, 0.3), {"sigma": 1.0, "sensitivity": 1.0}),
    (sc.Tally, (NONE,), {"sigma": 0.25, "labels": None, "index": None}),
    (
        sc.Tally,
        (NONE, 0.25),
        dict.fromkeys(
            [
                "softmax_sums",
                "softmax_squares",
                "votes",
                "invalid",
                "histograms",
                "pilot",
                "plan",
                "looks",
            ]
        ),
    ),
    (
        sc.sample,
        (NONE, NONE),
        {
            **{"sigma": 0.5, "draws": 10_000, "seed": 0, "labels": None, "batch_size": None},
            **{"device": None, "compile": None, "pilot": 0, "outputs": "logits", "grid": None},
            "index": None,
        },
    ),
    (sc.bound, (NONE,), {"alpha": 0.001, "kind": "multinomial", "scheme": "gated", "method": None}),
    (sc.certify, (NONE,), {"mechanisms": None}),
    (sc.Certificates.to_frame, (NONE,), {}),
    (sc.open_run, ("runs/mine",), {}),
    (sc.Run.tally, (NONE,), {}),
    (sc.Run.certify, (NONE,), {"alpha": 0.001}),
    (sc.KnownRun.certify, (NONE,), {"alpha": 0.001}),
    (sc.Smoothed, (NONE,), {"num_classes": 10, "sigma": 0.5}),
    (sc.Smoothed.predict, (NONE, NONE), {"alpha": 0.001}),
    (sc.Smoothed.certify, (NONE, NONE), {"draws": 100_000, "alpha": 0.001}),
    (sc.Mechanism, (NONE,), dict.fromkeys(["kinds", "needs", "noise", "norm", "source"])),
]


def test_the_interface_is_the_pinned_one():
    """Meant to be changed? `python release/surface.py > release/surface.txt`, and CHANGELOG.md."""
    found = list(runpy.run_path(str(FOLDER / "surface.py"))["lines"]())
    assert found == PINNED


def test_every_public_name_is_pinned():
    pinned = {line.split("(")[0].split(":")[0] for line in PINNED if not line.startswith(" ")}
    assert pinned >= {f"simplicert.{name}" for name in sc.__all__}


@pytest.mark.parametrize(("callee", "given", "named"), PROMISED)
def test_the_calls_of_the_design_are_possible(callee, given, named):
    inspect.signature(callee).bind(*given, **named)


def test_the_tables_hold_what_the_design_names():
    """Columns keep their order, so a new mechanism comes after these."""
    names = ["cohen", "li", "lecuyer", "improved_dp", "two_sided", "cdf", "lipschitz"]
    assert list(sc.MECHANISMS)[: len(names)] == names
    assert sc.PAPER_ENSEMBLE == {
        "multinomial": ("cohen", "li", "improved_dp"),
        "softmax": ("lecuyer", "improved_dp"),
    }


@pytest.mark.parametrize("name", sorted(sc.__all__))
def test_help_shows_a_signature_that_can_be_read(name):
    """No function's address as a default, and few names with their modules before them."""
    value = getattr(sc, name)
    inside = vars(value) if inspect.isclass(value) else {}
    public = [found for named, found in inside.items() if not named.startswith("_")]
    for function in filter(inspect.isfunction, [value, *public]):
        signature = str(inspect.signature(function))
        assert " at 0x" not in signature
        assert signature.count("simplicert.") <= 3
