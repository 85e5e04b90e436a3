"""A verifier and a search for VERONA (`ada-verona`), in the form that its issue #85 asks for.

SmoothingModule      a VerificationModule: is a network's smoothed classifier robust at epsilon?
SmoothingEstimator   an EpsilonValueEstimator: the largest epsilon of a list, from one certificate
SmoothingResult      class, radius, confidence and settings; to_dict and from_dict

Three things differ from a complete verifier, and each of them is said in the results:

* The smoothed classifier is verified, and not the network itself.
* Not certified is not refuted: the answer is then TIMEOUT, never SAT, which would be a
  counter-example.
* VERONA's properties are boxes, so that epsilon is a distance in linf. Gaussian noise certifies l2;
  a radius in linf is that divided by the root of the number of features. `norm="l2"` is for
  epsilons that you mean in l2.

alpha is the failure probability of all that is said about one input. A search that asks again
about the same input, with fresh noise, and keeps the best answer, spends it again. So `verify`
answers `questions` times about an input, alpha divided by that number, and then refuses.
`SmoothingEstimator` needs one question, whatever the number of epsilons.
"""

import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import inf, sqrt
from types import SimpleNamespace
from typing import Any

import numpy as np

from simplicert.errors import InvalidInput, check_positive, require
from simplicert.importing import IMPORT_FAILURES, first_error_line
from simplicert.sampling.settings import check_whole_number
from simplicert.smoothed import ABSTAIN, Smoothed

NORMS = ("linf", "l2")
DRAWS = 100_000
CLOSE = 1e-3  # by which a network's answers may differ in a batch and alone


@dataclass(frozen=True)
class SmoothingResult:
    """What one certificate says about one input, at level `confidence`."""

    predicted_class: int  # -1: it abstains
    certified_radius: float  # in `norm`
    confidence: float
    n0: int
    n: int
    sigma: float
    norm: str
    certification_time: float

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, as JSON and CSV hold them."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "SmoothingResult":
        """Make it again from `to_dict`."""
        return cls(**data)


class SmoothingModule:
    """Verify the smoothed classifier of VERONA's networks: noise of deviation `sigma`, n draws.

    With `n0` the class is chosen by so many separate draws, as Cohen et al. (2019) do; with 0 all
    draws serve both. The instance counts as a VerificationModule of VERONA where that is installed.

    >>> from types import SimpleNamespace
    >>> import torch
    >>> network = SimpleNamespace(
    ...     name="signs", get_input_shape=lambda: (-1, 1),
    ...     load_pytorch_model=lambda: lambda x: torch.cat([x, -x], dim=1))
    >>> point = SimpleNamespace(id="7", label=0, data=torch.tensor([0.9]))
    >>> context = SimpleNamespace(network=network, data_point=point)
    >>> result = SmoothingModule(sigma=0.5, n=1000, seed=0).certify(context)
    >>> result.predicted_class, 0.5 < result.certified_radius < 0.9, result.norm
    (0, True, 'linf')
    """

    def __init__(
        self,
        sigma: float,
        n: int = DRAWS,
        n0: int = 0,
        alpha: float = 0.001,
        *,
        norm: str = "linf",
        questions: int = 1,
        batch_size: int | None = None,
        seed: int | None = None,
    ) -> None:
        """Check the settings; nothing is loaded or drawn yet."""
        check_whole_number("n", n, 1)
        check_whole_number("n0", n0, 0)
        check_whole_number("questions", questions, 1)
        self.sigma, self.n, self.n0 = check_positive("sigma", sigma), n, n0
        require(
            isinstance(alpha, float) and 0 < alpha < 1, f"alpha must lie in (0, 1), got {alpha!r}"
        )
        require(norm in NORMS, f"norm must be {' or '.join(NORMS)}, got {norm!r:.60}")
        self.alpha, self.norm, self.questions = alpha, norm, questions
        self.batch_size, self.seed = batch_size, seed
        self.name = f"simplicert [smoothed classifier, sigma={sigma:g}, {norm}, alpha={alpha:g}]"
        self._asked: Counter[tuple[str, str]] = Counter()
        _register("VerificationModule", type(self))

    def verify(self, verification_context: Any, epsilon: float) -> Any:
        """Return UNSAT where the label is certified up to epsilon, else TIMEOUT: not decided."""
        verona = _import_verona()
        point = verification_context.data_point
        found = self.certify(verification_context)
        robust = is_robust(found, point.label, epsilon)
        kinds = verona.VerificationResult
        return verona.CompleteVerificationData(
            result=kinds.UNSAT if robust else kinds.TIMEOUT,
            took=found.certification_time,
            obtained_labels=_obtained_labels(found),
        )

    def certify(self, verification_context: Any) -> SmoothingResult:
        """Draw anew and certify one input; this is one of its questions."""
        start = time.perf_counter()
        network, point = verification_context.network, verification_context.data_point
        key = str(network.name), str(point.id)
        require(
            self._asked[key] < self.questions,
            f"questions must be at least {self.questions + 1} to ask about input {point.id} of "
            f"{network.name} again, got {self.questions}: alpha is shared among them, and the best "
            "of several answers needs its share; or use SmoothingEstimator, which asks once",
        )
        self._asked[key] += 1
        shape = tuple(int(side) for side in network.get_input_shape())[1:]
        rows = np.asarray(point.data.detach().cpu().numpy(), dtype=np.float32).reshape(1, *shape)
        smooth = Smoothed(
            _row_function(network, shape), self.sigma, batch_size=self.batch_size, device="cpu"
        )
        more: dict[str, Any] = {"scheme": "split", "pilot": self.n0} if self.n0 else {}
        seed = None if self.seed is None else self.seed + sum(self._asked.values())
        spent = self.alpha / self.questions
        certificates = smooth.certify(rows, self.n, spent, seed=seed, **more)
        abstained = bool(certificates.known.abstained[0])
        return SmoothingResult(
            predicted_class=ABSTAIN if abstained else int(certificates.known.top[0]),
            certified_radius=_in_norm(float(certificates.radius[0]), rows.size, self.norm),
            confidence=1 - spent,
            n0=self.n0,
            n=self.n,
            sigma=self.sigma,
            norm=self.norm,
            certification_time=time.perf_counter() - start,
        )


