"""How often the inputs were drawn, and what a rule that stopped them leaves unknown."""

from simplicert.analysis.study import Study
from simplicert.analysis.tables.grid import Value
from simplicert.runs import KnownRun
from simplicert.stopping import BUDGET
from simplicert.types import Certificates

FIXED = "fixed"  # the rule of a run that stops no input early
# By the word before "=" of a rule: what it did not ask, and so the radii do not answer.
UNASKED = {
    "radius": "it asks only who reaches that radius, so all others, smaller and larger, and the "
    "average are not what more draws would give",
    "rtol": "a radius may lie about that share of it below what more draws would give",
    "decided": "it asks only whether there is a radius, so how large they are, and the average, "
    "is not what more draws would give",
}
OF_ANY_RULE = "radii and the average are not what more draws would give"


def rule_of(study: Study) -> str:
    """The stopping rule that the run was drawn by, as `--until` takes it."""
    plan = study.run.manifest.plan
    return FIXED if plan is None else plan.rule


def number_of_draws(certificates: Certificates) -> str:
    """Draws of an input, or the fewest and the most; a log may not say."""
    draws = certificates.known.draws
    if draws is None or not draws.size:
        return "n not recorded"
    low, high = int(draws.min()), int(draws.max())
    return f"n = {low:,}" if low == high else f"n = {low:,} to {high:,}"


def draws_sentence(certificates: Certificates, rule: str | None = None) -> str:
    """How many draws, and what a stopping rule means for the radii.

    Without `rule` it is known only from each input's own history that one was at work.
    """
    many = number_of_draws(certificates)
    if rule is not None:
        return many if rule == FIXED else f"{many}, {stopped_by(rule)}"
    why = certificates.known.stopped
    early = 0 if why is None else int((~((why == BUDGET) | (why == "unfinished"))).sum())
    if not early:
        return many
    return f"{many}, {early} inputs stopped early by the run's rule: their {OF_ANY_RULE}"


def stopped_by(rule: str) -> str:
    """A rule's name and what it leaves unknown."""
    word = rule.partition("=")[0].strip()
    return f"each stopped by {rule}: {UNASKED.get(word, OF_ANY_RULE)}"


def draws_record(study: Study, certificates: Certificates) -> dict[str, Value]:
    """The same for machines; empty where a log does not say."""
    draws = certificates.known.draws
    unknown = draws is None or not draws.size
    return {
        "draws_min": None if draws is None or unknown else int(draws.min()),
        "draws_max": None if draws is None or unknown else int(draws.max()),
        "until": None if isinstance(study.run, KnownRun) else rule_of(study),
    }
