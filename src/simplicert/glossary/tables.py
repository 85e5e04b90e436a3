"""What every table shows, one sentence each: by the word after --style, or the table's own name."""

TABLES = {
    "field": "Certified accuracy at each radius, average certified radius and abstentions, one row "
    "per run.",
    "paper1": "Top-1 accuracy, median radius and how often each mechanism is the largest, after "
    "the paper's Table 1.",
    "paper2": "How many inputs improve on Cohen's radius and by how much, after the paper's Table "
    "2.",
    "pairs": "Two runs on the same inputs: accuracy at each radius with McNemar's test, and the "
    "change of the average radius.",
    "unpaired": "Two runs on different inputs: accuracy at each radius and average radius, with "
    "tests that pair nothing.",
    "matrix": "Every two of several runs: the difference of their accuracies, and its test, "
    "corrected for their number.",
    "published": "What papers claim for a benchmark, row by row with its place; not audited.",
    "history": "The measures of a gate, one row per run in the order in which they began.",
    "summary": "Each mechanism's radii over all inputs of one run: median, mean, and certified "
    "accuracy.",
    "first_rows": "The first inputs of a run with their class, radius and bounds.",
    "gate": "Each requirement with its value, and whether it holds.",
    "population": "The share of all inputs like these that is certified at each radius, with "
    "confidence.",
    "division": "What each division of a budget between inputs and draws is expected to certify.",
    "reach": "The largest radius that so many draws can certify, and the fewest draws that certify "
    "anything.",
    "loss": "The radius that is lost because draws are finite.",
    "cost": "The draws and the time that each stopping rule takes, simulated.",
    "serving": "What it takes to answer one request by so many draws.",
    "point": "Every mechanism's radius at one pair of E0 and E1.",
    "threat": "Every mechanism's radius at one pair of E0 and E1, for one noise and norm.",
    "comparison": "The largest and the smallest ratio or difference of two mechanisms over the "
    "simplex.",
    "winner": "Each mechanism's share of the simplex, and where it leads by most.",
    "soundness": "Every rule that a mechanism must keep, and the worst point where one is broken.",
    "attack": "What an attack found: the certificates that it tried, broke and left standing.",
    "attacked_inputs": "The inputs closest to a broken certificate, the closest first.",
    "geometry": "What a neighbour's certificate adds to the radii inside the box.",
    "moved_inputs": "The inputs that a neighbour's certificate enlarges, the largest gain first.",
    "runs": "The runs of a page side by side: accuracies and mean radii.",
    "class": "Inputs, certificates and radii of each class.",
    "settings": "Every setting of these certificates, and all that the run's folder records.",
    "norm": "What a radius means for each feature, where features have their own share of noise.",
    "radii": "Both runs at round radii: shares, their difference with its band, and the test.",
    "differences": "The settings in which two runs differ.",
}
