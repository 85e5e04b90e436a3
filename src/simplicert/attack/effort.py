"""Effort: how hard to try, and how sure to be of a success."""

from dataclasses import dataclass

from simplicert.errors import require

TESTS = 8  # confirmations that one input may ask for, each at its share of the level


@dataclass(frozen=True)
class Effort:
    """Checked at construction; together with run and input it decides what is found."""

    steps: int = 20  # of each ascent
    restarts: int = 2  # of each loss: at the input itself, then at random points of the ball
    samples: int = 16  # noise copies of one gradient
    explore: int = 512  # draws of one look at a point, to choose where to go
    confirm: int = 5000  # fresh draws of one confirmation
    level: float = 0.001  # probability that any of all inputs is wrongly said to be broken
    seed: int = 0

    def __post_init__(self) -> None:
        """One sentence for each way to be wrong."""
        for name in ("steps", "restarts", "samples", "explore", "confirm"):
            value = getattr(self, name)
            whole = isinstance(value, int) and not isinstance(value, bool)
            require(
                whole and 1 <= value <= 2**20,
                f"{name} must be a whole number in 1..{2**20}, got {value!r}",
            )
        whole = isinstance(self.seed, int) and not isinstance(self.seed, bool)
        require(
            whole and 0 <= self.seed < 2**63,
            f"seed must be a whole number from 0 on, got {self.seed!r}",
        )
        require(0 < self.level < 1, f"level must lie strictly between 0 and 1, got {self.level!r}")

    def test_level(self, inputs: int) -> float:
        """Of one confirmation, where so many inputs are attacked (Bonferroni, rounded down).

        Any number of them may be dependent, and which points are tested may depend on everything
        before: all confirmations that there can be together err with probability at most `level`.
        """
        return self.level / (inputs * TESTS) * (1 - 1e-12)
