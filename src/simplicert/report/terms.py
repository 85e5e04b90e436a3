"""Explain the page's terms in a sentence each: they are shown where a term is pointed at.

What a column of certificates.csv says comes from the glossary, as in `simplicert explain`; so do
the words of tables and figures, which the templates write themselves. WORDS are the names under
which the page shows some columns, and TERMS are the words that only pages have.
"""

from simplicert.figures.style import mechanism_style
from simplicert.glossary import COLUMNS
from simplicert.glossary.columns import MECHANISM_COLUMNS

# The page's word -> the column that it shows.
WORDS = {
    "E0": "e0",
    "E1": "e1",
    "best radius": "radius",
    "winner (ensemble)": "winner",
    "draws per input": "draws",
    "Kind": "kind",
    "proved level": "level",
}

TERMS = {
    "input": f"{COLUMNS['index']} Press it to open the input.",
    "mean radius": "The mean over inputs, with 0 where nothing right is certified.",
    "median radius": "Half of the inputs of the class have at least this radius.",
    "of ensemble": "The mean of the ensemble's radius.",
    "of Cohen": "The mean of Cohen's one-sided radius.",
    "acc": "Certified accuracy: the share of all inputs certified as their label at this radius.",
    "risk": "1 is the riskiest; the order is explained above the table.",
    "class": "The class that the certificate names.",
    "outcome": "correct: certified as its label; wrong: as another class; abstained: neither.",
    "certified": "Inputs with a certificate of some radius, right or wrong.",
    "inputs certified": "Inputs with a certificate of some radius, right or wrong.",
    "right": "Inputs certified as the class of their label.",
    "wrong": "Inputs certified as another class than their label.",
    "certified accuracy": "The share of all inputs that are certified as their label beyond r.",
    "certified accuracy at 0": "The share of all inputs that are certified as their label.",
    "average certified radius": "The mean radius, with 0 for wrong and abstained inputs.",
    "largest radius": "The largest radius of any input.",
    "top-1": "The share of inputs whose most frequent class is the label.",
    "Run": "One set of draws: a model, its noise and the data.",
    "run": "One set of draws: a model, its noise and the data.",
    "scale": "How strong the noise is, in units of the input.",
    "attack distance": "Where an attack confirmed another class: the true radius is no larger.",
    "certified radius": "The radius proved when the attack was made.",
    "ratio": "The attack's distance over the certified radius; below 1 the certificate is broken.",
    "becomes": "The class that the attack reached.",
    "broken": "Whether another class was confirmed inside the certified radius.",
    "limit": "The two-sided radius: from E0 and E1 alone nothing larger can be proved.",
}


def explain_terms() -> dict[str, str]:
    """Return every term as the page writes it, and its explanation."""
    mechanisms = {mechanism_style(name).name: text for name, text in MECHANISM_COLUMNS.items()}
    words = {word: COLUMNS[column] for word, column in WORDS.items()}
    return COLUMNS | mechanisms | words | TERMS
