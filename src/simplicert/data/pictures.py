"""Pictures in the table of a Hugging Face data set: opened from it or beside it, and never fetched.

A table may hold a path or an address in place of a picture. The library would follow either,
whatever it was told about being offline: a table from somebody else would read private files, or
call out. So a path must lead into the data set's own folder or the cache; an address is refused.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from simplicert.errors import require

INSTEAD = "save the data set with the images in it"


def places(datasets: Any, where: str) -> tuple[str, ...]:
    """Folders in which the files of a data set may lie."""
    if Path(where).is_dir():
        return (_plain(where),)
    config = datasets.config
    return tuple(_plain(place) for place in (config.HF_CACHE_HOME, config.HF_DATASETS_CACHE))


def opener(
    datasets: Any, table: Any, column: str, folders: tuple[str, ...]
) -> Callable[[int], Any]:
    """A function that opens the picture of a row, decoded as the library does it."""
    for file in table.cache_files:
        path = str(file["filename"])
        require(_inside(path, folders), f"hf: must hold its own tables, got {path[:80]!r}")
    decoder = datasets.Image(mode=table.features[column].mode)
    plain = table.with_format(None).select_columns([column])
    plain = plain.cast_column(column, datasets.Image(decode=False))

    def picture(position: int) -> Any:
        held = plain[position][column]
        content, path = held["bytes"], held["path"]
        if content is None:
            check_path(path, folders)
        return decoder.decode_example({"bytes": content, "path": None if content else path})

    return picture


def check_path(path: object, folders: tuple[str, ...]) -> None:
    """Refuse an address, and a file outside of these folders."""
    assert isinstance(path, str), "there is none"
    require(
        "://" not in path and "::" not in path,
        f"the table holds the address {path[:80]!r} instead, and nothing is ever fetched over the "
        f"network; {INSTEAD}",
    )
    require(
        _inside(path, folders),
        f"the table leads to the file {path[:80]!r}, which is not in the data set's folder; "
        f"{INSTEAD}",
    )


def _inside(path: str, folders: tuple[str, ...]) -> bool:
    """Whether a path lies in one of the folders."""
    return any(_plain(path).startswith(folder + os.sep) for folder in folders)


def _plain(path: str | Path) -> str:
    """A full path without detours; links stay, as people keep large data behind them."""
    return os.path.normpath(Path(path).expanduser().absolute())
