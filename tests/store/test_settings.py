"""Words of the command line as numbers."""

import numpy as np
import pytest

from simplicert import InvalidInput
from simplicert.store.settings import parse_grid_step, parse_numbers, read_noise_scale


@pytest.mark.parametrize(
    ("text", "value"), [("1/255", 1 / 255), ("0.01", 0.01), ("2/4", 0.5), ("1e-3", 1e-3)]
)
def test_steps(text, value):
    assert parse_grid_step(text) == value


@pytest.mark.parametrize(
    "text",
    ["", "x", "0", "-1", "1/0", "nan", "inf", "1/x", "9" * 400, "1e1000000000", "1/1e999", "1/2/3"],
)
def test_no_steps(text):
    """An exponent of a thousand million is refused, not written out."""
    with pytest.raises(InvalidInput, match="grid must be a step such as 1/255"):
        parse_grid_step(text)


def test_numbers():
    assert parse_numbers("mean", "0.5,1") == parse_numbers("mean", [0.5, 1]) == (0.5, 1.0)
    with pytest.raises(InvalidInput, match="mean"):
        parse_numbers("mean", "a,b")


def test_a_scale(tmp_path):
    np.save(tmp_path / "s.npy", np.arange(3))
    assert read_noise_scale(tmp_path / "s.npy").tolist() == [0.0, 1.0, 2.0]
    (tmp_path / "s.npy").write_bytes(b"no array")
    with pytest.raises(InvalidInput, match="noise_scale must be an npy file of numbers"):
        read_noise_scale(tmp_path / "s.npy")
    np.save(tmp_path / "w.npy", np.array(["a"]))
    with pytest.raises(InvalidInput, match="noise_scale must be an npy file of numbers"):
        read_noise_scale(tmp_path / "w.npy")
