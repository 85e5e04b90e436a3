"""Runs of the first format: read, resumed, extended and certified as they were begun."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from places import asked, drawn

import simplicert as sc
from simplicert.store.manifest import read_manifest, write_manifest
from simplicert.types.scores import LAYOUTS

RUNS = Path(__file__).parents[2] / "experiments" / "cifar10" / "runs"


def of_first_format(place, name, **other):
    """Settings that begin a run as the first version of this package did."""
    return replace(asked(place, name, **other), bins=64)


def reached(histograms, bins):
    """Draws at or above the thresholds that both layouts have."""
    counts = np.cumsum(histograms[:, :, :0:-1], axis=2)[:, :, ::-1]
    return counts[:, :, np.isin(LAYOUTS[bins], LAYOUTS[64])]


def test_both_formats_hold_the_same_draws(place):
    _, old = drawn(of_first_format(place, "old"))
    _, new = drawn(asked(place, "new"))
    assert (old.manifest.format, new.manifest.format) == (1, 2)
    one, two = old.tally(), new.tally()
    assert (one.histograms.shape[2], two.histograms.shape[2]) == (64, 160)
    np.testing.assert_array_equal(reached(one.histograms, 64), reached(two.histograms, 160))
    for name in ("counts", "votes", "softmax_sums", "softmax_squares", "leaders"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    for run, format_ in ((old, None), (new, b"2")):
        (path, *_) = run.paths()
        assert pq.read_schema(path).metadata.get(b"format") == format_


def test_an_old_run_is_resumed_with_its_own_bins(place):
    _, whole = drawn(of_first_format(place, "whole"))
    _, part = drawn(of_first_format(place, "part"))
    part.paths()[0].unlink()
    complete, resumed = drawn(asked(place, "part"))  # as the command does, which names no bins
    assert complete
    assert resumed.manifest.format == 1
    assert resumed.tally() == whole.tally()
    assert "format = 1\n" in (resumed.folder / "run.toml").read_text()


def test_an_old_run_is_extended_in_its_format(place):
    drawn(of_first_format(place, "run"))
    complete, run = drawn(asked(place, "run", draws=300, extend=True))
    assert complete
    assert run.manifest.format == 1
    assert run.tally().histograms.shape[2] == 64
    assert (run.tally().draws == 300).all()


def test_the_format_says_which_method_is_declared(place):
    _, old = drawn(of_first_format(place, "old", kind="softmax"))
    _, new = drawn(asked(place, "new", kind="softmax"))
    for run, own, other in (
        (old, "bentkus+bernstein", "bentkus+betting"),
        (new, "bentkus+betting", "bentkus+bernstein"),
    ):
        found = run.certify()
        assert (found.known.method, found.exploratory) == (own, False)
        assert run.until.method == own
        assert run.certify(method=other).exploratory
        assert run.certify(scheme="paper").known.method == "hoeffding"


def test_a_format_cannot_be_exchanged(place):
    """A hand that edits run.toml must not make counts of 160 bins pass for counts of 64."""
    for settings, other in ((asked(place, "new"), 1), (of_first_format(place, "old"), 2)):
        _, run = drawn(settings)
        write_manifest(run.folder, replace(read_manifest(run.folder), format=other))
        with pytest.raises(sc.DamagedRun, match="belongs to another run: its format"):
            sc.open_run(run.folder).tally()


def test_a_tally_of_other_bins_is_refused(place):
    _, old = drawn(of_first_format(place, "old"))
    settings = replace(old.manifest, format=2)
    with pytest.raises(sc.InvalidInput, match="must have the 160 bins of run format 2, got 64"):
        sc.create_run("copy", settings, old.tally())
    same = sc.create_run("same", replace(settings, format=1), old.tally())
    np.testing.assert_array_equal(same.tally().histograms, old.tally().histograms)


# e0, e1 and the radius of `cdf`, printed by version 0.1.0 for the first three inputs.
FIRST_FORMAT = {
    "sigma-0.25": [
        (0.6532130429961779, 0.22787892279652938, 0.29016800877917237),
        (0.7989694019315351, 0.08052312048278526, 0.4644928724149099),
        (0.6606236523252317, 0.2064572749040772, 0.24486263477276),
    ],
    "macer-1-10000": [
        (0.47954634650572314, 0.11012332175923516, 0.827426359051948),
        (0.7388361717515765, 0.18534529679585465, 0.8646879846757469),
        (0.5670661331869737, 0.14556837040011925, 0.6762595172111572),
    ],
}


@pytest.mark.parametrize("name", FIRST_FORMAT)
def test_a_committed_run_has_the_numbers_that_it_had(name):
    run = sc.open_run(RUNS / name)
    assert run.manifest.format == 1
    found = run.certify(kind="softmax", mechanisms=["cdf"])
    assert found.known.method == "bentkus+bernstein"
    rows = np.column_stack([found.known.e0, found.known.e1, found.radii["cdf"]])[:3]
    np.testing.assert_allclose(rows, FIRST_FORMAT[name], rtol=1e-12)
