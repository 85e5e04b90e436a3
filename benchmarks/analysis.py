"""From tallies to certificates, tables and report: where the time goes, for 10,000 inputs.

    python benchmarks/analysis.py [--inputs 10000] [--json FILE]

The tallies are synthetic: ten classes, 10,000 draws of each input, softmax sums, votes and score
histograms, as a run holds them. The rival is one certificate after another, as the field's code
computes it: two quantiles of the Beta distribution and two of the normal, input by input.
Seconds are processor seconds, as the machine may be shared. Its load is noted.
"""

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy import stats

import simplicert as sc
from simplicert.metrics import Study, read_studies
from simplicert.report import write_report
from simplicert.sampling.outputs import keep_leading_sums
from simplicert.store import Manifest
from simplicert.store.manifest import write_manifest
from simplicert.store.parts import write_part
from simplicert.store.run import PARTS
from simplicert.tables import make_table
from simplicert.types import FIXED_POINT
from simplicert.types.scores import BINS, THRESHOLDS

SEED, CLASSES, DRAWS, ALPHA = 0, 10, 10_000, 0.001
SEEN = 200  # score vectors an input is made of, each counted DRAWS / SEEN times
BY_HAND = 1000  # inputs that the rival certifies


def synthetic(inputs: int) -> sc.Tally:
    """Tallies spread over the simplex, as those of a trained network are."""
    random = np.random.default_rng(SEED)
    peak = 10 ** random.uniform(-0.5, 2, inputs)
    fields: dict[str, list[np.ndarray]] = {
        name: [] for name in ("counts", "sums", "squares", "bins")
    }
    for own in peak:
        soft = random.dirichlet(np.r_[own, 1.0, np.full(CLASSES - 2, 0.3)], size=SEEN)
        times = DRAWS // SEEN
        fields["counts"].append(times * np.bincount(soft.argmax(axis=1), minlength=CLASSES))
        for name, values in (("sums", soft), ("squares", soft**2)):
            fields[name].append(times * np.floor(values * 2.0**FIXED_POINT).astype(np.int64).sum(0))
        shown = np.column_stack([soft[:, :3], soft[:, 3:].max(axis=1)])
        placed = np.searchsorted(THRESHOLDS, shown, side="right")
        fields["bins"].append(
            times * np.stack([np.bincount(column, minlength=BINS) for column in placed.T])
        )
    counts = np.array(fields["counts"])
    return sc.Tally(
        counts,
        0.5,
        labels=np.where(random.random(inputs) < 0.8, counts.argmax(axis=1), 1),
        votes=counts,
        leaders=np.tile([0, 1, 2], (inputs, 1)),
        histograms=np.array(fields["bins"]),
        plan=sc.Plan((DRAWS,)),
        **keep_leading_sums(np.array(fields["sums"]), np.array(fields["squares"]))._asdict(),
    )


def many_classes(folder: Path) -> tuple[int, float]:
    """Bytes of 50,000 inputs of 1,000 classes with scores, and seconds to open them, the median.

    Written in parts as a run writes them; of the scores the leading classes' sums are kept.
    """
    random, classes, draws, part = np.random.default_rng(SEED), 1000, 1000, 2000
    manifest = Manifest(1.0, 25 * part, classes)
    (folder / PARTS).mkdir(parents=True)
    for start in range(0, manifest.inputs, part):
        soft = random.dirichlet(np.r_[9.0, 4.0, np.full(classes - 2, 0.01)], size=part)
        sums = np.floor(soft * draws * 2.0**FIXED_POINT).astype(np.int64)
        counts, kept = random.multinomial(draws, soft), keep_leading_sums(sums, sums // 2)._asdict()
        index = np.arange(start, start + part)
        write_part(
            folder / PARTS, sc.Tally(counts, 1.0, votes=counts, index=index, **kept), manifest
        )
    write_manifest(folder, manifest)
    seconds = []
    for _ in range(5):
        began = time.process_time()
        sc.open_run(folder).tally()
        seconds.append(time.process_time() - began)
    return sum(path.stat().st_size for path in folder.rglob("*.parquet")), float(np.median(seconds))


def one_by_one(tally: sc.Tally) -> np.ndarray:
    """The two-sided radius of each input by a loop over scipy's distributions."""
    out = []
    for row in tally.counts[:BY_HAND]:
        rival, top = np.sort(row)[-2:]
        n = int(row.sum())
        e0 = stats.beta.ppf(ALPHA / 2, top, n - top + 1)
        e1 = min(stats.beta.isf(ALPHA / 2, rival + 1, n - rival), 1 - e0)
        out.append(max(0.0, 0.25 * (stats.norm.ppf(e0) - stats.norm.ppf(e1))))
    return np.array(out)


def timed(what: str, work, found: dict) -> object:
    """Do it, note the processor seconds, hand on what it made."""
    began = time.process_time()
    made = work()
    found[what] = round(time.process_time() - began, 3)
    print(f"{what:32s} {found[what]:8.2f} s", flush=True)
    return made


def main() -> None:
    """Print the split and, if asked, write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    tally = synthetic(asked.inputs)
    seconds: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as place:
        folder, page = Path(place) / "run", Path(place) / "report.html"
        manifest = Manifest(tally.sigma, len(tally), CLASSES, plan=tally.plan)
        sc.create_run(folder, manifest, tally)
        size = sum(path.stat().st_size for path in folder.rglob("*.parquet"))
        held = timed("open the run", lambda: sc.open_run(folder).tally(), seconds)
        known = timed("bounds, multinomial", lambda: sc.bound(held, ALPHA), seconds)
        timed("radii, multinomial", lambda: sc.certify(known), seconds)
        soft = timed("bounds, softmax", lambda: sc.bound(held, ALPHA, "softmax"), seconds)
        timed("radii, softmax", lambda: sc.certify(soft), seconds)
        study: Study = read_studies([folder])[0]
        for style in ("field", "paper1", "paper2"):
            timed(f"table, {style}", lambda style=style: make_table([study], style), seconds)
        timed("report", lambda: write_report([study], page), seconds)
        whole = round(sum(seconds.values()), 3)
        few: dict[str, float] = {}
        timed("rival: 1,000 inputs one by one", lambda: one_by_one(held), few)
        many_bytes, many_seconds = many_classes(Path(place) / "many")
        result = {
            "inputs": asked.inputs,
            "bins": BINS,
            "load": round(os.getloadavg()[0], 1),
            "seconds": seconds,
            "all": whole,
            "run_bytes": size,
            "many_classes_bytes": many_bytes,
            "many_classes_seconds": round(many_seconds, 2),
            "report_bytes": page.stat().st_size,
            "rival_inputs_per_second": round(BY_HAND / next(iter(few.values()))),
            "our_inputs_per_second": round(
                asked.inputs / (seconds["bounds, multinomial"] + seconds["radii, multinomial"])
            ),
        }
    print(
        f"all {whole:.1f} s; report {result['report_bytes'] / 1e6:.1f} MB; ours certifies ", end=""
    )
    print(f"{result['our_inputs_per_second']:,} inputs a second by every mechanism, ", end="")
    print(f"the loop {result['rival_inputs_per_second']:,} by one")
    print(f"50,000 x 1,000 classes: {many_bytes / 1e6:.0f} MB, opened in {many_seconds:.2f} s")
    if asked.json:
        asked.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
