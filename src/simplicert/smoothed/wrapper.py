"""Smoothed: wrap any classifier to predict and certify with it under noise.

`Smoothed.certify` warns, and does not refuse, where the draws could certify nothing even if all of
them agreed.
"""

from __future__ import annotations  # help() shows types as they are written here

import secrets
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from simplicert.bounds import bound, default_scheme
from simplicert.certification import certify
from simplicert.errors import InvalidInput, SimplicertWarning, check_positive, choose, require
from simplicert.models.model import explain_uncallable
from simplicert.noises import GAUSSIAN, NoiseModel, choose_noise, say_noise, scale_argument
from simplicert.noises.certainty import is_certain, settle_declaration, settle_draws
from simplicert.noises.stage import check_stage
from simplicert.sampling import sample
from simplicert.sampling.calls import CallMeter
from simplicert.sampling.noisy import NoisyClassifier
from simplicert.sampling.probe import scale_warning
from simplicert.sampling.progress import show_progress
from simplicert.sampling.sequences import convert_batch, takes_numbers
from simplicert.sampling.settings import check_device, check_whole_number, default_device
from simplicert.smoothed import saving
from simplicert.smoothed.class_counts import ClassCounts
from simplicert.smoothed.few_draws import warn_of_few_draws, warn_of_few_seen
from simplicert.smoothed.operational import operational_radius
from simplicert.smoothed.prediction import (
    Predictions,
    VoteCounter,
    predict_classes,
    predict_exactly,
    require_decidable,
)
from simplicert.stopping import Until
from simplicert.types import KINDS, Certificates, Expectations, Floats
from simplicert.types.smoothing import Smoothing

if TYPE_CHECKING:
    from simplicert.smoothed.module import SoftSmoothed


DRAWS = 1000  # of a prediction, at most

CERTIFY_DRAWS = 100_000  # of a certificate

LEAST_AXES = 2  # axes of a batch of inputs, at least

NOISE_ARGUMENTS = ("scale", "keep", "absent", "rate", "offsets")  # that make it, besides its name


