"""The section that compares two runs: when a page has it, what it holds, and why it is refused."""

import base64
import json
import re

import numpy as np
import pytest

import simplicert as sc
from simplicert.errors import InvalidInput
from simplicert.logs import import_radii
from simplicert.metrics.study import Study
from simplicert.report import report_page
from simplicert.report.compare import compare_sections, comparison_payload
from simplicert.report.views import make_views


@pytest.fixture(scope="module")
def pair(make_pair):
    return make_pair()


@pytest.fixture(scope="module")
def section(pair):
    return compare_sections(make_views(pair), required=True)[0]


def test_two_runs_have_the_section_and_other_pages_have_none(pair, make_pair):
    assert [s.name for s in compare_sections(make_views(pair))] == ["compare"]
    assert compare_sections(make_views(pair[:1])) == []
    three = [*pair, make_pair(("third", "fourth"))[0]]
    assert compare_sections(make_views(three)) == []


def test_any_other_number_of_runs_is_refused_where_it_was_asked_for(pair):
    with pytest.raises(InvalidInput, match="runs must be two to be compared, got 1: old"):
        compare_sections(make_views(pair[:1]), required=True)
    with pytest.raises(InvalidInput, match="runs must be two to be compared, got 0"):
        report_page([], compare=True)


@pytest.mark.slow
def test_the_page_opens_on_it_where_it_was_asked_for(pair):
    asked, usual = (report_page(pair, images=False, compare=flag) for flag in (True, False))
    for page in (asked, usual):
        assert page.count('id="compare-section"') == 1
        assert "new against old" in page
    assert asked.index('id="compare-section"') < asked.index('id="headline-section"')
    assert usual.index('id="compare-section"') > usual.index('id="headline-section"')
    links = re.findall(r'<a href="#([\w-]+)"', asked)
    assert links[0] == "compare-section" and links.count("compare-section") == 1


def test_radii_go_to_the_page_exactly(pair):
    both = sc.compare(*pair)
    content = json.loads(json.dumps(comparison_payload(both, whole=False), allow_nan=False))
    for text, radii in zip(content["radii"], (both.first_radius, both.second_radius), strict=True):
        np.testing.assert_array_equal(np.frombuffer(base64.b64decode(text), "<f8"), radii)
    places = np.frombuffer(base64.b64decode(content["pairs"][0]), "<f8").reshape(-1, 2)
    np.testing.assert_array_equal(places, both.first_pair)
    assert len(content["texts"]) == len(content["at"]) == len(content["low"])


def test_each_kind_of_both_runs_has_its_own(make_study):
    one = make_study("one", 12)
    two = Study("two", one.run)
    section = compare_sections(make_views([one, two]), required=True)[0]
    assert list(section.content) == ["multinomial", "softmax"]
    assert section.content["softmax"]["names"] == ["one (exploratory)", "two (exploratory)"]
    assert 'data-kind="softmax" hidden' in section.markup


def test_a_log_of_bare_radii_has_no_certificates_to_compare(tmp_path):
    path, columns = tmp_path / "log.csv", "index=idx,label=label,predict=predict,radius=radius"
    path.write_text("idx,label,predict,radius\n0,3,3,0.5\n1,2,2,0.25\n")
    bare = import_radii(path, columns, 0.5, tmp_path / "bare", bare=True)
    views = make_views([Study("log", bare), Study("again", bare)])
    assert compare_sections(views) == []
    with pytest.raises(InvalidInput, match="log has bare radii of a log and again has bare radii"):
        compare_sections(views, required=True)


def test_strange_names_are_escaped(make_pair):
    studies = make_pair(("<b>old</b>", "a & b"), 8, made={"model": "<i>net</i>"})
    section = compare_sections(make_views(studies), required=True)[0]
    assert "<b>" not in section.markup.replace("<b>", "", section.markup.count("<li><b>"))
    assert "&lt;b&gt;old&lt;/b&gt;" in section.markup and "a &amp; b" in section.markup


def test_the_tables_say_gained_and_lost_and_what_differs(make_pair):
    studies = make_pair(sigmas=(0.25, 0.5), inputs=10)
    markup = compare_sections(make_views(studies), required=True)[0].markup
    assert "p, by itself" in markup and "What differs" in markup
    assert re.search(r"<th scope=\"row\">sigma</th><td[^>]*>0.25</td><td[^>]*>0.5</td>", markup)
    assert "different noise" in markup


def test_the_section_is_the_packages_own_script_and_style(section):
    assert "page.extras.compare" in section.script and "--run-a" in section.style
    assert "http" not in section.script.replace("http://www.w3.org/2000/svg", "")
