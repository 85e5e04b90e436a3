"""SmoothedClassifier: a scikit-learn classifier whose answers under noise are certified.

It keeps scikit-learn's rules (its estimator checks pass): parameters in `__init__` as they are,
what `fit` learns in names that end in an underscore, clone, pickle, pipelines and searches.

Where the draws do not decide, `predict` abstains: it returns `abstain_label_`, which is no class.
That is -1, or "abstained" where classes are texts, unless a class has that name. A score of
scikit-learn counts it as wrong, as the field does. There is no `predict_proba`: shares of votes are
estimates without a guarantee, and would disagree with `predict` wherever it abstains.

A smoothed classifier is only good if its estimator is used to noise: `fit` shows it noisy copies of
every row.
"""

import secrets
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from simplicert.errors import InvalidInput, require
from simplicert.importing import import_library
from simplicert.smoothed import ABSTAIN, Smoothed
from simplicert.types import Certificates, Ints

BASE: Any = import_library("sklearn.base", "demo", "SmoothedClassifier")
TARGETS: Any = import_library("sklearn.utils.multiclass", "demo", "SmoothedClassifier")
VALIDATION: Any = import_library("sklearn.utils.validation", "demo", "SmoothedClassifier")
require(hasattr(VALIDATION, "validate_data"), "SmoothedClassifier needs scikit-learn 1.6 or later")
TEXT = "abstained"  # stands for no class where classes are texts


