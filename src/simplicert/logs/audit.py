"""Audit a log: list what is wrong or doubtful in it, one sentence per finding.

No finding is an error. `audit_log` runs all checks; `find_disproofs` says why the settings stated
with an imported log cannot be true. The checks of the radii against the stated sigma, alpha and
number of draws are here; those that need only the log are in `row_checks`.
To add a check, write a function from a log to a finding or None, and add it to a table at the end.
"""

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtr, ndtri

from simplicert.bounds import binomial
from simplicert.logs import row_checks
from simplicert.logs.log import Log, StatedSettings
from simplicert.logs.row_checks import DISPROVING_CODES, AuditFinding, count_in_words, make_finding
from simplicert.logs.table import printed_intervals
from simplicert.store.imported import ImportedRun
from simplicert.store.run import Run
from simplicert.types import Bools, Floats, Ints

# Common settings, tried where the stated ones do not fit.
DRAWS = (100, 1_000, 10_000, 50_000, 100_000, 500_000, 1_000_000)
ALPHAS = (0.0001, 0.001, 0.005, 0.01, 0.05, 0.1)
SATURATED = 3  # rows that share the largest radius before it is taken for the cap
LEGIBLE_DRAWS = 10**12  # more draws than anyone makes: their exact number is of no use
EXACT = 1e-9  # rounding in the tool's own arithmetic, which its printed digits do not show
ALPHA_SLACK = 1e-3  # our limits are computed at a slightly smaller alpha than theirs
LEVEL_ROUNDING = 1e-9  # share of log alpha that rounding may explain

# Runs imported before codes were kept hold sentences alone: these words mark those that disprove.
OLD_SENTENCES = {
    "above_cap": ", rounding allowed for: no certificate of ",
    "sigma": "radius and bound do not fit sigma ",
}


def audit_log(log: Log, stated: StatedSettings | None) -> list[AuditFinding]:
    """Run all checks; `stated` is None for bare radii, from which nothing is computed."""
    findings = [AuditFinding("note", note) for note in log.notes]
    findings += [finding for check in ROW_CHECKS if (finding := check(log))]
    if stated is not None:
        findings += [finding for check in RADIUS_CHECKS if (finding := check(log, stated))]
    return findings


def find_disproofs(run: Run | ImportedRun) -> tuple[str, ...]:
    """Say why the settings stated with an imported log cannot be true; empty if they may be.

    run.toml is not taken on trust: the bounds are compared with the cap once more.
    """
    if not isinstance(run, ImportedRun):
        return ()
    disproofs = [finding for finding in read_findings(run) if finding.disproves]
    if not any(finding.code == "above_cap" for finding in disproofs):
        disproofs += _recheck_radius_cap(run)
    return tuple(finding.sentence for finding in disproofs)


def read_findings(run: Run | ImportedRun) -> list[AuditFinding]:
    """Read the findings that an imported run keeps, each with its code."""
    sentences, codes = run.audit, list(run.manifest.source.get("audit_codes", ()))
    if len(codes) != len(sentences):
        codes = [_infer_finding_code(sentence) for sentence in sentences]
    return [AuditFinding(str(code), text) for code, text in zip(codes, sentences, strict=True)]


def radius_cap(draws: Ints, alpha: float) -> Floats:
    """Return Phi^-1(alpha^(1/n)), the largest radius of n agreeing draws at sigma 1; 0 if n = 0."""
    positive = np.maximum(draws, 1)
    return np.where(draws > 0, np.maximum(-ndtri(-np.expm1(np.log(alpha) / positive)), 0.0), 0.0)


def infer_settings(log: Log, sigma: float) -> tuple[tuple[int, float], ...]:
    """Return the usual (draws, alpha) whose largest possible radius is the largest of the log.

    Only where several rows share it: then their draws all agreed, and it is the cap of the log.
    """
    if not log.cohen or not log.live.any():
        return ()
    value = np.where(log.live, log.radius.value, -np.inf)
    row = int(value.argmax())
    if (value == value[row]).sum() < SATURATED:
        return ()
    return _fitting_settings(log, row, sigma)


def _fitting_settings(log: Log, row: int, sigma: float) -> tuple[tuple[int, float], ...]:
    """Return the usual (draws, alpha) whose cap prints as a row's radius."""
    low, high = (end[row] / sigma for end in (log.radius.lower, log.radius.upper))
    usual = ((n, a) for a in ALPHAS for n in DRAWS)
    return tuple((n, a) for n, a in usual if low <= radius_cap(np.array(n), a) <= high)


def _check_radius_cap(log: Log, stated: StatedSettings) -> AuditFinding | None:
    """Find radii that n draws cannot certify at alpha even if all of them agree."""
    if not log.cohen or not log.live.any():
        return None
    lower = np.where(log.live, log.radius.lower, -np.inf) / stated.sigma
    if log.draws is None and stated.draws is None:
        sentence = "draws are not stated, so radii cannot be checked against the largest possible"
        return AuditFinding(
            "draws_unknown",
            f"{sentence}; {_describe_fitting_settings(log, int(lower.argmax()), stated)}",
        )
    draws = log.draws if log.draws is not None else np.full(len(log), stated.draws)
    above = lower > radius_cap(draws, stated.alpha)
    if not above.any():
        return None
    row = int(np.where(above, lower, -np.inf).argmax())
    limit = stated.sigma * radius_cap(draws, stated.alpha)[row]
    sentence = (
        f"the radius is above {limit:.4g} in {count_in_words(above)}, rounding allowed for: no "
        f"certificate of {draws[row]} draws at alpha {stated.alpha:g} and sigma {stated.sigma:g} "
        f"is larger; {_describe_fitting_settings(log, row, stated)}"
    )
    return make_finding(above, "above_cap", sentence)


