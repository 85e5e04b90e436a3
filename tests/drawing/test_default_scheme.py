"""What a new run declares if no scheme is named, and what becomes of runs that declared another."""

from dataclasses import replace

import numpy as np
import pytest

import simplicert as sc
from simplicert.bounds import default_scheme
from simplicert.bounds.joint import MOST_DRAWS
from simplicert.noises import NoiseModel
from simplicert.store.manifest import read_manifest
from simplicert.store.settings import DrawingSettings, resume_settings

INPUTS = np.eye(3, dtype=np.float32)


def classify(batch):
    return batch @ np.eye(3, dtype=np.float32)


def draw(folder, draws=200, **options):
    given = {"labels": [0, 1, 2], "device": "cpu", **options}
    return sc.draw(classify, INPUTS, 0.25, draws, folder, **given).run


@pytest.mark.parametrize(
    ("options", "scheme", "method"),
    [
        ({}, "joint", "buehler+pair"),
        ({"kind": "softmax"}, "gated", None),
        ({"scheme": "gated"}, "gated", None),
        ({"until": "decided"}, "joint", "buehler+pair"),
    ],
)
def test_a_new_run_says_what_it_declared(tmp_path, options, scheme, method):
    run = draw(tmp_path / "run", **options)
    kept = read_manifest(run.folder)
    assert (kept.scheme, kept.method) == (scheme, method)
    made = run.certify()
    assert not made.exploratory
    assert made.known.scheme == scheme


def test_other_noise_and_endless_draws_are_gated():
    assert default_scheme("multinomial", MOST_DRAWS) == "joint"
    assert default_scheme("multinomial", MOST_DRAWS + 1) == "gated"
    settings = DrawingSettings("M", "D", 0.25, 100, "out", outputs="labels", num_classes=3)
    assert settings.scheme is None
    assert resume_settings(settings, None).scheme == "joint"
    many = replace(settings, draws=2 * MOST_DRAWS)
    assert resume_settings(many, None).scheme == "gated"
    other = replace(settings, noise=NoiseModel("laplace"))
    assert resume_settings(other, None).scheme == "gated"


@pytest.mark.parametrize("scheme", ["gated", "joint", "paper"])
def test_a_run_goes_on_by_its_own_scheme(tmp_path, scheme):
    """The same command without a scheme, of this version or an earlier one."""
    draw(tmp_path / "run", scheme=scheme)
    assert draw(tmp_path / "run").manifest.scheme == scheme
    longer = draw(tmp_path / "run", draws=400, extend=True)
    assert longer.manifest.scheme == scheme
    another = "gated" if scheme != "gated" else "joint"
    with pytest.raises(sc.SimplicertError, match="scheme"):
        draw(tmp_path / "run", draws=400, scheme=another)


def test_softmax_certificates_of_a_joint_run_are_gated(tmp_path):
    run = draw(tmp_path / "run")
    made = run.certify(kind="softmax")
    assert (made.known.kind, made.known.scheme, made.exploratory) == ("softmax", "gated", True)
    with pytest.raises(sc.InvalidInput, match="scheme must be one of gated, paper, split"):
        run.certify(kind="softmax", scheme="joint")


def test_bound_keeps_its_default():
    """It has no run to keep a declaration, so that old scripts have their old numbers."""
    assert sc.bound(sc.Tally([[90, 5, 5]], 1.0)).scheme == "gated"
