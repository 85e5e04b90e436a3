"""An estimator for ART, the Adversarial Robustness Toolbox: our draws and bounds behind its names.

`smoothed_estimator` returns an `art` estimator that is also one of ART's own
`NumpyRandomizedSmoothing`, so that attacks, metrics and trainers that expect one take it. What
differs from ART's:

* `certify` uses all draws for both the class and the radius, every mechanism, and the runner-up;
* the noisy copies are made batch by batch: memory does not grow with n;
* `predict` stops drawing as soon as the class is decided;
* gradients are averages over noisy copies: those of the expected loss, and not of the base
  classifier without noise.

As in ART, noise is added to the inputs before the classifier's own preprocessing, for fit, predict,
certify and gradients alike: radii are distances between the inputs that you pass in. `predict`
returns a row of zeros where it abstains, as ART does; the argmax of such a row is class 0, so ask
`predict_classes`, which says -1.
"""

from functools import cache
from typing import Any, ClassVar

import numpy as np

from simplicert.errors import require
from simplicert.importing import import_library
from simplicert.sampling.settings import check_whole_number
from simplicert.smoothed import Smoothed
from simplicert.types import Certificates, Ints

GRADIENT_COPIES = 16  # noisy copies that a gradient is averaged over


def smoothed_estimator(
    classifier: Any,
    sample_size: int = 1000,
    scale: float = 0.25,
    alpha: float = 0.001,
    gradient_copies: int = GRADIENT_COPIES,
) -> Any:
    """Return an ART estimator of the smoothed classifier of an ART classifier.

    The arguments are those of ART's `NumpyRandomizedSmoothing`: at most `sample_size` draws of a
    prediction, noise of deviation `scale`, and the failure probability `alpha` of each answer.
    """
    check_whole_number("gradient_copies", gradient_copies, 1)
    return _make_class()(classifier, sample_size, scale, alpha, gradient_copies)


@cache
def _make_class() -> type:
    """Make the class when it is first needed: it inherits from ART's, which is slow to import."""
    about = "smoothed_estimator"
    own = import_library(
        "art.estimators.certification.randomized_smoothing.numpy", "attacks", about
    )

    class SmoothedEstimator(own.NumpyRandomizedSmoothing):  # type: ignore[name-defined,misc]
        """The smoothed classifier of an ART classifier, drawn and certified by simplicert."""

        estimator_params: ClassVar = [
            *own.NumpyRandomizedSmoothing.estimator_params,
            "gradient_copies",
        ]

        def __init__(
            self,
            classifier: Any,
            sample_size: int,
            scale: float,
            alpha: float,
            gradient_copies: int,
        ) -> None:
            """Keep the classifier; nothing is drawn yet."""
            require(
                hasattr(classifier, "channels_first") and hasattr(classifier, "predict"),
                "classifier must be a neural network of ART, such as PyTorchClassifier, got "
                f"{type(classifier).__name__}",
            )
            super().__init__(classifier, sample_size, scale, alpha)
            self.gradient_copies = gradient_copies

        def smoothed(self, batch_size: int = 128) -> Smoothed:
            """Return the smoothed classifier as it is now."""

            def classify(rows: np.ndarray) -> np.ndarray:
                return np.asarray(self.classifier.predict(rows, batch_size=batch_size))

            return Smoothed(classify, self.scale, self.nb_classes, device="cpu")

        def predict_classes(self, x: np.ndarray, batch_size: int = 128) -> Ints:
            """Return a class for each input, -1 where the draws do not decide."""
            return self.smoothed(batch_size).predict(x, self.alpha, self.sample_size).classes

        def predict(
            self, x: np.ndarray, batch_size: int = 128, verbose: bool = False, **kwargs: Any
        ) -> np.ndarray:
            """Return a row with a 1 for each input, all zeros where it abstains.

            With `is_abstain=False` such a row has its 1 at the class with the most votes, which is
            a guess.
            """
            found = self.smoothed(batch_size).predict(x, self.alpha, self.sample_size)
            classes = found.classes
            if kwargs.get("is_abstain") is False:
                classes = np.where(found.abstained, found.votes.argmax(axis=1), classes)
            rows = np.zeros((len(x), self.nb_classes))
            decided = classes >= 0
            rows[decided, classes[decided]] = 1
            return rows

        def certify(
            self, x: np.ndarray, n: int, batch_size: int = 32
        ) -> tuple[np.ndarray, np.ndarray]:
            """Return each input's class, -1 where it abstains, and its radius in l2."""
            found = self.certificates(x, n, batch_size)
            return np.where(found.known.abstained, -1, found.known.top), found.radius

        def certificates(self, x: np.ndarray, n: int, batch_size: int = 128) -> Certificates:
            """Return the whole certificates: every mechanism, both expectations."""
            return self.smoothed(batch_size).certify(x, n, self.alpha)

        def loss_gradient(
            self, x: np.ndarray, y: np.ndarray, training_mode: bool = False, **kwargs: Any
        ) -> np.ndarray:
            """Return the gradient of the loss, averaged over noisy copies."""
            return self._average(
                x,
                lambda noisy: super(SmoothedEstimator, self).loss_gradient(
                    noisy, y, training_mode, **kwargs
                ),
            )

        def class_gradient(
            self, x: np.ndarray, label: Any = None, training_mode: bool = False, **kwargs: Any
        ) -> np.ndarray:
            """Return the gradients of the class scores, averaged over noisy copies."""
            return self._average(
                x,
                lambda noisy: super(SmoothedEstimator, self).class_gradient(
                    noisy, label, training_mode, **kwargs
                ),
            )

        def _average(self, x: np.ndarray, gradient: Any) -> np.ndarray:
            luck = np.random.default_rng()
            total: Any = 0.0
            for _ in range(self.gradient_copies):
                noise = luck.standard_normal(x.shape, dtype=np.float32)
                total = total + gradient(x + np.float32(self.scale) * noise)
            return np.asarray(total / self.gradient_copies, dtype=x.dtype)

    return SmoothedEstimator
