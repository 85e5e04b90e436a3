"""Read the arrays of one certification, a folder of .npy files, as an entry of the board.

`read_splitting_entry` reads exact counts of derandomised splitting noise, `read_rs4a_entry` bounds
under other noise than Gaussian. What paths and claims call sigma is a standard deviation.
"""

from dataclasses import replace

import numpy as np

from simplicert.board.claims import ALPHA, DRAWS, LogSettings, require_sigma
from simplicert.board.entry import Entry, entry_of_certificates
from simplicert.board.sources import Source, checksum_of
from simplicert.bounds import bound
from simplicert.certification import certify, radius
from simplicert.errors import InvalidInput, choose, require
from simplicert.logs import rs4a, splitting
from simplicert.logs.audit import audit_log
from simplicert.logs.log import StatedSettings
from simplicert.logs.row_checks import AuditFinding
from simplicert.noises import NOISES, NoiseModel, scale_argument

ROOT_3 = np.sqrt(3.0)  # scale of uniform noise over its standard deviation
SCALES = {"gaussian": 1.0, "uniform": ROOT_3, "laplace": np.sqrt(0.5)}  # scale / deviation
RANDOM_SPLITTING = "independent splitting"  # noise of rs4a arrays that we have no radius for
LEAST_CHANCE = 0.5


def read_splitting_entry(source: Source, settings: LogSettings, alpha: float) -> Entry:
    """Read the exact counts of derandomised splitting noise; nothing is left to chance."""
    scale = None if settings.sigma is None else settings.sigma * ROOT_3
    try:
        tally, findings = splitting.read_splitting(source.path, scale, 0, settings.step)
    except InvalidInput:
        tally, findings = splitting.read_splitting(source.path, None, 0, settings.step)
    entry = entry_of_certificates(source, settings, certify(bound(tally)))
    held = entry.settings.with_values(
        "log", noise="splitting", sigma=tally.sigma / ROOT_3, draws=int(tally.draws.min())
    )
    return replace(entry, settings=held, findings=tuple(findings), recertified=True)


def read_rs4a_entry(source: Source, settings: LogSettings, alpha: float) -> Entry:
    """Read arrays of bounds under uniform noise, or of radii under noise that is not ours."""
    noise = noise_of_arrays(source, settings)
    known_noise = noise != RANDOM_SPLITTING
    model, scale = model_of_arrays(noise if known_noise else "uniform", require_sigma(settings))
    read = rs4a.read_rs4a(source.path, model.name, settings.step)
    stated = StatedSettings(scale, settings.alpha or ALPHA, settings.draws or DRAWS, model)
    findings = [*audit_log(read.log, None), *rs4a.audit_rs4a(read, stated, None)]
    e0 = read.log.bounds
    held = settings.with_values("path", noise=noise, norm=NOISES[model.name].norms[0])
    if known_noise:
        name = "cohen" if model.name == "gaussian" else "one_sided"
        told = scale_argument(model, scale)
        radii = radius(
            name,
            np.nan_to_num(e0, nan=0.0),
            0.0,
            sigma=told.get("sigma"),
            scale=told.get("scale"),
            noise=model.name,
        )
    else:
        require("l1" in read.radii, f"arrays of {noise} noise without radius_l1")
        radii = np.nan_to_num(read.radii["l1"]).clip(0.0)
        findings.append(
            AuditFinding("note", f"radii of {noise} noise are taken as they are, in l1")
        )
    certified = (read.log.predicted >= 0) & (e0 > LEAST_CHANCE)
    label = read.log.label
    assert label is not None
    return Entry(
        source=source,
        sha256=checksum_of(source),
        settings=held,
        index=read.log.index,
        radius=np.where(certified, np.asarray(radii), 0.0),
        abstained=~certified,
        correct=certified & (read.log.predicted == label),
        rows=len(read.log),
        label=label,
        e0=np.where(certified, e0, np.nan),
        findings=tuple(findings),
    )


def noise_of_arrays(source: Source, settings: LogSettings) -> str:
    """Return the noise that a claim or the folder's name tells."""
    words = source.path.name.lower()
    told = RANDOM_SPLITTING if "split" in words else "uniform" if "uniform" in words else ""
    noise = settings.noise if settings.origin.get("noise") else told
    require(bool(noise), "arrays without a noise: state noise in board.toml")
    return noise


def model_of_arrays(noise: str, sigma: float) -> tuple[NoiseModel, float]:
    """Return the noise and its scale; what paths and claims call sigma is a standard deviation."""
    return NoiseModel(noise), sigma * choose("noise", noise, SCALES, " for arrays")
