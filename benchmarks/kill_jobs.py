"""The jobs that `kills.py` kills: what is typed, what it begins from, and what must come out."""

import hashlib
import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

import simplicert as sc
from simplicert.store.seals import SEAL
from simplicert.verification import verify_run
from simplicert.verification.seals import make_key

MODEL = """
import os
import time
import numpy as np
WEIGHTS = np.random.default_rng(0).normal(size=(12, 4)).astype(np.float32)
def make():
    def classify(batch):
        time.sleep(float(os.environ.get("PAUSE", 0)))
        return batch.reshape(len(batch), -1) @ WEIGHTS
    return classify
"""
ORIGIN = ("--model", "kill_model:make", "--data", "data.npz")
SAMPLE = (
    *("sample", *ORIGIN, "--sigma", "0.4"),
    *("--batch-size", "64", "--device", "cpu", "--scheme", "gated", "--no-compile", "--quiet"),
)
UNTIL = ("--until", "atol=0.05")
FEW, MORE = ("--draws", "128"), ("--draws", "300", "--extend")
SMALL_PARTS = (("PAUSE", "0.004"), ("PART_SECONDS", "0.05"))
BASE = "base"  # a complete run that other jobs begin from
FIELDS = (
    *("inputs", "counts", "labels", "invalid", "votes", "votes_invalid", "leaders", "histograms"),
    *("softmax_sums", "softmax_squares", "softmax_classes", "softmax_rest", "pilot", "segments"),
)
REPLAY = ("--replay", "2", "--seed", "1", *ORIGIN)
KEY = "key.pem"
SECONDS = re.compile(r"(?m)^seconds = .*$")  # in model.toml: no two trainings take as long
SIGNED_AT = re.compile(r"(?m)^(time|signature) .*$")  # in seal.txt: no two seals are as old


@dataclass(frozen=True)
class Job:
    """A command on the folder `out`."""

    words: Callable[[str], tuple[str, ...]]
    result: Callable[[Path], str]  # what must be the same, as a checksum
    begins: str | None = None  # the folder that `out` is a copy of
    share: int = 10  # how often it is chosen
    environment: tuple[tuple[str, str], ...] = SMALL_PARTS


def make_place(folder):
    """Write data and models."""
    random = np.random.default_rng(1)
    inputs = random.random((16, 3, 4)).astype(np.float32)
    np.savez(folder / "data.npz", inputs=inputs, labels=random.integers(0, 4, 16))
    flat = random.random((120, 12)).astype(np.float32)
    np.savez(folder / "train.npz", inputs=flat, labels=(flat[:, 0] * 4).astype(int))
    (folder / "kill_model.py").write_text(MODEL)
    make_key(folder / KEY)


def digest_run(folder):
    """Checksum of everything that a tally holds, and of its certificates."""
    run = sc.open_run(folder)
    tally = run.tally()
    whole = hashlib.sha256(repr((run.manifest.plan, tally.sigma, len(tally))).encode())
    for name in FIELDS:
        values = getattr(tally, name)
        whole.update(name.encode() + (b"" if values is None else joined_spans(name, values)))
    whole.update(run.certify().to_frame().to_csv(index=False).encode())
    return whole.hexdigest()


def joined_spans(name, values):
    """Return an array's bytes; of segments the union, because a kill divides them elsewhere."""
    if name != "segments":
        return np.ascontiguousarray(values).tobytes()
    spans = {}
    for item, seed, first, stop in values.tolist():
        spans.setdefault((item, seed), []).append((first, stop))
    union = {}
    for key, held in spans.items():
        held.sort()
        assert all(one[1] == other[0] for one, other in pairwise(held)), held
        union[key] = (held[0][0], held[-1][1])
    return repr(sorted(union.items())).encode()


