"""What is wrong or doubtful in a log: findings, each one sentence, none of them an error.

To add one: write a function from a log to a finding or None, and add it to a table below.
"""

from collections.abc import Iterator

import numpy as np

from simplicert.runs.folder import Run
from simplicert.runs.known import KnownRun
from simplicert.runs.logs import radius_checks, row_checks
from simplicert.runs.logs.finding import DISPROVING, Finding, number_of
from simplicert.runs.logs.log import Log, Stated
from simplicert.types import Bools

# Checks of a log by itself.
ROWS = (
    row_checks.left_out,
    row_checks.repeated,
    row_checks.missing,
    row_checks.short,
    row_checks.correct,
    row_checks.negative,
    row_checks.skipped,
    row_checks.rounding,
)
# Checks that need sigma, alpha and the draws.
RADII = (
    radius_checks.above_cap,
    radius_checks.sigma,
    radius_checks.bound,
)


def audit(log: Log, stated: Stated | None) -> list[Finding]:
    """All findings; `stated` is None for bare radii, of which nothing is computed."""
    found = [Finding("note", note) for note in log.notes]
    found += [finding for check in ROWS if (finding := check(log))]
    if stated is not None:
        found += [finding for check in RADII if (finding := check(log, stated))]
    return found


# How the sentences of runs imported before their codes were kept tell the findings that disprove.
OLD_SENTENCES = {
    "above_cap": ", rounding allowed for: no certificate of ",
    "sigma": "radius and bound do not fit sigma ",
}
EXACT = 1e-9  # share of log alpha that rounding may explain


def findings_of(run: KnownRun) -> list[Finding]:
    """The findings that a run keeps, each with its code."""
    sentences, codes = run.audit, list(run.manifest.source.get("audit_codes", ()))
    if len(codes) != len(sentences):
        codes = [_code_of(sentence) for sentence in sentences]
    return [Finding(str(code), text) for code, text in zip(codes, sentences, strict=True)]


def disproofs(run: Run | KnownRun) -> tuple[str, ...]:
    """Why the settings stated with an imported log cannot be true; none where nothing says so.

    What run.toml says is not taken on trust: the bounds are held against the cap once more.
    """
    if not isinstance(run, KnownRun):
        return ()
    known = [finding for finding in findings_of(run) if finding.disproves]
    if not any(finding.code == "above_cap" for finding in known):
        known += _above_cap_anew(run)
    return tuple(finding.sentence for finding in known)


def _code_of(sentence: str) -> str:
    """The code of a sentence that was kept without one; "remark" where it disproves nothing."""
    told = (code for code in DISPROVING if OLD_SENTENCES[code] in sentence)
    return next(told, "remark")


def _above_cap_anew(run: KnownRun) -> Iterator[Finding]:
    """Bounds E0 that the draws cannot give at alpha, though nothing in run.toml says so."""
    if run.holds != "expectations" or "draws" not in run.columns:
        return
    alpha, e0 = run.manifest.alpha, np.asarray(run.columns["e0"], dtype=float)
    draws = np.asarray(run.columns["draws"])
    with np.errstate(divide="ignore", invalid="ignore"):  # NaN, a row without a class, is not above
        above: Bools = draws * np.log(e0) > (1 - EXACT) * np.log(alpha)
    if above.any():
        row = int(np.where(above, e0, -np.inf).argmax())
        yield Finding(
            "above_cap",
            f"E0 is {e0[row]:.8f} at index {run.columns['index'][row]} and above the cap in "
            f"{number_of(above)}: {draws[row]} draws at alpha {alpha:g} prove no E0 above "
            f"{alpha ** (1 / draws[row]):.8f}, even if all of them agree",
        )
