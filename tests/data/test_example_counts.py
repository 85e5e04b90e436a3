"""The bundled table is exactly what its script makes."""

import subprocess
import sys
from importlib import resources
from pathlib import Path


def test_the_table_is_reproducible():
    script = Path(__file__).parents[2] / "examples" / "make_example_counts.py"
    made = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    bundled = resources.files("simplicert.data") / "example_counts.txt"
    assert made.stdout == bundled.read_text()