def digest_network(folder):
    """Checksum of the weights, of model.toml and of the log, without durations."""
    rows = [row.rpartition(",")[0] for row in (folder / "log.csv").read_text().splitlines()]
    text = SECONDS.sub("", (folder / "model.toml").read_text())
    whole = hashlib.sha256((folder / "weights.safetensors").read_bytes())
    whole.update("\n".join([*rows, text]).encode())
    return whole.hexdigest()


def digest_verification(folder):
    """Checksum of what verify wrote, and of the run, which it must leave as it is."""
    said = json.loads(folder.with_suffix(".json").read_text())
    return hashlib.sha256((json.dumps(said) + digest_files(folder)).encode()).hexdigest()


def digest_certificates(folder):
    """Checksum of the table of certificates, and of the run."""
    table = folder.with_suffix(".csv").read_bytes()
    return hashlib.sha256(table + digest_files(folder).encode()).hexdigest()


def digest_seal(folder):
    """Checksum of what a seal signs, which the key must confirm, and of the run under it."""
    checks = verify_run(folder, key=folder.parent / f"{KEY}.pub")
    wrong = [check for check in checks if not check.holds]
    text = SIGNED_AT.sub("", (folder / SEAL).read_text())
    (folder / SEAL).unlink()
    return hashlib.sha256((repr(wrong) + text + digest_files(folder)).encode()).hexdigest()


def digest_files(folder):
    """Checksum of all files of a folder."""
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            whole.update(str(path.relative_to(folder)).encode() + path.read_bytes())
    return whole.hexdigest()


def draw_words(*more):
    """Return the command that draws into a folder."""
    return lambda out: (*SAMPLE, *more, "--out", out)


TRAIN = (
    *("train", "--data", "train.npz", "--sigma", "0.25", "--arch", "mlp", "--epochs", "4"),
    *("--batch-size", "60", "--device", "cpu", "--seed", "0", "--quiet"),
)
ATTACK = ("--steps", "3", "--restarts", "1", "--explore", "64", "--confirm", "200", "--quiet")
RAY = ("--engine", "ray", "--workers", "2")
SLOWER = (("PAUSE", "0.004"), ("PART_SECONDS", "0.2"))

JOBS = {
    "sample": Job(draw_words(*FEW), digest_run),
    "sample until": Job(draw_words("--draws", "500", *UNTIL), digest_run),
    "sample by 2 workers": Job(draw_words(*FEW, "--workers", "2"), digest_run),
    "sample on Ray": Job(draw_words(*FEW, *RAY), digest_run, share=2, environment=SLOWER),
    "extend": Job(draw_words(*MORE), digest_run, BASE),
    "extend by 2 workers": Job(draw_words(*MORE, "--workers", "2"), digest_run, BASE),
    "extend on Ray": Job(draw_words(*MORE, *RAY), digest_run, BASE, share=2, environment=SLOWER),
    "compact": Job(lambda out: ("compact", out), digest_run, BASE),
    "train": Job(lambda out: (*TRAIN, "--out", out), digest_network),
    "verify": Job(
        lambda out: ("verify", out, *REPLAY, "--json", f"{out}.json"),
        digest_verification,
        BASE,
    ),
    "certify": Job(
        lambda out: ("certify", out, "--out", f"{out}.csv"), digest_certificates, BASE, share=5
    ),
    "seal": Job(lambda out: ("seal", out, "--key", KEY), digest_seal, BASE, share=5),
    "attack": Job(
        lambda out: ("attack", out, *ORIGIN, *ATTACK), digest_files, BASE, share=5, environment=()
    ),
    "geometry": Job(lambda out: ("geometry", out, *ORIGIN, "--quiet"), digest_files, BASE, share=5),
}


def begin_folder(place, job, name):
    """Give a job what it begins from."""
    for path in (place / f"{name}.csv", place / f"{name}.json"):
        path.unlink(missing_ok=True)
    shutil.rmtree(place / name, ignore_errors=True)
    if job.begins is not None:
        shutil.copytree(place / job.begins, place / name)
