"""Write the sentences that may be quoted, and those that must not be, each with its reason."""

from simplicert.cards.evidence import ALPHA, BETA, CardEvidence
from simplicert.cards.facts import CardSection
from simplicert.metrics.intervals import Rate
from simplicert.metrics.numbers import format_exactly, format_percent_down
from simplicert.noises.words import describe_reach, name_noise
from simplicert.tables.grid import Grid
from simplicert.tables.summary import level_sentence

NOTHING = (
    "Nothing: the certificates of this run do not hold as they are stated, and the warnings above "
    "say why."
)


def sentences_to_say(evidence: CardEvidence) -> CardSection:
    """List the sentences that this run supports, whole, with what belongs to each number."""
    title = "Sentences to say"
    if not evidence.believable:
        return CardSection(title, (NOTHING,))
    said = []
    if evidence.population is not None:
        said += [item.sentence for item in evidence.population.shares]
    if evidence.statement is not None:
        said.append(evidence.statement.sentence)
    certificates = evidence.view.certificates
    if certificates is not None:
        level = level_sentence(certificates)
        said.append(f"{level[0].upper()}{level[1:]}.")
    if evidence.accuracy is not None:
        said.append(_accuracy_sentence(evidence))
        said += _decision_sentences(evidence)
    if certificates is None:
        said.append("These radii are those of the log, and were not recomputed.")
    return CardSection(title, tuple(said))


def _accuracy_sentence(evidence: CardEvidence) -> str:
    """Say certified accuracy at the radius of the statement, with all that belongs to it."""
    curve = evidence.accuracy
    assert curve is not None
    place = evidence.radii.index(evidence.radius)
    where = describe_reach(
        evidence.study.measured_in,
        format_exactly(evidence.radius),
        closed=evidence.view.closed,
    )
    noise = name_noise(evidence.study.noise, evidence.study.sigma)
    return (
        f"{curve.hits[place]} of {curve.total} tested inputs are certified as their label {where} "
        f"(the classifier smoothed by {noise})."
    )


def _decision_sentences(evidence: CardEvidence) -> list[str]:
    """Say what a served decision does under attack."""
    curve, answered = evidence.accuracy, evidence.answered
    if answered is None or curve is None:
        return []
    place = evidence.radii.index(evidence.radius)
    where = describe_reach(
        evidence.study.measured_in,
        format_exactly(evidence.radius),
        closed=evidence.view.closed,
    )
    return [
        f"For {answered[place]} of {curve.total} tested inputs a decision by {evidence.draws:,} "
        f"draws (alpha {ALPHA:g}) is their label, without abstaining, with probability at least "
        f"{1 - BETA:g} {where}."
    ]


def sentences_not_to_say(evidence: CardEvidence) -> CardSection:
    """List what is often said and is not true, with the reason."""
    view, total = evidence.view, len(evidence.view.frame)
    rows = [
        (
            "The model is robust, secure or certified.",
            "A certificate belongs to a smoothed classifier, an input, a radius and an alpha.",
        ),
        (
            "No adversarial examples exist.",
            "Changes beyond the radius, of another kind or in another norm are not covered.",
        ),
        (
            "A certified input was not attacked.",
            "An altered input gets a certificate too: it does not tell attacked from clean.",
        ),
        (
            "The deployed network has these radii.",
            "They are those of the smoothed classifier; what is served draws few times and may "
            "abstain.",
        ),
    ]
    if evidence.accuracy is not None:
        place, curve = evidence.radii.index(evidence.radius), evidence.accuracy
        hits = int(curve.hits[place])
        percent = format_percent_down(Rate(hits / total, 0.0, 1.0, hits, total))
        wrong = int((~view.abstained).sum()) - int(view.correct.sum())
        rows.insert(
            1,
            (
                f"{percent} % robust.",
                f"It is a share of {total} tested inputs, at one radius, with an interval.",
            ),
        )
        rows.append(
            (
                "A certified decision is a right one.",
                f"{wrong} of these inputs are certified as another class than their label.",
            )
        )
    table = Grid("Sentences not to say", ("do not say", "because"), rows)
    return CardSection("Sentences not to say", table=table)
