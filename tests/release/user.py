"""A user's program: every public door, used as the documentation says. Checked, never run."""

# ruff: noqa: F841
from collections.abc import Callable
from pathlib import Path

import numpy as np

import simplicert as sc


def classifier(batch: np.ndarray) -> np.ndarray:
    """A function from a batch of inputs to logits."""
    return batch @ np.ones((20, 3))


def half(e0: np.ndarray, e1: np.ndarray) -> np.ndarray:
    """A mechanism of one's own."""
    return np.asarray((e0 - e1) / 2)


def program() -> None:
    """The names below it are what misuse.txt goes on with."""
    inputs = np.zeros((4, 20), dtype=np.float32)

    tally: sc.Tally = sc.Tally([[900, 80, 20]], sigma=0.5, labels=[0])
    numbers: list[int] = [int(tally.index.max()), int(tally.invalid.sum())]  # never None
    more: sc.Tally = tally + sc.Tally(np.array([[90, 8, 2]]), 0.5, labels=np.array([0]))
    drawn: sc.Tally = sc.sample(
        classifier, inputs, sigma=0.25, draws=100, seed=1, labels=[0, 1, 2, 0]
    )
    known: sc.Expectations = sc.bound(drawn, alpha=0.001, kind="multinomial", scheme="gated")
    certificates: sc.Certificates = sc.certify(known)
    first: int = int(known.index[0])
    some: sc.Certificates = sc.certify(known, mechanisms=["cohen", "two_sided"])
    own: sc.Certificates = sc.certify(known, mechanisms={"half": half})
    largest: float = float(certificates.radius.max())
    refused: int = int(certificates.abstained.sum())
    column: np.ndarray = certificates.column("two_sided")
    names: tuple[str, ...] = tuple(certificates.radii)
    frame = certificates.to_frame()
    by_hand: sc.Expectations = sc.Expectations(top=[0], e0=[0.6], e1=[0.3])

    point: float = float(sc.radius("improved_dp", 0.6, 0.3, sigma=0.5))
    curve: np.ndarray = np.asarray(sc.radius("cohen", np.array([0.6, 0.7]), np.array([0.3, 0.2])))
    table: dict[str, sc.Mechanism] = dict(sc.MECHANISMS)
    formula: Callable[..., object] = sc.MECHANISMS["cohen"].radius
    ensemble: tuple[str, ...] = sc.PAPER_ENSEMBLE["softmax"]

    run = sc.open_run("runs/mine")
    again: sc.Run | sc.KnownRun = sc.open_run(Path("runs") / "mine")
    kept: sc.Tally = run.tally()
    certified: sc.Certificates = run.certify(alpha=0.01, mechanisms=["cohen"])
    sc.write_certificates(certified, "certificates.csv")

    smooth = sc.Smoothed(classifier, sigma=0.5, num_classes=3)
    answer: sc.Predictions = smooth.predict(inputs, alpha=0.001)
    classes: np.ndarray = answer.classes
    promised: sc.Certificates = smooth.certify(inputs, draws=1000, labels=[0, 1, 2, 0])
    reach: np.ndarray = smooth.operational_radius(promised)
    loaded: sc.Smoothed = sc.Smoothed.load("smoothed")

    (study,) = sc.metrics.read_studies(["runs/mine"])
    accuracy: sc.metrics.Rate = sc.metrics.certified_accuracy(study.certificates(), 0.5)
    shown: sc.tables.Grid = sc.tables.make_table([study], "paper1")
    text: str = sc.tables.FORMATS["latex"](shown)
    picture: Path = sc.figures.make_figure("accuracy", [study], "accuracy.pdf")

    rule = sc.Until("radius=0.5")
    stopped: sc.Tally = sc.sample(classifier, inputs, 0.25, 100, until=rule)
    plan: sc.Plan = rule.plan(1000)

    model: sc.models.Model = sc.models.load_model("model.onnx")
    fresh: sc.models.Model = sc.training.train("digits", "network", recipe="digits", sigma=0.25)

    try:
        sc.certify(known)
    except (sc.InvalidInput, sc.MissingEvidence) as error:
        base: sc.SimplicertError = error
