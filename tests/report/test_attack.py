"""The section on an attack: there where one was made, loud where a certificate is broken."""

import re

import pytest
from figured import write_attacks, write_run

from simplicert.errors import DamagedRun
from simplicert.metrics.study import read_studies
from simplicert.report import report_page
from simplicert.report.blocks import attack_cautions
from simplicert.report.views import make_views

TITLE = "Attack: upper bounds beside the certified lower ones"


@pytest.fixture(scope="module")
def attacked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("attacked") / "run"
    return read_studies([write_attacks(write_run(folder))])


def test_a_run_that_was_attacked_shows_it(attacked):
    page = report_page(attacked, images=False)
    assert TITLE in page
    pictures = re.findall(r'<img src="([^"]{40})', page)
    assert len(pictures) == 2  # each kind has its own
    assert all(address.startswith("data:image/png;base64,iVBOR") for address in pictures)
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
    assert TITLE not in page and "<img" not in page
    assert attack_cautions(make_views(studies)[0]) == []


def test_one_kind_of_two(tmp_path):
    folder = write_attacks(write_run(tmp_path / "run"))
    (folder / "attack-softmax.csv").unlink()
    page = report_page(read_studies([folder]), images=False)
    assert page.count("<img src") == 1
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