def _check_sigma(log: Log, stated: StatedSettings) -> AuditFinding | None:
    """Find radii that are not sigma * Phi^-1 of the bound printed beside them."""
    if log.bound_text is None or not log.cohen:
        return None
    bounds, radius = printed_intervals(log.bound_text), log.radius
    low, high = (ndtr(end / stated.sigma) for end in (radius.lower, radius.upper))
    apart = log.live & ((bounds.lower > high + EXACT) | (bounds.upper < low - EXACT))
    if not apart.any():
        return None
    row = int(np.where(apart, radius.value, -np.inf).argmax())
    with np.errstate(divide="ignore"):
        fits = radius.value[row] / ndtri(bounds.value[row])
    sentence = f"radius and bound do not fit sigma {stated.sigma:g} in {count_in_words(apart)}"
    return make_finding(
        apart, "sigma", f"{sentence}; at index {log.index[row]} sigma {fits:.3g} does"
    )


def _check_printed_bounds(log: Log, stated: StatedSettings) -> AuditFinding | None:
    """Find bounds above the Clopper-Pearson bound of the count beside them."""
    if log.count is None or log.bound_text is None or stated.draws is None:
        return None
    tail = np.full(len(log), min(stated.alpha * (1 + ALPHA_SLACK), 1.0))
    ours, _ = binomial.clopper_pearson_lower(log.count, np.full(len(log), stated.draws), tail)
    above = printed_intervals(log.bound_text).lower > ours
    if not above.any():
        return None
    sentence = (
        f"the bound is above that of the count in {count_in_words(above)}, at "
        f"{stated.draws} draws and "
        f"alpha {stated.alpha:g}: the log had fewer draws or a larger alpha"
    )
    return make_finding(above, "bound", sentence)


def _describe_fitting_settings(log: Log, row: int, stated: StatedSettings) -> str:
    """Say which settings allow a row's radius: common ones with that cap, and the fewest draws."""
    low, usual = log.radius.lower[row] / stated.sigma, _fitting_settings(log, row, stated.sigma)
    text = f"the radius {log.radius_text[row]} at index {log.index[row]}"
    tail = float(ndtr(-low))
    fewest = np.ceil(np.log(stated.alpha) / np.log1p(-tail)) if tail > 0 else np.inf
    least = f"at least {fewest:.0f}" if fewest <= LEGIBLE_DRAWS else f"more than {LEGIBLE_DRAWS:,}"
    needs = f"needs {least} draws at alpha {stated.alpha:g}"
    if not usual:
        return f"{text} {needs}"
    words = " or ".join(f"alpha {a:g} with {n} draws" for n, a in usual)
    return f"{text} {needs}, and is the largest possible at {words}"


def _infer_finding_code(sentence: str) -> str:
    """Find the code of a sentence kept without one; "remark" where it disproves nothing."""
    codes = (code for code in DISPROVING_CODES if OLD_SENTENCES[code] in sentence)
    return next(codes, "remark")


def _recheck_radius_cap(run: ImportedRun) -> Iterator[AuditFinding]:
    """Find bounds E0 that the draws cannot give at alpha, even if run.toml names none."""
    if run.holds != "expectations" or "draws" not in run.columns:
        return
    alpha, e0 = run.manifest.alpha, np.asarray(run.columns["e0"], dtype=float)
    draws = np.asarray(run.columns["draws"])
    with np.errstate(divide="ignore", invalid="ignore"):  # NaN, a row without a class, is not above
        above: Bools = draws * np.log(e0) > (1 - LEVEL_ROUNDING) * np.log(alpha)
    if above.any():
        row = int(np.where(above, e0, -np.inf).argmax())
        yield AuditFinding(
            "above_cap",
            f"E0 is {e0[row]:.8f} at index {run.columns['index'][row]} and above the cap in "
            f"{count_in_words(above)}: {draws[row]} draws at alpha {alpha:g} prove no E0 above "
            f"{alpha ** (1 / draws[row]):.8f}, even if all of them agree",
        )


# Checks of a log by itself.
ROW_CHECKS = (
    row_checks.check_left_out_lines,
    row_checks.check_repeated_inputs,
    row_checks.check_missing_indices,
    row_checks.check_log_length,
    row_checks.check_correct_column,
    row_checks.check_negative_radii,
    row_checks.check_absent_radii,
    row_checks.check_skipped_inputs,
    row_checks.check_rounding,
)

# Checks that need sigma, alpha and the number of draws.
RADIUS_CHECKS = (
    _check_radius_cap,
    _check_sigma,
    _check_printed_bounds,
)
