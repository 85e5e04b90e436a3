"""Small runs on disk for the tests of figures: drawn by no model, with every sort of input."""

from pathlib import Path

import numpy as np

import simplicert as sc
from simplicert.store import Manifest
from simplicert.store.attacks import AttackRow, attack_path, write_attack
from simplicert.store.manifest import write_manifest
from simplicert.store.parts import write_part
from simplicert.store.run import PARTS

INPUTS, CLASSES, DRAWS = 24, 4, 300
UNIT = 2**40  # of a softmax sum


def write_run(
    folder: Path,
    sigma: float = 0.5,
    *,
    labels: bool = True,
    softmax: bool = True,
    seconds: float = 1.5,
    draws: int = DRAWS,
    **manifest: object,
) -> Path:
    """A run of a linear classifier under noise; the same inputs and labels whatever sigma is."""
    random = np.random.default_rng(7)
    sure = np.linspace(0.2, 6.0, INPUTS)[:, None, None]
    right = random.integers(CLASSES, size=INPUTS)
    clean = sure * np.eye(CLASSES)[right][:, None] + random.random((INPUTS, 1, CLASSES))
    logits = clean + 3 * sigma * random.standard_normal((INPUTS, draws, CLASSES))
    scores = np.exp(logits - logits.max(axis=2, keepdims=True))
    scores /= scores.sum(axis=2, keepdims=True)
    held = {}
    if softmax:
        chosen = (random.random((INPUTS, draws, 1)) > scores.cumsum(axis=2)[..., :-1]).sum(axis=2)
        held = {
            "softmax_sums": np.floor(scores * UNIT).astype(np.int64).sum(axis=1),
            "softmax_squares": np.floor(scores**2 * UNIT).astype(np.int64).sum(axis=1),
            "votes": counted(chosen),
        }
    tally = sc.Tally(
        counted(logits.argmax(axis=2)), sigma=sigma, labels=right if labels else None, **held
    )
    about = Manifest(sigma=sigma, inputs=INPUTS, classes=CLASSES, **manifest)
    (folder / PARTS).mkdir(parents=True)
    write_part(folder / PARTS, tally, about, seconds)
    write_manifest(folder, about)
    return folder


def write_attacks(folder: Path, broken: int | None = None) -> Path:
    """Tables of attacks on both kinds of a run's certificates; one input's may be broken."""
    run = sc.open_run(folder)
    for kind in ("multinomial", "softmax"):
        certificates = run.certify(kind=kind)
        rows = [
            attacked(run, certificates, row, 0.6 if item == broken else 1.1 + item % 5 / 10)
            for row, item in enumerate(certificates.known.index.tolist())
            if certificates.radius[row] > 0
        ]
        write_attack(attack_path(folder, run.manifest, kind), rows)
    return folder


def attacked(run, certificates, row: int, ratio: float) -> AttackRow:
    """An input for which a point at this many radii was confirmed; at 1.4 none was."""
    known, found = certificates.known, abs(ratio - 1.4) > 1e-9
    top, radius = int(known.top[row]), float(certificates.radius[row])
    return AttackRow(
        index=int(known.index[row]), certified=top, radius=radius,
        rival=(top + 1) % CLASSES if found else None, found=ratio * radius if found else None,
        draws=1000, tests=2, level=1e-5, inputs=INPUTS, confirm=500, explore=64, steps=5,
        restarts=1, samples=4, gradients="network", seed=0, kind=known.kind, alpha=known.alpha,
        scheme=known.scheme, sigma=known.sigma, norm=known.norm, run=run.manifest.id,
    )  # fmt: skip


def counted(classes: np.ndarray) -> np.ndarray:
    """(N, K) how often each class was drawn."""
    return np.stack([np.bincount(row, minlength=CLASSES) for row in classes])


def write_log(folder: Path) -> Path:
    """A run of expectations, imported from a log in Cohen's format."""
    from simplicert.logs import import_log

    rows = ["idx\tlabel\tpredict\tradius\tcorrect\ttime"]
    rows += [f"{i}\t{i % 4}\t{i % 4}\t{0.1 + 0.05 * i:.3f}\t1\t0:00:01" for i in range(12)]
    path = folder.with_suffix(".log")
    path.write_text("\n".join(rows) + "\n")
    import_log("cohen", path, 0.5, folder, alpha=0.001, draws=100_000)
    return folder


def new_axes():
    """Axes of a figure of its own."""
    from matplotlib.figure import Figure

    return Figure(layout="constrained").add_subplot()


def lines(axes) -> dict:
    """The lines with a name, by that name, as (x, y)."""
    named = {str(line.get_label()): line for line in axes.get_lines()}
    return {name: line.get_data() for name, line in named.items() if name and name[0] != "_"}


def step_at(line, where) -> np.ndarray:
    """The value of a step line at each place: that of the last step at or before it."""
    x, y = line
    assert (np.diff(x) > 0).all()
    return np.asarray(y)[np.searchsorted(x, where, side="right") - 1]
