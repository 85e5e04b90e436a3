"""One sheet: every thumbnail where the page looks for it, and never too heavy."""

from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simplicert.report.pictures import MOST, are_images, choose_thumbnails, make_sheet

Image = pytest.importorskip("PIL.Image", reason="pillow draws the sheet")


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
