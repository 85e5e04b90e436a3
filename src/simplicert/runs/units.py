"""Unit: some draws of some inputs, one worker's next task; Answer: what became of it.

Both travel between processes and nodes, so they are small and hold plain values.
"""

from dataclasses import dataclass

from simplicert.sampling.sampler import Earlier
from simplicert.types import Ints


@dataclass(frozen=True, eq=False)
class Unit:
    """The draws span[0]..span[1]-1 of each of these inputs."""

    key: int  # by which the board knows it
    items: Ints  # numbers of the inputs
    span: tuple[int, int]
    before: Earlier | None  # what their earlier draws decided; None where there are none


@dataclass(frozen=True)
class Answer:
    """A part, or the reason why there is none; neither if it was stopped too early for one."""

    name: str = ""  # of the part's file
    content: bytes = b""  # the part
    seconds: float = 0.0
    rows: int = 0  # draws that no progress line was told of yet
    error: str = ""  # what the classifier said when it failed on these inputs
    lost: bool = False  # the worker died or was cut off
    fatal: Exception | None = None  # something that no other worker would do better
