"""Show one run on the screen: its summary, first rows, draws and status.

`summary_table` gives each mechanism's radii and accuracy, rounded down as everywhere, and
`first_rows_table` the first inputs. `draws_sentence` says how many draws the inputs had and what a
stopping rule leaves unknown. `status_lines` and `describe_scaled_norm` describe a run in words.
"""

from typing import Any

import numpy as np
import pandas as pd

from simplicert.mechanisms.threats import ensemble_members
from simplicert.metrics import averages
from simplicert.metrics.intervals import Rate
from simplicert.metrics.numbers import NONE, format_down, format_share_down, format_up
from simplicert.metrics.radii import choose_radii, radius_sign
from simplicert.metrics.study import Study, columns_to_show, explain_no_comparison
from simplicert.noises import NOISES
from simplicert.noises.certainty import CERTAINTY
from simplicert.noises.words import NORM_WORDS, describe_changes, describe_units
from simplicert.stopping import BUDGET
from simplicert.store import ImportedRun
from simplicert.tables.grid import Grid, Value
from simplicert.tables.plan import format_duration
from simplicert.types import Certificates
from simplicert.types.certificates import format_radius_down

FIXED = "fixed"  # the rule of a run that stops no input early

# The word before "=" of a rule -> what the radii do not say because the rule stopped early.
RULE_CAVEATS = {
    "radius": "it asks only who reaches that radius, so all others, smaller and larger, and the "
    "average are not what more draws would give",
    "rtol": "a radius may lie about that share of it below what more draws would give",
    "atol": "a radius may lie about that much below what more draws would give, and an input "
    "without one may be one whose radius would be about that small",
    "decided": "it asks only whether there is a radius, so how large they are, and the average, "
    "is not what more draws would give",
}

ANY_RULE_CAVEAT = "radii and the average are not what more draws would give"
SUMMARY_RADII = 4  # where certified accuracy is shown, at most
ROWS = 5  # inputs shown by default
MOST_NAMED_FAILURES = 10  # failed inputs listed one by one
MOST_NAMED_SHARES = 6  # shares of the noise scale listed one by one


def summary_table(
    certificates: Certificates,
    rule: str | None = None,
    *,
    disproved: bool = False,
    label_doubt: str = "",
) -> Grid:
    """Summarise each column of radii in one row: how large, how often, how often the largest.

    `rule` is the run's stopping rule, where the caller knows it; `disproved` says whether the audit
    of its log disproved the level; `label_doubt` says why labels and classes may not match.

    >>> import simplicert as sc
    >>> counts = [[990, 8, 2], [900, 80, 20], [40, 35, 25]]
    >>> certificates = sc.certify(sc.bound(sc.Tally(counts, sigma=0.5, labels=[0, 1, 0])))
    >>> table = sc.tables.summary_table(certificates)
    >>> table.headings[:4]
    ('mechanism', 'median', 'mean', '>0')
    >>> table.rows[0][:4]
    ('cohen', '0.5512', '0.5097', '0.666')
    """
    known = certificates.known
    columns, alone = columns_to_show(certificates), explain_no_comparison(certificates)
    together = "ensemble" in columns
    largest = averages.share_largest(certificates) if together else {}
    with_labels = known.labels is not None
    sign, radii = radius_sign(certificates), choose_radii([certificates], SUMMARY_RADII)
    headings = ["mechanism", "median", "mean", f"{sign}0", *["largest"] * (not alone)]
    if with_labels:
        headings += [f"acc{sign}{radius:g}" for radius in radii]
    rows: list[tuple[str, ...]] = []
    for name in columns:
        values = certificates.column(name)
        above = _share_cell(averages.share_above(certificates, 0.0, column=name))
        share = _share_cell(largest[name]) if name in largest else ""
        row = [
            name,
            format_radius_down(float(np.median(values))),
            format_radius_down(float(values.mean())),
        ]
        row += [above, *[share] * (not alone)]
        if with_labels:
            row += [
                _share_cell(averages.certified_accuracy(certificates, radius, column=name))
                for radius in radii
            ]
        rows.append(tuple(row))
    members = ", ".join(ensemble_members(known))
    reached = "for changes of size r" if certificates.closed else "beyond r"
    beyond = f"; acc{sign}r: correct and certified {reached}" if with_labels else ""
    if alone:
        radii_note = f"{alone}{beyond}"
    elif together:
        radii_note = f"ensemble and largest: among {members}{beyond}"
    else:
        radii_note = f"scheme {known.scheme} bounds this radius alone{beyond}"
    notes = [
        f"over all {len(certificates)} inputs; radii "
        f"{describe_units(known.norm, certificates.space)}; all rounded down",
        *(
            [f"certified against {describe_changes(known.norm)}"]
            if known.norm in NORM_WORDS
            else []
        ),
        radii_note,
        level_sentence(certificates, disproved=disproved),
        draws_sentence(certificates, rule),
    ]
    if with_labels and label_doubt:
        notes.insert(0, label_doubt)
    if "lipschitz" in certificates.radii:
        constant = certificates.known.lipschitz
        notes.append(f"lipschitz: by the constant {constant!r} of the scores, which the run states")
    return Grid(repr(certificates), tuple(headings), rows, tuple(notes), name="summary")


