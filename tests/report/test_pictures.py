"""Pictures come from the run's own data or not at all, and the sheet of thumbnails is right."""

import re
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simplicert.data import load_data
from simplicert.drawing import origin
from simplicert.errors import InvalidInput
from simplicert.report import pictures
from simplicert.report.page import report_page
from simplicert.report.pictures import (
    MOST,
    are_images,
    choose_thumbnails,
    find_pictures,
    make_sheet,
)
from simplicert.report.views import make_views

Image = pytest.importorskip("PIL.Image", reason="pillow draws the sheet")


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    images = random.integers(0, 256, (60, 4, 4), dtype=np.uint8)
    np.savez("mine.npz", images=images)
    np.savez("other.npz", images=images[::-1])
    np.savez("table.npz", inputs=random.random((60, 5)))
    return images


@pytest.fixture
def recorded(data, make_study):
    """A run that says which data it was drawn from."""

    def made(name="mine.npz", **more):
        source = {"data_fingerprint": load_data(name).fingerprint}
        return make_views([make_study(source=source, made={"data": name}, **more)])

    return made


def test_the_runs_own_data_is_found(recorded, data):
    found = find_pictures(recorded(index=np.arange(40) + 20), None)
    assert set(found.sheet.slots) == set(range(20, 60))
    assert found.note == ""


def test_data_that_is_gone_is_a_note(recorded, tmp_path):
    views = recorded()
    (tmp_path / "mine.npz").unlink()
    found = find_pictures(views, None)
    assert found.sheet is None
    assert "No thumbnails: the run's data were not found here; give --data" in found.note


def test_other_data_under_the_same_name_is_a_note(recorded, tmp_path):
    views = recorded()
    (tmp_path / "other.npz").replace(tmp_path / "mine.npz")
    found = find_pictures(views, None)
    assert found.sheet is None
    assert "No thumbnails: the run's data were not found here" in found.note


@pytest.fixture
def private(data, tmp_path):
    """Private pictures that no run was drawn from."""
    folder = tmp_path / "somebody" / "private"
    folder.mkdir(parents=True)
    for number, pixels in enumerate(data):
        Image.fromarray(pixels).save(folder / f"secret{number:02d}.png")
    return f"folder:{folder}"


@pytest.mark.parametrize("source", [{}, {"data_fingerprint": "0" * 32}])
def test_a_run_shows_no_private_files(private, make_study, source):
    """The author of run.toml sees nothing of what lies at the place that it names."""
    study = make_study(source=source, made={"data": private})
    found = find_pictures(make_views([study]), None)
    assert found.sheet is None and "give --data" in found.note
    assert not re.search("secret|private|60|4 x 4|[0-9a-f]{32}", found.note)
    assert "secret" not in report_page([study])


def test_without_a_fingerprint_nothing_is_opened(private, make_study, monkeypatch):
    study = make_study(made={"data": private})
    monkeypatch.setattr(origin, "load_data", lambda name: pytest.fail("it was opened"))
    assert "keeps no fingerprint of its data" in find_pictures(make_views([study]), None).note


def test_private_files_that_are_the_run_s_or_the_user_s_are_shown(private, make_study):
    known = {"data_fingerprint": load_data(private).fingerprint}
    mine = make_study(source=known, made={"data": private})
    assert find_pictures(make_views([mine]), None).sheet is not None
    asked = make_study(made={"data": private})
    assert find_pictures(make_views([asked]), private).sheet is not None


def test_other_data_that_was_asked_for_is_refused(recorded):
    with pytest.raises(InvalidInput, match="data must be what run was drawn from"):
        find_pictures(recorded(), "other.npz")
    with pytest.raises(InvalidInput, match=r"got nowhere\.npz"):
        find_pictures(recorded(), "nowhere.npz")


def test_a_run_that_names_no_data(data, make_study):
    views = make_views([make_study()])
    assert "does not name its data" in find_pictures(views, None).note
    assert find_pictures(views, "mine.npz").sheet is not None
    outside = make_views([make_study(index=np.arange(40) + 30)])
    with pytest.raises(InvalidInput, match="must hold input 69 of run"):
        find_pictures(outside, "mine.npz")


def test_labels_that_contradict_the_run_are_refused(data, make_study):
    views = make_views([make_study()])
    labels = np.zeros(60, np.int64)
    labels[:40] = views[0].labels
    np.savez("labelled.npz", images=data, labels=labels)
    assert find_pictures(views, "labelled.npz").sheet is not None
    labels[7] += 1
    np.savez("labelled.npz", images=data, labels=labels)
    with pytest.raises(InvalidInput, match="differs at input 7"):
        find_pictures(views, "labelled.npz")


def test_what_is_no_image_is_a_note(recorded):
    assert "shape 5 are no images" in find_pictures(recorded("table.npz"), None).note


def test_without_pillow_a_note(recorded, monkeypatch):
    views = recorded()
    monkeypatch.setattr(pictures, "find_spec", lambda name: None)
    assert "pillow is not installed" in find_pictures(views, None).note


