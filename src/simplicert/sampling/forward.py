"""Call any kind of classifier on a batch in memory, and try again when it fails.

The classifier is foreign code, and a remote model sometimes does not answer (HTTP 503, a
connection reset). Whatever class such an error has, it says nothing about our files or our
arguments. The same rows are sent again a few times; then the error is raised as ClassifierFailed,
whose cause is the original.

wrap_array_function    a NumPy function as a function of a batch in memory
wrap_torch_function    a torch function, or a module laid out for its device
frozen_copy            our own copy of a module, in eval mode and without gradients
call_with_retries      the classifier's outputs, after a few attempts
first_outputs          the first call, which explains an error in one sentence
check_outputs          numbers, one row for each row of the batch
"""

import contextlib
import copy
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from simplicert.errors import InvalidInput, SamplingFailed, SimplicertError, require
from simplicert.models.model import channels_hint, is_module
from simplicert.sampling.calls import BudgetSpent

PAUSES = (0.05, 0.1, 0.2)  # seconds to wait before each new attempt
Classify = Callable[[Any], np.ndarray]
SEQUENCES = 1  # axes of a batch of sequences of tokens
ONE_IMAGE = 3  # axes of a batch whose rows are flat images, or of one image mistaken for a batch


class ClassifierFailed(SamplingFailed):
    """The classifier raised an error at every attempt; `__cause__` is the last one."""

    def __init__(self, words: str) -> None:
        """`words` is the message of the classifier's error, in one line."""
        super().__init__(words)
        self.words = words

    def __str__(self) -> str:
        """Return a sentence."""
        return f"the classifier failed: {self.words}"


class BatchRefused(InvalidInput):
    """The classifier's first batch made it fail: model and inputs do not fit."""


def wrap_array_function(classifier: Callable[[np.ndarray], Any]) -> Classify:
    """Wrap a function of NumPy arrays, or of lists of tokens; its outputs are copied."""
    return lambda memory: np.array(classifier(memory))


def wrap_torch_function(
    own: Any, device: str, channels_last: bool, compiled: bool, autocast: bool
) -> Classify:
    """Wrap a torch function, or our copy of a module, which is laid out for the device."""
    import torch

    run = own
    if is_module(own):
        run = own.to(device)
        if channels_last:
            run = run.to(memory_format=torch.channels_last)
    if compiled:
        # The copy is ours and never trained: its weights may be folded into the code.
        run = torch.compile(run, dynamic=False, options={"freezing": True})
    kind = torch.device(device).type

    def classify(memory: Any) -> np.ndarray:
        rows = torch.from_numpy(memory) if isinstance(memory, np.ndarray) else memory
        if channels_last:
            rows = rows.permute(0, 3, 1, 2)  # a view: the memory is already in this order
        # Folding weights needs no_grad; eager code is a little faster in inference mode.
        without = torch.no_grad() if compiled else torch.inference_mode()
        with without, torch.autocast(kind, enabled=autocast):
            outputs = run(rows)
        if not isinstance(outputs, torch.Tensor):
            raise InvalidInput(
                f"classifier must return a tensor of outputs, got {type(outputs).__name__}"
            )
        whole = outputs.dtype in (torch.int32, torch.int64)
        return np.array((outputs if whole else outputs.float()).cpu().numpy())

    return classify


def frozen_copy(classifier: Any) -> Any:
    """Return a copy of a module in eval mode without gradients; a function is returned as it is.

    The caller's module is never moved, switched or trained by us, and what the caller does to it
    later does not change what was certified.
    """
    if not is_module(classifier):
        return classifier
    import torch

    try:
        with torch.no_grad():  # otherwise the weights of a TorchScript copy are not leaves
            own = copy.deepcopy(classifier)
    except Exception as error:  # foreign code may raise anything
        words = str(error).strip().splitlines() or [type(error).__name__]
        raise InvalidInput(
            f"classifier must be a module that copy.deepcopy can copy, and that failed: {words[0]}"
        ) from error
    for parameter in own.parameters():  # the module's own requires_grad_ fails for TorchScript
        parameter.requires_grad_(False)
    with contextlib.suppress(NotImplementedError):  # an exported program has no modes
        own.eval()
    return own


