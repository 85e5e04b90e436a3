"""`folder:DIR`: image files read one at a time."""

import sys

import numpy as np
import pytest
from PIL import Image

from simplicert.data import load_data
from simplicert.errors import InvalidInput

PIXELS = np.random.default_rng(0).integers(0, 256, (4, 5, 6, 3), dtype=np.uint8)


def save(folder, name, pixels, **options):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path, **options)
    return path


@pytest.fixture
def pets(tmp_path):
    """Two classes; names chosen so that the order of creation is not that of the alphabet."""
    for name, pixels in zip(
        ("dog/b.png", "cat/z.bmp", "cat/a.PNG", "dog/a.png"), PIXELS, strict=True
    ):
        save(tmp_path / "pets", name, pixels)
    return tmp_path / "pets"


def test_sub_folders_are_classes_in_alphabetical_order(pets):
    (pets / "cat" / "notes.txt").write_text("passed over")
    (pets / ".cache").mkdir()
    (pets / "cat" / ".hidden.png").write_text("passed over")
    data = load_data(f"folder:{pets}")
    assert data.classes == ("cat", "dog") and data.labels.tolist() == [0, 0, 1, 1]
    assert data.inputs.shape == (4, 3, 5, 6) and data.name == "folder:pets"
    expected = PIXELS[[2, 1, 3, 0]].transpose(0, 3, 1, 2) / np.float32(255)
    np.testing.assert_array_equal(data.inputs[np.arange(4)], expected)
    assert data.inputs[np.arange(4)].dtype == np.float32
    np.testing.assert_array_equal(data.inputs[np.array([3, 0])], expected[[3, 0]])
    np.testing.assert_array_equal(data.inputs[2], expected[2])
    assert data.inputs[np.array([], np.int64)].shape == (0, 3, 5, 6)


def test_without_sub_folders_there_are_no_labels(tmp_path, monkeypatch):
    for name, pixels in zip("ba", PIXELS, strict=False):
        save(tmp_path / "grey", f"{name}.png", pixels[..., 0])
    monkeypatch.chdir(tmp_path / "grey")
    data = load_data("folder:.")
    assert data.labels is None and data.classes is None and data.name == "folder:grey"
    np.testing.assert_array_equal(
        data.inputs[np.arange(2)], PIXELS[[1, 0], None, :, :, 0] / np.float32(255)
    )


def test_palettes_and_bits_are_understood(tmp_path):
    image = Image.fromarray(PIXELS[0]).quantize(16)
    (tmp_path / "palette").mkdir()
    image.save(tmp_path / "palette" / "a.png")
    expected = np.asarray(image.convert("RGB")).transpose(2, 0, 1) / np.float32(255)
    np.testing.assert_array_equal(load_data(f"folder:{tmp_path / 'palette'}").inputs[0], expected)
    (tmp_path / "bits").mkdir()
    Image.fromarray(PIXELS[0][..., 0] > 99).save(tmp_path / "bits" / "a.png")
    bits = load_data(f"folder:{tmp_path / 'bits'}").inputs[0]
    np.testing.assert_array_equal(bits[0], PIXELS[0][..., 0] > 99)


def test_same_pixels_same_fingerprint_in_any_container(pets, tmp_path):
    whole = load_data(f"folder:{pets}")
    np.savez(tmp_path / "p.npz", images=PIXELS[[2, 1, 3, 0]], labels=whole.labels)
    assert load_data(str(tmp_path / "p.npz")).fingerprint == whole.fingerprint
    pets.rename(tmp_path / "moved")
    assert load_data(f"folder:{tmp_path / 'moved'}").fingerprint == whole.fingerprint
    save(tmp_path / "moved", "dog/b.png", PIXELS[0] ^ 1)
    assert load_data(f"folder:{tmp_path / 'moved'}").fingerprint != whole.fingerprint


def test_mixed_sizes_and_colours_are_refused(pets):
    save(pets, "dog/c.png", PIXELS[0][:4])
    with pytest.raises(InvalidInput, match=r"6 x 5 RGB in cat.a\.PNG and 6 x 4 RGB in dog.c\.png"):
        load_data(f"folder:{pets}")
    save(pets, "dog/c.png", PIXELS[0][..., 0])
    with pytest.raises(InvalidInput, match=r"6 x 5 RGB in .* and 6 x 5 grey in dog.c\.png"):
        load_data(f"folder:{pets}")


@pytest.mark.parametrize("mode", ["RGBA", "LA", "CMYK", "I;16"])
def test_other_kinds_of_pixels_are_refused(tmp_path, mode):
    suffix = "jpg" if mode == "CMYK" else "png"
    Image.new(mode, (4, 4)).save(tmp_path / f"a.{suffix}")
    with pytest.raises(InvalidInput, match=rf"a\.{suffix} must be an 8-bit grey or RGB .* {mode}"):
        load_data(f"folder:{tmp_path}")


def test_a_transparent_palette_is_refused(tmp_path):
    Image.fromarray(PIXELS[0]).quantize(16).save(tmp_path / "a.png", transparency=3)
    with pytest.raises(InvalidInput, match=r"without transparency, got P"):
        load_data(f"folder:{tmp_path}")


def test_broken_images_are_named(pets):
    path = pets / "dog" / "b.png"
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(InvalidInput, match=r"dog.b\.png cannot be decoded"):
        load_data(f"folder:{pets}")
    path.write_bytes(b"no image")
    with pytest.raises(InvalidInput, match=r"dog.b\.png must be an image"):
        load_data(f"folder:{pets}")


def test_folders_without_images(tmp_path, pets):
    with pytest.raises(InvalidInput, match="must name a folder that exists"):
        load_data(f"folder:{tmp_path / 'absent'}")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInput, match=r"empty must hold images \(\.png, .*\), got none"):
        load_data(f"folder:{tmp_path / 'empty'}")
    (pets / "bird").mkdir()
    with pytest.raises(InvalidInput, match=r"each class .* must hold images, got none in bird"):
        load_data(f"folder:{pets}")
    save(pets, "loose.png", PIXELS[0])
    with pytest.raises(InvalidInput, match=r"got both: bird and loose\.png"):
        load_data(f"folder:{pets}")


def test_without_the_library(pets, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(InvalidInput, match=r"PIL, .* pip install 'simplicert\[torch\]'"):
        load_data(f"folder:{pets}")
