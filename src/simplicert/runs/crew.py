"""Crew: the workers of one drawing, wherever they are. An engine is a way to have a crew."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from simplicert.runs.manifest import Manifest
from simplicert.runs.units import Answer, Unit

if TYPE_CHECKING:
    from simplicert.runs.survey import Survey

Heard = Callable[[int], bool]  # told of draws as they are made; True asks to stop


class Crew(Protocol):
    """Workers by number. Each has at most one unit, so nothing piles up behind a slow one."""

    def survey(self, before: Manifest | None) -> "Survey":
        """Let one worker load and probe model and data."""

    def join(self, manifest: Manifest) -> None:
        """From now on everybody works for this run."""

    def size(self) -> int:
        """Workers at hand, ready or on their way."""

    def idle(self) -> list[int]:
        """Those who can take a unit now. Lost ones are replaced here, and new ones join."""

    def give(self, worker: int, unit: Unit) -> None:
        """A unit for an idle worker."""

    def wait(self, heard: Heard) -> list[tuple[int, Unit, Answer]]:
        """Units that came back, after a second at most, if none did; a lost worker's too."""

    def stop(self) -> None:
        """Everybody ends after the batch at hand; may be said more than once."""
