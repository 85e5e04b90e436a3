"""Load `file.jsonl`: one JSON object per line, each a sequence of tokens and perhaps its label.

    {"tokens": ["a", "dull", "film"], "label": 0}
    {"text": "a dull film", "label": "negative"}

All lines have the same form: `tokens` (texts or whole numbers, taken as they are) or `text`, whose
tokens are its words (data/sequences.py). Labels are class numbers, or texts: these are numbered
from 0 in their sorted order, as scikit-learn numbers classes, and name the classes. Either every
line has a label or none has.
"""

from pathlib import Path
from sys import intern
from typing import Any, NamedTuple

from simplicert.data.dataset import MOST_CLASSES, Source, number_texts
from simplicert.data.sequences import TokenSequence, check_tokens, hold_sequences, split_words
from simplicert.errors import InvalidInput, require
from simplicert.files import MOST_LOG, parse_json, read_text
from simplicert.machine import require_memory

FORMS = ("tokens", "text")  # under which a line may hold its sequence
KEYS = (*FORMS, "label")
MEMORY = 16  # bytes for each byte of the file, at most: a place in a tuple, and a text of its own


class _Line(NamedTuple):
    """What one line holds."""

    form: str
    tokens: TokenSequence
    label: str | int | None


def load_jsonl(spec: str) -> Source:
    """Load the sequences, and labels and class names if there are any."""
    path = Path(spec)
    require(path.is_file(), f"data must name a file that exists, got {path}")
    require_memory(path.name, MEMORY * path.stat().st_size)
    # Not splitlines: a text in JSON may hold other signs that end a line.
    rows = read_text(path, MOST_LOG, encoding="utf-8-sig").split("\n")
    while rows and not rows[-1].strip():
        rows.pop()
    require(bool(rows), f"{path.name} must hold at least one line, got none")
    lines: list[_Line] = []
    for number, row in enumerate(rows, 1):
        lines.append(_read_line(f"line {number} of {path.name}", row))
        _refuse_other_form(f"line {number} of {path.name}", lines[0], lines[-1])
    held = hold_sequences(line.tokens for line in lines)
    check_tokens(path.name, held)
    texts = [line.label for line in lines if isinstance(line.label, str)]
    if not texts:
        whole = [line.label for line in lines if isinstance(line.label, int)]
        return Source(held, whole or None)
    return Source(held, *number_texts(texts))


def _read_line(what: str, row: str) -> _Line:
    """Read one line; every key must be one that is known."""
    require(bool(row.strip()), f"{what} must be a JSON object, got an empty line")
    content = parse_json(what, row)
    require(isinstance(content, dict), f"{what} must be a JSON object, got {content!r:.40}")
    unknown = sorted(set(content) - set(KEYS))
    require(not unknown, f"{what} may hold {', '.join(KEYS)}, got also {', '.join(unknown):.60}")
    present = [form for form in FORMS if form in content]
    require(
        len(present) == 1,
        f"{what} must hold either tokens or text, got {' and '.join(present) or 'neither'}",
    )
    (form,) = present
    return _Line(form, _read_tokens(what, form, content[form]), _read_label(what, content))


def _read_tokens(what: str, form: str, value: Any) -> TokenSequence:
    """Return the tokens of a line; equal words share their memory."""
    if form == "text":
        require(isinstance(value, str), f"text in {what} must be a text, got {value!r:.40}")
        return tuple(intern(word) for word in split_words(value))
    require(isinstance(value, list), f"tokens in {what} must be a list, got {value!r:.40}")
    return tuple(intern(token) if isinstance(token, str) else token for token in value)


def _read_label(what: str, content: dict[str, Any]) -> str | int | None:
    """Return the label of a line, None where it has none."""
    if "label" not in content:
        return None
    label = content["label"]
    whole = isinstance(label, int) and not isinstance(label, bool) and 0 <= label < MOST_CLASSES
    require(
        whole or isinstance(label, str),
        f"label in {what} must be a text or a whole number in 0..{MOST_CLASSES - 1}, got "
        f"{label!r:.40}",
    )
    return label  # type: ignore[no-any-return]


def _refuse_other_form(what: str, first: _Line, line: _Line) -> None:
    """Refuse a line that is not like the first one."""
    require(
        line.form == first.form,
        f"{what} must hold {first.form} like the first line, got {line.form}",
    )
    if type(line.label) is not type(first.label):
        kinds = {str: "a text as its label", int: "a number as its label", type(None): "no label"}
        raise InvalidInput(
            f"{what} must have {kinds[type(first.label)]} like the first line, got "
            f"{kinds[type(line.label)]}"
        )
