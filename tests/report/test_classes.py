"""The per-class summary counts every input once."""

import numpy as np
import pytest

from simplicert.report.blocks import class_name, class_table
from simplicert.report.views import make_views
from simplicert.types.certificates import format_radius_down


def test_by_label(make_study):
    view = make_views([make_study()])[0]
    grid = class_table(view, ["cat", "dog", "2", "3"])
    certificates = view.certificates
    assert [row[0] for row in grid.rows[:3]] == ["cat (0)", "dog (1)", "2"]
    for number, row in zip(np.unique(view.labels), grid.rows, strict=True):
        mine = view.labels == number
        cells = dict(zip(grid.headings, row, strict=True))
        assert int(cells["inputs"]) == mine.sum()
        assert int(cells["right"]) == (mine & certificates.correct).sum()
        assert int(cells["abstained"]) == (mine & certificates.abstained).sum()
        parts = [int(cells[name]) for name in ("right", "wrong", "abstained")]
        assert sum(parts) == mine.sum()
        assert cells["median radius"] == format_radius_down(float(np.median(view.radius[mine])))


def test_without_labels_by_predicted_class(make_study):
    view = make_views([make_study(labelled=False)])[0]
    grid = class_table(view, None)
    assert grid.rows[0][0] == "none (abstained)"
    assert "right" not in grid.headings
    assert sum(int(row[1]) for row in grid.rows) == 40


@pytest.mark.parametrize(
    ("number", "names", "shown"),
    [(3, None, "3"), (1, ["a", "b"], "b (1)"), (1, ["0", "1"], "1"), (5, ["a"], "5")],
)
def test_names(number, names, shown):
    assert class_name(number, names) == shown
