"""Keep of a run what counts need: one part with labels, counts and the draws they are of.

    python experiments/cifar10/compact.py DRAWN NEW

Scores and votes are left out, so that 10,000 inputs take the room of one small file. The run keeps
its id, its settings and the time at which it began.
"""

import sys
from pathlib import Path

import simplicert as sc
from simplicert.store.parts import write_part
from simplicert.store.run import PARTS

FIELDS = ("counts", "sigma", "labels", "index", "invalid", "plan", "segments", "norm", "grid")


def compact_run(drawn: Path, out: Path) -> sc.Run:
    """Write the counts of a complete run as a new run of one part."""
    run = sc.open_run(drawn)
    assert isinstance(run, sc.Run) and not run.missing
    tally = run.tally()
    kept = sc.Tally(**{name: getattr(tally, name) for name in (*FIELDS, "reading")})
    made = sc.create_run(out, run.manifest, kept)
    for path in made.paths():  # the same part once more, with the seconds that it took
        path.unlink()
    write_part(out / PARTS, kept, made.manifest, run.seconds)
    return sc.open_run(out)


if __name__ == "__main__":
    found = compact_run(Path(sys.argv[1]), Path(sys.argv[2]))
    print(found.tally())
