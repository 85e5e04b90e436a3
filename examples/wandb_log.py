"""Keep a run's certificates in Weights & Biases, offline: metrics, a table and files.

With mode="offline" nothing goes over the network and no account is needed: everything is in a
folder, which `wandb sync` sends later. Leave the mode out to log to your account at once.

    pip install simplicert wandb
    python examples/wandb_log.py
"""

import tempfile
from pathlib import Path

import numpy as np
import wandb

import simplicert as sc

REQUIREMENTS = ["accuracy@0.25>=0.5", "average_radius>=0.2", "abstained<=0.3"]
COLUMNS = ["index", "label", "predicted", "abstained", "radius", "draws"]


def make_run(folder: Path) -> sc.Run:
    """Make a run of 200 inputs; yours is drawn by `simplicert sample` or `simplicert import`."""
    random = np.random.default_rng(0)
    counts = np.array([random.multinomial(1000, [p, 1 - p]) for p in random.beta(8, 2, 200)])
    tally = sc.Tally(counts, sigma=0.5, labels=[0] * 200)
    return sc.create_run(folder, sc.Manifest(sigma=0.5, inputs=200, classes=2), tally)


def log_certificates(active: "wandb.Run", run: sc.Run, place: Path) -> sc.GateResult:
    """Log what the gate measures, a table of all inputs, and the run's card as an artifact."""
    found, certificates = sc.gate(run, REQUIREMENTS), run.certify()
    active.config.update({"sigma": run.manifest.sigma, "alpha": run.manifest.alpha})
    numbers = {}
    for check in found.checks:
        name = check.requirement.split(">=")[0].split("<=")[0]
        numbers |= {name: check.value, f"{name} low": check.low, f"{name} high": check.high}
    active.log({name: value for name, value in numbers.items() if value is not None})
    rows = certificates.to_frame()[COLUMNS].astype(object)
    rows = rows.where(rows.notna(), None)  # an abstained input has no class
    active.log({"certificates": wandb.Table(columns=COLUMNS, data=rows.to_numpy().tolist())})
    sc.write_certificates(certificates, place / "certificates.csv")
    (place / "card.md").write_text(sc.card(run).to_markdown(), encoding="utf-8")
    files = wandb.Artifact("certificates", type="certificates")
    files.add_file(str(place / "certificates.csv"))
    files.add_file(str(place / "card.md"))
    active.log_artifact(files)
    active.summary["gate"] = "passed" if found.passed else "failed"
    return found


def main() -> None:
    """Log one run, and show what the folder will send."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        active = wandb.init(project="certificates", mode="offline", dir=folder)
        found = log_certificates(active, make_run(place / "run"), place)
        active.finish()
        print("gate:", "passed" if found else "failed")
        for check in found.checks:
            print(check.words)
        print("to be sent by `wandb sync`:", len(list(place.glob("wandb/offline-run-*/*.wandb"))))


if __name__ == "__main__":
    main()
