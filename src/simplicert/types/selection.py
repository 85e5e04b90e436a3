"""Certificates of some of the inputs: the same numbers, in the order of the rows asked for."""

from dataclasses import fields, replace
from typing import Any

import numpy as np

from simplicert.types.arrays import Ints
from simplicert.types.certificates import Certificates
from simplicert.types.expectations import Expectations
from simplicert.types.scores import ScoreBands


def select_certificates(certificates: Certificates, rows: Ints) -> Certificates:
    """Return the certificates of these rows; no number changes, and every setting stays.

    >>> import simplicert as sc
    >>> certificates = sc.certify(sc.bound(sc.Tally([[990, 8, 2], [40, 35, 25]], sigma=0.5)))
    >>> select_certificates(certificates, np.array([1])).abstained
    array([ True])
    """
    return replace(
        certificates,
        known=_select_expectations(certificates.known, rows),
        radii={name: values[rows] for name, values in certificates.radii.items()},
        ensemble=certificates.ensemble[rows],
        winner=certificates.winner[rows],
    )


def _select_expectations(known: Expectations, rows: Ints) -> Expectations:
    """Return the bounds of these rows: every array has one entry, or one row, for each input."""
    parts: dict[str, Any] = {}
    for field in fields(known):
        value = getattr(known, field.name)
        if isinstance(value, np.ndarray):
            parts[field.name] = value[rows]
        elif isinstance(value, ScoreBands):
            parts[field.name] = ScoreBands(value.lower[rows], value.upper[rows])
    return replace(known, **parts)
