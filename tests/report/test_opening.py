"""The page opens on the best run for the radii asked about, and says which and why."""

import numpy as np

from simplicert.metrics.averages import certified_accuracy
from simplicert.metrics.numbers import format_down
from simplicert.report.opening import choose_opening
from simplicert.report.views import make_views


def make_pair(make_study, **settings):
    """Two runs of the same inputs: the second one's radii are four times as long."""
    return make_views([
        make_study("near", seed=1, sigma=0.25, **settings),
        make_study("far", seed=1, sigma=1.0, **settings),
    ])  # fmt: skip


def test_the_best_run_has_the_highest_mean_accuracy(make_study):
    views = make_pair(make_study)
    opening = choose_opening(views, [0.1, 0.6])
    assert (views[opening.place].study.name, views[opening.place].kind) == ("far", "multinomial")
    certificates = views[opening.place].certificates
    mean = np.mean([certified_accuracy(certificates, r).value for r in (0.1, 0.6)])
    assert "Opened on far: of 2 runs it has the highest certified accuracy" in opening.sentence
    assert f"in the mean over r = 0.1 and 0.6, {format_down(mean, 3)}; near" in opening.sentence


def test_a_run_that_is_better_at_some_radius_is_named(make_study):
    views = make_views([
        make_study("sharp", seed=1, sigma=0.25, soft=False),
        make_study("smooth", seed=2, sigma=1.0, draws=400, soft=False),
    ])  # fmt: skip
    shares = [certified_accuracy(view.certificates, 0.0).value for view in views]
    opening = choose_opening(views, [0.0, 1.0, 1.2])
    assert views[opening.place].study.name == "smooth"
    assert ("At r = 0 sharp is higher." in opening.sentence) == (shares[0] > shares[1])


def test_one_run_needs_no_reason(make_study):
    assert choose_opening(make_views([make_study()]), [0.0, 0.5]) == (0, "")


def test_without_labels_the_share_certified_counts(make_study):
    views = make_pair(make_study, labelled=False, soft=False)
    said = choose_opening(views, [0.5]).sentence
    assert "highest share of inputs certified at r = 0.5" in said