class SmoothingEstimator:
    """Find the largest epsilon of a list that one certificate proves; the rest stays undecided."""

    def __init__(self, epsilon_value_list: Sequence[float], verifier: SmoothingModule) -> None:
        """Take the same arguments as VERONA's own estimators."""
        require(
            isinstance(verifier, SmoothingModule),
            f"verifier must be a SmoothingModule, got {type(verifier).__name__}",
        )
        self.epsilon_value_list = sorted(float(value) for value in epsilon_value_list)
        require(bool(self.epsilon_value_list), "epsilon_value_list must hold a number, got none")
        self.verifier = verifier
        _register("EpsilonValueEstimator", type(self))

    def compute_epsilon_value(self, verification_context: Any) -> Any:
        """Certify once, save what is known of every epsilon, and return VERONA's result.

        `smallest_sat_value` is "undefined": randomised smoothing finds no counter-examples.
        """
        verona = _import_verona()
        kinds = verona.VerificationResult
        found = self.verifier.certify(verification_context)
        label, best = verification_context.data_point.label, 0.0
        labels = _obtained_labels(found)
        for epsilon in self.epsilon_value_list:
            robust = is_robust(found, label, epsilon)
            best = epsilon if robust else best
            answer, took = kinds.UNSAT if robust else kinds.TIMEOUT, found.certification_time
            verification_context.save_result(
                verona.EpsilonStatus(epsilon, answer, took, self.verifier.name, labels)
            )
        return verona.EpsilonValueResult(
            verification_context, best, "undefined", found.certification_time, self.verifier.name
        )


def is_robust(found: SmoothingResult, label: int, epsilon: float) -> bool:
    """Return whether the label keeps its class at every distance up to epsilon.

    A radius certifies what is nearer than it, so that epsilon must be smaller.
    """
    return found.predicted_class == int(label) and 0 <= epsilon < found.certified_radius


def _obtained_labels(found: SmoothingResult) -> np.ndarray | None:
    """Return the class as VERONA keeps it, an array; None where there is none."""
    return None if found.predicted_class == ABSTAIN else np.array([found.predicted_class])


def _in_norm(radius: float, size: int, norm: str) -> float:
    """Return a radius in l2 as one in this norm, rounded toward zero."""
    if norm == "l2" or radius == 0:
        return radius
    return float(np.nextafter(radius / np.nextafter(sqrt(size), inf), 0.0))


def _row_function(network: Any, shape: tuple[int, ...]) -> Any:
    """Return the network as a function of a batch of rows.

    VERONA's wrapper gives every batch the shape that the network was stored with. Where that is
    one row, the network behind it is tried with two rows, and used so if it answers each as it does
    alone; else rows are classified one by one.
    """
    import torch

    wrapped = network.load_pytorch_model()
    if int(network.get_input_shape()[0]) != 1:
        return _on_numpy(lambda rows: wrapped(rows.reshape(-1, *shape)))
    inner = getattr(wrapped, "torch_model", None)

    def one_by_one(rows: Any) -> Any:
        return torch.cat([wrapped(row[None]).reshape(1, -1) for row in rows])

    two = torch.linspace(0, 1, 2 * int(np.prod(shape))).reshape(2, *shape)
    try:
        with torch.inference_mode():
            together, alone = inner(two), one_by_one(two)  # type: ignore[misc]
        fits = together.shape == alone.shape and torch.allclose(together, alone, CLOSE, CLOSE)
    except (RuntimeError, TypeError, ValueError, IndexError):  # a network for one row only
        fits = False
    return _on_numpy(inner if fits else one_by_one)


def _on_numpy(classify: Any) -> Any:
    """Return a function of arrays; VERONA's networks live on the GPU where there is one."""
    import torch

    place = "cuda" if torch.cuda.is_available() else "cpu"

    def run(rows: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            return np.asarray(classify(torch.from_numpy(rows).to(place)).cpu().numpy())

    return run


def _import_verona() -> Any:
    """Return VERONA's own classes of results, or say how to get them."""
    try:
        from ada_verona import EpsilonStatus, EpsilonValueResult
        from ada_verona.database import verification_result
    except IMPORT_FAILURES as error:
        raise InvalidInput(
            "results for VERONA need ada-verona (pip install ada-verona), which does not import: "
            f"{first_error_line(error)}"
        ) from None
    return SimpleNamespace(
        EpsilonStatus=EpsilonStatus,
        EpsilonValueResult=EpsilonValueResult,
        VerificationResult=verification_result.VerificationResult,
        CompleteVerificationData=verification_result.CompleteVerificationData,
    )


def _register(name: str, kind: type) -> None:
    """Let VERONA's abstract class of this name know ours, if VERONA was imported."""
    if (verona := sys.modules.get("ada_verona")) is not None:
        getattr(verona, name).register(kind)
