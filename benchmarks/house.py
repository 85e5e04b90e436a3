"""The house in numbers: how large its files are, how they are named, how far a reader must walk.

    python benchmarks/house.py [--before OTHER/src] [--rebuilt OTHER/src] --json FILE

Counts the files of src/simplicert and their names, then runs `sample`, `draw` (which `sample`
calls), `certify`, `report` and a prediction on a small example and notes every function of the
package that was called on the way.
With --before and --rebuilt it counts other checkouts too, so that the states before the files were
rearranged, just after it, and now stand side by side.
"""

import argparse
import ast
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHORT = 50  # lines of a file that is a crumb

MODEL = """
import numpy as np
WEIGHTS = np.random.default_rng(0).normal(size=(12, 4)).astype(np.float32)
def make():
    return lambda batch: batch.reshape(len(batch), -1) @ WEIGHTS
"""

# Runs in a process of its own, in a folder with model.py and data.npz.
WALK = """
import json, sys, threading
from inspect import CO_OPTIMIZED
from pathlib import Path
import simplicert
HOME = str(Path(simplicert.__file__).parent)
called = set()
def note(frame, event, argument):
    code = frame.f_code
    # Class bodies and modules run once, at import: no reader walks through them.
    walked = code.co_flags & CO_OPTIMIZED and not code.co_name.startswith("<")
    if event == "call" and walked and code.co_filename.startswith(HOME):
        called.add((code.co_filename[len(HOME) + 1:], code.co_qualname))
import numpy as np
def command(*words):
    from simplicert.cli import main
    sys.argv = ["simplicert", *words]
    try:
        main()
    except SystemExit as ended:
        assert not ended.code, ended.code
def draw():
    simplicert.draw("model:make", "data.npz", 0.4, 2000, "drawn", device="cpu", warn=print)
def predict():
    import model
    smooth = simplicert.Smoothed(model.make(), num_classes=4, sigma=0.4)
    smooth.predict(np.load("data.npz")["inputs"][:2])
JOBS = {
    "sample": lambda: command("sample", "--model", "model:make", "--data", "data.npz", "--sigma",
                              "0.4", "--draws", "2000", "--device", "cpu", "--out", "run"),
    "draw": draw,
    "certify": lambda: command("certify", "run", "--out", "certificates.csv"),
    "report": lambda: command("report", "run", "--out", "report.html"),
    "predict": predict,
}
threading.setprofile(note)
sys.setprofile(note)
JOBS[sys.argv[1]]()
sys.setprofile(None)
functions = {f"{name}:{place}" for name, place in called}
print(json.dumps({"functions": len(functions), "files": len({name for name, _ in called})}))
"""


def count_files(source):
    """Sizes of the files below a folder, and how many modules import each of them."""
    paths = sorted(source.rglob("*.py"))
    lines = [len(path.read_text().splitlines()) for path in paths]
    importers = count_importers(source, paths)
    return {
        "files": len(paths),
        "lines": sum(lines),
        "median_lines": statistics.median(lines),
        "longest": max(lines),
        "short_files": sum(number <= SHORT for number in lines),
        "modules_with_one_importer": sum(number == 1 for number in importers.values()),
    }


def count_importers(source, paths):
    """Module -> how many other modules of the package name it in an import."""
    names = {_module_name(source, path): path for path in paths}
    found = Counter()
    for importer, path in names.items():
        imported = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("simplicert"):
                inner = {f"{node.module}.{alias.name}" for alias in node.names}
                imported |= {name for name in inner if name in names} or {node.module}
        found.update(imported & set(names) - {importer})
    return found


def _module_name(source, path):
    parts = path.relative_to(source.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def count_names(source):
    """Functions by the number of words in their names; names that several functions share."""
    functions, classes = [], []
    for path in source.rglob("*.py"):
        tree = ast.parse(path.read_text())
        functions += [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
        classes += [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    one_word = [name for name in functions if re.fullmatch(r"_*[^_]+", name)]
    return {
        "functions": len(functions),
        "one_word_functions": len(one_word),
        "repeated_classes": sum(number > 1 for number in Counter(classes).values()),
    }


def trace_ways(source):
    """For each job the functions of the package that are called, and the files they stand in."""
    found = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "model.py").write_text(MODEL)
        (folder / "walk.py").write_text(WALK)
        make = "import numpy as np; r = np.random.default_rng(1); np.savez('data.npz', "
        make += "inputs=r.random((8, 3, 4)).astype('f4'), labels=r.integers(0, 4, 8))"
        environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(source.parent), name))}
        run = {"cwd": folder, "env": environment, "text": True}
        subprocess.run([sys.executable, "-c", make], check=True, **run)
        jobs = ["sample", "draw", "certify", "report", "predict"]
        if not (source / "drawing").exists():
            jobs.remove("draw")  # the function is as new as that room
        for job in jobs:
            words = [sys.executable, "-W", "ignore", "walk.py", job]
            done = subprocess.run(words, stdout=subprocess.PIPE, check=True, **run)
            found[job] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure_house(source):
    """All of it, for the package in this folder."""
    return {**count_files(source), **count_names(source), "ways": trace_ways(source)}


def main():
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", type=Path)
    parser.add_argument("--rebuilt", type=Path)
    parser.add_argument("--json", type=Path)
    words = parser.parse_args()
    earlier = {"before": words.before, "rebuilt": words.rebuilt}
    found = {
        name: measure_house(source.resolve() / "simplicert")
        for name, source in earlier.items()
        if source
    }
    found["now"] = measure_house(ROOT / "src" / "simplicert")
    text = json.dumps(found, indent=1)
    print(text)
    if words.json:
        words.json.write_text(text + "\n")


if __name__ == "__main__":
    main()
