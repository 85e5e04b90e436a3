"""Smoothed: any classifier, smoothed for use."""

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from simplicert.bounds import bound
from simplicert.certification import certify
from simplicert.errors import choose, require
from simplicert.models.model import uncallable
from simplicert.sampling import sample
from simplicert.sampling.score import reader
from simplicert.sampling.settings import Settings, default_batch, refuse_bytes
from simplicert.smoothed import keeping
from simplicert.smoothed.drawing import Source, is_torch
from simplicert.smoothed.operational import operational_radius
from simplicert.smoothed.prediction import Predictions, predict
from simplicert.types import KINDS, Certificates, Floats
from simplicert.types.arrays import positive

if TYPE_CHECKING:
    from simplicert.smoothed.module import SoftSmoothed

DRAWS = 1000  # of a prediction, at most
SHAPED = 2  # axes of a batch of inputs, at least


class Smoothed:
    """The smoothed classifier g of a classifier f: the class that f gives most often under noise.

    `kind` "multinomial" counts answers; "softmax" averages scores, and both prediction and
    certificate are then about the largest mean score. `classifier`: a torch module, or a function
    of NumPy arrays (or of tensors, where the inputs are tensors). Inputs are always batches.
    `sensitivity`: where the inputs given here are what a first stage puts out, that stage's
    Lipschitz constant; radii are then distances of what goes into the stage.
    """

    def __init__(  # noqa: PLR0913
        self,
        classifier: Any,
        sigma: float,
        num_classes: int | None = None,
        *,
        kind: str = "multinomial",
        outputs: str = "logits",
        noise_scale: ArrayLike | None = None,
        sensitivity: float = 1.0,
        batch_size: int | None = None,
        device: str | None = None,
    ) -> None:
        """Nothing is drawn yet."""
        wrong = uncallable(classifier)
        require(not wrong, f"classifier {wrong}")
        reader(outputs, num_classes)  # refuses what it cannot read
        scale = None if noise_scale is None else np.asarray(noise_scale, dtype=float)
        checked = Settings(sigma, outputs=outputs, num_classes=num_classes, noise_scale=scale)
        self.kind = choose("kind", kind, KINDS)
        require(
            outputs != "labels" or self.kind == "multinomial",
            "kind must be multinomial with labels as outputs, got softmax: there are no scores",
        )
        self.classifier, self.num_classes, self.outputs = classifier, num_classes, outputs
        self.sigma, self.noise_scale = float(checked.sigma), scale
        self.sensitivity = positive("sensitivity", sensitivity)
        self.batch_size, self.device = batch_size, device

    def predict(
        self, inputs: Any, alpha: float = 0.001, draws: int = DRAWS, seed: int | None = None
    ) -> Predictions:
        """A class for each input, or an abstention; stops drawing as soon as it is decided.

        At most `draws` noisy copies an input. Without a seed the noise is different every time,
        which is what an adversary should meet.
        """
        batch = batched(inputs)
        size = self.batch_size or default_batch(tuple(batch.shape[1:]), self.device or "cpu")
        source = Source(
            self.classifier,
            self.sigma,
            self.outputs,
            self.num_classes,
            self.noise_scale,
            size,
            self.device,
        )
        return predict(source, batch, alpha, draws, self.kind == "softmax", seed)

    def certify(
        self,
        inputs: Any,
        draws: int = 100_000,
        alpha: float = 0.001,
        *,
        scheme: str = "gated",
        labels: ArrayLike | None = None,
        seed: int | None = None,
        **options: Any,
    ) -> Certificates:
        """Class, radius, every mechanism and both expectations of each input.

        `options` are those of `sc.sample`. Radii are in the norm of the noise: with `noise_scale`,
        the scaled one.
        """
        tally = sample(
            self.classifier,
            inputs,
            self.sigma,
            draws,
            seed=secrets.randbits(62) if seed is None else seed,
            labels=labels,
            outputs=self.outputs,
            num_classes=self.num_classes,
            noise_scale=self.noise_scale,
            **{"batch_size": self.batch_size, "device": self.device, **options},
        )
        return certify(bound(tally, alpha, self.kind, scheme), sensitivity=self.sensitivity)

    def operational_radius(
        self,
        certificates: Certificates,
        draws: int = DRAWS,
        alpha: float = 0.001,
        beta: float = 0.01,
    ) -> Floats:
        """How far `predict` with these draws keeps its class with probability 1 - beta."""
        require(
            certificates.known.kind == self.kind and certificates.known.sigma == self.sigma,
            f"certificates must be of kind {self.kind} at sigma {self.sigma:g}, got "
            f"{certificates.known.kind} at {certificates.known.sigma:g}",
        )
        require(
            certificates.sensitivity == self.sensitivity,
            f"certificates must be for sensitivity {self.sensitivity:g}, got "
            f"{certificates.sensitivity:g}",
        )
        return operational_radius(certificates, draws=draws, alpha=alpha, beta=beta)

    def module(self, draws: int = 32, seed: int | None = None) -> "SoftSmoothed":
        """A torch module of soft logits with gradients, for attacks and fine-tuning.

        An estimate by a few draws, and no certificate.
        """
        from simplicert.smoothed.module import SoftSmoothed

        require(
            self.outputs == "logits" and self.noise_scale is None,
            "outputs must be logits and noise_scale None for a module, got "
            f"{self.outputs} and {'a scale' if self.noise_scale is not None else None}",
        )
        return SoftSmoothed(self.classifier, self.sigma, draws, seed)

    def save(self, folder: Path | str, example: Any) -> None:
        """Write the network, exported by torch, with its sigma; `example`: a batch of inputs."""
        settings: dict[str, Any] = {
            "sigma": self.sigma,
            "kind": self.kind,
            "outputs": self.outputs,
        }
        if self.sensitivity != 1:
            settings["sensitivity"] = self.sensitivity
        if self.num_classes is not None:
            settings["num_classes"] = int(self.num_classes)
        if self.noise_scale is not None:
            settings["noise_scale"] = self.noise_scale.tolist()
        keeping.write(Path(folder), self.classifier, example, settings)

    @classmethod
    def load(cls, folder: Path | str, device: str | None = None) -> "Smoothed":
        """What `save` wrote."""
        model, settings = keeping.read(Path(folder))
        sigma = settings.pop("sigma")
        return cls(model.classifier, sigma, device=device, **settings)

    def __repr__(self) -> str:
        """What it is, in one line."""
        stage = "" if self.sensitivity == 1 else f", sensitivity={self.sensitivity:g}"
        name = type(self.classifier).__name__
        return f"Smoothed({name}, sigma={self.sigma:g}{stage}, kind={self.kind})"


def batched(inputs: Any) -> Any:
    """A batch of finite numbers, tensor or array as it came."""
    found: Any = inputs if hasattr(inputs, "detach") else np.asarray(inputs)
    shape = tuple(found.shape)
    require(
        len(shape) >= SHAPED and shape[0] > 0,
        f"inputs must be a batch of shape (N, features...) with N > 0, got shape {shape}",
    )
    refuse_bytes(found.dtype)
    finite = found.isfinite().all() if is_torch(None, found) else np.isfinite(found).all()
    require(bool(finite), "inputs must be finite, got NaN or infinity")
    return found
