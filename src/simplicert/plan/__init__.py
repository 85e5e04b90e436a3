"""Before a GPU-week is spent: what draws can reach, what they lose, what they cost."""

from simplicert.plan.declared import Declared
from simplicert.plan.population import Population, at_point, of_tally, published
from simplicert.plan.reach import certifies_nothing, largest_radius, smallest_draws
from simplicert.plan.report import Report, Work, make_report
from simplicert.plan.serving import (
    Service,
    Serving,
    radius_basis,
    serve,
    served_function,
    serving_record,
    serving_scheme,
    serving_table,
)
from simplicert.plan.simulation import Outcome, enough, simulate
from simplicert.plan.tables import record, tables

__all__ = [
    "Declared",
    "Outcome",
    "Population",
    "Report",
    "Service",
    "Serving",
    "Work",
    "at_point",
    "certifies_nothing",
    "enough",
    "largest_radius",
    "make_report",
    "of_tally",
    "published",
    "radius_basis",
    "record",
    "serve",
    "served_function",
    "serving_record",
    "serving_scheme",
    "serving_table",
    "simulate",
    "smallest_draws",
    "tables",
]
