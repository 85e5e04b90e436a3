"""Several processes, and processes that are killed: both end where one undisturbed process does."""

import os
import signal
import socket
import subprocess
import sys
import time

import pytest
import torch

from simplicert.models.trained import read_trained_folder
from simplicert.training import train

COMMAND = ["-m", "simplicert", "train", "--data", "digits", "--arch", "mlp", "--sigma", "0.3"]
COMMAND += ["--batch-size", "64", "--rate", "0.05", "--seed", "1", "--quiet"]
SAME = {"arch": "mlp", "sigma": 0.3, "batch_size": 64, "rate": 0.05, "seed": 1}
# One thread, and gloo on the loopback interface: the machine may have no other.
HERE = os.environ | {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo", "TORCH_CPP_LOG_LEVEL": "3"}
PATIENCE = 240  # seconds before a hanging process is given up


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def weights(folder):
    return read_trained_folder(folder).module.state_dict()


@pytest.mark.parametrize(
    "method",
    [
        pytest.param({}, marks=pytest.mark.slow, id="gaussian"),
        pytest.param({"method": "smoothadv", "steps": 2}, marks=pytest.mark.long, id="smoothadv"),
    ],
)
def test_two_processes_equal_one_with_the_joined_batch(tmp_path, method):
    """The network has no batch statistics; sums of gradients round differently, nothing else."""
    torchrun = ["-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-addr"]
    torchrun += ["127.0.0.1", "--master-port", str(free_port())]
    words = [word for name, value in method.items() for word in (f"--{name}", str(value))]
    command = [sys.executable, *torchrun, *COMMAND, *words, "--epochs", "4"]
    command += ["--out", str(tmp_path / "two")]
    two = subprocess.run(
        command, env=HERE, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert two.returncode == 0, two.stderr
    train("digits", tmp_path / "one", **SAME, **method, epochs=4, shards=2)
    train("digits", tmp_path / "other", **SAME, **method, epochs=4)
    joined, single, unlike = (weights(tmp_path / name) for name in ("two", "one", "other"))
    for name in joined:
        torch.testing.assert_close(joined[name], single[name], rtol=1e-4, atol=1e-5)
    assert not torch.allclose(joined["classifier.fc1.weight"], unlike["classifier.fc1.weight"])
    made = read_trained_folder(tmp_path / "two").facts.content["result"]
    assert made["processes"] == 2


@pytest.mark.slow
def test_killed_and_resumed_equals_undisturbed(tmp_path):
    """By kill -9, as soon as there is a checkpoint, whatever the process is doing then."""
    out = tmp_path / "killed"
    command = [sys.executable, *COMMAND, "--epochs", "40", "--out", str(out)]
    process = subprocess.Popen(command, env=HERE)
    until = time.monotonic() + PATIENCE
    while not (out / "checkpoint.pt").exists() and time.monotonic() < until:
        assert process.poll() is None, "it ended before it could be killed"
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait(PATIENCE)
    assert not (out / "model.toml").exists()
    train("digits", out, **SAME, epochs=40)
    train("digits", tmp_path / "whole", **SAME, epochs=40)
    again, whole = weights(out), weights(tmp_path / "whole")
    assert all(torch.equal(again[name], whole[name]) for name in whole)
    assert not list(out.glob(".*"))  # torn leftovers of the killed process
