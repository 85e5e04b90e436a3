"""Load `file.pt2`: a program saved by torch.export.save.

The archive is checked before torch opens it. The program becomes an ordinary module (`Program` in
modules.py), which has no training mode and checks the shape of every batch.
"""

from pathlib import Path
from typing import Any

from simplicert.errors import InvalidInput
from simplicert.importing import USER, Trust, first_error_line, import_library
from simplicert.machine import refuse_huge_unpacking
from simplicert.models.archives import check_archive, weights_only
from simplicert.models.model import Model, digest_parts, find_model_file, tensor_bytes


def load_exported(spec: str, trust: Trust = USER) -> Model:
    """Load the program as a module; its fingerprint is of its tensors and of its code."""
    path = find_model_file(spec)
    torch = import_library("torch", "torch", f"model {path.name}")
    check_archive(path, trust)
    program = _open_program(torch, path)
    from simplicert.models.modules import Program

    code = [part.code for part in program.graph_module.modules() if hasattr(part, "code")]
    constants = {name: value for name, value in program.constants.items() if torch.is_tensor(value)}
    tensors = [*program.state_dict.values(), *constants.values()]
    refuse_huge_unpacking(  # a tensor without strides repeats one number as often as it likes
        f"model {path.name}",
        path.stat().st_size,
        sum(t.numel() * t.element_size() for t in tensors),
    )
    fingerprint = digest_parts(
        "exported",
        *code,
        str(program.graph_signature),
        tensor_bytes(program.state_dict),
        tensor_bytes(constants),
    )
    return Model(
        Program(path.name, program.module(), _declared_shape(path, program)), path.name, fingerprint
    )


def _open_program(torch: Any, path: Path) -> Any:
    """Open the program without reading any pickle; what torch cannot read is refused.

    torch.export.load is not used: where an archive fails, it tries its content as an older format,
    which was not checked. torch would also write guards of the program's own texts and example
    inputs and run them: shapes are checked by Program instead.
    """
    try:
        from torch.export.pt2_archive._package import load_pt2

        with weights_only():
            program = load_pt2(str(path)).exported_programs["model"]
        program._guards_code, program._example_inputs = [], None
        return program
    except Exception as error:  # torch raises many kinds for what it did not write
        raise InvalidInput(
            f"model {path.name} cannot be read by torch {torch.__version__}: "
            f"{first_error_line(error)}"
        ) from None


def _declared_shape(path: Path, program: Any) -> tuple[int | None, ...]:
    """Return the shape of the one tensor it takes, with None where any length will do."""
    names = program.graph_signature.user_inputs
    values = [node.meta.get("val") for node in program.graph.nodes if node.name in names]
    if len(values) != 1 or not hasattr(values[0], "shape"):
        raise InvalidInput(f"model {path.name} must take one tensor, got {list(names)}")
    return tuple(size if isinstance(size, int) else None for size in values[0].shape)
