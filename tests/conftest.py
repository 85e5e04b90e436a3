"""Commands typed in this process, torch on one thread, and the modules of benchmarks/."""

import importlib
import json
import os
import signal
import sys
from pathlib import Path
from random import Random

import hypothesis
import numpy as np
import pytest
from places import MODEL, TEXT_MODEL, TextPlace
from tiers import ALSO_LONG

from simplicert.cli import main

# Some virtual machines announce AMX and then stop a process that uses it (docs/faq.md). Without it
# bfloat16 is slower and nothing else; whoever starts the tests may still ask for it.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")

# Threads of torch that wait for each other must sleep and not spin: two of them on a busy machine
# took more than a minute for half a second's work (load 16 on two cores).
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

# Under nohup a hangup is ignored by every process that is started here, and tests send some.
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# How long an example takes depends on what else the machine does. The examples are the same every
# time, so that what passes here passes there; HYPOTHESIS_PROFILE=new looks for others.
hypothesis.settings.register_profile("ours", deadline=None, derandomize=True)
hypothesis.settings.register_profile("new", deadline=None)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ours"))


# Figures whose examples trace lines over the whole simplex.
MAPS = ("maps.py", "regions.py", "scatter.py")


def pytest_addoption(parser):
    parser.addoption("--shuffle", metavar="SEED", help="run the tests in the order of this seed")


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config, items):
    """Files in a random order, and within each file its tests: what a file shares is made once.

    Examples of docstrings that draw whole maps are slow, and have no place for a mark.
    """
    for item in items:
        if item.path.parent.name == "figures" and item.path.name in MAPS:
            item.add_marker(pytest.mark.slow)
        if item.nodeid.removeprefix("tests/").startswith(ALSO_LONG):
            item.add_marker(pytest.mark.long)
    yield
    if (seed := config.getoption("shuffle")) is None:
        return
    luck = Random(seed)
    files = {item.path: luck.random() for item in items}
    items.sort(key=lambda item: (files[item.path], luck.random()))


@pytest.fixture
def command(monkeypatch, capsys):
    """Type a command; returns exit code, stdout, stderr."""

    def typed(*words):
        monkeypatch.setattr(sys, "argv", ["simplicert", *map(str, words)])
        with pytest.raises(SystemExit) as stop:
            main()
        printed = capsys.readouterr()
        return stop.value.code or 0, printed.out, printed.err

    return typed


@pytest.fixture
def benchmark(monkeypatch):
    """A module of benchmarks/ by name; that folder is on the path for one test only."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "benchmarks"))
    return importlib.import_module


@pytest.fixture
def one_thread():
    """Sums in one order, and no threads that wait for each other."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


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


@pytest.fixture
def text_place(tmp_path, monkeypatch, request):
    """The same with texts: forty sequences of up to thirty tokens, one of them empty."""
    name = "texts_" + "".join(c if c.isalnum() else "_" for c in request.node.name)
    random = np.random.default_rng(1)
    lines = [
        {"text": " ".join(f"w{n}" for n in random.integers(0, 20, length)), "label": length % 3}
        for length in (0, *random.integers(1, 30, 39).tolist())
    ]
    (tmp_path / "texts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / f"{name}.py").write_text(TEXT_MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return TextPlace((tmp_path, name))
