"""Smoothed classifiers in the form that other tools ask for, one file a tool.

SmoothedClassifier                    scikit-learn: fit, predict, certify (scikit_learn.py)
CertifiedAccuracy                     a metric for a training loop: update, compute, reset
                                      (training_metric.py)
smoothed_estimator                    an estimator for ART, the Adversarial Robustness Toolbox
                                      (toolbox.py)
SmoothingModule, SmoothingEstimator   a verifier and a search for VERONA (verona.py)

Each is imported when it is first asked for, and the tool itself is never a dependency of ours. All
of them draw fresh noise for every call unless a seed is given, keep no answers, and let predictions
and certificates rest on different draws.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simplicert.adapters.scikit_learn import SmoothedClassifier
    from simplicert.adapters.toolbox import smoothed_estimator
    from simplicert.adapters.training_metric import CertifiedAccuracy
    from simplicert.adapters.verona import SmoothingEstimator, SmoothingModule

__all__ = [
    "CertifiedAccuracy",
    "SmoothedClassifier",
    "SmoothingEstimator",
    "SmoothingModule",
    "smoothed_estimator",
]

if not TYPE_CHECKING:
    _FILES = {
        "CertifiedAccuracy": "training_metric",
        "SmoothedClassifier": "scikit_learn",
        "SmoothingEstimator": "verona",
        "SmoothingModule": "verona",
        "smoothed_estimator": "toolbox",
    }

    def __getattr__(name):
        """A public name, when it is first asked for."""
        from simplicert.importing import import_library

        if name in _FILES:
            return getattr(import_library(f"{__name__}.{_FILES[name]}", "all", name), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
