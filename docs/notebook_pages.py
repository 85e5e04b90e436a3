"""Show the tutorials' notebooks as pages of the site: a hook of MkDocs.

Each notebook becomes a page of the same name, its cells as text and code, what they printed as
blocks and their pictures in the page itself; nothing is fetched. The notebook stays beside it, to
download.
"""

import json
from pathlib import Path
from typing import Any

DOWNLOAD = "[Download this page as a notebook]({name}.ipynb)\n"


def on_files(files: Any, config: Any) -> Any:
    """Add a page for each notebook."""
    from mkdocs.structure.files import File

    for path in sorted(Path(config.docs_dir).glob("tutorials/*.ipynb")):
        name = f"tutorials/{path.stem}.md"
        files.append(File.generated(config, name, content=render_notebook(path)))
    return files


def render_notebook(path: Path) -> str:
    """Return a notebook as Markdown."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    blocks = [block for cell in notebook["cells"] for block in _render_cell(cell)]
    title, *rest = blocks
    head, _, text = title.partition("\n")
    return "\n\n".join([head, DOWNLOAD.format(name=path.stem), text.strip(), *rest]) + "\n"


def _render_cell(cell: dict[str, Any]) -> list[str]:
    """Return the Markdown of a cell: its text, or its code and what that printed."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source]
    blocks = [f"```python\n{source}\n```"]
    for output in cell["outputs"]:
        data = output.get("data", {})
        if "image/png" in data:
            picture = "".join(data["image/png"]).replace("\n", "")
            blocks.append(f"![What the cell above draws](data:image/png;base64,{picture})")
        else:
            words = "".join(output.get("text", data.get("text/plain", []))).rstrip("\n")
            blocks.append(f"```text\n{words}\n```")
    return blocks
