"""Runs in one table, by the numbers of the metrics."""

from simplicert.metrics.averages import average_radius, certified_accuracy, top1_accuracy
from simplicert.metrics.numbers import format_share_down
from simplicert.report.blocks import comparison_tables
from simplicert.report.views import make_views
from simplicert.types.certificates import format_radius_down


def test_one_run_is_not_compared(make_study):
    assert comparison_tables(make_views([make_study()]), [0.0]) == []


def test_a_row_a_run_and_a_table_a_kind(make_study):
    studies = [make_study("a", seed=1), make_study("b", seed=1, sigma=1.0)]
    found = dict(comparison_tables(make_views(studies), [0.0, 0.5]))
    assert list(found) == ["multinomial", "softmax"]
    for study, row in zip(studies, found["multinomial"].rows, strict=True):
        cells = dict(zip(found["multinomial"].headings, row, strict=True))
        certificates = study.certificates()
        assert cells["run"] == study.name
        assert cells["draws"] == "2,000"
        for name, rate in (
            ("top-1", top1_accuracy(certificates)),
            ("acc>0.5", certified_accuracy(certificates, 0.5)),
        ):
            assert cells[name] == format_share_down(rate.hits, rate.total)
        assert cells["of Cohen"] == format_radius_down(average_radius(certificates, "cohen").value)
    assert {row[-1] for row in found["softmax"].rows} == {""}  # no proof, no number


def test_without_labels(make_study):
    studies = [make_study(name, labelled=False, soft=False) for name in "ab"]
    ((_, grid),) = comparison_tables(make_views(studies), [0.0])
    assert not any("acc" in heading for heading in grid.headings)
    assert len(grid.rows[0]) == len(grid.headings)


def test_a_run_that_did_not_declare_the_kind_is_marked(make_study):
    studies = [make_study("hard", seed=1), make_study("soft", seed=1, kind="softmax")]
    found = dict(comparison_tables(make_views(studies), [0.0]))
    assert [row[0] for row in found["multinomial"].rows] == ["hard", "soft (exploratory)"]
    assert [row[0] for row in found["softmax"].rows] == ["hard (exploratory)", "soft"]
