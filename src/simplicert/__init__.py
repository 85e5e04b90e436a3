"""Certified radii by randomised smoothing, and where on the simplex each one comes from."""

from simplicert import training as training
from simplicert.bounds import bound
from simplicert.certification import certify, radius
from simplicert.errors import (
    DamagedRun,
    IncompatibleTallies,
    InvalidInput,
    KindMismatch,
    MissingEvidence,
    SamplingFailed,
    SimplicertError,
    TrainingFailed,
    UnsoundMechanism,
)
from simplicert.mechanisms import MECHANISMS, PAPER_ENSEMBLE, Mechanism
from simplicert.runs import KnownRun, Run, create_run, open_run, write_certificates
from simplicert.sampling import sample
from simplicert.smoothed import Predictions, Smoothed, operational_radius
from simplicert.stopping import Until
from simplicert.types import Certificates, Expectations, Plan, Tally

__version__ = "0.1.0"

__all__ = [
    "MECHANISMS",
    "PAPER_ENSEMBLE",
    "Certificates",
    "DamagedRun",
    "Expectations",
    "IncompatibleTallies",
    "InvalidInput",
    "KindMismatch",
    "KnownRun",
    "Mechanism",
    "MissingEvidence",
    "Plan",
    "Predictions",
    "Run",
    "SamplingFailed",
    "SimplicertError",
    "Smoothed",
    "Tally",
    "TrainingFailed",
    "UnsoundMechanism",
    "Until",
    "bound",
    "certify",
    "create_run",
    "open_run",
    "operational_radius",
    "radius",
    "sample",
    "write_certificates",
]
