"""The settings of a drawing: one object from the command line through drawing into run.toml.

`DrawingSettings` holds what `simplicert sample` and `simplicert.draw` take, and checks it once,
when it is made. `parse_settings` makes one from texts such as "1/255". `resume_settings` adds what
an existing run has decided, `record_settings` returns what run.toml keeps of them, and
`restore_settings` reads them back from it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from simplicert.bounds import default_scheme
from simplicert.data.options import DataOptions, restore_options
from simplicert.errors import DamagedRun, check_positive, require
from simplicert.noises import GAUSSIAN, NOISES, NoiseModel, choose_noise
from simplicert.noises.certainty import is_certain, settle_declaration, settle_draws
from simplicert.noises.model import FIELDS
from simplicert.noises.stage import check_stage
from simplicert.stopping import Until
from simplicert.store.declaration import check_declaration
from simplicert.store.manifest import DRAWN, NAME, Manifest
from simplicert.store.parsing import PARSERS
from simplicert.types.scores import BINS, MOST_SOFTMAX_DRAWS
from simplicert.types.smoothing import Smoothing, check_lipschitz
from simplicert.types.tally import MOST_DRAWS

SMALLEST_SIGMA = 2.0**-150  # half of the smallest number of single precision, rounded to 0

WHERE = "added to the inputs as loaded, before the model's normalisation"
OF_TOKENS = "of the tokens as loaded"


@dataclass(frozen=True, eq=False)
class DrawingSettings:
    """Everything that a drawing is asked for; None stands for a choice that is still open."""

    model: Any  # its name, or a Model
    data: Any  # its name, or a Dataset
    sigma: float  # or the scale of another noise
    draws: int
    out: Path
    seed: int = 0
    alpha: float = 0.001
    kind: str = "multinomial"
    scheme: str | None = None  # `default_scheme`; a run keeps its own
    start: int = 0
    stop: int | None = None
    step: int = 1
    index_file: Path | None = None
    until: str | None = None
    reserve: float | None = None  # a share of alpha, kept for later looks
    extend: bool = False
    shard: tuple[int, int] = (1, 1)  # this process's share of the inputs: (2, 4) is the second of 4
    pilot: int = 0
    outputs: str = "logits"
    num_classes: int | None = None
    score_limit: float | None = None
    histograms: bool = True
    bins: int = BINS  # of these; a run keeps those that it was begun with
    grid: float | None = None
    noise_scale: np.ndarray | None = None
    sensitivity: float = 1.0
    lipschitz: float | bool | None = None  # True: prove a constant of the scores before drawing
    batch_size: int | None = None
    device: str | None = None
    compiled: bool | None = None
    autocast: bool = False
    mean: tuple[float, ...] | None = None
    std: tuple[float, ...] | None = None
    class_map: str | None = None
    resize: int | None = None
    crop: int | None = None
    label_column: str | None = None
    columns: tuple[str, ...] | None = None
    trust: bool = False
    engine: str = "local"
    workers: int | None = None
    address: str | None = None
    cpus_per_worker: int | None = None
    gpus_per_worker: float | None = None
    patience: float = 600.0  # seconds to keep calling a model that fails every time
    noise: NoiseModel = GAUSSIAN
    budget: int | None = None  # the most rows that the model may be asked about, this time
    probe_rows: int | None = None  # of the probe's passes, where few draws were planned

    def __post_init__(self) -> None:
        """Refuse settings that could never be drawn or certified, before anything is loaded."""
        require(
            isinstance(self.noise, NoiseModel), f"noise must be a NoiseModel, got {self.noise!r}"
        )
        whole = isinstance(self.draws, int | np.integer) and not isinstance(self.draws, bool)
        require(
            whole and self.draws > 0, f"draws must be a positive whole number, got {self.draws}"
        )
        for field in fields(self):  # numbers of NumPy are plain from here on, as run.toml is
            value = getattr(self, field.name)
            if isinstance(value, np.integer | np.bool_):
                object.__setattr__(self, field.name, value.item())
        if is_certain(self.noise):
            self._leave_chance_out()
        kind = check_declaration(self.alpha, self.kind, self.scheme, noise=self.noise)
        object.__setattr__(self, "kind", kind)
        require(
            self.smoothing.sigma > SMALLEST_SIGMA,
            f"sigma must not vanish in single precision, got {self.sigma!r}",
        )
        check_positive("sensitivity", self.sensitivity)
        self._check_lipschitz()
        check_stage(self.noise.name, self.smoothing.norm, self.sensitivity)
        Until(self.until or "fixed")
        self.data_options  # noqa: B018  (checked when they are made)
        soft = self.smoothing.outputs != "labels"
        require(
            soft or self.kind != "softmax",
            "kind must be multinomial with labels as outputs, got softmax: there are no scores",
        )
        require(
            self.scheme != "split" or self.pilot > 0,
            f"pilot must be positive with scheme split, which selects by it, got {self.pilot}",
        )
        most = MOST_SOFTMAX_DRAWS if soft else MOST_DRAWS
        require(self.draws <= most, f"draws must be at most {most}, got {self.draws}")
        self._check_workers()

    def _check_lipschitz(self) -> None:
        """Refuse a Lipschitz constant of scores that could never be divided by it."""
        if self.lipschitz is False:
            object.__setattr__(self, "lipschitz", None)
        check_lipschitz(self.smoothing, 1.0 if self.lipschitz is True else self.lipschitz)

    def _leave_chance_out(self) -> None:
        """Settle what has no meaning without chance; refuse what was asked for all the same."""
        settled = settle_declaration(self.noise, vars(self)) | {"reserve": 0.0, "histograms": False}
        settled |= {"draws": settle_draws(self.noise, self.sigma, self.draws)}
        for name, value in settled.items():
            object.__setattr__(self, name, value)

    def _check_workers(self) -> None:
        for name in ("workers", "cpus_per_worker"):
            value = getattr(self, name)
            require(
                value is None or (isinstance(value, int) and value >= 1),
                f"{name} must be at least 1, got {value}",
            )
        gpus, patience = self.gpus_per_worker, self.patience
        require(
            gpus is None or (isinstance(gpus, int | float) and gpus >= 0),
            f"gpus_per_worker must not be negative, got {gpus}",
        )
        require(
            isinstance(patience, int | float) and patience >= 0,
            f"patience must be a number of seconds, 0 or more, got {patience}",
        )
        self._check_budget()
        for name in ("until", "class_map", "device", "address"):
            value = getattr(self, name)
            require(value is None or isinstance(value, str), f"{name} must be a text, got {value}")

    def _check_budget(self) -> None:
        """Refuse a budget that is no number of calls, or that several processes would share."""
        budget, alone = self.budget, self.workers in (None, 1) and self.cpus_per_worker is None
        require(
            budget is None or (isinstance(budget, int) and budget is not True and budget > 0),
            f"budget must be a positive whole number of calls, got {budget}",
        )
        require(
            budget is None or (self.engine == "local" and alone),
            f"budget must be left out with several workers, which do not know of each other's "
            f"calls, got {budget}",
        )

    @cached_property
    def data_options(self) -> DataOptions:
        """How the data are read where their files leave it open."""
        return DataOptions(self.resize, self.crop, self.label_column, self.columns)

    @cached_property
    def smoothing(self) -> Smoothing:
        """The settings that change the smoothed function."""
        return Smoothing(
            self.sigma,
            outputs=self.outputs,
            num_classes=self.num_classes,
            score_limit=self.score_limit,
            noise_scale=self.noise_scale,
            grid=self.grid,
            autocast=self.autocast,
            noise=self.noise,
        )


def parse_settings(options: Mapping[str, Any]) -> DrawingSettings:
    """Make settings from values, or from texts as the command line gives them."""
    parsed = dict(options)
    numbers = {name: parsed.pop(name, None) for name in FIELDS if name != "size"}
    parsed["noise"], parsed["sigma"] = choose_noise(
        parsed.get("noise", "gaussian"), parsed["sigma"], parsed.pop("scale", None), **numbers
    )
    if is_certain(parsed["noise"]):
        parsed["draws"] = settle_draws(parsed["noise"], parsed["sigma"], parsed["draws"])
    require(parsed["draws"] is not None, "draws must be given, got None")
    for name, parse in PARSERS.items():
        if parsed.get(name) is not None:
            parsed[name] = parse(parsed[name])
    return DrawingSettings(**parsed)


def resume_settings(settings: DrawingSettings, before: Manifest | None) -> DrawingSettings:
    """Fill what is left open with what the run has decided; a contradiction is refused."""
    settings = replace(settings, scheme=_choose_scheme(settings, before))
    if before is None:
        return settings
    size, compiled = before.source.get("batch_size"), before.source.get("compiled")
    return replace(
        settings,
        batch_size=size if settings.batch_size is None else settings.batch_size,
        compiled=compiled if settings.compiled is None else settings.compiled,
        bins=before.bins,
        lipschitz=_resume_lipschitz(settings, before),
        probe_rows=before.source.get("probe_rows"),
        reserve=before.reserve if settings.reserve is None else settings.reserve,
        mean=reconcile_numbers("mean", before, settings.mean),
        std=reconcile_numbers("std", before, settings.std),
        **_resume_data_options(settings, before),
    )


def _resume_data_options(settings: DrawingSettings, before: Manifest) -> dict[str, Any]:
    """Return the options of the data as given, or else the run's own."""
    held = vars(restore_options(before.source))
    given = vars(settings.data_options)
    return {name: held[name] if given[name] is None else given[name] for name in held}


