"""Runs in memory, whose answers are known."""

import numpy as np

import simplicert as sc
from simplicert.metrics.study import Study

DRAWS = 2000


class Made:
    """A run in memory: the tally and how it is certified, as a study asks for them."""

    def __init__(self, shares, labels, seed=0, sigma=0.5, draws=DRAWS, reserve=0.0):
        """Counts drawn by these shares; what is left of each row's goes to no class."""
        random = np.random.default_rng(seed)
        counts = random.multinomial(draws, np.column_stack([shares, 1 - shares.sum(axis=1)]))
        plan = sc.Plan((draws,)).reserved(reserve)
        self.held = sc.Tally(counts[:, :-1], sigma, labels=labels, invalid=counts[:, -1], plan=plan)
        self.manifest = type(
            "Manifest", (), {"sigma": sigma, "alpha": 0.001, "kind": "multinomial"}
        )
        self.missing = 0

    def tally(self):
        """As a run's."""
        return self.held

    def certify(self, kind=None, sensitivity=None, norm=None, size=None, **options):
        """As a run's."""
        known = sc.bound(self.held, 0.001, **options)
        return sc.certify(known, sensitivity=sensitivity or 1.0, norm=norm, size=size)


def made(name, **options):
    """Inputs from nearly a tie to almost certain; a hundredth of what is not the top class ties."""
    top = np.linspace(0.46, 0.999, 40)
    shares = np.column_stack([top, 0.8 * (1 - top), 0.19 * (1 - top)])
    return Study(name, Made(shares, np.zeros(40, int), **options))
