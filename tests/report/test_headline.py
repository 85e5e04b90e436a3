"""The sentences hold the numbers of the metrics, and claim no more than is proved."""

import pytest

from simplicert.figures.style import mechanism_style
from simplicert.logs import import_log
from simplicert.metrics.averages import average_radius, certified_accuracy
from simplicert.metrics.comparison import measure_improvement
from simplicert.metrics.numbers import format_down, format_percent_down, format_share_down
from simplicert.metrics.study import Study
from simplicert.report.headline import headline_radii, headline_sentences, headline_tiles
from simplicert.report.views import make_views
from simplicert.types.certificates import format_radius_down


@pytest.fixture(scope="module")
def views(make_study):
    return make_views([make_study()])


def test_how_many_and_how_far(views):
    view = views[0]
    certificates = view.certificates
    said = " ".join(headline_sentences(view, [0.0, 0.5]))
    live, right = int((~certificates.abstained).sum()), int(certificates.correct.sum())
    assert f"{live} of 40 inputs are certified" in said
    assert f"{right} as the class of their label, {live - right} as another one" in said
    for radius in (0.0, 0.5):
        rate = certified_accuracy(certificates, radius)
        assert f"{format_share_down(rate.hits, rate.total)} at r = {radius:g}" in said
    assert headline_tiles(view)[0].value == f"{live} of 40"
    assert headline_tiles(view)[1].value == format_share_down(right, 40)
    assert headline_tiles(view)[2].value == format_radius_down(average_radius(certificates).value)


def test_how_much_the_ensemble_and_the_tight_radius_add(views):
    for view, base in zip(views, ("cohen", "lecuyer"), strict=True):
        said = headline_sentences(view, [0.0])
        for column, word in (("ensemble", "ensemble"), ("two_sided", "two-sided")):
            found = measure_improvement(view.certificates, column, base)
            line = next(text for text in said if word in text and "improves" in text)
            assert f"{format_percent_down(found.improved)} % of all inputs" in line
            new, old = (view.certificates.column(name).mean() for name in (column, base))
            label = mechanism_style(base).name
            more = format_down(100 * (new / old - 1), 1)
            assert f", {more} % of the mean by {label}." in line
            assert f"by {format_radius_down(found.mean)} in the mean" in line
            assert f"improves on {label} for" in line and "right or wrong" in line
    assert any("no proof for softmax" in text for text in headline_sentences(views[1], [0.0]))


def test_what_is_certified_and_how_surely(views):
    said = headline_sentences(views[0], [0.0])[-1]
    assert "smoothed classifier" in said
    assert "l2 perturbations" in said
    assert "(n = 2,000)" in said
    assert "chance of a wrong certificate is at most 0.1 %" in said
    assert "xploratory" in headline_sentences(views[1], [0.0])[-1]  # softmax was not declared
    for view in views:
        assert not any("certified model" in text for text in headline_sentences(view, [0.0]))


def test_without_labels_nothing_is_said_of_accuracy(make_study):
    (view,) = make_views([make_study(labelled=False, soft=False)])
    said = " ".join(headline_sentences(view, [0.0]))
    assert "without labels" in said
    assert "Certified accuracy" not in said
    assert len(headline_tiles(view)) == 2


def test_an_imported_log_improves_on_nothing(tmp_path):
    (tmp_path / "log").write_text(
        "idx\tlabel\tpredict\tradius\tcorrect\ttime\n0\t3\t3\t0.486\t1\t1\n"
    )
    run = import_log("cohen", tmp_path / "log", 0.5, tmp_path / "run", draws=1000)
    (view,) = make_views([Study("log", run)])
    said = " ".join(headline_sentences(view, [0.0]))
    assert "no mechanism can improve" in said
    assert "by the log's own account" in said


def test_round_radii(make_study):
    for sigma in (0.25, 1.0, 30.0, 1e-3):
        views = make_views([make_study(sigma=sigma, soft=False)])
        radii = headline_radii(views)
        largest = views[0].radius.max()
        assert radii[0] == 0
        assert 4 <= len(radii) <= 5
        assert radii[-1] < largest
        assert all(float(f"{radius:.2g}") == radius or radius % 25 == 0 for radius in radii)


def test_round_radii_of_nothing(make_study):
    assert headline_radii(make_views([make_study(draws=5, soft=False)])) == [0.0]


def test_nothing_certified_is_improved_by_no_percentage(make_study):
    """A mean of 0 has no share: both kinds of a run that certifies nothing still have sentences."""
    for view in make_views([make_study(draws=5)]):
        said = " ".join(headline_sentences(view, [0.0]))
        assert "0 of 40 inputs are certified" in said
        assert "% of the mean" not in said
