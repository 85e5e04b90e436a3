"""Smoothed classifiers for use: predict, certify, and compute the operational radius."""

from simplicert.smoothed.operational import operational_radius
from simplicert.smoothed.prediction import ABSTAIN, Predictions
from simplicert.smoothed.wrapper import Smoothed

__all__ = ["ABSTAIN", "Predictions", "Smoothed", "operational_radius"]
