"""Imports go from later rooms to earlier ones only, and the public names are exact."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import simplicert

SOURCE = Path(simplicert.__file__).parent

# DESIGN's house plan: a room may import from itself and from those before it.
ROOMS = [
    "errors",
    "importing",
    "machine",
    "temporary",
    "files",
    "records",
    "glossary",
    "parquet",
    "noises",
    "types",
    "search",
    "mechanisms",
    "bounds",
    "certification",
    "stopping",
    "data",
    "store",
    "logs",
    "models",
    "sampling",
    "drawing",
    "verification",
    "metrics",
    "populations",
    "gating",
    "simplex",
    "smoothed",
    "plan",
    "tables",
    "figures",
    "watch",
    "report",
    "board",
    "cards",
    "attack",
    "geometry",
    "training",
    "adapters",
    "cli",
]


# The package's own top files stand above all rooms.
TOP = ("__init__.py", "__main__.py")


def imports(path):
    """Every simplicert module that a file imports at its top level or inside functions."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("simplicert."):
            yield node.module.split(".")[1]


def files():
    return sorted(
        path for path in SOURCE.rglob("*.py") if path.parent != SOURCE or path.name not in TOP
    )


def violations():
    """Every file in a room that the plan lacks, and every import of a later room."""
    for path in files():
        name = path.relative_to(SOURCE)
        room = name.parts[0].removesuffix(".py")
        if room not in ROOMS:
            yield f"{name}: {room} is not in the house plan"
            continue
        for other in imports(path):
            if other not in ROOMS or ROOMS.index(other) > ROOMS.index(room):
                yield f"{name} imports {other}"


@pytest.mark.slow
def test_imports_point_one_way():
    found = list(violations())
    assert not found, "\n".join(found)


def test_there_are_enough_files_for_this_test_to_mean_something():
    assert len(files()) > 30


def test_public_names_are_exact():
    modules = {*ROOMS, "TYPE_CHECKING"}
    public = {n for n in dir(simplicert) if not n.startswith("_")} - modules
    assert public == set(simplicert.__all__)


def test_public_names_are_those_that_the_checker_sees():
    """They are imported when first asked for; the imports are written for mypy alone."""
    tree = ast.parse(Path(simplicert.__file__).read_text())
    lines = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    seen = set()
    for line in (line for line in lines if line.module.startswith("simplicert.")):
        for name in (alias.name for alias in line.names):
            assert getattr(simplicert, name) is getattr(import_module(line.module), name), name
            seen.add(name)
    assert seen == set(simplicert.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing_of_ours'"):
        simplicert.nothing_of_ours  # noqa: B018


def test_every_public_name_is_documented():
    for name in simplicert.__all__:
        value = getattr(simplicert, name)
        assert isinstance(value, dict) or (value.__doc__ and "dataclass" not in value.__doc__)


@pytest.mark.slow
def test_works_without_torch_and_friends(tmp_path):
    """Import, mathematics, runs and the command line, with every optional library blocked."""
    code = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name in ("torch", "sklearn", "ray", "onnxruntime", "transformers", "timm"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Blocked())
import simplicert as sc
tally = sc.Tally([[900, 80, 20]], sigma=0.5, labels=[0])
certificates = sc.certify(sc.bound(tally))
assert certificates.radius[0] > 0.5
certificates.to_frame()
import simplicert.cli
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_no_file_is_long():
    for path in files():
        lines = len(path.read_text().splitlines())
        assert lines <= 350, f"{path} has {lines} lines"
