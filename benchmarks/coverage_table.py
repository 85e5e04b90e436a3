"""The tables of the coverage harness, as text: what it prints, and what docs/coverage.md shows."""


def of_alpha(found, alpha):
    """A rate and its interval as multiples of alpha."""
    rate, low, high = (found[name] / alpha for name in ("rate", "low", "high"))
    return f"{rate:.2f} ({low:.2f} to {high:.2f})"


def lines(cells):
    """Rows of cells as a Markdown table, the first its heading."""
    rows = [f"| {' | '.join(row)} |" for row in cells]
    return [rows[0], "|" + "---|" * len(cells[0]), *rows[1:]]


def by_way(rows):
    """One line for each way and mode: for each alpha the point at which its rate was the largest.

    Largest against the level stated, which for "paper" and for a run that was extended without a
    reserve is more than alpha. All rules that stop are one mode.
    """
    groups = {}
    for row in rows:
        mode = "until a rule" if row["mode"].startswith("until ") else row["mode"]
        groups.setdefault((row["kind"], row["scheme"], row["method"], mode), []).append(row)
    alphas = sorted({row["alpha"] for row in rows}, reverse=True)
    head = ["kind", "scheme", "method", "mode", "level / alpha", "rates"]
    for alpha in alphas:
        head += [f"worst at alpha {alpha:g}", "K", "n", "repeats", "rate / alpha"]
    out = [head]
    for (kind, scheme, method, mode), mine in groups.items():
        worst = [worst_at(mine, alpha) for alpha in alphas]
        levels = sorted({f"{row['level'] / row['alpha']:.2f}" for row in worst})
        cells = [kind, f"`{scheme}`", method, mode, " and ".join(levels), f"{len(mine)}"]
        for row in worst:
            where = [row["point"], f"{row['classes']:,}", f"{row['draws']}"]
            cells += [*where, f"{row['wrong']['of']:,}", of_alpha(row["wrong"], row["alpha"])]
        out.append(cells)
    return lines(out)


def worst_at(rows, alpha):
    """The row of this alpha with the largest rate for its level."""
    mine = [row for row in rows if row["alpha"] == alpha]
    return max(mine, key=lambda row: row["wrong"]["rate"] / row["level"])


def by_case(rows):
    """One line for each rate."""
    out = [
        ["kind", "scheme", "mode", "classifier", "K", "repeats", "rate / alpha", "level / alpha"]
    ]
    for row in rows:
        alpha, wrong = row["alpha"], row["wrong"]
        settings = [row["kind"], f"`{row['scheme']}`", row["mode"], row["point"]]
        rate = [f"{wrong['of']:,}", of_alpha(wrong, alpha), f"{row['level'] / alpha:.2f}"]
        out.append([*settings, f"{row['classes']:,}", *rate])
    return lines(out)


def of_controls(rows):
    """What must be caught, and was."""
    out = [["on purpose wrong", "point", "alpha", "repeats", "rate / alpha"]]
    for row in rows:
        alpha, wrong = row["alpha"], row["wrong"]
        repeats = f"{wrong['of']:,}"
        out.append([row["control"], row["point"], f"{alpha:g}", repeats, of_alpha(wrong, alpha)])
    return lines(out)


def of_low_bits(rows):
    """The classifier that reads the last bits, by mode."""
    out = [["mode", "class at 0", "radius", "class at 1/32", "radius", "distance", "contradiction"]]
    for row in rows:
        one, other = (
            [f"{k}", f"{r:.3f}"] for k, r in zip(row["predicted"], row["radii"], strict=True)
        )
        said = "yes" if row["contradiction"] else "no"
        out.append([row["mode"], *one, *other, f"{row['distance']:.3f}", said])
    return lines(out)


def tables(result):
    """All tables, by the name of the part."""
    return {
        "fixed": by_way(result["fixed"]),
        "looked": by_way(result["looked"]),
        "runs": by_case(result["runs"]),
        "controls": of_controls(result["controls"]),
        "low_bits": of_low_bits(result["low_bits"]),
    }


def above(result):
    """Rates whose whole interval lies above the level stated: there must be none."""
    rows = result["fixed"] + result["looked"] + result["runs"]
    return [row for row in rows if row["wrong"]["low"] > row["level"]]


def failures(result):
    """What must not be, in words."""
    words = [f"above its level: {row}" for row in above(result)]
    words += [
        f"not caught: {row['control']}"
        for row in result["controls"]
        if row["wrong"]["low"] <= row["alpha"]
    ]
    seen = {row["mode"]: row["contradiction"] for row in result["low_bits"]}
    if seen != {"default": True, "grid": False}:
        words.append(f"low bits: {seen}")
    return words
