"""examples/text_edits.py: real texts under deletion noise, for text.md."""

from typing import Any

from measured import format_table, percent_down, percent_up, round_up

Result = dict[str, Any]
NORMS = ("edits", "insertions", "deletions")


def tabulate_texts(text: Result) -> str:
    """Certified accuracy by rate and norm."""
    steps = list(text["rates"][0]["edits"])
    rows = [
        [f"{row['rate']:g}", norm, *(percent_down(row[norm][step]) for step in steps)]
        for row in text["rates"]
        for norm in NORMS
    ]
    return format_table(["rate", "changes", *steps], rows)


def describe_texts(text: Result) -> str:
    """How many texts, how long, what they cost."""
    names = ", ".join(f"{name} {version}" for name, version in text["versions"].items())
    plain = " and ".join(percent_down(row["plain"]) for row in text["rates"])
    none = " and ".join(percent_up(row["abstained"]) for row in text["rates"])
    rates = " and ".join(f"{row['rate']:g}" for row in text["rates"])
    seconds = round_up(sum(row["seconds"] for row in text["rates"]))
    return (
        f"{text['texts']} docstrings ({names}) with a median of {text['words']:.0f} words, "
        f"{text['draws']:,} draws each, alpha .001, {seconds} s of one core for training and draws "
        f"at both rates. At rates {rates} the models are right on {plain} of the whole texts, and "
        f"the smoothed ones abstain on {none}. Right, and certified against so many changed tokens:"
    )
