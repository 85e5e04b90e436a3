"""Write the sections of a card that state facts: settings, cost, abstentions, accuracy, checks."""

import re
from typing import NamedTuple

import numpy as np

from simplicert.cards.evidence import ALPHA, BETA, CardEvidence
from simplicert.metrics.intervals import CONFIDENCE, Rate, RateCurve, rate_limits
from simplicert.metrics.numbers import (
    format_exactly,
    format_percent_down,
    format_percent_range,
    format_percent_up,
)
from simplicert.noises import NOISES
from simplicert.noises.certainty import CERTAINTY
from simplicert.noises.words import describe_changes, describe_units, name_noise
from simplicert.store import ImportedRun
from simplicert.tables.attack import attack_table
from simplicert.tables.grid import Grid
from simplicert.tables.plan import format_duration
from simplicert.tables.summary import describe_draw_count

MARKS = {True: "holds", False: "DOES NOT HOLD", None: "not checked"}

UNSOUND = "This does not hold as it is stated, and the warnings say why: do not quote what follows."

# The folders of a path on somebody's machine, which is nobody else's business.
FOLDERS = re.compile(r"(?:(?<=^)|(?<=[:@\s]))(?:[/~][^:@\s]*/|[A-Za-z]:\\[^:@\s]*\\)")


class CardSection(NamedTuple):
    """A heading, what is said below it, and a table."""

    title: str
    sentences: tuple[str, ...] = ()
    table: Grid | None = None


def hide_folders(text: str) -> str:
    """Leave the folders of absolute paths out of a text that will be published.

    >>> hide_folders("cifar10:/home/me/data"), hide_folders("hf:me/model")
    ('cifar10:data', 'hf:me/model')
    """
    return FOLDERS.sub("", text)


def settings_section(evidence: CardEvidence) -> CardSection:
    """List the settings that the certificates belong to."""
    study, manifest = evidence.study, evidence.run.manifest
    certificates = evidence.view.certificates
    rows = [
        ("model", hide_folders(str(manifest.made.get("model", "not recorded")))),
        ("fingerprint of the model", manifest.model_fingerprint or "not recorded"),
        ("data", hide_folders(study.data) or "not recorded"),
        ("inputs", _describe_inputs(evidence)),
        ("noise", name_noise(study.noise, study.sigma)),
        ("norm of the radii", study.measured_in),
    ]
    if certificates is not None:
        known = certificates.known
        level = CERTAINTY if known.certain else f"at most {known.level:.15g}"
        rows += [
            ("alpha", "0: no draw was random" if known.certain else f"{known.alpha:.15g}"),
            ("a certificate is issued and wrong", level),
            ("draws of an input", describe_draw_count(certificates).removeprefix("n = ")),
            ("kind, scheme, method", f"{known.kind}, {known.scheme}, {known.method}"),
        ]
        if certificates.stage:
            rows.append(("before the noise", str(certificates.stage)))
        if known.grid is not None:
            rows.append(("noisy inputs rounded to", format_exactly(known.grid)))
    rows.append(("run", f"{manifest.id}, written by simplicert {manifest.package}"))
    return CardSection("Settings", table=Grid("Settings", ("setting", "value"), rows))


def _describe_inputs(evidence: CardEvidence) -> str:
    """Say how many inputs there are, and which, where the run says so."""
    total, manifest = len(evidence.view.frame), evidence.run.manifest
    index = manifest.index
    if not index or index[0] < 0:
        return f"{total}"
    first, step, _ = index[:3]
    every = "each" if step == 1 else f"every {step}th"
    return f"{total}: from number {first} on, {every}"


