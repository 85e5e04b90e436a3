"""Settings as the run recorded them, and the scaled norm feature by feature."""

import numpy as np

from simplicert.report.provenance import norm_table, settings_table
from simplicert.report.views import make_views
from simplicert.types.certificates import format_radius_down


def test_settings_are_those_of_the_run(make_study):
    study = make_study(
        source={"seed": 7, "compiled": False, "grid": 1 / 255},
        made={"data": "digits", "shape": [1, 8, 8], "class_names": ["a", "b", "c", "d"]},
    )
    rows = dict(settings_table(make_views([study])[0]).rows)
    assert rows["seed"] == "7"
    assert rows["compiled"] == "no"
    assert rows["grid"] == f"{1 / 255:g}"
    assert rows["data"] == "digits"
    assert rows["shape"] == "1 x 8 x 8"
    assert rows["draws per input"] == "2,000"
    assert rows["proved level"] == "0.001"
    assert rows["run id"] == study.run.manifest.id
    assert "class names" not in rows
    soft = dict(settings_table(make_views([study])[1]).rows)
    assert (soft["kind"], soft["declared kind"]) == ("softmax", "multinomial")


def test_no_scale_no_table(make_study):
    assert norm_table(make_views([make_study()])[0]) is None


def test_each_feature_has_its_share(make_study):
    scale = np.array([[1.0, 1.0, 0.25], [0.25, 0.0, 2.0]])
    view = make_views([make_study(scale=scale, soft=False)])[0]
    grid = norm_table(view)
    middle = float(np.median(view.radius[~view.abstained]))
    assert [row[:3] for row in grid.rows] == [
        ("0 to 1", "1", "0.5"),
        ("2 to 3", "0.25", "0.125"),
        ("4", "0", "0"),
        ("5", "2", "1"),
    ]
    allowed = [row[3] for row in grid.rows]
    assert allowed[1] == format_radius_down(0.25 * middle)
    assert allowed[2] == "must not change"
    assert "share_i" in grid.notes[0]


def test_many_shares_are_cut_and_the_rest_counted(make_study):
    view = make_views([make_study(scale=np.linspace(0.1, 1, 450), soft=False)])[0]
    grid = norm_table(view)
    assert len(grid.rows) == 400
    assert "50 more rows are left out" in grid.notes[-1]
