"""An environment and an empty folder beside it: the wheel as somebody has it who just installed it.

Nothing of the repository is on the path. Every command is checked for its exit code, and one that
is refused for having said why in one sentence.
"""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

REFUSED = 2  # the exit code for bad input
SILENT = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")  # which would let the repository in


class Failed(Exception):
    """Something did not do what it promises."""


class Skipped(Exception):
    """Something cannot be tried here, for a reason that is not ours."""


@dataclass(frozen=True)
class Place:
    """Where things are tried, and what was tried there."""

    environment: Path
    folder: Path
    root: Path  # the unpacked sdist: its README, examples and tests, never its source

    def simplicert(self, *words: str, code: int = 0) -> str:
        """What the installed command prints."""
        done = self.run([str(self.environment / "bin" / "simplicert"), *words])
        if done.returncode != code:
            raise Failed(f"simplicert {' '.join(words)}: exit code {done.returncode}, {tail(done)}")
        return done.stdout

    def refused(self, *words: str, naming: str) -> None:
        """The command must say in one sentence what is missing, with exit code 2."""
        done = self.run([str(self.environment / "bin" / "simplicert"), *words])
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        if done.returncode != REFUSED or len(lines) != 1 or naming not in lines[0]:
            said = f"exit code {done.returncode}, {tail(done)}"
            raise Failed(f"simplicert {' '.join(words)} does not name {naming}: {said}")

    def python(self, *words: str) -> str:
        """What the environment's interpreter prints."""
        done = self.run([str(self.environment / "bin" / "python"), *words])
        if done.returncode:
            raise Failed(f"python {words[0]} {words[1][:40]!r}: {tail(done)}")
        return done.stdout

    def run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        """In the empty folder, with the environment's programs first."""
        outside = {name: value for name, value in os.environ.items() if name not in SILENT}
        path = f"{self.environment / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            command,
            cwd=self.folder,
            env={**outside, "PATH": path, "PYTHONNOUSERSITE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )

    def expect(self, *names: str) -> None:
        """These files must be there and not empty."""
        for name in names:
            path = self.folder / name
            if not path.is_file() or not path.stat().st_size:
                raise Failed(f"{name} was not written")


def tail(done: subprocess.CompletedProcess[str]) -> str:
    """The last line that a command had to say."""
    lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
    return lines[-1] if lines else "nothing said"
