"""From a classifier to a function of a whole batch in memory, whatever kind it is."""

import contextlib
import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from simplicert.errors import InvalidInput, SimplicertError, require
from simplicert.models.model import is_module
from simplicert.models.shapes import channels_hint
from simplicert.sampling.asking import ask, may_pass

Classify = Callable[[Any], np.ndarray]
ONE_IMAGE = 3  # axes of a batch whose rows are flat images, or of one image taken for a batch


def of_arrays(classifier: Callable[[np.ndarray], Any]) -> Classify:
    """A plain function of NumPy arrays; its outputs are copied, as they may lie in the batch."""
    return lambda memory: np.array(classifier(memory))


def frozen_copy(classifier: Any) -> Any:
    """A copy of a module in eval mode that asks for no gradients; a function is what it is.

    The caller's module is never moved, switched or trained by us, and what the caller does to it
    later does not change what was certified.
    """
    if not is_module(classifier):
        return classifier
    import torch

    try:
        with torch.no_grad():  # or the weights of a copy of TorchScript are no leaves
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


def of_tensors(
    own: Any, device: str, channels_last: bool, compiled: bool, autocast: bool
) -> Classify:
    """A torch function, or a module of our own, which is moved and laid out for the device."""
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


def first_outputs(classify: Callable[[], np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    """The first outputs of a classifier, or a sentence that says why there are none.

    `shape` is the batch's as the classifier sees it; in memory its axes may lie in another order.
    """
    try:
        return classify()
    except SimplicertError:
        raise
    except Exception as error:  # the classifier is foreign code and may raise anything
        if not may_pass(error):
            raise failed(shape, error) from error
        return ask(classify, lambda: None)


def check_outputs(outputs: np.ndarray, labels_only: bool, rows: int) -> None:
    """Numbers, one row for each of the batch."""
    require(
        outputs.dtype.kind in "biuf",
        f"classifier must return numbers, got {outputs.ravel()[:1].tolist()!r:.60}",
    )
    wanted = f"({rows},)" if labels_only else f"({rows}, K) with K >= 2"
    fits = outputs.shape[:1] == (rows,) and outputs.ndim == (1 if labels_only else 2)
    require(
        fits and (labels_only or outputs.shape[1] >= 2),  # noqa: PLR2004
        f"classifier must return outputs of shape {wanted}, got {outputs.shape}"
        f"{numbers_hint(outputs, labels_only)}",
    )


def failed(shape: tuple[int, ...], error: Exception) -> InvalidInput:
    """A classifier's own error at its first batch, in one sentence with what may be the matter."""
    words = str(error).strip().splitlines()
    hint = channels_hint(shape)
    if len(shape) == ONE_IMAGE and not isinstance(error, MemoryError):
        hint = "; inputs are always a batch: a single one is inputs[None]"
    return InvalidInput(
        f"classifier must accept a batch laid out as {tuple(shape)}, and it failed: "
        f"{words[0] if words else type(error).__name__}{hint}"
    )


def numbers_hint(outputs: np.ndarray, labels_only: bool) -> str:
    """Class numbers where scores were awaited: how to say so."""
    if outputs.ndim != 1 or labels_only:
        return ""
    if outputs.dtype.kind == "f" and (outputs != np.floor(outputs)).any():
        return "; one score a row is one class too few: give those of both, as predict_proba does"
    return '; class numbers are outputs="labels" (--outputs labels --classes K)'
