"""Load `file.onnx`, which onnxruntime runs on the CPU."""

from collections.abc import Iterator
from functools import partial
from io import SEEK_END
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simplicert.errors import InvalidInput, require
from simplicert.files import open_file, read_file
from simplicert.importing import USER, Trust, first_error_line, import_library
from simplicert.machine import require_memory
from simplicert.models.model import Declared, Model, check_batch, digest_parts, find_model_file

MOST = 2**31  # bytes of a model without its external files, by the format
EXTERNAL = 1  # ONNX's TensorProto.EXTERNAL: the values lie in a file beside the model


def load_onnx(spec: str, trust: Trust = USER) -> Model:
    """Load a function from a float32 batch to logits; its fingerprint is of the file's bytes."""
    path = find_model_file(spec)
    outside = _read_external_files(path)  # before onnxruntime opens what the model names
    session = _open_session(path)
    inputs, outputs = session.get_inputs(), session.get_outputs()
    require(
        len(inputs) == 1 and inputs[0].type == "tensor(float)",
        f"model {path.name} must take one float32 tensor, got "
        f"{', '.join(f'{item.name}: {item.type}' for item in inputs)}",
    )
    output = _find_score_output(path.name, {item.name: item.type for item in outputs})
    declared = tuple(size if isinstance(size, int) else None for size in inputs[0].shape)
    classifier = partial(_run_session, session, path.name, output, declared)
    fingerprint = digest_parts("onnx", read_file(path, MOST), *outside)
    return Model(classifier, path.name, fingerprint)


def onnx_fingerprint(path: Path) -> str:
    """Hash the file and the files beside it that hold its weights; nothing is run."""
    return digest_parts("onnx", read_file(path, MOST), *_read_external_files(path))


def _open_session(path: Path) -> Any:
    """Open the model in onnxruntime."""
    runtime = import_library("onnxruntime", "onnx", f"model {path.name}")
    errors = runtime.capi.onnxruntime_pybind11_state
    names = ("Fail", "InvalidProtobuf", "InvalidGraph", "InvalidArgument", "NotImplemented")
    known = tuple(getattr(errors, name) for name in (*names, "NoSuchFile", "RuntimeException"))
    try:
        return runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    except known as error:
        raise InvalidInput(
            f"model {path.name} cannot be read as ONNX: {first_error_line(error)}"
        ) from None


def _find_score_output(name: str, outputs: dict[str, str]) -> str:
    """Find the output with the scores; converted scikit-learn models also output the class."""
    if "logits" in outputs:
        return "logits"
    scores = [output for output, kind in outputs.items() if kind.startswith("tensor(float")]
    if len(outputs) == 1 or len(scores) == 1:
        return scores[0] if scores else next(iter(outputs))
    listed = ", ".join(f"{output}: {kind}" for output, kind in outputs.items())
    maps = any("map(" in kind for kind in outputs.values())
    hint = "; a map is no tensor, convert the model again with zipmap=False" if maps else ""
    raise InvalidInput(
        f"model {name} must have one output of float scores or one called logits, "
        f"got {listed}{hint}"
    )


def _run_session(
    session: Any, name: str, output: str, declared: Declared, batch: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the logits of one batch."""
    check_batch(name, declared, batch.shape)
    rows = np.ascontiguousarray(batch, dtype=np.float32)
    logits: NDArray[np.float32] = session.run([output], {session.get_inputs()[0].name: rows})[0]
    return logits


def _read_external_files(path: Path) -> list[bytes]:
    """Read the files beside the model in which ONNX keeps large weights.

    Each must be a plain file inside the model's folder: a link, a pipe or a device is refused, even
    if onnxruntime would not look at it, because the tensor is not used.
    """
    onnx = import_library("onnx", "onnx", f"model {path.name}")
    try:
        model = onnx.load_model_from_string(read_file(path, MOST))
    except Exception as error:  # protobuf's errors have no common name
        raise InvalidInput(
            f"model {path.name} cannot be read as ONNX: {first_error_line(error)}"
        ) from None
    places = sorted(set(_external_locations(model)))
    total = path.stat().st_size
    for place in places:
        total += _external_file_size(path, place)
    require_memory(f"model {path.name}", total)
    return [read_file(path.parent / place, total, follow=False) for place in places]


def _external_locations(model: Any) -> Iterator[str]:
    """Yield the files that hold a model's external tensors, at any depth of its graphs."""
    waiting = [model]
    while waiting:
        message = waiting.pop()
        for field, value in message.ListFields():
            if field.type == field.TYPE_MESSAGE:
                waiting.extend([value] if hasattr(value, "ListFields") else value)
        if message.DESCRIPTOR.name == "TensorProto" and message.data_location == EXTERNAL:
            yield from (entry.value for entry in message.external_data if entry.key == "location")


def _external_file_size(path: Path, place: str) -> int:
    """Return the size of an external file; it must be in the model's folder, not behind a link."""
    steps = Path(place).parts
    inside = place and "\0" not in place and not Path(place).is_absolute() and ".." not in steps
    require(
        bool(inside), f"model {path.name} must keep its weights in its folder, got {place!r:.80}"
    )
    for number in range(1, len(steps) + 1):
        step = path.parent.joinpath(*steps[:number])
        require(
            not step.is_symlink(),
            f"model {path.name} must keep its weights in files, got a link: {place!r:.80}",
        )
    try:
        with open_file(path.parent / place, follow=False) as file:
            return file.seek(0, SEEK_END)
    except OSError as error:
        raise InvalidInput(
            f"model {path.name} needs its weights in {place!r:.80}: {error.strerror}"
        ) from None