class Smoothed:
    """The smoothed classifier g of a classifier f: the class that f gives most often under noise.

    `kind` "multinomial" counts answers; "softmax" averages scores, and both prediction and
    certificate are then about the largest mean score. `classifier`: a torch module, or a function
    of NumPy arrays (or of tensors, where the inputs are tensors). Inputs are always batches.
    `sensitivity`: where the inputs given here are the outputs of a first stage, that stage's
    Lipschitz constant in l2; radii are then distances between inputs of the stage (for Gaussian
    noise of one sigma). With `noise="deletion"` and its `rate`, inputs are lists of tokens, or
    texts (docs/text.md).

    A module is copied now, in eval mode, and never touched: training it further changes nothing
    here, and a trained one needs a new Smoothed. Every setting that changes g is given here and
    kept, so that what `certify` certifies is what `predict` runs and `save` writes. With a
    `batch_size` both classify in passes of exactly that many rows, and agree to the last bit.

    >>> smooth = Smoothed(lambda x: np.column_stack([x[:, 0], 1 - x[:, 0]]), sigma=0.5)
    >>> inputs = np.array([[0.9, 0.2], [0.1, 0.7]], dtype=np.float32)
    >>> smooth.predict(inputs, seed=0).classes
    array([0, 1])
    >>> certificates = smooth.certify(inputs, draws=1000, seed=0, labels=[0, 1])
    >>> certificates.correct
    array([ True,  True])
    """

    def __init__(  # noqa: PLR0913
        self,
        classifier: Any,
        sigma: float | None = None,
        num_classes: int | None = None,
        *,
        kind: str = "multinomial",
        outputs: str = "logits",
        noise_scale: ArrayLike | None = None,
        sensitivity: float = 1.0,
        batch_size: int | None = None,
        device: str | None = None,
        grid: float | None = None,
        score_limit: float | None = None,
        autocast: bool = False,
        noise: str | NoiseModel = "gaussian",
        scale: float | None = None,
        keep: int | None = None,
        absent: float | None = None,
        rate: float | None = None,
        offsets: int | None = None,
    ) -> None:
        """Check the settings and copy the classifier; nothing is drawn yet."""
        wrong = explain_uncallable(classifier)
        require(not wrong, f"classifier {wrong}")
        shares: Any = noise_scale  # becomes an array there
        model, size = choose_noise(
            noise, sigma, scale, keep=keep, absent=absent, rate=rate, offsets=offsets
        )
        self.smoothing = Smoothing(
            size, outputs, num_classes, score_limit, shares, grid, autocast, model
        )
        self.kind = choose("kind", kind, KINDS)
        require(
            outputs != "labels" or self.kind == "multinomial",
            "kind must be multinomial with labels as outputs, got softmax: there are no scores",
        )
        if is_certain(model):
            settle_declaration(model, {"kind": self.kind, "sensitivity": sensitivity})
        if batch_size is not None:
            check_whole_number("batch_size", batch_size, 1)
        self.classifier = classifier
        self.sensitivity = check_positive("sensitivity", sensitivity)
        check_stage(model.name, self.smoothing.norm, self.sensitivity)
        self.batch_size = batch_size
        self.device = default_device() if device is None else device
        check_device(self.device)
        self._meter = CallMeter()
        self._noisy = NoisyClassifier(classifier, self.smoothing, self.device, meter=self._meter)
        self._classes = ClassCounts()

    @property
    def sigma(self) -> float:
        """Standard deviation of Gaussian noise, or the scale of another."""
        return self.smoothing.sigma

    @property
    def noise(self) -> NoiseModel:
        """The noise and its own numbers, besides its scale."""
        return self.smoothing.noise

    @property
    def calls(self) -> int:
        """How many rows the classifier was asked about so far, by `predict` and by `certify`."""
        return self._meter.count

    @property
    def outputs(self) -> str:
        """What the classifier's outputs are."""
        return self.smoothing.outputs

    @property
    def num_classes(self) -> int | None:
        """K, the number of classes, if it was given."""
        return self.smoothing.num_classes

    @property
    def noise_scale(self) -> np.ndarray | None:
        """Each feature's share of sigma."""
        return self.smoothing.noise_scale

    @property
    def grid(self) -> float | None:
        """Step of the grid that noisy copies are rounded to."""
        return self.smoothing.grid

    def predict(
        self, inputs: Any, alpha: float = 0.001, draws: int = DRAWS, seed: int | None = None
    ) -> Predictions:
        """Predict a class for each input, or abstain; stop drawing as soon as it is decided.

        Draws at most `draws` noisy copies of each input. Without a seed the noise is different
        every time, which is what an adversary should meet. Several threads may predict and certify
        at once: a call's noise depends on its own seed, or chance, and on nothing of another call.
        With splitting noise all of its draws are made, and alpha, draws and seed are not used: the
        class is that of `certify`, with certainty. It then abstains only where at least as many
        draws have no class (NaN, or tied logits) as have the most frequent one.
        """
        exact = is_certain(self.noise)
        if not exact:
            require_decidable(draws, alpha)
        batch = _require_batch(inputs, self.noise)
        evaluation = self._noisy.on(batch.shape[1:], hasattr(inputs, "detach"))
        soft, size = self.kind == "softmax", self.batch_size
        counter = self._classes.make_counter(
            evaluation.shape, lambda k: VoteCounter(evaluation, batch, soft, seed, size, k)
        )
        if exact:
            return predict_exactly(counter, settle_draws(self.noise, self.sigma, None))
        return predict_classes(counter, alpha, draws)

    def certify(
        self,
        inputs: Any,
        draws: int | None = None,
        alpha: float = 0.001,
        *,
        scheme: str | None = None,
        labels: ArrayLike | None = None,
        seed: int | None = None,
        budget: int | None = None,
        progress: bool | None = None,
        **options: Any,
    ) -> Certificates:
        """Certify each input: class, radius, every mechanism and both expectations.

        `draws` are 100,000 unless given; splitting noise has its own number, and all are made. The
        scheme is that of new runs: joint, or gated for kind softmax and other noise. `options` are
        those of `sc.sample` that do not change g; `until` may also be a rule in words, such as
        "atol=0.01". `budget` is the most rows that the classifier may be asked about. A line shows
        progress on a terminal and in a notebook, unless `progress` says otherwise. Radii are in the
        norm of the noise: with `noise_scale`, the scaled one. Warns (SimplicertWarning) where
        features differ in scale by a factor of 100 without one, and where so few draws certify
        nothing.
        """
        settings = dict(vars(self.smoothing))
        if scheme is None:
            scheme = default_scheme(self.kind, draws or CERTIFY_DRAWS, self.smoothing.noise.name)
        for name in sorted(set(options) & {*settings, "kind", "sensitivity", *NOISE_ARGUMENTS}):
            why = "predict would run another function than was certified"
            if name not in settings:
                why = "predict and operational_radius go by the same"
            rule = f"{name} must be given to Smoothed and not to certify, got {options[name]!r:.60}"
            raise InvalidInput(f"{rule}: {why}")
        if isinstance(until := options.get("until"), str):
            until = Until(until, alpha, self.kind, scheme, sensitivity=self.sensitivity)
            options = {**options, "until": until}
        settings |= scale_argument(self.noise, settings.pop("sigma"))
        if draws is None and not is_certain(self.noise):
            draws = CERTIFY_DRAWS
        batch = convert_batch(inputs, self.noise)
        warning = "" if self.noise_scale is not None else scale_warning(batch)
        if warning:
            warnings.warn(warning, SimplicertWarning, stacklevel=2)
        fixed = not {"until", "plan"} & set(options)
        few = warn_of_few_draws(self, draws, alpha, scheme) if fixed else ""
        if few:  # said before the first call
            warnings.warn(few, SimplicertWarning, stacklevel=2)
        plain = {"batch_size": self.batch_size, "device": self.device}
        plain["histograms"] = self.kind == "softmax"  # counts need none, and no pilot for them
        with show_progress("certify", len(batch), len(batch) * (draws or 0), progress) as shown:
            tally = sample(
                self._noisy.own,
                inputs,
                draws=draws,
                seed=secrets.randbits(62) if seed is None else seed,
                labels=labels,
                budget=CallMeter(budget, beside=self._meter),
                **settings,
                **{**plain, "after_batch": shown, **options},
            )
        known = bound(tally, alpha, self.kind, scheme)
        if (known.abstained.all() and not known.certain and not few) and (
            warning := warn_of_few_seen(tally, alpha, self.kind, scheme)
        ):
            warnings.warn(warning, SimplicertWarning, stacklevel=2)
        return certify(known, sensitivity=self.sensitivity)

    def operational_radius(
        self,
        certificates: Certificates,
        draws: int = DRAWS,
        alpha: float = 0.001,
        beta: float = 0.01,
    ) -> Floats:
        """Compute how far `predict` with these draws keeps its class with probability 1 - beta."""
        require(
            certificates.known.kind == self.kind and certificates.known.sigma == self.sigma,
            f"certificates must be of kind {self.kind} at sigma {self.sigma:g}, got "
            f"{certificates.known.kind} at {certificates.known.sigma:g}",
        )
        self._refuse_another_function(certificates.known)
        require(
            certificates.sensitivity == self.sensitivity,
            f"certificates must be for sensitivity {self.sensitivity:g}, got "
            f"{certificates.sensitivity:g}",
        )
        return operational_radius(certificates, draws=draws, alpha=alpha, beta=beta)

    def _refuse_another_function(self, known: Expectations) -> None:
        """Refuse what is known of another smoothed classifier: it says nothing about this one."""
        own = self.smoothing
        pairs: list[tuple[str, Any, Any]] = [
            ("grid", own.grid, known.grid),
            ("norm", own.norm, known.norm),
            ("noise", own.noise, replace(known.noise, size=own.noise.size)),
        ]
        if known.reading is not None:  # certificates made by hand know no more
            pairs += own.reading.differences(known.reading)
        for name, mine, its in pairs:
            require(
                mine == its,
                f"certificates must be of this smoothed classifier, whose {name} is {mine}, got "
                f"{its}",
            )

    def module(self, draws: int = 32, seed: int | None = None) -> SoftSmoothed:
        """Make a torch module of soft logits with gradients, for attacks and fine-tuning.

        It is an estimate by a few draws, and no certificate. It holds the classifier that was
        given, in the mode it is in, so that gradients reach its weights. A grid is refused:
        rounding has no slope.
        """
        from simplicert.smoothed.module import SoftSmoothed

        wrong = self.outputs != "logits"
        require(not wrong, f"outputs must be logits for a module, got {self.outputs}")
        require(self.grid is None, f"grid must be None for a module, got {self.grid}")
        require(
            not is_certain(self.noise),
            f"noise must be one that is drawn at random for a module, got {self.noise.name}",
        )
        return SoftSmoothed(self.classifier, self.smoothing, draws, seed)

    def save(self, folder: Path | str, example: Any) -> None:
        """Write the network, exported by torch, and all settings; `example`: a batch of inputs."""
        held = {**vars(self.smoothing), "kind": self.kind, "sensitivity": self.sensitivity}
        saving.write_smoothed(Path(folder), self._noisy.own, example, held)

    @classmethod
    def load(
        cls, folder: Path | str, device: str | None = None, *, trust: bool = False
    ) -> Smoothed:
        """Load what `save` wrote; `trust` vouches for a network with unlisted operations."""
        model, settings = saving.read_smoothed(Path(folder), trust=trust)
        return cls(model.classifier, **settings, device=device)

    def __repr__(self) -> str:
        """Show the classifier's type and the settings in one line."""
        stage = "" if self.sensitivity == 1 else f", sensitivity={self.sensitivity:g}"
        name = type(self.classifier).__name__
        noise = (
            f"sigma={self.sigma:g}" if self.noise == GAUSSIAN else say_noise(self.noise, self.sigma)
        )
        return f"Smoothed({name}, {noise}{stage}, kind={self.kind})"


def _require_batch(inputs: Any, noise: NoiseModel) -> np.ndarray:
    """Return the inputs as a batch of sequences, or of finite numbers in single precision."""
    if takes_numbers(inputs, noise):
        shape = tuple(inputs.shape if hasattr(inputs, "detach") else np.shape(inputs))
        require(
            len(shape) >= LEAST_AXES and shape[0] > 0,
            f"inputs must be a batch of shape (N, features...) with N > 0, got shape {shape}",
        )
    return convert_batch(inputs, noise)
