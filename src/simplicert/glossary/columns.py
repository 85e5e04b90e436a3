"""What every column of certificates.csv says, one sentence each; mechanisms are columns too."""

MECHANISM_COLUMNS = {
    "cohen": "The radius from E0 alone: sigma times the normal quantile of E0, 0 where E0 is at "
    "most 1/2.",
    "one_sided": "The radius from E0 alone; 0 where E0 is at most 1/2.",
    "li": "The radius from the Renyi divergence of two shifted noises, by Li et al.",
    "lecuyer": "The radius from differential privacy, by Lecuyer et al.",
    "teng": "The radius from the Laplace noise's own formula, by Teng et al.",
    "improved_dp": "The radius from differential privacy with the exact privacy of the noise.",
    "two_sided": "The tight radius from E0 and E1: under Gaussian noise the largest that these two "
    "numbers alone can prove.",
    "cdf": "The radius from the whole distribution of scores, by their histograms.",
    "lipschitz": "The radius from a Lipschitz constant of the network inside, which the run "
    "states.",
}

COLUMNS = {
    "index": "The number of the input in its data set.",
    "label": "The true class, as the data say; empty without labels.",
    "top": "The most frequent class of the noisy copies; promised only where the input has a "
    "certificate.",
    "predicted": "The class that the smoothed classifier is certified to answer; empty where "
    "abstained.",
    "correct": "Whether the certified class is the label: false where abstained, empty without "
    "labels.",
    "abstained": "Whether the draws do not tell the top class apart: then nothing is promised.",
    "radius": "The best radius that is proved, whichever mechanism proves it: no smaller change of "
    "the input changes the answer.",
    "e0": "A lower bound on the probability, or mean score, of the top class under noise; empty "
    "where abstained.",
    "e1": "An upper bound on the probability, or mean score, of every other class under noise; "
    "empty where abstained.",
    **MECHANISM_COLUMNS,
    "ensemble": "The largest radius of the ensemble's mechanisms; it costs no extra error.",
    "winner": "The mechanism of the ensemble that has the largest radius; empty where all are 0.",
    "draws": "Noisy copies of the input that were classified.",
    "sigma": "The standard deviation of the noise, in units of the input; of other noise its "
    "scale.",
    "alpha": "The failure probability that was asked for: for each input, the chance of a wrong "
    "certificate.",
    "kind": "multinomial counts answers; softmax averages scores.",
    "scheme": "How counts become E0 and E1: gated, joint, paper, split, or imported from a log.",
    "looks": "How many looks at its draws the input has had, where it was drawn look by look.",
    "alpha_spent": "The part of alpha that these looks have spent.",
    "stopped": "Why the input was drawn no further: certified, below target, hopeless, or the "
    "budget; unfinished where it may go on.",
    "method": "The formula of the confidence bounds inside the scheme.",
    "level": "The chance of a wrong certificate that is proved for these settings, for each input; "
    "usually alpha.",
    "count_top": "How many draws had the top class; empty where there are no counts.",
    "count_second": "How many draws had the most frequent other class; empty where there are no "
    "counts.",
    "sensitivity": "How much a stage before the noise can stretch a change of its input; 1 without "
    "one.",
    "grid": "The step to which noisy inputs were rounded; empty without rounding.",
    "noise": "The noise, where it is not Gaussian or the norm is not l2.",
    "norm": "What the radii measure, where the noise is not Gaussian or the norm is not l2.",
}
