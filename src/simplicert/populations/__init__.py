"""Population certificates: what holds for a share of all inputs, from few draws of many."""

from simplicert.populations.design import PopulationDesign, read_design
from simplicert.populations.designing import design_population

__all__ = ["PopulationDesign", "design_population", "read_design"]
