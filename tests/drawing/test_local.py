"""The local engine draws in this process, or in several on this machine."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import scenes
from places import HOT, asked, drawn, heat, words

import simplicert as sc
from simplicert.drawing.engines import local
from simplicert.drawing.engines.processes import WorkerProcess
from simplicert.sampling.noisy import noise_threads


@pytest.mark.slow
def test_any_number_of_processes_draws_the_same_bits(place):
    scenes.same_bits(place, (2,))


@pytest.mark.slow
def test_processes_that_share_shards(place):
    """Two commands, a shard each, two processes each."""
    for shard in ("2/2", "1/2"):
        assert drawn(asked(place, "run", shard=shard, workers=2))[0]
    assert sc.open_run("run").tally() == drawn(asked(place, "alone"))[1].tally()


@pytest.mark.slow
def test_a_killed_worker_costs_its_unit_only(place):
    scenes.killed_worker(place)


@pytest.mark.slow
def test_a_killed_leader_takes_its_workers_with_it(place):
    scenes.killed_leader(place)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_poisoned_input_is_given_up_and_the_rest_drawn(place, workers):
    scenes.poisoned_input(place, workers=workers)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_model_that_fails_is_called_again(place, workers, monkeypatch):
    scenes.failing_model(place, monkeypatch, workers=workers)


@pytest.mark.slow
def test_an_input_that_kills_the_process(place):
    heat()
    complete, run = drawn(asked(place, "run", model=f"{place[1]}:deadly", workers=2))
    assert not complete
    assert run.failed == {HOT: "the process that drew it died"}
    assert run.missing == 1


@pytest.mark.slow
def test_parts_are_handed_over_where_the_folder_is_not_shared(place):
    scenes.no_shared_folder(place)


@pytest.mark.slow
def test_stopped_and_resumed(place):
    scenes.stopped_and_resumed(place)


@pytest.mark.slow
def test_a_worker_with_another_model_is_refused(place):
    with pytest.raises(sc.InvalidInput, match="was made with answers of the model"):
        scenes.other_model(place)


def test_settings_are_refused_with_the_same_sentence_as_alone(place):
    with pytest.raises(sc.InvalidInput, match="pilot must be positive with scheme split"):
        drawn(asked(place, "run", scheme="split", workers=2))
    assert not (place[0] / "run").exists()


def test_options_of_other_engines_and_of_none(place):
    scenes.bad_options(
        place,
        [
            ({"engine": "dask"}, "engine must be one of local, ray, got 'dask'"),
            ({"workers": 0}, "workers must be at least 1, got 0"),
            ({"cpus_per_worker": 0}, "cpus_per_worker must be at least 1, got 0"),
            ({"address": "auto"}, "address must not be given with engine local, got 'auto'"),
            ({"gpus_per_worker": 1.0}, "gpus_per_worker must not be given with engine local"),
            ({"gpus_per_worker": -1.0}, "gpus_per_worker must not be negative"),
        ],
    )


def run_words(command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_command_says_what_failed_and_tries_again(place):
    """Exit code 1, the index and the error; status and certify name the failed input, too."""
    folder, name = place
    heat()
    command = [*words(place, "run"), "--model", f"{name}:poisoned"]
    done = run_words(command)
    assert done.returncode == 1
    assert f"input {HOT} failed again and again: too hot\n" in done.stderr
    assert "all is drawn but 1 input that failed; the same command tries" in done.stderr
    said = run_words([*command[:3], "status", "run"])
    assert f"input {HOT} failed: too hot" in said.stdout
    said = run_words([*command[:3], "certify", "run"])
    assert "1 of 40 inputs are missing, of which 1 failed" in said.stderr
    (folder / f"{name}.py").write_text(
        (folder / f"{name}.py").read_text().replace("batch.max() > 50", "batch.max() > 500")
    )
    again = run_words(command)
    assert again.returncode == 2  # the model is another one now, and the run says so
    assert "model_fingerprint" in again.stderr


@pytest.mark.slow
def test_failed_inputs_are_tried_again(place):
    """An input is drawn the next time if the machine was the cause of its failure."""
    folder, _ = place
    (folder / "moody.py").write_text(
        "import os\nimport numpy as np\n"
        "W = np.random.default_rng(0).normal(size=(12, 4)).astype(np.float32)\n"
        "def make():\n"
        "    def classify(batch):\n"
        "        if batch.max() > 50 and not os.path.exists('calm'):\n"
        "            raise RuntimeError('moody')\n"
        "        return batch.reshape(len(batch), -1) @ W\n"
        "    return classify\n"
    )
    heat()
    complete, run = drawn(asked(place, "run", model="moody:make"))
    assert not complete
    assert run.failed == {HOT: "moody"}
    (folder / "calm").touch()
    complete, run = drawn(asked(place, "run", model="moody:make"))
    assert complete
    assert run.failed == {}
    assert run.tally() == drawn(asked(place, "alone"))[1].tally()


def test_a_process_has_its_share_of_the_machine(place, monkeypatch):
    """Threads and GPUs are in its environment from the start; ours is left alone."""
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    before = dict(os.environ)
    share = {"OMP_NUM_THREADS": "3", "CUDA_VISIBLE_DEVICES": "5"}
    member = WorkerProcess(asked(place, "run"), share)
    try:
        environment = Path(f"/proc/{member.process.pid}/environ")
        deadline = time.monotonic() + 60
        # The kernel shows nothing while the new program replaces the old one.
        while not (seen := environment.read_bytes()) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert (member.ready, member.probe_failed, member.unit) == (False, False, None)
        assert member.process.daemon  # it ends with us
    finally:
        member.process.kill()
        member.process.join()
        member.pipe.close()
    assert b"OMP_NUM_THREADS=3" in seen.split(b"\0")
    assert b"CUDA_VISIBLE_DEVICES=5" in seen.split(b"\0")
    assert dict(os.environ) == before


@pytest.mark.parametrize(
    ("cores", "given", "gpus", "threads"),
    [
        (8, {"workers": 3}, [], "2"),
        (2, {"workers": 3}, [], "1"),
        (8, {"workers": 3, "cpus_per_worker": 5}, ["4", "6"], "5"),
        (8, {"workers": 1, "cpus_per_worker": 2}, [], "2"),
    ],
)
def test_cores_are_shared_and_gpus_assigned_in_turn(
    place, monkeypatch, cores, given, gpus, threads
):
    made = []

    class Group:
        def __init__(self, settings, shares):
            made.append(shares)

        def close(self):
            made.append("closed")

    monkeypatch.setattr(local, "ProcessWorkers", Group)
    monkeypatch.setattr(local, "available_cores", lambda: cores)
    monkeypatch.setattr(local, "visible_gpus", lambda device: gpus)
    with pytest.raises(KeyError), local.local_workers(asked(place, "run", **given)):
        raise KeyError
    shares, end = made
    assert end == "closed" and len(shares) == given["workers"]
    assert {share["OMP_NUM_THREADS"] for share in shares} == {threads}
    assert [share.get(local.CUDA) for share in shares] == (
        ["4", "6", "4"] if gpus else [None] * len(shares)
    )


def test_noise_threads_are_those_of_the_share(monkeypatch):
    for threads, wanted in (("1", 1), ("3", 3), ("64", 8)):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        assert noise_threads() == wanted
    monkeypatch.delenv("OMP_NUM_THREADS")
    for cores in (3, 64):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, n=cores: set(range(n)))
        assert noise_threads() == min(cores, 8)


@pytest.mark.parametrize(
    ("visible", "count", "names"),
    [("", 0, []), ("", 3, ["0", "1", "2"]), ("2,3", 2, ["2", "3"]), ("GPU-a,GPU-b", 2, None)],
)
def test_gpus_are_assigned_by_the_names_they_have(monkeypatch, visible, count, names):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert (
        local.visible_gpus(None)
        == local.visible_gpus("cuda")
        == (names or visible.split(","))[:count]
    )
    assert local.visible_gpus("cpu") == local.visible_gpus("cuda:1") == []


def test_without_torch_there_are_no_gpus_to_assign(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert local.visible_gpus(None) == local.visible_gpus("cuda") == []


@pytest.mark.slow
def test_networks_draw_the_same_bits_with_any_share_of_threads(place):
    """A torch network draws the same in this process and in two with one thread each."""
    torch = pytest.importorskip("torch")
    from simplicert.models import save_weights
    from simplicert.models.architectures import ARCHITECTURES

    torch.manual_seed(0)
    images = np.random.default_rng(0).random((8, 1, 8, 8)).astype(np.float32)
    np.savez("images.npz", inputs=images)
    notes = {"num_classes": 4, "input_shape": (1, 8, 8)}
    save_weights(ARCHITECTURES["small_cnn"](4, (1, 8, 8)), Path("net.safetensors"), notes)
    asked_net = {"model": "small_cnn@net.safetensors", "data": "images.npz", "draws": 300}
    runs = [
        drawn(
            asked(
                place, f"net-{workers}-{cpus}", workers=workers, cpus_per_worker=cpus, **asked_net
            )
        )
        for workers, cpus in ((1, None), (2, 1), (1, 2))
    ]
    assert all(complete for complete, _ in runs)
    assert runs[0][1].tally() == runs[1][1].tally() == runs[2][1].tally()
