"""A checkpoint that the disk does not give is the disk's error, not that of another training."""

import errno

import pytest
import torch

from simplicert.training import checkpoint


def test_a_checkpoint_that_cannot_be_read(tmp_path, monkeypatch):
    def fail(path):
        raise OSError(errno.EIO, "Input/output error", str(path))

    monkeypatch.setattr(checkpoint, "open_file", fail)
    path = tmp_path / checkpoint.CHECKPOINT_NAME
    with pytest.raises(OSError, match="Input/output error"):
        checkpoint._load_checkpoint_file(path, torch.device("cpu"))
