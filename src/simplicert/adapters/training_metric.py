"""CertifiedAccuracy: certified accuracy as a metric of a training loop, from few draws.

It has the interface of torchmetrics (update, compute, reset) and does not need that library. Unlike
the metrics there, `update` takes inputs and not predictions: it classifies noisy copies of them
itself, by the network as it is at that moment.

Its numbers are exploratory, and their names say so. Each certificate holds with its alpha, but a
network that was chosen because these numbers were good was chosen by its luck too, and so few draws
prove small radii only (`reach` is the largest). Report the accuracies of a run: `simplicert run`.
"""

import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np

from simplicert.bounds import bound, default_scheme
from simplicert.certification import certify
from simplicert.errors import InvalidInput, MissingEvidence, check_positive, require
from simplicert.sampling import sample
from simplicert.types import Tally

DRAWS = 100  # noisy copies of an input
MARK = "exploratory"  # the first word of every name


class CertifiedAccuracy:
    """Share of the inputs seen that are right and certified beyond each radius.

    `classifier` is a torch module, or a function of arrays: what `Smoothed` takes. Abstentions and
    wrong classes count as not certified. Fresh noise is drawn at every update; with a `seed` it
    follows from that and from the number of updates so far, which `reset` does not forget.

    >>> metric = CertifiedAccuracy(lambda x: np.column_stack([x, -x]), 0.5, radii=(0, 0.5), seed=0)
    >>> metric.update(np.array([[2.0], [-2.0], [0.1]], dtype=np.float32), [0, 1, 0])
    >>> metric.compute()["exploratory/certified_accuracy@0.5"]
    0.6666666666666666
    >>> metric
    CertifiedAccuracy(exploratory: 3 inputs, 100 draws each, alpha 0.001, sigma 0.5)
    """

    higher_is_better = True
    is_differentiable = False

    def __init__(  # noqa: PLR0913
        self,
        classifier: Any,
        sigma: float,
        *,
        radii: Sequence[float] = (0.0, 0.25, 0.5),
        draws: int = DRAWS,
        alpha: float = 0.001,
        outputs: str = "logits",
        batch_size: int | None = None,
        device: str | None = None,
        seed: int | None = None,
    ) -> None:
        """Keep the settings; nothing is drawn yet."""
        self.classifier = classifier
        self.sigma = check_positive("sigma", sigma)
        self.radii = tuple(float(radius) for radius in radii)
        good = self.radii and all(0 <= radius < np.inf for radius in self.radii)
        require(bool(good), f"radii must be numbers of at least 0, got {radii!r:.60}")
        self.draws, self.alpha, self.outputs = draws, alpha, outputs
        self.batch_size, self.device, self.seed = batch_size, device, seed
        self._scheme = default_scheme("multinomial", draws, "gaussian")
        self._updates = 0
        self._reach: float | None = None
        self.reset()

    @property
    def reach(self) -> float | None:
        """The largest radius that so many draws prove, if all agree; None before any input."""
        return self._reach

    def update(self, inputs: Any, target: Any) -> None:
        """Certify a batch by the network as it is now, and count what is right."""
        labels = target.detach().cpu().numpy() if hasattr(target, "detach") else np.asarray(target)
        seed = secrets.randbits(62) if self.seed is None else self.seed + self._updates
        self._updates += 1
        tally = sample(
            self.classifier,
            inputs,
            self.sigma,
            self.draws,
            seed=seed,
            labels=labels,
            outputs=self.outputs,
            batch_size=self.batch_size,
            device=self.device,
            compile=False,
            histograms=False,
        )
        self._note_reach(tally.classes)
        found = certify(bound(tally, self.alpha, "multinomial", self._scheme))
        self._inputs += len(labels)
        self._abstained += int(found.known.abstained.sum())
        for place, radius in enumerate(self.radii):
            self._hits[place] += int((found.correct & (found.radius > radius)).sum())

    def compute(self) -> dict[str, float]:
        """Return every number by a name that begins with "exploratory/"; nothing is drawn."""
        if self._inputs == 0:
            raise MissingEvidence("compute needs at least one update, got none since the reset")
        rates = {
            f"{MARK}/certified_accuracy@{radius:g}": hits / self._inputs
            for radius, hits in zip(self.radii, self._hits, strict=True)
        }
        return rates | {f"{MARK}/abstained": self._abstained / self._inputs}

    def reset(self) -> None:
        """Forget what was counted, as at the start of an epoch."""
        self._inputs = self._abstained = 0
        self._hits = [0] * len(self.radii)

    def __call__(self, inputs: Any, target: Any) -> dict[str, float]:
        """Update, and return the numbers of this batch alone."""
        before = self._inputs, self._abstained, list(self._hits)
        self.reset()
        self.update(inputs, target)
        alone = self.compute()
        self._inputs += before[0]
        self._abstained += before[1]
        self._hits = [one + other for one, other in zip(self._hits, before[2], strict=True)]
        return alone

    def _note_reach(self, classes: int) -> None:
        """Compute the reach once, and refuse radii beyond it: their accuracy is 0 by design."""
        if self._reach is not None:
            return
        counts = np.zeros((1, classes), dtype=np.int64)
        counts[0, 0] = self.draws
        known = bound(Tally(counts, self.sigma), self.alpha, "multinomial", self._scheme)
        self._reach = float(certify(known).radius[0])
        beyond = [radius for radius in self.radii if radius >= self._reach]
        if beyond:
            raise InvalidInput(
                f"radii must lie below {self._reach:.3g}, the largest that {self.draws} draws at "
                f"alpha {self.alpha:g} and sigma {self.sigma:g} prove, got {beyond[0]:g}: draw more"
            )

    def __repr__(self) -> str:
        """Say what it is, and that it is exploratory."""
        return (
            f"{type(self).__name__}({MARK}: {self._inputs} inputs, {self.draws} draws each, "
            f"alpha {self.alpha:g}, sigma {self.sigma:g})"
        )
