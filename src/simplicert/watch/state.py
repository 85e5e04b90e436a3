"""Read from a run's folder what a page about an unfinished run may say.

Three statements are true of a run that is not finished, and each share has all three:

- `done`: so many of the inputs that are done are certified. They need not be typical. They are the
  first ones in the run's order, and with a stopping rule those that were decided soon.
- `final`: the share at the end lies between these two, whatever the missing inputs bring.
- `rate`: an interval for all inputs like these, from the longest beginning of the run's order that
  is done. It holds at every moment at once (`metrics.sequence`), so it does not matter when or how
  often one looks, nor which inputs are done first. It needs an order that is random: of a data set
  sorted by class the beginning says nothing about the rest.

A failed input counts as one without a certificate.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from simplicert.bounds import bound
from simplicert.certification import certify
from simplicert.drawing.status import read_status
from simplicert.errors import SimplicertError, require
from simplicert.metrics.intervals import Rate
from simplicert.metrics.radii import fixed_radii, radius_sign
from simplicert.metrics.sequence import watched_share
from simplicert.stopping.projection import unanimous_tally
from simplicert.store.features import find_size
from simplicert.store.imported import ImportedRun
from simplicert.store.run import Run
from simplicert.types import Bools, Certificates, Ints, Tally
from simplicert.types.tally import select_inputs
from simplicert.verification.checks import planned_inputs

RADII = (0.0, 0.25, 0.5, 1.0)  # where shares are shown, in units of the input

SAME = 1e-9  # relative: radii that differ by less are the same


@dataclass(frozen=True)
class WatchedShare:
    """The share of inputs that are certified beyond one radius, and as their label if known."""

    radius: float
    hits: int  # of the inputs done
    done: int
    final: tuple[float, float]  # between which the share over all inputs of the run will lie
    rate: Rate | None  # of the beginning of the run's order; None if that is not known or empty


@dataclass(frozen=True, eq=False)
class WatchState:
    """How far a run is, and what its finished inputs say so far."""

    name: str
    run: Run
    status: dict[str, Any]  # of `simplicert status`
    certificates: Certificates | None  # of the inputs done; None while there are none
    sign: str  # > or >=: which radii count at r
    shares: tuple[WatchedShare, ...] = ()
    ceiling: int = 0  # inputs that have the largest radius that their draws can certify
    highest: float = 0.0  # the largest of these radii

    @property
    def labelled(self) -> bool:
        """Whether shares are of accuracy: certified as the label."""
        return self.certificates is not None and self.certificates.known.labels is not None

    @property
    def ended(self) -> bool:
        """Whether there is nothing left to draw but inputs that failed."""
        return bool(self.status["missing"] == len(self.status["failed"]))

    @property
    def seconds_left(self) -> float | None:
        """The time left by the draws left, with as many workers as drew of late."""
        left = self.status["seconds_left"]
        return None if left is None else left / max(self.status["at_once"] or 1.0, 1.0)


def read_watch_state(run: Run | ImportedRun) -> WatchState:
    """Read the state of a run as its folder holds it now.

    >>> import tempfile
    >>> from simplicert.store import Manifest, create_run
    >>> tally = Tally([[990, 8, 2], [40, 35, 25]], sigma=0.5, labels=[0, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     state = read_watch_state(
    ...         create_run(f"{folder}/run", Manifest(sigma=0.5, inputs=4, classes=3), tally)
    ...     )
    >>> state.status["done"], state.shares[0].hits, state.shares[0].final
    (2, 1, (0.25, 0.75))
    """
    require(
        isinstance(run, Run),
        f"run must be one that is drawn, and {run.folder} was imported: there is nothing to watch",
    )
    assert isinstance(run, Run)
    status = read_status(run)
    name = run.folder.resolve().name
    if not run.paths() or not (run.stopped != "").any():
        return WatchState(name, run, status, None, ">")
    tally = select_inputs(run.tally(), run.stopped != "")
    certificates = _certify_done(run, tally)
    ceiling, highest = count_at_ceiling(certificates, tally)
    shares = _find_shares(run, certificates, set(status["failed"]))
    return WatchState(
        name, run, status, certificates, radius_sign(certificates), shares, ceiling, highest
    )


def _certify_done(run: Run, tally: Tally) -> Certificates:
    """Certify the inputs that are done, by the declared settings."""
    declared = run.manifest
    method = declared.find_method(declared.kind, declared.scheme)
    known = bound(tally, declared.alpha, declared.kind, declared.scheme, method)
    size = find_size(declared, None, None)
    return certify(known, None, declared.sensitivity, size=size)


def _find_shares(
    run: Run, certificates: Certificates, failed: set[int]
) -> tuple[WatchedShare, ...]:
    """Return the three statements at each radius."""
    index = np.asarray(certificates.known.index)
    beginning = longest_beginning(planned_inputs(run.manifest), index, failed)
    total, done = run.manifest.inputs, len(certificates)
    shares = []
    for radius in fixed_radii(certificates, RADII):
        hit = _count_as_hits(certificates, radius)
        hits = int(hit.sum())
        rate = None
        if beginning is not None and len(beginning):
            rate = watched_share(int(np.isin(index[hit], beginning).sum()), len(beginning))
        final = (hits / total, (hits + total - done) / total)
        shares.append(WatchedShare(radius, hits, done, final, rate))
    return tuple(shares)


def _count_as_hits(certificates: Certificates, radius: float) -> Bools:
    """Return which inputs are certified at a radius; with labels, as their own class."""
    reached = certificates.reaches(radius) & ~certificates.abstained
    return reached if certificates.known.labels is None else reached & certificates.correct


def longest_beginning(planned: Ints | None, done: Ints, failed: set[int]) -> Ints | None:
    """Return the first inputs of the run's order that are all done or failed; None if not known."""
    if planned is None:
        return None
    settled = np.isin(planned, done) | np.isin(planned, sorted(failed))
    return planned if settled.all() else planned[: int(settled.argmin())]


def count_at_ceiling(certificates: Certificates, tally: Tally) -> tuple[int, float]:
    """Count inputs with the largest radius that their draws allow; return the largest too.

    Their draws all agree, or nearly: the number of draws limits the radius, and more may raise it.
    """
    known, found, highest = certificates.known, 0, 0.0
    for draws in np.unique(tally.draws).tolist():
        try:
            agreed = bound(
                unanimous_tally(tally, draws), known.alpha, known.kind, known.scheme, known.method
            )
            size = None if known.noise == tally.noise else known.noise.size
            best = certify(agreed, None, certificates.sensitivity, norm=known.norm, size=size)
        except SimplicertError:  # evidence that only real draws have
            return 0, 0.0
        limit = float(best.radius[0])
        reached = (tally.draws == draws) & (certificates.radius >= (1 - SAME) * limit)
        found += int(reached.sum()) if limit > 0 else 0
        highest = max(highest, limit)
    return found, highest