def call_with_retries(
    classify: Callable[[], np.ndarray], restore: Callable[[], None]
) -> np.ndarray:
    """Return the outputs; `restore` rewrites the batch, which a failed call may have changed."""
    for pause in PAUSES:
        try:
            return classify()
        except BudgetSpent:
            raise
        except Exception:  # the classifier is foreign code and may raise anything
            time.sleep(pause)
        restore()
    try:
        return classify()
    except BudgetSpent:
        raise
    except Exception as error:
        raise ClassifierFailed(first_line(error)) from error


def retry_calls(forward: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    """Wrap a function of rows in `call_with_retries`; it writes the rows into the batch itself."""
    return lambda rows: call_with_retries(lambda: forward(rows), lambda: None)


def first_outputs(classify: Callable[[], np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    """Return a classifier's first outputs, or raise an error that explains why there are none.

    `shape` is the batch's as the classifier sees it; in memory its axes may be in another order.
    """
    try:
        return classify()
    except SimplicertError:
        raise
    except Exception as error:  # the classifier is foreign code and may raise anything
        if not is_temporary_error(error):
            raise _explain_failure(shape, error) from error
        return call_with_retries(classify, lambda: None)


def check_outputs(outputs: np.ndarray, labels_only: bool, rows: int) -> None:
    """Check that outputs are numbers, with one row for each row of the batch."""
    require(
        outputs.dtype.kind in "biuf",
        f"classifier must return numbers, got {outputs.ravel()[:1].tolist()!r:.60}",
    )
    wanted = f"({rows},)" if labels_only else f"({rows}, K) with K >= 2"
    fits = outputs.shape[:1] == (rows,) and outputs.ndim == (1 if labels_only else 2)
    require(
        fits and (labels_only or outputs.shape[1] >= 2),  # noqa: PLR2004
        f"classifier must return outputs of shape {wanted}, got {outputs.shape}"
        f"{_labels_hint(outputs, labels_only)}",
    )


def is_temporary_error(error: Exception) -> bool:
    """Return whether a classifier that raised this error at its first call may answer later.

    Errors of connections are OSErrors; any other error in the first batch, or a file that is not
    there, means that model and data do not fit, which is better reported at once.
    """
    local = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError)
    return isinstance(error, OSError) and not isinstance(error, local)


def first_line(error: BaseException) -> str:
    """Return an error's message as one line that cannot move a cursor; its class if it has none."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return "".join(letter if letter.isprintable() else "?" for letter in lines[0])


def _explain_failure(shape: tuple[int, ...], error: Exception) -> BatchRefused:
    """Explain a classifier's error at its first batch in one sentence, with a likely cause."""
    words = str(error).strip().splitlines()
    if len(shape) == SEQUENCES:
        return BatchRefused(
            f"classifier must accept a list of {shape[0]} lists of tokens, of which some or all "
            f"are empty, and it failed: {words[0] if words else type(error).__name__}"
        )
    hint = channels_hint(shape)
    if len(shape) == ONE_IMAGE and not isinstance(error, MemoryError):
        hint = "; inputs are always a batch: a single one is inputs[None]"
    return BatchRefused(
        f"classifier must accept a batch laid out as {tuple(shape)}, and it failed: "
        f"{words[0] if words else type(error).__name__}{hint}"
    )


def _labels_hint(outputs: np.ndarray, labels_only: bool) -> str:
    """Say how to declare class numbers, where scores were expected."""
    if outputs.ndim != 1 or labels_only:
        return ""
    if outputs.dtype.kind == "f" and (outputs != np.floor(outputs)).any():
        return "; one score per row is one class too few: give those of both, as predict_proba does"
    return '; class numbers are outputs="labels" (--outputs labels --classes K)'
