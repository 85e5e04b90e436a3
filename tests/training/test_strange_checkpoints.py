"""A checkpoint that is none of ours is refused in one sentence, whatever it lacks."""

from types import SimpleNamespace

import pytest
import torch

from simplicert.errors import InvalidInput
from simplicert.training.checkpoint import CHECKPOINT_NAME, COLUMNS, FORMAT, read_checkpoint

ROW = dict.fromkeys(COLUMNS, 0.0)
WHOLE = {"format": FORMAT, "identity": {}, "epoch": 1, "log": [ROW], "model": {}, "optimiser": {},
         "scaler": {}}  # fmt: skip


def trainer():
    takes_all = SimpleNamespace(load_state_dict=lambda state: None)
    group = SimpleNamespace(device=torch.device("cpu"))
    return SimpleNamespace(
        process_group=group, module=takes_all, optimiser=takes_all, scaler=takes_all
    )


def test_one_that_is_whole(tmp_path):
    torch.save(WHOLE, tmp_path / CHECKPOINT_NAME)
    assert read_checkpoint(tmp_path, {}, trainer()).epoch == 1


@pytest.mark.parametrize(
    "change",
    [*({name: None} for name in WHOLE if name not in ("model", "optimiser", "scaler")),
     {"epoch": 7}, {"epoch": "x"}, {"log": [1]}, {"log": [{}]}, {"identity": [1]}],
)  # fmt: skip
def test_one_that_is_not(tmp_path, change):
    torch.save(WHOLE | change, tmp_path / CHECKPOINT_NAME)
    with pytest.raises(InvalidInput):
        read_checkpoint(tmp_path, {}, trainer())


@pytest.mark.parametrize("name", WHOLE)
def test_one_that_lacks_something(tmp_path, name):
    """A KeyError was raised here."""
    held = {key: value for key, value in WHOLE.items() if key != name}
    torch.save(held, tmp_path / CHECKPOINT_NAME)
    with pytest.raises(InvalidInput, match="is no checkpoint of a training here"):
        read_checkpoint(tmp_path, {}, trainer())


def test_one_that_lies_elsewhere(tmp_path):
    (tmp_path / "net").mkdir()
    torch.save(WHOLE, tmp_path / "other.pt")
    (tmp_path / "net" / CHECKPOINT_NAME).symlink_to(tmp_path / "other.pt")
    with pytest.raises(InvalidInput, match="a link that leads elsewhere"):
        read_checkpoint(tmp_path / "net", {}, trainer())
