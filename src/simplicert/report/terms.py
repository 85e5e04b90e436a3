"""Explain the page's terms in a sentence each: they are shown where a term is pointed at."""

from simplicert.figures.style import mechanism_style
from simplicert.mechanisms import MECHANISMS

TERMS = {
    "E0": "A lower bound on the probability, or mean score, of the top class under noise.",
    "E1": "An upper bound on the probability, or mean score, of every other class under noise.",
    "radius": "The best radius that is proved: no smaller change of the input changes the answer.",
    "best radius": "The largest radius that is proved, whichever mechanism proves it.",
    "mean radius": "The mean over inputs, with 0 where nothing right is certified.",
    "median radius": "Half of the inputs of the class have at least this radius.",
    "ensemble": "The largest radius of the ensemble's mechanisms; it costs no extra error.",
    "of ensemble": "The mean of the ensemble's radius.",
    "of Cohen": "The mean of Cohen's one-sided radius.",
    "acc": "Certified accuracy: the share of all inputs certified as their label at this radius.",
    "winner (ensemble)": "The mechanism of the ensemble that has the largest radius here.",
    "risk": "1 is the riskiest; the order is explained above the table.",
    "input": "The number of the input in its data set. Press it to open the input.",
    "label": "The true class, as the data say.",
    "predicted": "The class that the smoothed classifier is certified to answer.",
    "class": "The class that the certificate names.",
    "outcome": "correct: certified as its label; wrong: as another class; abstained: neither.",
    "abstained": "The draws do not tell the top class apart: nothing is promised.",
    "certified": "Inputs with a certificate of some radius, right or wrong.",
    "inputs certified": "Inputs with a certificate of some radius, right or wrong.",
    "right": "Inputs certified as the class of their label.",
    "wrong": "Inputs certified as another class than their label.",
    "certified accuracy": "The share of all inputs that are certified as their label beyond r.",
    "certified accuracy at 0": "The share of all inputs that are certified as their label.",
    "average certified radius": "The mean radius, with 0 for wrong and abstained inputs.",
    "largest radius": "The largest radius of any input.",
    "top-1": "The share of inputs whose most frequent class is the label.",
    "draws": "Noisy copies of the input that were classified.",
    "draws per input": "Noisy copies of each input that were classified.",
    "Kind": "multinomial counts answers; softmax averages scores.",
    "kind": "multinomial counts answers; softmax averages scores.",
    "Run": "One set of draws: a model, its noise and the data.",
    "run": "One set of draws: a model, its noise and the data.",
    "sigma": "The standard deviation of the noise, in units of the input.",
    "scale": "How strong the noise is, in units of the input.",
    "alpha": "For each input, the chance of a wrong certificate is at most this.",
    "proved level": "The chance of a wrong certificate that is proved for these settings.",
    "scheme": "How counts become E0 and E1.",
    "method": "The formula of the confidence bounds.",
    "sensitivity": "How much a stage before the noise can stretch a change of its input.",
    "attack distance": "Where an attack confirmed another class: the true radius is no larger.",
    "certified radius": "The radius proved when the attack was made.",
    "ratio": "The attack's distance over the certified radius; below 1 the certificate is broken.",
    "becomes": "The class that the attack reached.",
    "broken": "Whether another class was confirmed inside the certified radius.",
    "limit": "The two-sided radius: from E0 and E1 alone nothing larger can be proved.",
}

MECHANISM_TERMS = {
    "cohen": "From E0 alone: sigma times the normal quantile of E0. Nothing where E0 is below 1/2.",
    "one_sided": "From E0 alone; nothing where E0 is below 1/2.",
    "li": "From the Renyi divergence of two shifted noises, by Li et al.",
    "lecuyer": "From differential privacy, by Lecuyer et al.",
    "improved_dp": "From differential privacy with the exact privacy of Gaussian noise.",
    "two_sided": "The tight radius: the largest that E0 and E1 alone can prove.",
    "cdf": "From the whole distribution of scores, by their histograms.",
    "lipschitz": "From a Lipschitz constant of the network inside.",
    "teng": "From the Laplace noise's own formula, by Teng et al.",
}


def explain_terms() -> dict[str, str]:
    """Return every term as the page writes it, and its explanation."""
    known = {*MECHANISM_TERMS} | {*MECHANISMS}
    named = {mechanism_style(name).name: MECHANISM_TERMS.get(name, "") for name in sorted(known)}
    return TERMS | {name: text for name, text in named.items() if text}
