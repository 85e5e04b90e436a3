"""How long a board of many logs takes, in seconds of this machine.

    python benchmarks/board.py [--logs 500] [--json FILE] [--site DIR]

No other tool that we know of reads many logs, audits them and writes pages, so there is no rival to
run beside it: these are plain seconds, of one process, by the clock and of the processor. Logs are
made up, in Cohen's format: half with 500 rows, half with 10,000, as published ones are. `--site`
keeps the site.
"""

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.special import ndtri

from simplicert.board import read_board
from simplicert.board.site import write_site

ROWS = (500, 10_000)
SIGMAS = (0.25, 0.5, 1.0)
HEADER = "idx\tlabel\tpredict\tradius\tcorrect\ttime"


def write_log(path: Path, rows: int, sigma: float, seed: int) -> None:
    """Write a log with rows of every sort."""
    random = np.random.default_rng(seed)
    step = 10_000 // rows
    index = step * np.arange(rows)
    label = (7 * index + index // 20) % 10  # by the input, so that all logs agree on it
    right = random.random(rows) < 0.7
    predict = np.where(right, label, (label + 1) % 10)
    radius = sigma * ndtri(random.uniform(0.5, 0.99993, rows))
    idle = random.random(rows) < 0.1
    predict[idle], radius[idle] = -1, 0.0
    seconds = random.uniform(10, 20, rows)
    lines = [
        f"{index[row]}\t{label[row]}\t{predict[row]}\t{radius[row]:.3}\t"
        f"{int(predict[row] == label[row])}\t0:00:{seconds[row]:.6f}"
        for row in range(rows)
    ]
    path.parent.mkdir(parents=True)
    path.write_text("\n".join([HEADER, *lines]) + "\n", encoding="utf-8")


def measure(logs: int, site: Path | None = None) -> dict[str, float]:
    """Make the logs, read them, write the site, and return the seconds of each step."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(logs):
            sigma = SIGMAS[number % len(SIGMAS)]
            place = Path(folder, "in", "cifar10", f"method{number:04d}", f"sigma_{sigma}")
            write_log(place, ROWS[number % len(ROWS)], sigma, number)
        claims = Path(folder, "in", "board.toml")
        claims.write_text("[[claim]]\ndraws = 100000\nalpha = 0.001\n", encoding="utf-8")
        wall, spent = time.monotonic(), time.process_time()
        board = read_board([Path(folder, "in")])
        read = time.process_time() - spent
        out = site or Path(folder, "out")
        write_site(board, out)
        wall, spent = time.monotonic() - wall, time.process_time() - spent
        size = sum(file.stat().st_size for file in out.rglob("*") if file.is_file())
    assert len(board.entries) == logs
    return {
        "logs": logs,
        "rows": sum(entry.rows for entry in board.entries),
        "read_processor_seconds": round(read, 1),
        "processor_seconds": round(spent, 1),
        "wall_seconds": round(wall, 1),
        "load": round(os.getloadavg()[0], 1),
        "megabytes": round(size / 1e6, 1),
    }


def main() -> None:
    """Measure and write the result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--logs", type=int, default=500)
    default = Path(__file__).parent / "results" / "board.json"
    parser.add_argument("--json", type=Path, default=default)
    parser.add_argument("--site", type=Path, help="a new folder that keeps the site")
    told = parser.parse_args()
    result = measure(told.logs, told.site)
    told.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
