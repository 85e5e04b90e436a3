"""`file.pt2`: a program saved by torch.export.save."""

from pathlib import Path
from typing import Any

from simplicert.data.libraries import library, said
from simplicert.errors import InvalidInput
from simplicert.memory import require_growth
from simplicert.models.archives import check_archive
from simplicert.models.files import existing
from simplicert.models.fingerprints import digest, tensors
from simplicert.models.model import Model
from simplicert.models.pickles import weights_only
from simplicert.trust import USER, Trust


def load(spec: str, trust: Trust = USER) -> Model:
    """The program as a module; its fingerprint is of its tensors and of its code."""
    path = existing(spec)
    torch = library("torch", "torch", f"model {path.name}")
    check_archive(path, trust)
    program = opened(torch, path)
    from simplicert.models.program import Program

    code = [part.code for part in program.graph_module.modules() if hasattr(part, "code")]
    constants = {name: value for name, value in program.constants.items() if torch.is_tensor(value)}
    held = [*program.state_dict.values(), *constants.values()]
    require_growth(  # a tensor without strides repeats one number as often as it likes
        f"model {path.name}", path.stat().st_size, sum(t.numel() * t.element_size() for t in held)
    )
    fingerprint = digest(
        "exported",
        *code,
        str(program.graph_signature),
        tensors(program.state_dict),
        tensors(constants),
    )
    return Model(
        Program(path.name, program.module(), declared(path, program)), path.name, fingerprint
    )


def opened(torch: Any, path: Path) -> Any:
    """The program; no pickle is read, and what torch cannot read is said in a sentence.

    Not by torch.export.load: where an archive fails, it tries its content as an older format, which
    was not checked. torch would also write guards of the program's own texts and example inputs and
    run them: shapes are checked by Program instead.
    """
    try:
        from torch.export.pt2_archive._package import load_pt2

        with weights_only():
            program = load_pt2(str(path)).exported_programs["model"]
        program._guards_code, program._example_inputs = [], None
        return program
    except Exception as error:  # torch raises many kinds for what it did not write
        raise InvalidInput(
            f"model {path.name} cannot be read by torch {torch.__version__}: {said(error)}"
        ) from None


def declared(path: Path, program: Any) -> tuple[int | None, ...]:
    """The shape of the one tensor it takes, None where any length will do."""
    names = program.graph_signature.user_inputs
    values = [node.meta.get("val") for node in program.graph.nodes if node.name in names]
    if len(values) != 1 or not hasattr(values[0], "shape"):
        raise InvalidInput(f"model {path.name} must take one tensor, got {list(names)}")
    return tuple(size if isinstance(size, int) else None for size in values[0].shape)
