"""Where a proved Lipschitz constant of the scores certifies more than the scores' distribution.

digits     a network that cannot be steep and an ordinary one, trained by one recipe under three
           sigmas; on the tenth of the digits that was held out: how many have a radius `lipschitz`
           above `two_sided` and above `cdf`, all of kind softmax, and the medians
ordinary   the constants of networks that ship with the package, and the radius that they allow

python benchmarks/lipschitz.py --json benchmarks/results/lipschitz.json
"""

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np

import simplicert as sc
from simplicert.data import load_data
from simplicert.models import lipschitz_constant, load_model

SIGMAS = (0.05, 0.1, 0.25)
ARCHITECTURES = ("lipschitz_mlp", "mlp")
DRAWS, ALPHA, SEED = 1_000, 0.001, 0
TESTED = slice(9, None, 10)  # what training holds out
COLUMNS = ("two_sided", "cdf", "lipschitz")
ORDINARY = ("zoo:cifar10-small-0.25", "zoo:cifar10-small-1")


def measure_digits(folder):
    """Train, draw and certify, for each network and sigma."""
    data = load_data("digits")
    tested = np.arange(len(data))[TESTED]
    inputs, labels = data.inputs[tested], data.labels[tested]
    rows = []
    for sigma in SIGMAS:
        for arch in ARCHITECTURES:
            model = sc.training.train(
                "digits",
                folder / f"{arch}-{sigma:g}",
                recipe="digits-lipschitz",
                arch=arch,
                sigma=sigma,
                seed=SEED,
            )
            tally = sc.sample(
                model.classifier,
                inputs,
                sigma,
                DRAWS,
                labels=labels,
                seed=SEED,
                compile=False,
                lipschitz=True,
            )
            rows.append(describe_certificates(arch, sigma, tally))
    return rows


def describe_certificates(arch, sigma, tally):
    """Count, over all inputs, where the constant certifies more."""
    certificates = sc.certify(sc.bound(tally, ALPHA, "softmax"))
    radii = certificates.radii
    own = radii["lipschitz"]
    assert certificates.known.labels is not None
    return {
        "arch": arch,
        "sigma": sigma,
        "constant": tally.lipschitz,
        "inputs": len(tally),
        "certified": int((~certificates.abstained).sum()),
        "correct": int(certificates.correct.sum()),
        "above_two_sided": int((own > radii["two_sided"]).sum()),
        "above_cdf": int((own > np.maximum(radii["cdf"], radii["two_sided"])).sum()),
        "largest_ratio": float(np.max(own / np.where(own > 0, radii["cdf"], 1))),
        **{f"median_{name}": float(np.median(radii[name])) for name in COLUMNS},
        "median_radius": float(np.median(certificates.radius)),
    }


def measure_ordinary():
    """The constants of the package's own networks."""
    rows = []
    for name in ORDINARY:
        constant = lipschitz_constant(load_model(name), (3, 32, 32))
        rows.append({"name": name, "constant": constant, "most": 1 / (2 * constant)})
    return rows


def main():
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, required=True)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        digits = measure_digits(Path(folder))
    found = {"draws": DRAWS, "alpha": ALPHA, "digits": digits, "ordinary": measure_ordinary()}
    given.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