def _share_cell(rate: Rate) -> str:
    """Format a claimed share, rounded down."""
    return format_share_down(rate.hits, rate.total)


def level_sentence(certificates: Certificates, *, disproved: bool = False) -> str:
    """Say what is proved about one input's certificate, and by whom."""
    known = certificates.known
    if disproved:
        return (
            f"the log was stated to be at alpha {known.alpha:g}, and its audit disproves that: no "
            "level is proved"
        )
    if certificates.exploratory:
        return "exploratory: alpha covers these settings only if they were fixed before the draws"
    by = " by the log's own account" if known.scheme == "imported" else ""
    if known.certain:
        return f"an input's certificate {CERTAINTY}{by}: all of its draws were made"
    chance = f"{100 * known.level:.13g} %"
    return f"for each input, the chance of a wrong certificate is at most {chance}{by}"


def first_rows_table(certificates: Certificates, rows: int = ROWS) -> Grid:
    """Show one row per input: the class, its radius and the bounds of the two expectations."""
    frame = certificates.to_frame().head(rows)
    lines = [
        (
            str(row["index"]),
            _format_whole_number(row["label"]),
            "abstained" if row["abstained"] else _format_whole_number(row["predicted"]),
            format_radius(certificates, row["radius"]),
            NONE if pd.isna(row["e0"]) else format_down(row["e0"], 4),
            NONE if pd.isna(row["e1"]) else format_up(row["e1"], 4),
            _format_whole_number(row["draws"]),
        )
        for _, row in frame.iterrows()
    ]
    title = f"the first {len(lines)} of {len(certificates)} inputs"
    headings = ("index", "label", "predicted", "radius", "e0", "e1", "draws")
    return Grid(
        title, headings, lines, ("radius and e0 are rounded down, e1 up",), name="first_rows"
    )


def format_radius(certificates: Certificates, radius: float, decimals: int = 4) -> str:
    """Format one certified radius, rounded down; a whole number of something without decimals."""
    whole = NOISES[certificates.known.noise.name].whole
    return format_down(radius, 0 if whole else decimals)


def _format_whole_number(value: Any) -> str:
    """Format a whole number, where there is one."""
    return NONE if pd.isna(value) else f"{int(value)}"


def draws_sentence(certificates: Certificates, rule: str | None = None) -> str:
    """Say how many draws there were, and what a stopping rule means for the radii.

    Without `rule`, only each input's own history tells whether one stopped it early.
    """
    many, why = describe_draw_count(certificates), certificates.known.stopped
    unfinished = 0 if why is None else int((why == "unfinished").sum())
    if rule is not None:
        return many if rule == FIXED else f"{many}, {_describe_stopping_rule(rule, unfinished)}"
    early = 0 if why is None else int((why != BUDGET).sum()) - unfinished
    if not early:
        return many
    return f"{many}, {early} inputs stopped early by the run's rule: their {ANY_RULE_CAVEAT}"


def describe_draw_count(certificates: Certificates) -> str:
    """Say how many draws an input has, or the fewest and the most; a log may not record it."""
    draws = certificates.known.draws
    if draws is None or not draws.size:
        return "n not recorded"
    low, high = int(draws.min()), int(draws.max())
    return f"n = {low:,}" if low == high else f"n = {low:,} to {high:,}"


