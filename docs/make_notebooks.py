"""Run the tutorials from the first cell to the last and keep what they print.

    python docs/make_notebooks.py

A cell that fails ends the program. Notebooks run in a folder of their own, on one thread; nothing
that changes from one time to the next is kept: no times, no version of the kernel.
"""

import os
import re
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parent / "tutorials"
SECONDS = 300  # for one cell
STYLE = re.compile(r"\x1b\[[0-9;]*m")  # bold and dim letters of a terminal


def run_notebook(path: Path) -> nbformat.NotebookNode:
    """Return the notebook with fresh outputs."""
    notebook = nbformat.read(path, as_version=4)
    commands = Path(sys.executable).parent  # where `simplicert` is, for cells that begin with `!`
    os.environ |= {
        "OMP_NUM_THREADS": "1",
        "COLUMNS": "100",
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }
    with tempfile.TemporaryDirectory() as folder:
        place = {"metadata": {"path": folder}}
        NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", resources=place).execute()
    for cell in notebook.cells:
        cell.metadata = {}
        if "outputs" in cell:  # a line of progress, on the standard error, is for those who wait
            cell.outputs = [o for o in cell.outputs if o.get("name") != "stderr"]
            _join_streams(cell)
            for output in cell.outputs:
                if output.output_type == "stream":
                    output.text = STYLE.sub("", output.text).replace("\r\n", "\n")
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


def _join_streams(cell: nbformat.NotebookNode) -> None:
    """Make one text of what was printed in pieces: where they break is chance."""
    joined: list[nbformat.NotebookNode] = []
    for output in cell.outputs:
        if joined and output.output_type == joined[-1].output_type == "stream":
            joined[-1].text += output.text
        else:
            joined.append(output)
    cell.outputs = joined


def main() -> None:
    """Run every tutorial, and write it with its outputs."""
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        nbformat.write(run_notebook(path), path)
        print(path.name)


if __name__ == "__main__":
    main()
