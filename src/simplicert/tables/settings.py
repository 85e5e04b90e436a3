"""Say how radii were proved, in the notes below a table and the columns of its file."""

from collections.abc import Sequence

from simplicert.errors import require
from simplicert.mechanisms.threats import ensemble_members
from simplicert.metrics.shared import describe_inputs, name_runs
from simplicert.metrics.study import Study, explain_no_comparison
from simplicert.noises import GAUSSIAN, NOISES, NoiseModel
from simplicert.noises.words import NORM_WORDS, describe_units, label_radius, name_norm
from simplicert.tables.doubts import doubt_notes, label_run
from simplicert.tables.grid import Value
from simplicert.tables.summary import draws_record, draws_sentence, level_sentence, stopping_rule
from simplicert.types import Certificates


def settings_record(study: Study, certificates: Certificates) -> dict[str, Value]:
    """Return what a reader in five years needs to know about one run."""
    known = certificates.known
    return {
        "run": study.name,
        "data": study.data,
        **_noise_record(known.noise, known.sigma),
        "kind": known.kind,
        "alpha": known.alpha,
        "proved_level": known.level,
        "scheme": known.scheme,
        "method": known.method,
        "norm": known.norm,
        "sensitivity": certificates.sensitivity,
        "grid": known.grid,
        "exploratory": certificates.exploratory,
        **draws_record(study, certificates),
        "missing": study.run.missing,
    }


def _noise_record(noise: NoiseModel, sigma: float) -> dict[str, Value]:
    """Return the noise and its numbers; of Gaussian noise sigma alone."""
    scale = NOISES[noise.name].scale
    own: dict[str, Value] = {} if scale is None else {scale: sigma}
    return own if noise == GAUSSIAN else {"noise": noise.name, **own, **noise.numbers()}


def noise_heading(studies: Sequence[Study]) -> str:
    """Return the heading of the column that tells runs apart: sigma, scale, keep, rate or noise."""
    if len({study.noise.name for study in studies}) > 1:
        return "noise"
    return studies[0].strength[0]


def noise_cell(study: Study, heading: str) -> str:
    """Return a run's cell in that column."""
    if heading == "noise":
        return " ".join([study.noise.name, study.strength[0], f"{study.strength[1]:g}"])
    return f"{study.strength[1]:g}"


def strength_notes(studies: Sequence[Study]) -> list[str]:
    """Say that runs were drawn under different noise; nothing if they were not."""
    heading = noise_heading(studies)
    if heading != "noise" and len({study.strength for study in studies}) == 1:
        return []
    differ = "under different noises" if heading == "noise" else f"at different {heading}s"
    return [f"the {'two ' if len(studies) == 2 else ''}runs were drawn {differ}"]  # noqa: PLR2004


def settings_notes(studies: Sequence[Study], kind: str | None) -> list[str]:
    """Say how the radii were proved: once if all runs agree, otherwise run by run."""
    sentences: dict[str, list[str]] = {}
    for study in studies:
        text = _settings_sentence(study, kind)
        sentences.setdefault(text, []).append(label_run(study))
    if len(sentences) == 1:
        notes = list(sentences)
    else:
        notes = ["settings differ, so the runs are not quite like with like:"]
        notes += [f"{name_runs(names)}: {text}" for text, names in sentences.items()]
    return [*notes, *describe_inputs(studies), *doubt_notes(studies)]


def _settings_sentence(study: Study, kind: str | None) -> str:
    """Say kind, scheme, alpha, norm, what is proved, and from how many draws."""
    certificates, rule = study.certificates(kind), stopping_rule(study)
    known, alone = certificates.known, explain_no_comparison(certificates)
    chance = "no draw was random" if known.certain else f"alpha {known.alpha:.15g}"
    norm = "" if known.norm == "l2" else f", {name_norm(known.norm)}"
    norm += f", radii of the input of {certificates.stage}" if certificates.stage else ""
    noise = "" if known.noise.name == "gaussian" else f"{known.noise.name} noise, "
    return (
        f"{noise}{known.kind}, scheme {known.scheme} ({known.method}), {chance}{norm}; "
        f"{level_sentence(certificates, disproved=bool(study.disproofs))}; "
        f"{draws_sentence(certificates, rule)}{f'; {alone}' if alone else ''}"
    )


def require_columns(study: Study, certificates: Certificates, names: Sequence[str]) -> None:
    """Refuse a table that needs radii which this run's scheme or log cannot give."""
    held = (*certificates.columns, "radius")
    lacking = [name for name in names if name not in held]
    require(
        not lacking,
        f"column {', '.join(lacking)} is not among those of run {study.name}, certified by scheme "
        f"{certificates.known.scheme}: {', '.join(held)}",
    )


def require_members(study: Study, certificates: Certificates, what: str) -> None:
    """Refuse a table about an ensemble where its noise has one radius with a proof alone."""
    known = certificates.known
    require(
        set(ensemble_members(known)) != {"two_sided"},
        f"{what} compares an ensemble with two_sided, and {known.noise.name} noise has no other "
        f"radius with a proof for {known.kind} expectations (run {study.name})",
    )


def describe_population(population: str, totals: Sequence[int]) -> str:
    """Say over which inputs a table is, and how many they are."""
    counts = sorted(set(totals))
    many = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    if population == "all" and len(counts) > 1:
        return f"over all inputs of each run, {many} of them"
    if population == "all":
        return f"over all {many} inputs"
    return f"over the {many} inputs certified as their label, each run's own"


def name_population(population: str) -> str:
    """Return what a title says of the inputs: nothing where they are all."""
    return "" if population == "all" else f", {population} inputs alone"


def name_inputs(studies: Sequence[Study]) -> str:
    """Return what a title says of runs that were restricted to the inputs that all of them hold."""
    if all(study.parent is None for study in studies):
        return ""
    return f", {len(studies[0].index):,} common inputs alone"


def name_radius(norm: str, what: str = "radius") -> str:
    """Name the radii of a table in its title, with the norm where it is not the usual one."""
    return what if norm.startswith("scaled ") else label_radius(norm, what)


def describe_column(column: str, norm: str) -> str:
    """Say which radii a table reads, and what they are numbers of."""
    best = " (the largest proved)" if column == "radius" else ""
    return f"radii are those of column {column}{best}, {name_units(norm)}"


def name_units(norm: str) -> str:
    """Say what radii are numbers of, without a norm that is a length."""
    return describe_units(norm) if norm in NORM_WORDS else "in units of the input"
