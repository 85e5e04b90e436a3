"""This process by itself: no one to start, no one to lose."""

from simplicert.runs.crew import Heard
from simplicert.runs.manifest import Manifest
from simplicert.runs.request import Request
from simplicert.runs.survey import Survey
from simplicert.runs.units import Answer, Unit
from simplicert.runs.worker import Worker


class Alone:
    """A crew of one, who draws while the leader waits."""

    def __init__(self, request: Request) -> None:
        """Nothing is loaded yet."""
        self.worker = Worker(request)
        self.unit: Unit | None = None

    def survey(self, before: Manifest | None) -> Survey:
        """Load and probe, here."""
        return self.worker.survey(before)

    def join(self, manifest: Manifest) -> None:
        """Work for this run."""
        self.worker.join(manifest)

    def size(self) -> int:
        """One."""
        return 1

    def idle(self) -> list[int]:
        """Whoever asks is not drawing."""
        return [0]

    def give(self, worker: int, unit: Unit) -> None:
        """Keep it until the leader waits."""
        self.unit = unit

    def wait(self, heard: Heard) -> list[tuple[int, Unit, Answer]]:
        """Draw; the leader hears of every batch."""
        if self.unit is None:
            return []
        unit, self.unit = self.unit, None
        return [(0, unit, self.worker.work(unit, lambda rows, complete: heard(rows)))]

    def stop(self) -> None:
        """What is heard after a batch stops it already."""
