"""Show the examples in docstrings as code: for griffe, which reads docstrings for api.md.

Without it Markdown reads `>>>` as a quotation, and two lists in a row as a link.
"""

import re

import griffe

EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*", re.MULTILINE)  # up to an empty line


class DoctestBlocks(griffe.Extension):
    """Fence every example as a Python session."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Change the docstring that the page shows, and no other."""
        if obj.docstring is not None:
            obj.docstring.value = fence_examples(obj.docstring.value)


def fence_examples(text: str) -> str:
    """Put a fence around each example of a docstring."""
    return EXAMPLE.sub(lambda match: f"```pycon\n{match[0]}\n```", text)
