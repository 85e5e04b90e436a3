"""Bad input, by the million: every reader and every parser, given what it should never be given.

    python benchmarks/fuzz.py [--count 1000000] [--commands 3000] [--seed 0] [--json FILE]

Each entry point starts from sound examples and mutates them: bytes flipped, cut, repeated, numbers
and words replaced by awkward ones. Allowed are an answer, a SimplicertError with one sentence, or
the system's own error about a file. Any other exception, a call of more than LONGEST seconds of
work or one that takes more than MEMORY is a finding; it is printed with the input that made it, and
belongs into a test. In-process for functions; the command line itself runs in processes of its own.
"""

import argparse
import json
import random
import resource
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from fuzz_entries import ENTRIES, command_lines

from simplicert.errors import SimplicertError

LONGEST, WAITING, MEMORY = 10, 300, 8 << 30  # seconds of work, of waiting; bytes
WORDS = [
    *("nan", "inf", "-inf", "1e999", "-0", "0", "-1", "1e-320", "9" * 400, "0x10", "1_000"),
    *("٣", "½", "\x00", "\ufeff", "﹣1", "true", "null", "''", '"', "\\", "../../x", "/dev/zero"),
    *("<script>", "${x}", "$(x)", "%s%n", "\r\n", "\t\t", ",", ";", "=", ">=", "@", ":", "[", "]"),
    *(
        "{",
        "}",
        "module:function",
        "__import__",
        "a" * 5000,
        "\U0001f600",
        "1/0",
        "1/255",
        "radius=",
    ),
]


class Slow(Exception):
    """A call that took too long."""


def mutated(sound: bytes, draw: random.Random) -> bytes:
    """One to four changes."""
    content = bytearray(sound)
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(content) + 1)
        end = min(len(content), at + draw.choice((1, 1, 2, 8, 64)))
        kind = draw.randrange(7)
        if kind == 0 and content:
            content[at - 1] = draw.randrange(256)
        elif kind == 1 and content:
            content[at - 1] ^= 1 << draw.randrange(8)
        elif kind == 2:
            del content[at:end]
        elif kind == 3:
            content[at:at] = content[at:end] * draw.choice((1, 2, 50))
        elif kind == 4:
            content[at:end] = draw.choice(WORDS).encode()
        elif kind == 5:
            content[at:at] = draw.choice(WORDS).encode()
        else:
            content = content[:at]
    return bytes(content)


@dataclass
class Count:
    """What one entry point did."""

    tried: int = 0
    refused: int = 0
    findings: list[str] = field(default_factory=list)


def attempt(call: Callable[[bytes], object], content: bytes, count: Count) -> None:
    """One call; an alarm ends it where it works or waits for too long."""
    count.tried += 1
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    signal.setitimer(signal.ITIMER_REAL, WAITING)
    try:
        call(content)
    except SimplicertError as error:
        count.refused += 1
        if not str(error).strip() or "Traceback" in str(error):
            count.findings.append(f"no sentence: {str(error)[:80]!r} for {content[:200]!r}")
    except OSError:  # a file that is not there, or a name too long: a sentence as it stands
        count.refused += 1
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        count.findings.append(
            f"{type(error).__name__}: {str(error)[:80]} at {Path(where.filename).name}:"
            f"{where.lineno} for {content[:300]!r}"
        )
    finally:
        for timer in (signal.ITIMER_PROF, signal.ITIMER_REAL):
            signal.setitimer(timer, 0)


def functions(total: int, seed: int) -> dict[str, Count]:
    """Every entry in turn, its share of the calls by its weight."""
    draw = random.Random(seed)
    found: dict[str, Count] = {}
    weights = sum(entry.weight for entry in ENTRIES)
    with TemporaryDirectory() as place:
        for entry in ENTRIES:
            call, sounds = entry.prepare(Path(place))
            count = found[entry.name] = Count()
            began = time.perf_counter()
            for sound in sounds if entry.exists else []:  # or the rest says nothing
                call(sound)
            for _ in range(max(1, round(total * entry.weight / weights))):
                attempt(call, mutated(draw.choice(sounds), draw), count)
                if len(count.findings) >= 20:
                    break
            seconds = time.perf_counter() - began
            print(f"{entry.name}: {count.tried:,} tried, {count.refused:,} refused,", end=" ")
            print(f"{len(count.findings)} findings, {seconds:.0f} s", flush=True)
            for finding in count.findings[:5]:
                print("   ", finding, flush=True)
    return found


def commands(total: int, seed: int) -> Count:
    """The command line in processes of its own, several lines each to save their start."""
    count, draw, each = Count(), random.Random(seed), 100
    with TemporaryDirectory() as place:
        for start in range(0, total, each):
            lines = command_lines(draw, min(each, total - start))
            done = subprocess.run(
                [sys.executable, "-W", "ignore", Path(__file__).with_name("fuzz_commands.py")],
                input=json.dumps(lines),
                capture_output=True,
                text=True,
                cwd=place,
                timeout=1800,
                check=False,
            )
            if done.returncode:
                count.findings.append(f"the process ended: {done.stderr[-300:]}")
                break
            answers = json.loads(done.stdout.splitlines()[-1])
            for line, (code, trouble) in zip(lines, answers, strict=True):
                count.tried += 1
                count.refused += code == 2
                if trouble:
                    count.findings.append(f"{trouble} for {line!r}")
    print(f"command lines: {count.tried:,} tried, {count.refused:,} refused,", end=" ")
    print(f"{len(count.findings)} findings", flush=True)
    for finding in count.findings[:10]:
        print("   ", finding, flush=True)
    return count


def main() -> None:
    """Count, print, write JSON where asked; exit code 1 where something was found."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--count", type=int, default=1_000_000)
    arguments.add_argument("--commands", type=int, default=3000)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--json", type=Path)
    asked = arguments.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    def too_long(number: int, frame: object) -> None:
        raise Slow

    for number in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(number, too_long)
    found = functions(asked.count, asked.seed)
    if asked.commands:
        found["command line"] = commands(asked.commands, asked.seed)
    result = {
        "seed": asked.seed,
        "total": sum(count.tried for count in found.values()),
        "entries": {
            name: {"tried": count.tried, "refused": count.refused, "findings": len(count.findings)}
            for name, count in found.items()
        },
    }
    print(f"{result['total']:,} in all")
    if asked.json:
        asked.json.write_text(json.dumps(result, indent=1) + "\n")
    sys.exit(any(count.findings for count in found.values()))


if __name__ == "__main__":
    main()
