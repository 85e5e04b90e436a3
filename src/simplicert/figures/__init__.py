"""Draw every figure of the paper, and a few more, on axes that you own.

Each figure is a function (data, axes) -> axes. `FIGURES` is the table of all figures by name, and
`make_figure` draws one of them from runs and writes it to a file.
"""

from simplicert.figures.accuracy import accuracy_of_runs, certified_accuracy
from simplicert.figures.attack import attack_distances
from simplicert.figures.catalogue import FIGURES, make_figure
from simplicert.figures.distribution import (
    distribution_of_margin,
    distribution_of_pa,
    share_improved,
)
from simplicert.figures.maps import cohen_minus_li, simplex_map
from simplicert.figures.process import process_diagram
from simplicert.figures.regions import ratio_multinomial, ratio_softmax, region_lines, winner_map
from simplicert.figures.saving import save_figure
from simplicert.figures.scatter import scatter_on_simplex
from simplicert.figures.trends import (
    certified_proportion,
    largest_against_sigma,
    median_against_sigma,
    time_per_input,
)

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
    "make_figure",
    "median_against_sigma",
    "process_diagram",
    "ratio_multinomial",
    "ratio_softmax",
    "region_lines",
    "save_figure",
    "scatter_on_simplex",
    "share_improved",
    "simplex_map",
    "time_per_input",
    "winner_map",
]