def test_of_many_inputs_some(recorded, monkeypatch):
    views = recorded()
    monkeypatch.setattr(pictures, "MOST", 10)
    found = find_pictures(views, None)
    assert len(found.sheet.slots) == 10
    assert found.note.startswith("Thumbnails of 10 inputs")


def opened(sheet):
    return np.asarray(Image.open(BytesIO(sheet.picture)))


def thumbnail(sheet, number):
    """The pixels that the page shows for an input."""
    row, column = divmod(sheet.slots[number], sheet.across)
    top, left = row * sheet.height, column * sheet.width
    return opened(sheet)[top : top + sheet.height, left : left + sheet.width]


@pytest.mark.parametrize("channels", [1, 3])
def test_small_images_are_kept_pixel_by_pixel(channels):
    random = np.random.default_rng(0)
    images = random.integers(0, 256, (7, channels, 5, 8)) / 255
    numbers = np.array([3, 10, 11, 40, 2, 5, 90])
    sheet = make_sheet(images.astype(np.float32), numbers)
    assert (sheet.width, sheet.height, sheet.across) == (8, 5, 3)
    for image, number in zip(images, numbers, strict=True):
        exact = np.moveaxis((image * 255).round().astype(int), 0, -1).squeeze()
        assert (thumbnail(sheet, int(number)) == exact).all()
    content = sheet.for_page()
    assert content["url"].startswith("data:image/png;base64,")
    assert content["down"] * content["across"] >= 7


def test_large_images_are_shrunk_and_values_outside_are_clipped():
    images = np.stack([np.full((1, 100, 60), value, np.float32) for value in (-1.0, 0.5, 7.0)])
    sheet = make_sheet(images, np.arange(3))
    assert (sheet.width, sheet.height) == (29, 48)
    assert [int(thumbnail(sheet, n)[10, 10]) for n in range(3)] == [0, 128, 255]


def test_a_heavy_sheet_is_written_smaller():
    """Noise is the worst that a picture can be: 600 thumbnails stay near a megabyte."""
    random = np.random.default_rng(0)
    sheet = make_sheet(random.random((600, 3, 48, 48), dtype=np.float32), np.arange(600))
    assert len(sheet.picture) < 1.2e6
    assert sheet.for_page()["url"].startswith("data:image/jpeg")


def test_shapes_that_are_images():
    assert are_images((10, 1, 8, 8)) and are_images((10, 3, 224, 224))
    assert not any(are_images(shape) for shape in ((10, 30), (10, 4, 8, 8), (10, 8, 8)))


def test_few_inputs_all_have_a_thumbnail():
    assert choose_thumbnails(MOST, [np.arange(MOST)[::-1]], MOST).tolist() == list(range(MOST))


@given(st.integers(21, 200), st.integers(1, 3), st.integers(0, 5))
def test_of_many_the_riskiest_and_an_even_spread(total, views, seed):
    random = np.random.default_rng(seed)
    orders = [random.permutation(total) for _ in range(views)]
    found = choose_thumbnails(total, orders, most=20)
    assert len(found) == len(set(found.tolist())) == 20
    for order in orders:
        assert set(order[: 10 // views].tolist()) <= set(found.tolist())
    if total > 100:
        assert np.diff(found).max() < total / 2


@pytest.mark.slow
def test_a_thumbnail_is_that_of_its_input(page, make_study, tmp_path, monkeypatch):
    """Every input has a colour of its own; the card's picture must have it."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    pixels = np.repeat(random.integers(0, 256, (30, 1, 1, 3), dtype=np.uint8), 4, axis=1)
    np.savez("colours.npz", images=np.repeat(pixels, 4, axis=2))
    prints = load_data("colours.npz").fingerprint
    study = make_study(
        inputs=12,
        index=np.arange(12) * 2 + 1,
        source={"data_fingerprint": prints},
        made={"data": "colours.npz"},
    )
    report = page.open(report_page([study]), tmp_path)
    for place in range(5):  # the rows are written anew when one is opened
        button = report.driver.find_elements("css selector", "#inputs tbody button")[place]
        number = int(button.text)
        report.run("arguments[0].click()", button)
        found = report.driver.execute_async_script("""
            const [done, box] = [arguments[0], document.querySelector("#card .thumb")];
            const style = getComputedStyle(box), sheet = new Image();
            sheet.onload = () => {
                const pen = document.createElement("canvas").getContext("2d");
                const [x, y] = style.backgroundPosition.split(" ").map(parseFloat);
                const [wide] = style.backgroundSize.split(" ").map(parseFloat);
                const shrink = sheet.width / wide;
                pen.drawImage(sheet, shrink * (48 - x), shrink * (48 - y), 1, 1, 0, 0, 1, 1);
                done([...pen.getImageData(0, 0, 1, 1).data.slice(0, 3)]);
            };
            sheet.src = style.backgroundImage.slice(5, -2);
        """)
        assert found == pixels[number, 0, 0].tolist()