def _resume_lipschitz(settings: DrawingSettings, before: Manifest) -> float | None:
    """Return the run's own constant: what was not proved when it began is not proved later."""
    require(
        before.lipschitz is not None or not settings.lipschitz,
        f"lipschitz must be asked for when a run begins, and {settings.out} was begun without",
    )
    return before.lipschitz


def _choose_scheme(settings: DrawingSettings, before: Manifest | None) -> str:
    """Return the scheme that is asked for, or the run's own, or that of new runs."""
    if settings.scheme is not None:
        return settings.scheme
    if before is not None and before.kind == settings.kind:
        return before.scheme
    return default_scheme(settings.kind, settings.draws, settings.noise.name)


def reconcile_numbers(
    name: str, before: Manifest, given: Sequence[float] | None
) -> tuple[float, ...] | None:
    """Return the run's own mean or std, or the given one where an older run keeps none."""
    kept = before.source.get(name)
    if kept is None:
        return None if given is None else tuple(given)
    plain = isinstance(kept, Sequence) and all(isinstance(n, int | float) for n in kept)
    require(plain and not isinstance(kept, str), f"{name} of {NAME} must be numbers, got {kept!r}")
    held = [float(number) for number in kept]
    asked = None if given is None else list(given)
    require(
        asked in (None, held),
        f"{name} must be the run's {held}, got {asked}: leave it out, the run knows it",
    )
    return tuple(held)


