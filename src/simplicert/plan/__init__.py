"""Plan a run before it is drawn: the radius in reach, what sampling loses of it, and the cost."""

from simplicert.plan.declared import DeclaredSettings, certifies_nothing
from simplicert.plan.population import (
    Population,
    pilot_population,
    point_population,
    published_population,
)
from simplicert.plan.report import PlanReport, Workload, make_plan_report
from simplicert.plan.serving import (
    ServiceSettings,
    ServingEstimate,
    describe_radius_basis,
    estimate_serving,
    serving_scheme,
    serving_settings,
)
from simplicert.plan.simulation import (
    SimulatedPlan,
    largest_radius,
    resample_inputs,
    simulate_plan,
    smallest_draws,
)

__all__ = [
    "DeclaredSettings",
    "PlanReport",
    "Population",
    "ServiceSettings",
    "ServingEstimate",
    "SimulatedPlan",
    "Workload",
    "certifies_nothing",
    "describe_radius_basis",
    "estimate_serving",
    "largest_radius",
    "make_plan_report",
    "pilot_population",
    "point_population",
    "published_population",
    "resample_inputs",
    "serving_scheme",
    "serving_settings",
    "simulate_plan",
    "smallest_draws",
]
