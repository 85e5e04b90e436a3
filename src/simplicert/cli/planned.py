"""What `simplicert plan` takes from its options, from a pilot run, or from the usual settings.

`describe_too_few_draws` warns, for `sample` and `certify` too, where nothing can be certified.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simplicert.plan import DeclaredSettings, Population, Workload
    from simplicert.store import Run
    from simplicert.store.manifest import Manifest
    from simplicert.types import Plan

# Defaults without a pilot run; the last counts inputs taken from the published logs.
INPUTS, ALPHA, CLASSES, PUBLISHED_INPUTS = 500, 0.001, 10, 1000


def open_pilot(folder: Path, asked: "dict[str, Any]") -> "Run":
    """Open the pilot run, which must hold tallies drawn with this noise at this scale."""
    from simplicert.errors import MissingEvidence, require
    from simplicert.noises import scale_argument
    from simplicert.store import Run, open_run

    run = open_run(folder)
    if not isinstance(run, Run):
        raise MissingEvidence(f"run must hold tallies, and {folder} is a log without counts")
    model = run.manifest.noise_model
    held = {**model.record(), **scale_argument(model, run.manifest.sigma)}
    held["noise"] = held.pop("name")
    for name, value in asked.items():
        mine = held.get(name)
        if value is None or (name == "size" and mine is None):
            continue
        require(mine is not None, f"{name} is no number of the pilot run's noise, got {value}")
        known = f"{mine:g}" if name == "sigma" else mine
        require(
            value == mine,
            f"{name} must be the pilot run's {known}, got {value}: "
            f"expectations at another {name} are others",
        )
    return run


def choose_planned_noise(
    pilot: "Run | None", asked: "dict[str, Any]", norm: str | None
) -> "dict[str, Any]":
    """Return the noise and its scale: the pilot's, or as the options say."""
    from simplicert.mechanisms.threats import find_threat
    from simplicert.noises import choose_noise

    if pilot is not None:
        model = pilot.manifest.noise_model
        if model.size is None and asked["size"] is not None:
            find_threat(model.name, norm, size=asked["size"])  # refuses a size without a use
            model = model.sized(asked["size"])
        return {"noise": model, "sigma": pilot.manifest.sigma}
    words = {**asked, "noise": asked["noise"] or "gaussian"}
    model, scale = choose_noise(**words)
    find_threat(model.name, norm, **{name: asked[name] for name in ("size", "keep", "rate")})
    return {"noise": model, "sigma": scale}


def declare_settings(pilot: "Run | None", **given: Any) -> "DeclaredSettings":
    """Take settings from the options, else from the pilot, else from the defaults of `sample`."""
    from simplicert.bounds import SCHEMES, default_scheme
    from simplicert.errors import require
    from simplicert.plan import DeclaredSettings
    from simplicert.types import KINDS

    known: dict[str, Any] = {"alpha": ALPHA, "classes": CLASSES}
    if pilot is not None:
        names = ("sigma", "alpha", "kind", "scheme", "classes", "sensitivity")
        known = {name: getattr(pilot.manifest, name) for name in names}
        require(
            given["classes"] in (None, known["classes"]),
            f"classes must be the pilot run's {known['classes']}, got {given['classes']}",
        )
    known |= {name: value for name, value in given.items() if value is not None}
    kind = known.setdefault("kind", "multinomial")
    kind = KINDS.get(kind, kind)
    if given["scheme"] is None and kind in SCHEMES and known.get("scheme") not in SCHEMES[kind]:
        noise = known["noise"].name if "noise" in known else "gaussian"
        known["scheme"] = default_scheme(kind, noise=noise)
    return DeclaredSettings(**known)


def planned_work(
    pilot: "Run | None", draws: int, inputs: int | None, workers: int, throughput: float | None
) -> "Workload":
    """Describe the work; a pilot says how many inputs there are and how fast it was drawn."""
    from simplicert.plan import Workload

    if pilot is not None:
        inputs = inputs if inputs is not None else pilot.manifest.inputs
        if throughput is None and pilot.seconds > 0:
            throughput = int(pilot.tally().draws.sum()) / pilot.seconds
    return Workload(draws, INPUTS if inputs is None else inputs, workers, throughput)


def choose_population(
    pilot: "Run | None", declared: "DeclaredSettings", pa: float | None, pb: float | None
) -> "Population":
    """Choose the population whose expectations the plan is for."""
    from dataclasses import replace

    from simplicert.plan import pilot_population, point_population, published_population

    if pilot is not None:
        return pilot_population(pilot.tally(), declared.kind)
    if pa is not None:
        return point_population(pa, pb, declared.classes)
    published = published_population(declared.classes, PUBLISHED_INPUTS)
    if declared.noise.name == "gaussian":
        return published
    return replace(published, source=f"{published.source}; taken over from Gaussian noise")


def describe_too_few_draws(manifest: "Manifest", plan: "Plan | None") -> str:
    """Return a warning if the plan certifies nothing even when all draws agree, else ""."""
    from simplicert.noises.certainty import is_certain
    from simplicert.plan import DeclaredSettings, certifies_nothing, smallest_draws
    from simplicert.types import Plan

    if is_certain(manifest.noise_model):  # all draws are made, and are exact
        return ""
    plan = plan or Plan((1,))
    names = ("sigma", "alpha", "classes", "kind", "scheme")
    settings = {name: getattr(manifest, name) for name in names}
    settings["method"] = manifest.find_method(manifest.kind, manifest.scheme)
    settings["noise"] = manifest.noise_model
    declared = DeclaredSettings(**settings, histograms=bool(manifest.source.get("histograms")))
    if not certifies_nothing(declared, plan):
        return ""
    needed = smallest_draws(declared, share=max(plan.weights))
    last = plan.looks[-1]
    return (
        f"{'1 draw certifies' if last == 1 else f'{last} draws certify'} no single input at alpha "
        f"{manifest.alpha:g}, even if all agree: at least {needed} are needed"
    )
