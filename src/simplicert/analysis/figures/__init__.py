"""Figures on axes that the caller owns: each a function (data, axes) -> axes."""

from simplicert.analysis.figures.accuracy import accuracy_of_runs, certified_accuracy
from simplicert.analysis.figures.attack import attack_distances
from simplicert.analysis.figures.catalogue import FIGURES, make
from simplicert.analysis.figures.distribution import distribution_of_margin, distribution_of_pa
from simplicert.analysis.figures.draws import certified_proportion, time_per_input
from simplicert.analysis.figures.improvement import share_improved
from simplicert.analysis.figures.maps import cohen_minus_li, simplex_map
from simplicert.analysis.figures.process import process_diagram
from simplicert.analysis.figures.regions import (
    ratio_multinomial,
    ratio_softmax,
    region_lines,
    winner_map,
)
from simplicert.analysis.figures.scatter import scatter_on_simplex
from simplicert.analysis.figures.style import save
from simplicert.analysis.figures.trends import largest_against_sigma, median_against_sigma

__all__ = [
    "FIGURES",
    "accuracy_of_runs",
    "attack_distances",
    "certified_accuracy",
    "certified_proportion",
    "cohen_minus_li",
    "distribution_of_margin",
    "distribution_of_pa",
    "largest_against_sigma",
    "make",
    "median_against_sigma",
    "process_diagram",
    "ratio_multinomial",
    "ratio_softmax",
    "region_lines",
    "save",
    "scatter_on_simplex",
    "share_improved",
    "simplex_map",
    "time_per_input",
    "winner_map",
]
