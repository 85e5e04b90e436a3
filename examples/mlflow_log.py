"""Keep a run's certificates in MLflow, beside the model: metrics, settings and files.

Nothing goes over the network: the tracking store is a database file on this machine. Give
`mlflow.set_tracking_uri` the address of your server instead, and the rest stays as it is.

    pip install simplicert mlflow
    python examples/mlflow_log.py
"""

import tempfile
from pathlib import Path

import mlflow
import numpy as np

import simplicert as sc

REQUIREMENTS = ["accuracy@0.25>=0.5", "average_radius>=0.2", "abstained<=0.3"]


def make_run(folder: Path) -> sc.Run:
    """Make a run of 200 inputs; yours is drawn by `simplicert sample` or `simplicert import`."""
    random = np.random.default_rng(0)
    counts = np.array([random.multinomial(1000, [p, 1 - p]) for p in random.beta(8, 2, 200)])
    tally = sc.Tally(counts, sigma=0.5, labels=[0] * 200)
    return sc.create_run(folder, sc.Manifest(sigma=0.5, inputs=200, classes=2), tally)


def log_certificates(run: sc.Run, requirements: list[str], place: Path) -> bool:
    """Log what the gate measures, the settings, the certificates and the run's card."""
    found, certificates = sc.gate(run, requirements), run.certify()
    mlflow.log_params({"sigma": run.manifest.sigma, "alpha": run.manifest.alpha})
    for check in found.checks:
        name = check.requirement.split(">=")[0].split("<=")[0].replace("@", "_at_")
        mlflow.log_metric(name, check.value)
        if check.low is not None and check.high is not None:
            mlflow.log_metric(f"{name}_low", check.low)
            mlflow.log_metric(f"{name}_high", check.high)
    mlflow.set_tag("certified", "passed" if found.passed else "failed")
    sc.write_certificates(certificates, place / "certificates.csv")
    (place / "card.md").write_text(sc.card(run).to_markdown(), encoding="utf-8")
    mlflow.log_dict(found.record(), "gate.json")
    mlflow.log_artifact(str(place / "certificates.csv"))
    mlflow.log_artifact(str(place / "card.md"))
    return found.passed


def main() -> None:
    """Log one run, and read back what the store holds."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        mlflow.set_tracking_uri(f"sqlite:///{place / 'mlflow.db'}")
        mlflow.create_experiment("certificates", artifact_location=(place / "files").as_uri())
        mlflow.set_experiment("certificates")
        with mlflow.start_run(run_name="sigma 0.5") as active:
            passed = log_certificates(make_run(place / "run"), REQUIREMENTS, place)
        held = mlflow.get_run(active.info.run_id).data
        print("gate:", "passed" if passed else "failed")
        for name, value in sorted(held.metrics.items()):
            print(f"{name}: {value:.4f}")


if __name__ == "__main__":
    main()
