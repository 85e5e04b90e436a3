"""`resize` and `crop`: pictures of any size become inputs of one."""

import numpy as np
import pytest
from PIL import Image

from simplicert.data import DataOptions, load_data
from simplicert.errors import InvalidInput

RANDOM = np.random.default_rng(0)
SIZES = [(40, 30), (30, 61), (28, 28)]  # width, height


@pytest.fixture
def photos(tmp_path):
    """Three photographs of different sizes, the last one grey."""
    folder = tmp_path / "photos"
    for number, (width, height) in enumerate(SIZES):
        place = folder / "ab"[number % 2]
        place.mkdir(parents=True, exist_ok=True)
        shape = (height, width) if number == 2 else (height, width, 3)
        pixels = RANDOM.integers(0, 256, shape, dtype=np.uint8)
        Image.fromarray(pixels).save(place / f"{number}.png")
    return folder


def test_sizes_that_differ_are_refused_with_an_offer(photos):
    with pytest.raises(InvalidInput, match=r"one size and colour, .*; `--resize 256 --crop 224`"):
        load_data(f"folder:{photos}")


def test_the_shorter_side_is_resized_and_the_middle_cut_out(photos):
    data = load_data(f"folder:{photos}", options=DataOptions(resize=20, crop=16))
    assert data.inputs.shape == (3, 3, 16, 16)
    wide = Image.open(photos / "a" / "0.png").resize((26, 20), Image.Resampling.BICUBIC)
    expected = np.asarray(wide)[2:18, 5:21].transpose(2, 0, 1) / np.float32(255)
    np.testing.assert_array_equal(data.inputs[0], expected)
    grey = data.inputs[1]  # the grey picture is RGB like the others
    np.testing.assert_array_equal(grey[0], grey[1])
    tall = Image.open(photos / "b" / "1.png").resize((20, 40), Image.Resampling.BICUBIC)
    expected = np.asarray(tall)[12:28, 2:18].transpose(2, 0, 1) / np.float32(255)
    np.testing.assert_array_equal(data.inputs[2], expected)


def test_halves_are_averaged():
    """Antialiased: each pixel of the small picture is a mean of many, not one of them."""
    from simplicert.data.fitting import fit_picture

    checks = np.indices((64, 64)).sum(axis=0) % 2 * np.uint8(255)
    small = np.asarray(fit_picture(Image.fromarray(checks.astype(np.uint8)), DataOptions(8)))
    assert np.abs(small.astype(int) - 127).max() <= 3


def test_a_crop_alone_and_a_resize_alone(photos):
    data = load_data(f"folder:{photos}", options=DataOptions(crop=28))
    assert data.inputs.shape == (3, 3, 28, 28)
    whole = np.asarray(Image.open(photos / "a" / "2.png"))
    np.testing.assert_array_equal(data.inputs[1][0], whole / np.float32(255))
    with pytest.raises(InvalidInput, match="crop must be at most the size of every"):
        load_data(f"folder:{photos}", options=DataOptions(crop=29))
    with pytest.raises(InvalidInput, match=r"one size and colour.*a crop makes them squares"):
        load_data(f"folder:{photos}", options=DataOptions(resize=29))
    (photos / "a" / "0.png").unlink()
    (photos / "b" / "1.png").unlink()
    Image.new("RGB", (56, 56)).save(photos / "b" / "1.png")
    assert load_data(f"folder:{photos}", options=DataOptions(14)).inputs.shape == (2, 3, 14, 14)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"resize": 0}, "resize must be a number of pixels in 1..16384, got 0"),
        ({"crop": 2.5}, "crop must be a number of pixels"),
        ({"resize": 10, "crop": 11}, "crop must be at most resize = 10, got 11"),
        ({"label_column": 3}, "label_column must be the name of a column, got 3"),
        ({"columns": "a"}, "columns must be a list of names"),
        ({"columns": ()}, "columns must be a list of names"),
    ],
)
def test_options_are_checked(given, message):
    with pytest.raises(InvalidInput, match=message):
        DataOptions(**given)


def test_a_thin_picture_does_not_fill_the_memory(tmp_path):
    Image.new("L", (10_000, 1)).save(tmp_path / "thin.png")
    with pytest.raises(InvalidInput, match="resize must leave at most 16384 pixels a side"):
        load_data(f"folder:{tmp_path}", options=DataOptions(resize=9, crop=9))