def accuracy_section(evidence: CardEvidence) -> CardSection:
    """State certified accuracy with its interval, and what predict is bound to answer."""
    curve = evidence.accuracy
    if curve is None:
        certified = int((~evidence.view.abstained).sum())
        text = f"{certified} of {len(evidence.view.frame)} inputs have a certificate."
        return CardSection("Certified accuracy", (text, "No labels: nothing is said of accuracy."))
    sign = ">=" if evidence.view.closed else ">"
    share = f"answered by {evidence.draws:,} draws, %"
    headings = ["r", "certified accuracy, %", f"{100 * CONFIDENCE:g} % interval", "inputs"]
    rows = [list(cells) for cells in _accuracy_rows(evidence, curve)]
    sentences = [
        f"Certified accuracy at r: the share of all {curve.total} inputs that are certified as "
        f"their label with radius {sign} r, {describe_units(evidence.study.measured_in)}; rounded "
        "down. The interval is about the choice of inputs; alpha is not in it.",
    ]
    if not evidence.believable:
        sentences.insert(0, UNSOUND)
    if evidence.answered is not None:
        headings.append(share)
        for cells, count in zip(rows, evidence.answered, strict=True):
            cells.append(format_percent_down(_rate(count, curve.total)))
        sentences.append(
            f"Answered: the share for which predict with {evidence.draws:,} draws and alpha "
            f"{ALPHA:g} returns the label, and does not abstain, with probability at least "
            f"{1 - BETA:g} wherever an attacker moves the input within r; where certificates hold."
        )
    table = Grid("Certified accuracy", tuple(headings), [tuple(cells) for cells in rows], keys=1)
    return CardSection("Certified accuracy", tuple(sentences), table)


def _accuracy_rows(evidence: CardEvidence, curve: RateCurve) -> list[tuple[str, ...]]:
    """Return radius, accuracy, interval and counts."""
    return [
        (
            format_exactly(radius),
            format_percent_down(_rate(int(hits), curve.total)),
            format_percent_range(float(low), float(high)),
            f"{hits} of {curve.total}",
        )
        for radius, hits, low, high in zip(
            evidence.radii, curve.hits, curve.low, curve.high, strict=True
        )
    ]


def _rate(hits: int, total: int) -> Rate:
    """Return a share with its interval."""
    low, high = rate_limits(np.array(hits), total, CONFIDENCE)
    return Rate(hits / total, float(low), float(high), hits, total)


def cost_section(evidence: CardEvidence) -> CardSection:
    """Say what a decision costs: draws, and seconds where they were measured."""
    certificates, run = evidence.view.certificates, evidence.run
    draws = None if certificates is None else certificates.known.draws
    if draws is None:
        return CardSection("Cost of a decision", ("The log does not record draws.",))
    mean = float(draws.mean())
    said = [f"A certificate took {mean:,.0f} forward passes of the model in the mean."]
    if certificates is not None and certificates.known.certain:
        said.append("A decision takes as many: all draws are made, and none is random.")
    seconds = _measured_seconds(evidence)
    if seconds:
        each = seconds / len(draws)
        where = run.manifest.source.get("device")
        on = f", on device {where}" if where and not isinstance(run, ImportedRun) else ""
        said.append(
            f"Measured{on}: {format_duration(each)} an input in the mean (inputs share batches: "
            "one alone may take longer)."
        )
        if certificates is not None and not certificates.known.certain:
            answer = format_duration(each * evidence.draws / mean)
            said.append(f"At that rate a decision by {evidence.draws:,} draws takes {answer}.")
    else:
        said.append("Seconds were not measured.")
    return CardSection("Cost of a decision", tuple(said))


def _measured_seconds(evidence: CardEvidence) -> float:
    """Return the seconds that the run or the log records; 0 if it does not."""
    run = evidence.run
    if isinstance(run, ImportedRun):
        held = run.columns.get("seconds")
        return 0.0 if held is None else float(np.nansum(np.asarray(held, dtype=float)))
    return float(run.seconds)


def abstention_section(evidence: CardEvidence) -> CardSection:
    """State abstentions on the inputs as they are, and what is known of attacked ones."""
    view, rows = evidence.view, evidence.attack
    rate = _rate(int(view.abstained.sum()), len(view.frame))
    said = [
        f"Clean inputs: no certificate for {rate.hits} of {rate.total} "
        f"({format_percent_up(rate)} %, {100 * CONFIDENCE:g} % interval "
        f"{format_percent_range(rate.low, rate.high)} %)."
    ]
    if not rows:
        said.append("Attacked inputs: no attack on these certificates was made.")
    else:
        broken = sum(row.broken for row in rows)
        found = sum(row.found is not None for row in rows)
        said.append(
            f"Attacked inputs: inside the certified radii of {len(rows)} attacked inputs another "
            f"class was confirmed for {broken}, outside them for {found - broken}."
        )
        said.append(
            "An attack confirms other classes; how often the classifier abstains at attacked "
            "points is not in its file."
        )
    if evidence.answered is not None:
        said.append(
            "What is proved of abstentions under attack is the column of answers in the table of "
            "accuracies: it holds for every attack within r."
        )
    return CardSection(
        "Abstentions, clean and attacked",
        tuple(said),
        attack_table(rows) if rows else None,
    )


