"""The tutorials run from the first cell to the last, and the site shows what they printed."""

import importlib.util
import json
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
NOTEBOOKS = sorted((DOCS / "tutorials").glob("*.ipynb"))


def load_script(name):
    """A file of docs/ as a module."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def code_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def test_there_are_two():
    assert [path.stem for path in NOTEBOOKS] == ["fair_comparison", "first_model"]


@pytest.mark.long
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs(path):
    """Anew, in a folder of its own; each cell prints as much as the kept one does."""
    pytest.importorskip("nbclient")
    pytest.importorskip("sklearn")
    made = load_script("make_notebooks").run_notebook(path)
    kept = json.loads(path.read_text(encoding="utf-8"))
    for fresh, old in zip(code_cells(made), code_cells(kept), strict=True):
        kinds = [output["output_type"] for output in old["outputs"]]
        assert [output["output_type"] for output in fresh["outputs"]] == kinds, fresh["source"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_kept_is_whole_and_says_nothing_of_this_machine(path):
    text = path.read_text(encoding="utf-8")
    notebook = json.loads(text)
    assert all(cell["execution_count"] for cell in code_cells(notebook))
    assert "Traceback" not in text
    assert not any(str(place) in text for place in (DOCS.parent, Path.home()))
    assert "\\u001b" not in text and "\\r" not in text  # no colours, no line of progress
    assert not any(cell["metadata"] for cell in notebook["cells"])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_page_has_every_cell(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    page = load_script("notebook_pages").render_notebook(path)
    assert page.startswith("# ") and f"({path.stem}.ipynb)" in page
    assert page.count("```python\n") == len(code_cells(notebook))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            assert "".join(cell["source"]).splitlines()[-1] in page
    pictures = sum(
        "image/png" in o.get("data", {}) for c in code_cells(notebook) for o in c["outputs"]
    )
    assert page.count("](data:image/png;base64,") == pictures
