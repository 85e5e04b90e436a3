"""The page as text: one file, a policy that fits its scripts, everything escaped."""

import base64
import hashlib
import re

import numpy as np
import pytest
from pages import own_content, pictures_in

from simplicert.data import load_data
from simplicert.errors import InvalidInput
from simplicert.logs import import_log, import_radii
from simplicert.metrics.study import Study
from simplicert.report import report_page, write_report
from simplicert.report.offline import read_template, template_environment
from simplicert.report.page import SCRIPTS
from simplicert.report.sections import PageSection


@pytest.fixture(scope="module")
def text(make_study):
    return report_page([make_study()], images=False)


def test_the_policy_allows_the_scripts_of_the_page_and_no_others(text):
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert len(scripts) == 1
    digests = {base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts}
    assert set(re.findall(r"sha256-([\w+/=]+)", policy.replace("&#39;", "'"))) == digests
    assert "default-src &#39;none&#39;" in policy
    assert "unsafe-eval" not in policy
    assert policy.count("unsafe-inline") == 1  # of styles


def test_nothing_is_fetched_from_elsewhere(text):
    ours = own_content(text)
    addresses = re.findall(r"""\b(?:src|href)\s*=\s*["']?([^"'>\s]*)""", ours)
    inside = [address for address in addresses if address.startswith("#")]  # the contents
    assert [a for a in addresses if a not in inside] == ["data:,"]  # the empty icon: none is sought
    assert all(f'id="{address[1:]}"' in ours for address in inside) and len(inside) == 7
    assert "http:" not in ours and "https:" not in ours


def test_a_page_without_images_has_none(text):
    assert pictures_in(text) == []


@pytest.mark.slow
def test_the_same_run_gives_the_same_page(make_study):
    run = make_study().run
    first, second = (report_page([Study("run", run)], images=False) for _ in range(2))
    assert first == second


def test_every_script_is_in_the_page_and_small(text):
    templates = template_environment()
    for name in SCRIPTS:
        script = read_template(templates, name)
        assert script in text
        assert len(script.splitlines()) < 200
        assert "innerHTML" not in script


def test_a_further_section_has_its_link_its_script_and_its_content(make_study, monkeypatch):
    extra = PageSection(
        "more", "More <of> it", "More", "<p>mine</p>", "onRedraw(() => 7);", {"a": 1}
    )
    monkeypatch.setattr("simplicert.report.page.extra_sections", lambda *_, **__: [extra])
    page = report_page([make_study()], images=False)
    assert '<a href="#more-section">More</a>' in page and '<section id="more-section"' in page
    assert "More &lt;of&gt; it" in page and "<p>mine</p>" in page
    assert "onRedraw(() => 7);" in page and '"extras":{"more":{"a":1}}' in page


def test_names_are_escaped(make_study):
    study = make_study("<b>run</b>", made={"class_names": ["<u>", "b", "c", "d"], "model": "<i>m"})
    page = report_page([study], images=False)
    assert "&lt;b&gt;run&lt;/b&gt;" in page
    assert "&lt;i&gt;m" in page
    assert not any(tag in page for tag in ("<b>run", "<u>", "<i>m"))


def test_a_scaled_norm_is_explained_feature_by_feature(make_study):
    page = report_page([make_study(scale=np.array([1.0, 0.25]))], images=False)
    assert "The scaled norm, feature by feature" in page
    assert "scaled l2 perturbations" in page


@pytest.mark.slow
@pytest.mark.parametrize("inputs", [300])
def test_a_few_hundred_inputs_stay_under_3_megabytes(make_study, tmp_path, monkeypatch, inputs):
    """Three runs of both kinds, and pictures of noise, which no format makes small."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    np.savez("noise.npz", images=random.integers(0, 256, (inputs, 64, 64, 3), dtype=np.uint8))
    source = {"data_fingerprint": load_data("noise.npz").fingerprint}
    made = {"data": "noise.npz"}
    studies = [
        make_study(f"run {k}", inputs, source=source, made=made, sigma=0.25 * k) for k in (1, 2, 4)
    ]
    path = write_report(studies, tmp_path / "page.html")
    assert pictures_in(path.read_text())
    assert path.stat().st_size < 3e6


def test_runs_of_other_inputs_stand_unpaired_and_other_norms_are_refused(make_study):
    one, other = make_study("a"), make_study("b", index=np.arange(40) + 100)
    assert "unpaired: the runs are on different inputs" in report_page([one, other])
    with pytest.raises(InvalidInput, match="compared, and a lacks 40 of 80"):
        report_page([one, other], compare=True)
    with pytest.raises(InvalidInput, match="one norm"):
        report_page([make_study("a"), make_study("b", scale=np.array([1.0, 0.5]))])


def test_logs_of_other_tools(tmp_path):
    (tmp_path / "log").write_text(
        "idx\tlabel\tpredict\tradius\tcorrect\ttime\n0\t3\t3\t0.486\t1\t1\n1\t2\t-1\t0.0\t0\t1\n"
    )
    known = import_log("cohen", tmp_path / "log", 0.5, tmp_path / "known", draws=1000)
    assert "by the log&#39;s own account" in report_page([Study("log", known)])
    columns = "index=idx,label=label,predict=predict,radius=radius"
    bare = import_radii(tmp_path / "log", columns, 0.5, tmp_path / "bare", bare=True)
    page = report_page([Study("log", bare)])
    assert "bare radii" in page
    assert "as the log printed them" in page


@pytest.mark.parametrize(
    ("out", "message"),
    [("page.txt", "must end in .html"), ("nowhere/page.html", "folder that exists")],
)
def test_where_a_page_cannot_be_written(make_study, tmp_path, out, message):
    with pytest.raises(InvalidInput, match=message):
        write_report([make_study()], tmp_path / out)
    assert not list(tmp_path.iterdir())


def test_never_into_a_run(make_study):
    study = make_study()
    with pytest.raises(InvalidInput, match="must not lie inside the run"):
        write_report([study], study.run.folder / "page.html")