def population_section(evidence: CardEvidence) -> CardSection:
    """State what holds for inputs that were not tested, and under which assumption."""
    said = []
    if evidence.population is not None and evidence.believable:
        said += [item.sentence for item in evidence.population.shares]
        said += list(evidence.population.remarks)
    if evidence.statement is not None and evidence.believable:
        chosen = "half the scale of the noise, fixed before the draws"
        if NOISES[evidence.study.noise.name].scale is None:
            chosen = "one change, fixed before the draws"
        if evidence.asked:
            chosen = "it was asked for, and must not have been chosen by the results"
        said.append(evidence.statement.sentence)
        said.append(
            f"The radius {format_exactly(evidence.radius)}: {chosen}. The sentence holds for "
            "inputs that are drawn as the tested ones were, independently."
        )
    if not said:
        said.append("Nothing is said of inputs that were not tested.")
    return CardSection("Inputs that were not tested", tuple(said))


def verification_section(evidence: CardEvidence) -> CardSection:
    """List what was checked when the card was made, and what was not."""
    rows = [
        (check.about, MARKS[check.holds], _local_text(check.says, evidence))
        for check in evidence.checks
    ]
    held = sum(check.holds is True for check in evidence.checks)
    again = "simplicert verify RUN --replay 20 does it"
    if isinstance(evidence.run, ImportedRun):
        again = "a log cannot be"
    said = [
        f"Checks of simplicert verify that hold: {held}; that do not: {len(evidence.failed)}; "
        f"that could not be made: {len(rows) - held - len(evidence.failed)}.",
        *(
            []
            if evidence.view.certificates is None
            else ["Every number on this card was computed anew from the tallies, or from the log."]
        ),
        f"Not checked: no input was drawn again ({again}), nothing is known of how the model was "
        "trained, of the truth of the labels, or of whether the model that is served is the one "
        "that was drawn from.",
    ]
    table = Grid("Checks", ("about", "result", "in words"), rows)
    return CardSection("Verification", tuple(said), table)


def _local_text(text: str, evidence: CardEvidence) -> str:
    """Leave the folder of the run out of a sentence."""
    folder = evidence.run.folder
    for parent in (folder.parent, folder.resolve().parent):
        if len(parent.parts) > 1:
            text = text.replace(f"{parent}/", "")
    return hide_folders(text)


def scope_sections(evidence: CardEvidence) -> tuple[CardSection, CardSection]:
    """Say what is certified, and what is not."""
    view, study = evidence.view, evidence.study
    certificates = view.certificates
    noise = name_noise(study.noise, study.sigma)
    space = "the input" if certificates is None else certificates.space
    total, certified = len(view.frame), int((~view.abstained).sum())
    yes = [
        f"The smoothed classifier: the answer that the model gives most often under {noise}.",
        f"Changes: {describe_changes(study.measured_in, space)}, below the radius of each input.",
        f"{certified} of {total} inputs have a certificate, each for its own class and radius.",
    ]
    if not evidence.believable:
        yes.insert(0, UNSOUND)
    if certificates is not None and certificates.known.kind == "softmax":
        yes[-3] = f"The smoothed classifier: the class with the largest mean score under {noise}."
    if certificates is None:
        yes.append("Radii are those that the log printed, at the word of the tool that wrote it.")
    no = [
        "The model itself, without the noise.",
        "Changes of another kind or in another norm, and changes as large as the radius or larger.",
        "Other inputs than the tested ones, one by one; below is what holds for a share of them.",
        "That an input is clean: whatever is put in, altered or not, gets a certificate for the "
        "class that it shows.",
    ]
    if view.closed:
        no[1] = "Changes of another kind or in another norm, and changes larger than the radius."
    if view.labels is not None:
        wrong = certified - int(view.correct.sum())
        no.insert(1, f"That the class is right: {wrong} inputs are certified as a wrong class.")
    else:
        no.insert(1, "That the class is right: there are no labels to compare it with.")
    if certificates is None or not certificates.known.certain:
        no.append(
            "An answer by few draws: the certificate is about endless draws, and predict "
            "abstains where its own do not decide, more often near the edge of the radius."
        )
    return CardSection("What is certified", tuple(yes)), CardSection(
        "What is not certified", tuple(no)
    )
