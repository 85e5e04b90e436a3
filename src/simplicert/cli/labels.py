"""Names for runs as the command line takes them: --label RUN=name."""

from collections.abc import Sequence
from pathlib import Path

from simplicert.errors import require


def parse_labels(texts: Sequence[str], folders: Sequence[Path | str] = ()) -> dict[str, str]:
    """RUN=name, once for each run that is to have another name.

    Both sides may hold an equals sign: the split is where a run of `folders` ends, else the last.
    """
    runs = {str(Path(folder)) for folder in folders}
    found: dict[str, str] = {}
    for text in texts:
        places = [place for place, letter in enumerate(text) if letter == "="]
        ends = [place for place in places if str(Path(text[:place])) in runs] or places[-1:]
        place = ends[-1] if ends else -1
        folder, name = text[: max(place, 0)], text[place + 1 :].strip()
        require(bool(folder and name), f"label must be RUN=name, got {text!r}")
        found[folder] = name
    return found