def _describe_stopping_rule(rule: str, unfinished: int) -> str:
    """Name a rule and say what it leaves unknown; it has not yet stopped unfinished inputs."""
    word = rule.partition("=")[0].strip()
    stopped = f"stopped by {rule}: {RULE_CAVEATS.get(word, ANY_RULE_CAVEAT)}"
    if unfinished:
        return f"{unfinished:,} inputs not finished, whose radii may still grow; others {stopped}"
    return f"each {stopped}"


def stopping_rule(study: Study) -> str:
    """Return the stopping rule that the run was drawn by, as `--until` takes it."""
    plan = study.run.manifest.plan
    return FIXED if plan is None else plan.rule


def draws_record(study: Study, certificates: Certificates) -> dict[str, Value]:
    """Return the draws and the rule for the CSV file; None where a log does not record them."""
    draws = certificates.known.draws
    unknown = draws is None or not draws.size
    return {
        "draws_min": None if draws is None or unknown else int(draws.min()),
        "draws_max": None if draws is None or unknown else int(draws.max()),
        "until": None if isinstance(study.run, ImportedRun) else stopping_rule(study),
    }


def status_lines(name: str, state: dict[str, Any]) -> list[str]:
    """Describe a run's state in words."""
    if "imported" in state:
        return _imported_log_lines(name, state)
    rate = state["draws_per_second"]
    lines = [
        f"{name}: {state['done']} of {state['inputs']} inputs done, {state['draws']:,} draws "
        f"in {state['parts']} part{'s' * (state['parts'] != 1)}",
    ]
    if rate:
        lines.append(
            f"{rate:,.0f} draws a second of drawing, {format_duration(state['seconds'])} spent"
        )
    if words := time_left(state):
        lines.append(words)
    failed = state["failed"]
    for item, error in list(failed.items())[:MOST_NAMED_FAILURES]:
        lines.append(f"input {item} failed: {error}; `simplicert sample` as before tries it again")
    if len(failed) > MOST_NAMED_FAILURES:
        lines.append(f"and {len(failed) - MOST_NAMED_FAILURES} more inputs failed")
    if state["written"] and state["missing"]:
        lines.append(f"the last part was written {state['written']}")
    if not state["missing"]:
        lines.append("complete")
    return lines


def time_left(state: dict[str, Any]) -> str:
    """Say how long the draws that are left will take; "" if there are none or nothing is known."""
    left = state["seconds_left"]
    if not state["missing"] or not left:
        return ""
    word = "about" if state["until"] == "fixed" else f"until {state['until']}: at most"
    at_once = round(max(state["at_once"] or 1.0, 1.0), 1)
    workers = "1 worker" if at_once == 1 else f"{at_once:g} workers"
    return f"{word} {format_duration(left / at_once)} left with {workers}"


def _imported_log_lines(name: str, state: dict[str, Any]) -> list[str]:
    """Describe the state of an imported log in words."""
    held = "bare radii" if state["holds"] == "radii" else state["holds"]
    lines = [
        f"{name}: {state['done']} of {state['inputs']} inputs, {held} imported from "
        f"{state['imported']} ({state['format']}): there is nothing to draw",
    ]
    lines += [f"the stated level is disproved: {text}" for text in state["disproofs"]]
    lines += [f"audit: {text}" for text in state["audit"] if text not in state["disproofs"]]
    return lines + [state["mechanisms"]] * bool(state.get("mechanisms"))


def describe_scaled_norm(scale: np.ndarray) -> str:
    """Say what a radius means where each feature has its own share of the noise."""
    shares, counts = np.unique(scale, return_counts=True)
    named = ", ".join(
        f"{count} {'feature' if count == 1 else 'features'} "
        + (f"/ {share:g}" if share > 0 else "must not change")
        for share, count in list(zip(shares, counts, strict=True))[:MOST_NAMED_SHARES]
    )
    more = (
        f" and {len(shares) - MOST_NAMED_SHARES} more shares"
        if len(shares) > MOST_NAMED_SHARES
        else ""
    )
    return f"radii are in the scaled norm, each change divided by its share: {named}{more}"
