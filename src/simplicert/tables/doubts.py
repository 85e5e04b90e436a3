"""Say what is doubtful in runs: one line for each kind of doubt, however many runs have it.

A log that is merely rounded, or says nothing of its draws, is no cause for doubt: such remarks are
counted apart from what may make a number wrong.
"""

from collections.abc import Sequence

from simplicert.errors import SimplicertError
from simplicert.logs.audit import read_findings
from simplicert.logs.row_checks import CODE_WORDS, REMARK_CODES
from simplicert.metrics.shared import name_runs
from simplicert.metrics.study import Study
from simplicert.noises import say_noise


def doubt_notes(studies: Sequence[Study]) -> list[str]:
    """Return the notes: runs that lack inputs, labels that may not fit, disproofs, audits."""
    return [
        *_lacking_notes(studies),
        *_label_notes(studies),
        *_disproof_notes(studies),
        *_audit_notes(studies),
    ]


def uneven_notes(studies: Sequence[Study]) -> list[str]:
    """Say where draws or alpha differ between runs: either alone makes radii larger."""
    known = []
    for study in studies:
        try:
            known.append(study.certificates().known)
        except SimplicertError:  # bare radii, of which nothing is known
            continue
    draws = [item.draws for item in known if item.draws is not None and item.draws.size]
    most = sorted({int(one.max()) for one in draws})
    levels = sorted({item.alpha for item in known if not item.certain})
    notes = []
    if len(most) > 1:
        notes.append(
            f"draws differ between the runs, up to {most[0]:,} or {most[-1]:,} an input: more "
            "draws alone give larger radii"
        )
    if len(levels) > 1:
        named = ", ".join(f"{level:g}" for level in levels)
        notes.append(f"alpha differs between the runs ({named}): a larger one gives larger radii")
    return notes


def label_run(study: Study) -> str:
    """Return a run's name and sigma or noise, as runs of one method share the name."""
    noise = say_noise(study.noise, study.sigma)
    return study.name if study.name.endswith(noise) else f"{study.name} ({noise})"


def _lacking_notes(studies: Sequence[Study]) -> list[str]:
    """Say which runs are incomplete, and what they lack."""
    lacking = [f"{label_run(study)}: {study.lacking}" for study in studies if study.lacking]
    return [f"incomplete: {name_runs(lacking, '; ')}"] if lacking else []


def _label_notes(studies: Sequence[Study]) -> list[str]:
    """Say why labels and classes may not match, each reason once."""
    reasons: dict[str, list[str]] = {}
    for study in studies:
        if study.label_doubt:
            reasons.setdefault(study.label_doubt, []).append(label_run(study))
    return [f"{name_runs(names)}: {reason}" for reason, names in reasons.items()]


def _disproof_notes(studies: Sequence[Study]) -> list[str]:
    """Say whose stated level cannot be true, and why; of several runs, why the first one's."""
    wrong = [(label_run(study), text) for study in studies for text in study.disproofs]
    if not wrong:
        return []
    names = list(dict.fromkeys(name for name, _ in wrong))
    if len(names) == 1:
        return [f"{names[0]}: the stated level is disproved: {text}" for _, text in wrong]
    name, text = wrong[0]
    return [
        f"{name_runs(names)}: the stated level is disproved: of {name}, {text}; "
        "`simplicert status` says why of each"
    ]


def _audit_notes(studies: Sequence[Study]) -> list[str]:
    """Say what the audit of imported logs found: each kind of doubt once, then the remarks."""
    doubts: dict[str, list[str]] = {}
    remarked: dict[str, list[str]] = {}
    for study in studies:
        for finding in read_findings(study.run):
            if finding.disproves:
                continue  # said already
            kinds = remarked if finding.code in REMARK_CODES else doubts
            words = CODE_WORDS.get(finding.code, finding.sentence)
            kinds.setdefault(words, []).append(label_run(study))
    notes = [
        f"doubt, by the audit of the log: {words}: {name_runs(dict.fromkeys(names))}"
        for words, names in doubts.items()
    ]
    if remarked:
        logs = len({name for names in remarked.values() for name in names})
        whose = "an imported log has" if logs == 1 else f"{logs} imported logs have"
        notes.append(f"{whose} the usual remarks: {', '.join(remarked)}")
    return notes
