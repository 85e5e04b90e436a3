"""log.csv: a row an epoch."""

import csv
import io
from pathlib import Path

from simplicert.runs.atomic import write_whole

NAME = "log.csv"
COLUMNS = ("epoch", "rate", "loss", "train_accuracy", "noisy_accuracy", "seconds")

Row = dict[str, float]  # by COLUMNS; accuracies under noise, the second on the test inputs


def write_log(folder: Path, log: list[Row]) -> None:
    """All rows so far; the file is replaced whole."""
    text = io.StringIO()
    table = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    table.writeheader()
    table.writerows({name: f"{row[name]:.6g}" for name in COLUMNS} for row in log)
    write_whole(folder / NAME, text.getvalue().encode())
