"""Proportions improved by more than x percent, against a count by hand."""

import numpy as np
from certified import drawn as certified
from certified import stated
from figured import lines, new_axes, step_at, write_run

from simplicert.figures import share_improved
from simplicert.figures.distribution import MOST, improvement_steps
from simplicert.metrics.study import read_studies

PERCENTS = [0.0, 1.0, 7.5, 33.3, 80.0, 99.9]


def by_hand(certificates, column, base, percents=PERCENTS):
    new, old = certificates.column(column), certificates.column(base)
    return [
        np.mean([b > 1e-9 + a * (1 + x / 100) for a, b in zip(old, new, strict=True)])
        for x in percents
    ]


def drawn_lines(axes):
    return [line for line in axes.get_lines() if len(line.get_xdata())]


def test_both_lines_of_each_run():
    several = {"one": certified(seed=1), "two": certified(seed=2)}
    axes = share_improved(several, new_axes())
    ours, papers = drawn_lines(axes)[:2], drawn_lines(axes)[2:]
    for place, certificates in enumerate(several.values()):
        for line, column in ((ours[place], "two_sided"), (papers[place], "ensemble")):
            found = step_at(line.get_data(), PERCENTS)
            np.testing.assert_allclose(found, by_hand(certificates, column, "cohen"))
    assert "over Cohen" in axes.get_xlabel()
    assert axes.get_xlim() == (0, MOST)


def test_inputs_cohen_does_not_certify_are_left_at_the_right_edge():
    certificates = stated([True] * 4, cohen=[0.0, 0.0, 1.0, 1.0], li=[0.5, 0.0, 1.5, 0.5])
    x, y = improvement_steps(certificates, "ensemble", "cohen")
    assert x.tolist() == [0, 50, MOST] and y.tolist() == [0.5, 0.25, 0.25]


def test_it_drops_where_the_gain_is_exactly_that():
    certificates = stated([True] * 2, cohen=[1.0, 1.0], li=[1.25, 1.5])
    line = improvement_steps(certificates, "ensemble", "cohen")
    assert step_at(line, [0.0, 24.9, 25.0, 49.9, 50.0]).tolist() == [1, 1, 0.5, 0.5, 0]


def test_softmax_improves_on_lecuyer(tmp_path):
    (study,) = read_studies([write_run(tmp_path / "run")])
    certificates = study.certificates("softmax")
    axes = share_improved({"run": certificates}, new_axes())
    assert "over Lecuyer" in axes.get_xlabel()
    found = step_at(drawn_lines(axes)[1].get_data(), PERCENTS)
    np.testing.assert_allclose(found, by_hand(certificates, "ensemble", "lecuyer"))
    assert set(lines(axes)) == {"two-sided", "ensemble", "run"}


def test_no_labels_are_needed(tmp_path):
    (study,) = read_studies([write_run(tmp_path / "run", labels=False)])
    share_improved({"run": study.certificates()}, new_axes())
