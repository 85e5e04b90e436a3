"""`file.onnx`: run by onnxruntime on the CPU."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simplicert.data.libraries import library, said
from simplicert.errors import InvalidInput, require
from simplicert.models.files import existing
from simplicert.models.fingerprints import digest
from simplicert.models.model import Model
from simplicert.models.shapes import Declared, check_batch

KEPT_OUTSIDE = 1  # ONNX's TensorProto.EXTERNAL: the values lie in a file beside the model


def load(spec: str) -> Model:
    """A function from a float32 batch to logits; its fingerprint is of the file's bytes."""
    path = existing(spec)
    session = opened(path)
    inputs, outputs = session.get_inputs(), session.get_outputs()
    require(
        len(inputs) == 1 and inputs[0].type == "tensor(float)",
        f"model {path.name} must take one float32 tensor, got "
        f"{', '.join(f'{item.name}: {item.type}' for item in inputs)}",
    )
    output = scores_of(path.name, {item.name: item.type for item in outputs})
    declared = tuple(size if isinstance(size, int) else None for size in inputs[0].shape)
    classifier = partial(classified, session, path.name, output, declared)
    return Model(classifier, path.name, digest("onnx", path.read_bytes(), *kept_outside(path)))


def scores_of(name: str, outputs: dict[str, str]) -> str:
    """The output that holds the scores; converted scikit-learn models have the class beside it."""
    if "logits" in outputs:
        return "logits"
    scores = [output for output, kind in outputs.items() if kind.startswith("tensor(float")]
    if len(outputs) == 1 or len(scores) == 1:
        return scores[0] if scores else next(iter(outputs))
    said = ", ".join(f"{output}: {kind}" for output, kind in outputs.items())
    maps = any("map(" in kind for kind in outputs.values())
    hint = "; a map is no tensor, convert the model again with zipmap=False" if maps else ""
    raise InvalidInput(
        f"model {name} must have one output of float scores or one called logits, got {said}{hint}"
    )


def classified(
    session: Any, name: str, output: str, declared: Declared, batch: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The logits of one batch."""
    check_batch(name, declared, batch.shape)
    rows = np.ascontiguousarray(batch, dtype=np.float32)
    logits: NDArray[np.float32] = session.run([output], {session.get_inputs()[0].name: rows})[0]
    return logits


def opened(path: Path) -> Any:
    """An onnxruntime session."""
    runtime = library("onnxruntime", "onnx", f"model {path.name}")
    errors = runtime.capi.onnxruntime_pybind11_state
    names = ("Fail", "InvalidProtobuf", "InvalidGraph", "InvalidArgument", "NotImplemented")
    known = tuple(getattr(errors, name) for name in (*names, "NoSuchFile", "RuntimeException"))
    try:
        return runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    except known as error:
        raise InvalidInput(f"model {path.name} cannot be read as ONNX: {said(error)}") from None


def kept_outside(path: Path) -> list[bytes]:
    """The files beside the model in which ONNX keeps large weights, one after the other."""
    onnx = library("onnx", "onnx", f"model {path.name}")
    graph = onnx.load(str(path), load_external_data=False).graph
    places = {
        entry.value
        for tensor in graph.initializer
        if tensor.data_location == KEPT_OUTSIDE
        for entry in tensor.external_data
        if entry.key == "location"
    }
    return [(path.parent / place).read_bytes() for place in sorted(places)]
