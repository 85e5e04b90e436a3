"""docs/reading.md: the example certificate, in a sentence and as a row of certificates.csv."""

from measured import format_table, round_down, round_up

# What a reader needs first; the other columns are settings, and explained on the page.
COLUMNS = ("top", "predicted", "abstained", "radius", "e0", "e1", "cohen", "two_sided", "winner")


def state_example() -> str:
    """The sentence that the row stands for."""
    from make_pictures import ALPHA, COUNTS, SIGMA, example_certificate

    found = example_certificate()
    radius = round_down(float(found.radius[0]), 4)
    return (
        f"> {sum(COUNTS):,} noisy copies of this input, at sigma {SIGMA}, gave its first class "
        f"{COUNTS[0]} times and its second {COUNTS[1]} times. So the smoothed classifier returns "
        f"the first class here and everywhere within l2 distance {radius}. The chance that such "
        f"a certificate is issued and wrong is at most {ALPHA}."
    )


def tabulate_example() -> str:
    """The row of the table of certificates."""
    from make_pictures import example_certificate

    row = example_certificate().to_frame().iloc[0]
    cells = [_write_cell(name, row[name]) for name in COLUMNS]
    return format_table(COLUMNS, [cells])


def _write_cell(name: str, value: object) -> str:
    """A number on the side that claims less; words as they are."""
    if isinstance(value, float):
        return round_up(value, 4) if name == "e1" else round_down(value, 4)
    return str(value)