def record_settings(
    settings: DrawingSettings, fingerprints: Mapping[str, str], random: bool
) -> dict[str, Any]:
    """Return what run.toml keeps in its table `source`; every open choice must have been made."""
    where = WHERE if NOISES[settings.noise.name].drop is None else OF_TOKENS
    source: dict[str, Any] = {
        "format": DRAWN,
        **fingerprints,
        "seed": settings.seed,
        "batch_size": settings.batch_size,
        **settings.smoothing.reading.record(),
        "pilot": settings.pilot,
        "histograms": settings.histograms,
        "compiled": settings.compiled,
        "device": settings.device,
        "random": random,
        "noise": f"{settings.noise.name}, {where}",
    }
    stage = None if settings.sensitivity == 1 else float(settings.sensitivity)
    more = {"reserve": settings.reserve or None, "grid": settings.grid, "sensitivity": stage}
    more |= {"lipschitz": settings.lipschitz, "probe_rows": settings.probe_rows}
    return source | {name: value for name, value in more.items() if value is not None}


def restore_settings(
    manifest: Manifest, folder: Path, noise_scale: np.ndarray | None = None
) -> DrawingSettings:
    """Return the settings that a run was drawn with, as run.toml keeps them."""
    source, plan = manifest.source, manifest.plan
    require(
        manifest.was_drawn,
        f"{folder} was not drawn by simplicert: it keeps no settings of a drawing",
    )
    needed = ("seed", "pilot", "outputs", "histograms", "batch_size", "device", "compiled")
    if lacking := [name for name in (*needed, "autocast") if name not in source]:
        raise DamagedRun(f"{folder / NAME} lacks the settings {lacking}")
    first, step, count = (manifest.index or [0, 1, manifest.inputs])[:3]
    listed = first < 0  # then run.toml lists every input, and no range describes them
    return DrawingSettings(
        model=manifest.made.get("model"),
        data=manifest.made.get("data"),
        sigma=manifest.sigma,
        draws=1 if plan is None else plan.looks[-1],  # without a plan run.toml does not say
        out=folder,
        seed=source["seed"],
        alpha=manifest.alpha,
        kind=manifest.kind,
        scheme=manifest.scheme,
        start=0 if listed else first,
        stop=None if listed else first + step * (count - 1) + 1,
        step=1 if listed else step,
        until=None if plan is None or plan.rule == "fixed" else plan.rule,
        reserve=manifest.reserve,
        pilot=source["pilot"],
        outputs=source["outputs"],
        num_classes=manifest.classes,
        score_limit=source.get("score_limit"),
        histograms=source["histograms"],
        bins=manifest.bins,
        grid=source.get("grid"),
        noise_scale=noise_scale,
        sensitivity=manifest.sensitivity,
        lipschitz=manifest.lipschitz,
        batch_size=source["batch_size"],
        device=source["device"],
        compiled=bool(source["compiled"]),
        autocast=source["autocast"],
        mean=reconcile_numbers("mean", manifest, None),
        std=reconcile_numbers("std", manifest, None),
        noise=manifest.noise_model,
        probe_rows=source.get("probe_rows"),
        **vars(restore_options(source)),
    )
