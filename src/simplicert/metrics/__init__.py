"""Numbers that summarise the certificates of a run, or compare two runs.

`Study` is an opened run, and `read_studies` opens several. Most functions take certificates, also
those that never were in a run: shares of inputs are a `Rate` with its interval, and averages a
`Mean` with its standard error. `make_statement` says in one sentence what may be claimed,
and `simplicert.compare` sets two runs of the same inputs side by side.

What gates a build is in the modules `gate` and `regressions`, and belongs to the command.
"""

from simplicert.metrics.averages import (
    Mean,
    MeanExpectations,
    abstention_rate,
    accuracy_curve,
    average_radius,
    certified_accuracy,
    mean_expectations,
    median_radius,
    share_above,
    share_by_region,
    share_largest,
    top1_accuracy,
)
from simplicert.metrics.comparison import (
    Improvement,
    Wilcoxon,
    improvement_curve,
    measure_improvement,
    wilcoxon_test,
)
from simplicert.metrics.differences import DifferenceCurve
from simplicert.metrics.growth import (
    CostByDraws,
    certify_shorter_runs,
    measure_cost,
    measure_seconds,
    subsample_tally,
)
from simplicert.metrics.intervals import NoisyShares, Rate, RateCurve, shares_under_noise
from simplicert.metrics.pairing import (
    AccuracyChange,
    AverageRadiusChange,
    average_radius_change,
    mcnemar_test,
)
from simplicert.metrics.shared import InputRelation, relate_inputs, share_inputs
from simplicert.metrics.statement import Statement, make_statement
from simplicert.metrics.study import Study, read_studies
from simplicert.metrics.unpaired import (
    UnpairedAverage,
    UnpairedChange,
    holm_adjust,
    unpaired_average,
    unpaired_test,
)

__all__ = [
    "AccuracyChange",
    "AverageRadiusChange",
    "CostByDraws",
    "DifferenceCurve",
    "Improvement",
    "InputRelation",
    "Mean",
    "MeanExpectations",
    "NoisyShares",
    "Rate",
    "RateCurve",
    "Statement",
    "Study",
    "UnpairedAverage",
    "UnpairedChange",
    "Wilcoxon",
    "abstention_rate",
    "accuracy_curve",
    "average_radius",
    "average_radius_change",
    "certified_accuracy",
    "certify_shorter_runs",
    "holm_adjust",
    "improvement_curve",
    "make_statement",
    "mcnemar_test",
    "mean_expectations",
    "measure_cost",
    "measure_improvement",
    "measure_seconds",
    "median_radius",
    "read_studies",
    "relate_inputs",
    "share_above",
    "share_by_region",
    "share_inputs",
    "share_largest",
    "shares_under_noise",
    "subsample_tally",
    "top1_accuracy",
    "unpaired_average",
    "unpaired_test",
    "wilcoxon_test",
]
