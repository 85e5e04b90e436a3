"""Studies of certificates that are stated outright, so that every number of a table is known."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

import simplicert as sc
from simplicert.metrics.study import Study
from simplicert.store.manifest import Manifest


@dataclass(frozen=True)
class Held:
    """The part of a run that the analysis reads."""

    manifest: Manifest
    kept: sc.Certificates
    missing: int = 0
    audit: tuple[str, ...] = ()

    def certify(self, kind: str, sensitivity: float | None = None, **threat) -> sc.Certificates:
        """Return the certificates it was given, and no other kind."""
        assert kind == self.kept.known.kind
        return self.kept


@pytest.fixture
def held():
    """A study from certificates and what a table says of their run."""

    def make(
        name,
        certificates,
        sigma=0.5,
        data="digits",
        index=None,
        labelled=True,
        exploratory=False,
        alpha=0.001,
        missing=0,
        audit=(),
        **source,
    ):
        known = replace(
            certificates.known,
            sigma=sigma,
            alpha=alpha,
            level=alpha,
            scheme="gated",
            method="clopper_pearson",
            index=np.arange(len(certificates)) if index is None else np.asarray(index),
            labels=certificates.known.labels if labelled else None,
        )
        manifest = Manifest(
            sigma=sigma,
            inputs=len(certificates) + missing,
            classes=10,
            alpha=alpha,
            kind=known.kind,
            source=source,
            made={"data": data},
        )
        kept = replace(certificates, known=known, exploratory=exploratory)
        return Study(name, Held(manifest, kept, missing, audit))

    return make
