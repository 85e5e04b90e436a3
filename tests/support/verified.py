"""Runs to verify, and ways to spoil them."""

from dataclasses import replace

import numpy as np
from places import asked, drawn

from simplicert.store.manifest import read_manifest
from simplicert.store.parts import read_part, write_part
from simplicert.store.run import PARTS, Run
from simplicert.verification import Replay, verify_run


def fresh(place, out="run", **more):
    """A run drawn as asked, opened."""
    complete, run = drawn(asked(place, out, **more))
    assert complete
    return run


def checks(run, certificates=(), **replay):
    """All checks, in a list; `count` asks for a replay, with the run's model by the user's word."""
    given = {"data": "data.npz", "model": run.manifest.made.get("model")}
    asked_for = Replay(**given | replay) if replay else None
    return list(verify_run(run.folder, certificates, asked_for))


def wrong(run, certificates=(), **replay):
    """What does not hold, in one text."""
    found = checks(run, certificates, **replay)
    return "\n".join(f"{c.about}: {c.says}" for c in found if c.holds is False)


def certified(run, name="certificates.csv", **settings):
    """Certificates of the run, beside it."""
    from simplicert.store import write_certificates

    path = run.folder.parent / name
    write_certificates(run.certify(**settings), path)
    return path


def flipped(path, at):
    """The file with one bit of one byte changed; the content before."""
    before = path.read_bytes()
    at %= len(before)
    path.write_bytes(before[:at] + bytes([before[at] ^ 1 << at % 8]) + before[at + 1 :])
    return before


def forged(run, change):
    """Replace every part by one whose tally was changed, with a checksum that fits."""
    manifest = read_manifest(run.folder)
    for path in run.paths():
        tally = read_part(path, manifest)
        path.unlink()
        write_part(run.folder / PARTS, replace(tally, looks=None, **change(tally)), manifest)
    return Run(run.folder, manifest)


def moved(tally, draws=1):
    """Draws of each input moved from its most frequent class to the next."""
    counts = np.array(tally.counts)
    rows, top = np.arange(len(counts)), counts.argmax(axis=1)
    counts[rows, top] -= draws
    counts[rows, (top + 1) % counts.shape[1]] += draws
    return {"counts": counts}
