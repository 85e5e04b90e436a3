"""Population certificates: what holds for a share of all inputs, from few draws of many."""

from simplicert.populations.certificate import (
    PopulationCertificate,
    PopulationShare,
    population,
)
from simplicert.populations.design import PopulationDesign, read_design
from simplicert.populations.designing import design_population

__all__ = [
    "PopulationCertificate",
    "PopulationDesign",
    "PopulationShare",
    "design_population",
    "population",
    "read_design",
]