class SmoothedClassifier(BASE.ClassifierMixin, BASE.MetaEstimatorMixin, BASE.BaseEstimator):  # type: ignore[misc]
    """The class that `estimator` gives most often under Gaussian noise of deviation `sigma`.

    `sigma` is in units of the features, which should share one scale: put a StandardScaler in front
    (radii are then distances between scaled rows), or give each feature its share by `noise_scale`.
    `fit` shows the estimator `copies` noisy copies of each row; 0 fits it as it is. `predict` uses
    at most `draws` draws and is wrong about the smoothed classifier with probability at most
    `alpha`; `certify` draws anew. With a number as `random_state` every call draws the same noise.

    >>> from sklearn.linear_model import LogisticRegression
    >>> rows = np.array([[0.0, 0.0], [0.0, 1.0], [4.0, 4.0], [4.0, 5.0]])
    >>> smooth = SmoothedClassifier(LogisticRegression(), sigma=0.5, random_state=0)
    >>> smooth.fit(rows, ["cat", "cat", "dog", "dog"]).predict([[0.5, 0.5], [4.5, 4.5]]).tolist()
    ['cat', 'dog']
    >>> smooth.certify(rows, ["cat", "cat", "dog", "dog"], draws=1000).correct
    array([ True,  True,  True,  True])
    """

    def __init__(
        self,
        estimator: Any,
        sigma: float = 0.25,
        *,
        copies: int = 5,
        draws: int = 1000,
        alpha: float = 0.001,
        noise_scale: ArrayLike | None = None,
        random_state: Any = None,
    ) -> None:
        """Keep the parameters; `fit` checks them."""
        self.estimator = estimator
        self.sigma = sigma
        self.copies = copies
        self.draws = draws
        self.alpha = alpha
        self.noise_scale = noise_scale
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> "SmoothedClassifier":  # noqa: N803
        """Fit a clone of the estimator on noisy copies of the rows."""
        rows, labels = VALIDATION.validate_data(self, X, y)
        TARGETS.check_classification_targets(labels)
        self.classes_, numbers = np.unique(labels, return_inverse=True)
        require(
            len(self.classes_) > 1, f"y must hold at least two classes, got 1 class {labels[0]!r}"
        )
        whole = isinstance(self.copies, (int, np.integer)) and not isinstance(self.copies, bool)
        require(bool(whole) and self.copies >= 0, f"copies must be 0 or more, got {self.copies!r}")
        self.abstain_label_ = _choose_abstain_label(self.classes_)
        self.estimator_ = self._clone_estimator()
        shown, numbers = self._add_noise(np.asarray(rows, dtype=np.float64), numbers)
        self.estimator_.fit(shown, self.classes_[numbers])
        self._smoothed()  # refuses a sigma or a noise scale that cannot be
        return self

    def predict(self, X: Any) -> np.ndarray:  # noqa: N803
        """Return a class for each row, or `abstain_label_` where the draws do not decide."""
        rows = self._check_rows(X)
        found = self._smoothed().predict(rows, self.alpha, self.draws, self._seed()).classes
        return self._name_classes(found)

    def certify(
        self,
        X: Any,  # noqa: N803
        y: Any = None,
        *,
        draws: int = 10_000,
        alpha: float | None = None,
    ) -> Certificates:
        """Certify each row; classes are numbers in the order of `classes_`.

        With labels `y`, `correct` says which rows have their own class certified.
        """
        rows = self._check_rows(X)
        labels = None if y is None else self._number_labels(np.asarray(y))
        spent = self.alpha if alpha is None else alpha
        return self._smoothed().certify(rows, draws, spent, labels=labels, seed=self._seed())

    def _clone_estimator(self) -> Any:
        """Return a new estimator, which follows our random state where it has none of its own."""
        own = BASE.clone(self.estimator)
        if self.random_state is not None and own.get_params().get("random_state", 0) is None:
            own.set_params(random_state=self._seed())
        return own

    def _check_rows(self, rows: Any) -> np.ndarray:
        """Return rows like those of `fit`, in single precision."""
        VALIDATION.check_is_fitted(self)
        checked = VALIDATION.validate_data(self, rows, reset=False)
        return np.asarray(checked, dtype=np.float32)

    def _smoothed(self) -> Smoothed:
        """Make the smoothed classifier of the fitted estimator; nothing of it is kept."""

        def classify(rows: np.ndarray) -> Ints:
            named = self.estimator_.predict(rows)
            return np.asarray(np.searchsorted(self.classes_, named), dtype=np.int64)

        return Smoothed(
            classify,
            self.sigma,
            len(self.classes_),
            outputs="labels",
            noise_scale=self.noise_scale,
            device="cpu",
        )

    def _add_noise(self, rows: np.ndarray, numbers: Ints) -> tuple[np.ndarray, Ints]:
        """Return `copies` noisy copies of the rows, and their classes; 0: the rows themselves."""
        if self.copies == 0:
            return rows, numbers
        shares = 1.0 if self.noise_scale is None else np.asarray(self.noise_scale, dtype=float)
        repeated = np.tile(rows, (int(self.copies), 1))
        luck = VALIDATION.check_random_state(self.random_state)
        noise = luck.standard_normal(repeated.shape)
        return repeated + self.sigma * shares * noise, np.tile(numbers, int(self.copies))

    def _seed(self) -> int:
        """Return a seed: fresh, or from the random state that was given."""
        if self.random_state is None:
            return secrets.randbits(62)
        luck = VALIDATION.check_random_state(self.random_state)
        return int(luck.randint(2**31 - 1))

    def _name_classes(self, found: Ints) -> np.ndarray:
        """Return the classes by their own names."""
        names = np.append(self.classes_, np.array([self.abstain_label_]))
        if (found != ABSTAIN).all():
            names = self.classes_  # whose type may be narrower
        return np.asarray(names[found])

    def _number_labels(self, labels: np.ndarray) -> Ints:
        """Return labels as numbers in the order of the classes; refuse an unknown one."""
        numbers = np.searchsorted(self.classes_, labels).clip(0, len(self.classes_) - 1)
        other = self.classes_[numbers] != labels
        if np.any(other):
            raise InvalidInput(
                f"y must hold the classes that fit saw, got {labels[other][0]!r:.60}"
            )
        return np.asarray(numbers, dtype=np.int64)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that rows are dense numbers, and that answers are random."""
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        return tags


def _choose_abstain_label(classes: np.ndarray) -> Any:
    """Return a value of the type of the classes that is none of them."""
    if classes.dtype.kind in "OUS":
        label: Any = TEXT
        while label in set(map(str, classes)):
            label += "_"
        return label
    if classes.dtype.kind == "b":
        return ABSTAIN
    return ABSTAIN if ABSTAIN not in classes else classes.min() - 1
