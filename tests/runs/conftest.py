"""What the tests of drawing into a run share."""

import numpy as np
import pytest
from places import MODEL


@pytest.fixture
def place(tmp_path, monkeypatch, request):
    """A folder with data and a model of its own, current."""
    name = "model_" + "".join(c if c.isalnum() else "_" for c in request.node.name)
    random = np.random.default_rng(1)
    inputs = random.random((40, 3, 4)).astype(np.float32)
    np.savez(tmp_path / "data.npz", inputs=inputs, labels=random.integers(0, 4, 40))
    (tmp_path / f"{name}.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path, name
