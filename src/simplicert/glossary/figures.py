"""What every figure shows, one sentence each: those of `simplicert figure`, and the report's."""

FIGURES = {
    "process": "How one input is certified: n draws, two expectations, mechanisms, ensemble.",
    "cohen-minus-li": "Cohen's radius less Li's at sigma 1, over the simplex of E0 and E1.",
    "ratio": "Improved DP's radius over the largest of the others, over the simplex.",
    "winner": "Which mechanism of the ensemble has the largest radius, over the simplex.",
    "threats": "The one-sided radius as a share of the limit, for every noise.",
    "accuracy": "Certified accuracy against the radius, by every technique of each kind.",
    "accuracy-sigmas": "Certified accuracy of runs at several sigmas, two-sided against the "
    "ensemble.",
    "scatter": "The expectations of every certified input on the simplex, with the region lines.",
    "proportion": "The share of inputs with a radius above 0.05, against the number of draws.",
    "time": "Seconds per input against the number of draws, each mechanism's own.",
    "improvement": "The share of inputs whose radius is improved by more than x percent.",
    "sigmas": "The median radius, and the share of inputs that each mechanism wins, against sigma.",
    "distribution": "The spread of the top class's share and of its lead, as the draws estimate "
    "them; no bounds.",
    "attack": "The certified radius of each input against the distance that an attack needed.",
    "history": "The measures of a gate, run after run, with 95 % intervals over the choice of "
    "inputs.",
}

PAGE_FIGURES = {
    "curves": "The share of all inputs that are certified as their label beyond each radius.",
    "simplex": "The certified inputs at their E0 and E1, over a map of the mechanisms' radii.",
    "attack-plot": "Each input's certified radius against the distance at which an attack "
    "confirmed another class.",
    "compare-curves": "The certified accuracy of both runs, at every radius.",
    "compare-strip": "The second run's accuracy less the first's at every radius, with its band.",
    "compare-scatter": "Each input's radius in the second run against that in the first.",
    "compare-arrows": "How each input moves on the simplex from the first run to the second.",
}
