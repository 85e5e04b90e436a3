"""Write the explorer: one point on the simplex, and what every mechanism certifies there.

`catalogue` lists the threats and their mechanisms for the page, `page` joins everything into one
file. The page computes bounds and radii itself, in the scripts of `assets/`: the formulas of
`mechanisms` and the bounds of scheme "gated", for votes and for scores, each lowered by a margin
that covers its arithmetic. Tests hold them to the package: never above it, and within 1e-6.
"""

from simplicert.report.explorer.page import explorer_page, write_explorer

__all__ = ["explorer_page", "write_explorer"]
