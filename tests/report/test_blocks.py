"""The tables of the page: each class, the attack where one was made, and runs side by side."""

import numpy as np
import pytest
from figured import write_attacks, write_run
from pages import own_content

from simplicert.errors import DamagedRun
from simplicert.logs import import_log
from simplicert.metrics.averages import average_radius, certified_accuracy, top1_accuracy
from simplicert.metrics.numbers import format_share_down
from simplicert.metrics.study import read_studies
from simplicert.report import report_page
from simplicert.report.blocks import attack_cautions, class_name, class_table, comparison_tables
from simplicert.report.views import make_views
from simplicert.tables.doubts import label_run
from simplicert.types.certificates import format_radius_down

TITLE = "Attack: upper bounds beside the certified lower ones"


def test_classes_by_label(make_study):
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


def test_classes_without_labels_by_prediction(make_study):
    view = make_views([make_study(labelled=False)])[0]
    grid = class_table(view, None)
    assert grid.rows[0][0] == "abstained"
    assert "right" not in grid.headings
    assert sum(int(row[1]) for row in grid.rows) == 40


@pytest.mark.parametrize(
    ("number", "names", "shown"),
    [(3, None, "3"), (1, ["a", "b"], "b (1)"), (1, ["0", "1"], "1"), (5, ["a"], "5")],
)
def test_class_names(number, names, shown):
    assert class_name(number, names) == shown


@pytest.fixture(scope="module")
def attacked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("attacked") / "run"
    return read_studies([write_attacks(write_run(folder))])


@pytest.mark.slow
def test_a_run_that_was_attacked_shows_it(attacked):
    page = report_page(attacked, images=False)
    assert TITLE in page
    assert page.count(">Attack on ") == 2  # each kind has its own
    assert page.count('id="attack-plot"') == 1
    assert "Surviving an attack proves nothing" in page
    assert "BROKEN" not in page
    rows = attacked[0].attack()
    closest = min((row for row in rows if row.ratio), key=lambda row: row.ratio)
    assert f"{closest.ratio:.3f} (input {closest.index})" in page
    assert page == report_page(attacked, images=False)


def test_a_broken_certificate_stands_at_the_top(tmp_path):
    studies = read_studies([write_attacks(write_run(tmp_path / "run"), broken=17)])
    page = report_page(studies, images=False)
    total = len(studies[0].attack())
    said = f"BROKEN: an attack confirmed another class inside the certified radius of 1 of {total}"
    assert f"{said} inputs: 17" in page
    assert page.index(said) < page.index(TITLE)
    (view,) = [view for view in make_views(studies) if view.kind == "multinomial"]
    assert attack_cautions(view)[0].startswith("BROKEN")


def test_a_run_that_was_not_attacked_shows_nothing_of_it(tmp_path):
    studies = read_studies([write_run(tmp_path / "run")])
    page = report_page(studies, images=False)
    assert TITLE not in page and "attack-plot" not in own_content(page)
    assert attack_cautions(make_views(studies)[0]) == []


def test_an_attack_on_one_kind_of_two(tmp_path):
    folder = write_attacks(write_run(tmp_path / "run"))
    (folder / "attack-softmax.csv").unlink()
    page = report_page(read_studies([folder]), images=False)
    assert page.count(">Attack on ") == 1
    assert page.count("These certificates were not attacked.") == 1


def test_radii_that_have_changed_since_are_said_to_have(tmp_path):
    folder = write_attacks(write_run(tmp_path / "run"))
    table = folder / "attack.csv"
    rows = read_studies([folder])[0].attack()
    table.write_text(table.read_text().replace(f",{rows[0].radius!r},", ",0.0001,"))
    (view, _) = make_views(read_studies([folder]))
    (said,) = attack_cautions(view)
    assert f"1 of {len(rows)} radii have changed since" in said


def test_hostile_text_is_refused_before_it_is_shown(tmp_path):
    folder = write_attacks(write_run(tmp_path / "run"))
    table = folder / "attack.csv"
    table.write_text(table.read_text().replace("network", "<img src=x onerror=alert(1)>"))
    with pytest.raises(DamagedRun, match="gradients must be a plain word"):
        report_page(read_studies([folder]), images=False)


def test_one_run_is_not_compared(make_study):
    assert comparison_tables(make_views([make_study()]), [0.0]) == []


def test_one_row_per_run_and_one_table_per_kind(make_study):
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


def test_runs_without_labels(make_study):
    studies = [make_study(name, labelled=False, soft=False) for name in "ab"]
    ((_, grid),) = comparison_tables(make_views(studies), [0.0])
    assert not any("acc" in heading for heading in grid.headings)
    assert len(grid.rows[0]) == len(grid.headings)


def test_a_run_that_did_not_declare_the_kind_is_marked(make_study):
    studies = [make_study("hard", seed=1), make_study("soft", seed=1, kind="softmax")]
    found = dict(comparison_tables(make_views(studies), [0.0]))
    assert [row[0] for row in found["multinomial"].rows] == ["hard", "soft (exploratory)"]
    assert [row[0] for row in found["softmax"].rows] == ["hard (exploratory)", "soft"]


def test_logs_of_one_radius_have_no_empty_columns(tmp_path):
    """What holds for all runs is said of all, and not of thirty-nine names."""
    rows = "\n".join(f"{i}\t0\t0\t0.4\t1\t1" for i in range(4))
    (tmp_path / "log").write_text(f"idx\tlabel\tpredict\tradius\tcorrect\ttime\n{rows}\n")
    for name in "abcdef":
        import_log("cohen", tmp_path / "log", 0.5, tmp_path / name, draws=1000)
    studies = read_studies([tmp_path / name for name in "abcdef"])
    ((_, grid),) = comparison_tables(make_views(studies), [0.0])
    assert grid.headings[-1] == "mean radius" and len(grid.rows[0]) == len(grid.headings)
    assert [note for note in grid.notes if note.startswith("all runs: the log bounds the top")]
    named = read_studies([tmp_path / "a"], {str(tmp_path / "a"): "a, sigma 0.5"})
    assert label_run(named[0]) == "a, sigma 0.5" and label_run(studies[0]) == "a (sigma 0.5)"
