"""The page: its words, its loading again, and no file inside the run."""

import re
import time

import numpy as np
import pytest
from watched import CLEAR, CLOSE, WRONG, begin

import simplicert as sc
from simplicert.errors import DamagedRun
from simplicert.store import open_run
from simplicert.watch import (
    PageKeeper,
    keeper,
    read_watch_state,
    render_watch_page,
    watch_page_path,
)
from simplicert.watch.page import describe_progress, explain_looking, trace_radii


def test_the_page_holds_the_numbers_and_no_script(tmp_path):
    state = read_watch_state(begin(tmp_path, [CLEAR, CLOSE, WRONG, CLEAR]))
    text = render_watch_page(state, 5.2)
    assert '<meta http-equiv="refresh" content="5">' in text
    assert "default-src 'none'" in text and "<script" not in text and "http://" not in text
    assert "2 of 4" in text and "20.0 % to 80.0 %" in text
    assert len(re.findall("<circle", text)) == 3  # CLOSE is abstained and has no place
    assert "1 abstained" in text and 'class="wrong"' in text


def test_the_last_page_does_not_load_itself_again(tmp_path):
    state = read_watch_state(begin(tmp_path, [CLEAR], inputs=1))
    assert state.ended and describe_progress(state) == "Complete: 1 of 1 inputs are done."
    assert "refresh" not in render_watch_page(state, None)


def test_what_looking_does_to_alpha_is_said_at_the_level_of_the_scheme(tmp_path):
    """The paper's scheme proves 3 alpha, and the page says so."""
    for scheme, level in (("gated", "0.1 %,"), ("paper", "0.3 %,")):
        run = begin(tmp_path / scheme, [CLEAR], scheme=scheme)
        words = " ".join(text for _, text in explain_looking(read_watch_state(run)))
        assert f"chance of a wrong certificate is at most {level} however often you look" in words
        assert "marked exploratory" in words and "--extend" in words


def test_names_and_errors_from_files_are_only_text(tmp_path):
    run = begin(tmp_path, [CLEAR])
    folder = run.folder.rename(tmp_path / "<script>alert(1)</script>".replace("/", "_"))
    (folder / "failed").mkdir()
    (folder / "failed" / "00000003.txt").write_text("<img src=x onerror=alert(1)>")
    text = render_watch_page(read_watch_state(open_run(folder)), None)
    assert "<script" not in text and "<img" not in text and "&lt;img src=x" in text


def test_new_inputs_are_marked(tmp_path):
    before = read_watch_state(begin(tmp_path / "a", [CLEAR]))
    after = read_watch_state(begin(tmp_path / "b", [CLEAR, WRONG]))
    assert 'class="wrong new"' in render_watch_page(after, 5.0, before)
    assert "1 new since the last page" in render_watch_page(after, 5.0, before)


def test_lines_of_equal_radius_are_that():
    for name, places in trace_radii():
        x, y = np.array([place.split(",") for place in places.split()], dtype=float).T
        e0, e1 = x / 640, (1 - y / 320) / 2
        inside = (e0 > 0.1) & (e0 < 0.9) & (e1 > 0.05)
        radii = sc.radius("two_sided", e0[inside], np.minimum(e1[inside], 1 - e0[inside]))
        np.testing.assert_allclose(radii, float(name), atol=0.01)


def test_a_page_is_written_beside_the_run_and_never_inside(tmp_path):
    run = begin(tmp_path, [CLEAR])
    kept = PageKeeper(run.folder)
    kept.write()
    assert kept.page == watch_page_path(run.folder) == tmp_path / "run.watch.html"
    assert sorted(path.name for path in run.folder.iterdir()) == ["parts", "run.toml"]
    with pytest.raises(sc.InvalidInput, match="out must lie outside the run"):
        PageKeeper(run.folder, run.folder / "page.html")
    with pytest.raises(sc.InvalidInput, match="out must lie in a folder that exists"):
        PageKeeper(run.folder, tmp_path / "none" / "page.html")
    with pytest.raises(sc.InvalidInput, match=r"every must be at least 1 s .* got 0\.5"):
        PageKeeper(run.folder, seconds=0.5)


def test_it_is_written_only_when_due_and_rarely_where_reading_takes_long(tmp_path, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(keeper.time, "monotonic", lambda: now[0])
    read = keeper.read_watch_state

    def slowly(run):
        now[0] += 3.0
        return read(run)

    monkeypatch.setattr(keeper, "read_watch_state", slowly)
    kept = PageKeeper(begin(tmp_path, [CLEAR]).folder)
    assert kept.update() is not None and kept.update() is None
    assert kept.due == 103.0 + 30.0  # three seconds are a tenth of the time
    assert 'content="30"' in kept.page.read_text()
    now[0] = kept.due
    assert kept.update() is not None


def test_a_run_that_cannot_be_read_for_a_moment_keeps_its_page(tmp_path, monkeypatch):
    kept = PageKeeper(begin(tmp_path, [CLEAR]).folder)
    kept.write()
    page = kept.page.read_bytes()

    def damaged(run):
        raise DamagedRun("a part was set aside")

    monkeypatch.setattr(keeper, "read_watch_state", damaged)
    kept.due = 0.0
    assert kept.update() is None and kept.page.read_bytes() == page
    assert kept.due > time.monotonic()
    fresh = PageKeeper(kept.folder)
    with pytest.raises(DamagedRun):
        fresh.update()
