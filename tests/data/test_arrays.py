"""NumPy's files: what they claim, what they hold, and what is never done with them."""

import io
import struct
import zipfile

import numpy as np
import pytest

from simplicert import InvalidInput, machine
from simplicert.data import arrays
from simplicert.data.arrays import read_array

NAMES = ("images", "inputs", "labels")


def read_arrays(path):
    return arrays.read_arrays(path, NAMES)


def header(shape, descr="<f4"):
    """The beginning of a npy file that claims this shape."""
    text = str({"descr": descr, "fortran_order": False, "shape": shape}).encode()
    text += b" " * (118 - len(text) - 1) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


def archive(path, members, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


def test_what_is_sound_is_read(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", images=np.zeros((200, 8, 8)), labels=np.arange(200))
    found = read_arrays(tmp_path / "a.npz")
    assert found["images"].shape == (200, 8, 8) and found["labels"][-1] == 199
    np.save(tmp_path / "a.npy", np.arange(5.0))
    assert read_array(tmp_path / "a.npy").tolist() == [0, 1, 2, 3, 4]


def test_a_claim_of_terabytes(tmp_path):
    """NumPy would take the memory first."""
    content = header((10**6, 10**6)) + b"1234"
    archive(tmp_path / "a.npz", {"images.npy": content})
    with pytest.raises(InvalidInput, match=r"images\.npy claims 4,000,000,000,000 bytes and holds"):
        read_arrays(tmp_path / "a.npz")
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(InvalidInput, match=r"a\.npy claims 4,000,000,000,000 bytes and holds 1"):
        read_array(tmp_path / "a.npy")


def test_a_bomb(tmp_path):
    """A member that says it unpacks to 4 GiB out of next to nothing; nothing is unpacked."""
    path = archive(tmp_path / "a.npz", {"images.npy": bytes(10**6)}, zipfile.ZIP_DEFLATED)
    content = bytearray(path.read_bytes())
    at = content.rindex(b"PK\x01\x02")  # the directory at the end is what is believed
    content[at + 24 : at + 28] = struct.pack("<I", 2**32 - 2)
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"would grow from [\d,]+ to 4,294,967,294 bytes"):
        read_arrays(path)


def test_several_members_that_are_a_bomb_together(tmp_path, monkeypatch):
    """Each may be unpacked by itself; all of them are held against the file."""
    monkeypatch.setattr(machine, "LARGE", 5 * 10**6)
    zeros = {name: np.zeros(2 * 10**6, np.uint8) for name in NAMES}
    np.savez_compressed(tmp_path / "a.npz", images=zeros["images"], inputs=zeros["inputs"])
    assert len(read_arrays(tmp_path / "a.npz")) == 2
    np.savez_compressed(tmp_path / "b.npz", **zeros)
    with pytest.raises(InvalidInput, match=r"labels\.npy, is refused: it would grow from 6,\d+ to"):
        read_arrays(tmp_path / "b.npz")


def test_members_that_lie_on_top_of_each_other(tmp_path, monkeypatch):
    """A directory may name one place many times."""
    monkeypatch.setattr(machine, "LARGE", 10**5)
    content = header((10**5,), "|u1") + bytes(10**5)
    path = archive(tmp_path / "a.npz", {f"{n}.npy": content for n in NAMES}, zipfile.ZIP_DEFLATED)
    with zipfile.ZipFile(path) as file:
        assert sum(m.file_size for m in file.infolist()) > 100 * path.stat().st_size
    with pytest.raises(InvalidInput, match="would grow"):
        read_arrays(path)


def test_more_than_the_memory(tmp_path, monkeypatch):
    np.savez(tmp_path / "a.npz", images=np.zeros((200, 8, 8)))
    np.save(tmp_path / "a.npy", np.zeros(1000))
    monkeypatch.setattr(machine, "free_memory", lambda: 5000)
    with pytest.raises(
        InvalidInput, match=r"a\.npz.* needs 102,528 bytes of memory, and 5,000 byt"
    ):
        read_arrays(tmp_path / "a.npz")
    with pytest.raises(
        InvalidInput, match=r"a\.npy needs 8,128 bytes of memory, and 5,000 bytes are"
    ):
        read_array(tmp_path / "a.npy")


def test_unknown_and_repeated_names_are_refused_unread(tmp_path):
    archive(tmp_path / "a.npz", {"images.npy": header((2,)) + bytes(8), "other.npy": b""})
    with pytest.raises(InvalidInput, match=r"may hold images, inputs, labels, .* got also other"):
        read_arrays(tmp_path / "a.npz")
    with (
        pytest.warns(UserWarning, match="Duplicate"),
        zipfile.ZipFile(tmp_path / "b.npz", "w") as f,
    ):
        f.writestr("images.npy", header((2,)) + bytes(8))
        f.writestr("images.npy", header((2,)) + bytes(8))
    with pytest.raises(InvalidInput, match="must hold each array once"):
        read_arrays(tmp_path / "b.npz")


def test_a_header_of_signs(tmp_path):
    """Python's parser goes as deep as there are signs."""
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({'-' * 5000}1,), }}\n".encode()
    content = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text
    (tmp_path / "a.npy").write_bytes(content)
    archive(tmp_path / "a.npz", {"images.npy": content})
    with pytest.raises(InvalidInput, match=r"a\.npy must be an npy file of plain numbers"):
        read_array(tmp_path / "a.npy")
    with pytest.raises(InvalidInput, match=r"a\.npz must be an npz file of plain arrays"):
        read_arrays(tmp_path / "a.npz")


def test_objects_are_never_unpickled(tmp_path):
    np.savez(tmp_path / "a.npz", images=np.array([{"a": 1}], dtype=object))
    with pytest.raises(InvalidInput, match="never pickled objects"):
        read_arrays(tmp_path / "a.npz")
    np.save(tmp_path / "a.npy", np.array([{"a": 1}], dtype=object))
    with pytest.raises(InvalidInput, match=r"a\.npy must be an npy file of plain numbers"):
        read_array(tmp_path / "a.npy")


def test_one_for_the_other(tmp_path):
    np.savez(tmp_path / "a.npy.npz", inputs=np.arange(3))
    (tmp_path / "a.npy.npz").rename(tmp_path / "a.npy")
    with pytest.raises(InvalidInput, match="must be an npy file, got a npz one"):
        read_array(tmp_path / "a.npy")
    np.save(tmp_path / "b.npy", np.arange(3))
    (tmp_path / "b.npy").rename(tmp_path / "b.npz")
    with pytest.raises(InvalidInput, match="must be an npz file, got a npy one"):
        read_arrays(tmp_path / "b.npz")


@pytest.mark.slow
def test_every_damage_is_a_sentence(tmp_path):
    """Three thousand files, each with a few bytes changed, cut or repeated: arrays or a refusal."""
    sink = io.BytesIO()
    np.savez_compressed(sink, images=np.arange(64.0).reshape(4, 4, 4), labels=np.arange(4))
    sound, random = sink.getvalue(), np.random.default_rng(0)
    single = header((4,)) + np.arange(4, dtype="<f4").tobytes()
    refused = 0
    for trial in range(3000):
        content = bytearray(sound if trial % 2 else single)
        for _ in range(random.integers(1, 4)):
            content[random.integers(len(content))] = random.integers(256)
        if trial % 5 == 0:
            content = content[: random.integers(len(content))]
        path, read = (
            (tmp_path / "f.npz", read_arrays) if trial % 2 else (tmp_path / "f.npy", read_array)
        )
        path.write_bytes(content)
        try:
            read(path)
        except InvalidInput:
            refused += 1
    assert 1000 < refused < 3000
