"""How far can an input be changed before a smoothed classifier changes its answer?

simplicert computes that radius by every mechanism side by side, and shows which one wins where.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simplicert import figures as figures
    from simplicert import metrics as metrics
    from simplicert import tables as tables
    from simplicert import training as training
    from simplicert.bounds import bound
    from simplicert.cards import Card, card
    from simplicert.certification import certify, radius
    from simplicert.drawing import DrawingOutcome, DrawingProgress, draw
    from simplicert.errors import (
        DamagedRun,
        IncompatibleTallies,
        InvalidInput,
        KindMismatch,
        MissingEvidence,
        SamplingFailed,
        SimplicertError,
        SimplicertWarning,
        TrainingFailed,
        UnsoundMechanism,
    )
    from simplicert.gating import GateResult, gate
    from simplicert.mechanisms import MECHANISMS, PAPER_ENSEMBLE, Mechanism
    from simplicert.metrics.changes import Comparison
    from simplicert.metrics.two_runs import compare
    from simplicert.noises import NOISES, Noise, NoiseModel
    from simplicert.populations import (
        PopulationCertificate,
        PopulationDesign,
        design_population,
        population,
    )
    from simplicert.sampling import sample
    from simplicert.smoothed import Predictions, Smoothed, operational_radius
    from simplicert.stopping import Until
    from simplicert.store import (
        ImportedRun,
        KnownRun,
        Manifest,
        Run,
        create_run,
        open_run,
        write_certificates,
    )
    from simplicert.types import Certificates, Expectations, Plan, Tally

__version__ = "0.1.0"

__all__ = [
    "MECHANISMS",
    "NOISES",
    "PAPER_ENSEMBLE",
    "Card",
    "Certificates",
    "Comparison",
    "DamagedRun",
    "DrawingOutcome",
    "DrawingProgress",
    "Expectations",
    "GateResult",
    "ImportedRun",
    "IncompatibleTallies",
    "InvalidInput",
    "KindMismatch",
    "KnownRun",
    "Manifest",
    "Mechanism",
    "MissingEvidence",
    "Noise",
    "NoiseModel",
    "Plan",
    "PopulationCertificate",
    "PopulationDesign",
    "Predictions",
    "Run",
    "SamplingFailed",
    "SimplicertError",
    "SimplicertWarning",
    "Smoothed",
    "Tally",
    "TrainingFailed",
    "UnsoundMechanism",
    "Until",
    "bound",
    "card",
    "certify",
    "compare",
    "create_run",
    "design_population",
    "draw",
    "gate",
    "open_run",
    "operational_radius",
    "population",
    "radius",
    "sample",
    "write_certificates",
]

if not TYPE_CHECKING:
    # Imported when first asked for: `simplicert --help` needs no mathematics.
    _ROOMS = ("errors", "noises", "types", "mechanisms", "bounds", "certification", "stopping")
    _LATER = (
        "sampling",
        "smoothed",
        "store",
        "drawing",
        "populations",
        "metrics.two_runs",
        "gating",
        "cards",
    )  # these take longer

    def __getattr__(name):
        """A public name, or a room of the package, when it is first asked for."""
        from importlib import import_module
        from importlib.util import find_spec

        if name in __all__:
            for room in (*_ROOMS, *_LATER):
                found = getattr(import_module(f"{__name__}.{room}"), name, None)
                if found is not None:
                    globals()[name] = found
                    return found
        if not name.startswith("_") and find_spec(f"{__name__}.{name}"):
            return import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__():
        """All public names, also those that nobody has asked for yet."""
        return sorted({*globals(), *__all__})
