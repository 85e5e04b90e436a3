"""Load `hf:NAME_OR_DIR[:SPLIT]`: a Hugging Face data set, from disk or the local cache.

Nothing is downloaded. A folder is one that `save_to_disk` wrote, or one laid out as on the Hub
(hub_folder.py); the split is `test` by default. Inputs are the one column of images, or, where
there is none, the columns of numbers. Three parts keep this safe:

offline_mode         Hugging Face's libraries look in their cache and never use the network
_check_saved_table   a saved folder is inspected before the datasets library opens it
_picture_opener      a table may hold a path or an address in place of a picture, and the library
                     would follow either, even offline: a table from someone else could read
                     private files or call out. So a path must lead into the data set's own folder
                     or the cache, and an address is refused
"""

import os
import re
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from simplicert.data.dataset import Source, number_texts
from simplicert.data.folder import hub_caches, lazy_images
from simplicert.data.hub_folder import is_saved, load_hub_folder
from simplicert.data.options import AS_IT_IS, PICTURE_OPTIONS, DataOptions
from simplicert.data.tables import LABEL, table_source
from simplicert.errors import InvalidInput, require
from simplicert.files import open_file, read_json
from simplicert.importing import first_error_line, import_library, require_inside
from simplicert.machine import require_memory

# Numbers of fields in the flat buffers of Arrow: of a message its kind and its content, of a
# dictionary its values, of a batch its packing.
KIND, CONTENT, VALUES, PACKING = 1, 2, 1, 3

DICTIONARY, BATCH = 2, 3  # the kinds of messages that hold values
INSTEAD = "save the data set with the images in it"
NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")  # of a data set on the Hub
SPLIT = re.compile(r"(?P<where>.+?)(?::(?P<split>\w+))?")  # NAME_OR_DIR[:SPLIT]


def load_hf_dataset(spec: str, options: DataOptions = AS_IT_IS) -> Source:
    """Load the one image column as inputs, or a table, and the one column of labels, if any."""
    parts = SPLIT.fullmatch(spec)
    require(parts is not None, "hf: must be followed by a name or a folder, got nothing")
    assert parts is not None
    where, split = parts["where"], parts["split"]
    if Path(where).is_dir() and not is_saved(Path(where)):
        return load_hub_folder(Path(where), split, options)
    datasets = import_library("datasets", "hf", "data 'hf:'")
    table = _select_split(where, split, _open_hf_dataset(datasets, where, split))
    table = table.with_format(None)  # the one saved with it may hide columns, or change their type
    images = _find_columns(table, datasets.Image)
    labels = _find_columns(table, datasets.ClassLabel)
    if options.label_column is None:
        require(len(labels) < 2, f"hf:{where} must have one column of labels, got {labels}")  # noqa: PLR2004
        if not labels and LABEL in table.column_names:
            labels = [LABEL]  # of numbers or texts, as in a folder laid out as on the Hub
    else:
        labels = [options.label_column] if options.label_column else []
    for label in labels:
        require(
            label in table.column_names,
            f"hf:{where} has no column {label}, got {table.column_names}",
        )
    if not images and _holds_numbers(datasets, table):
        return _load_saved_table(datasets, table, where, labels, options)
    require(
        len(images) == 1,
        f"hf:{where} must have one column of images, got {images or 'none'} among "
        f"{table.column_names}",
    )
    options.require_only("pictures of a known column", *PICTURE_OPTIONS, "label_column")
    inputs = lazy_images(
        len(table),
        _picture_opener(datasets, table, images[0], _allowed_folders(datasets, where)),
        lambda position: f"hf:{Path(where).name} image {position}",
        options,
    )
    if not labels:
        return Source(inputs)
    values = table[labels[0]][:]
    if all(isinstance(value, str) for value in values):
        return Source(inputs, *number_texts(values))
    names = getattr(table.features[labels[0]], "names", None)
    return Source(inputs, np.asarray(values), None if names is None else tuple(names))


def _holds_numbers(datasets: Any, table: Any) -> bool:
    """Return whether a table has a column of numbers."""
    plain = [one.dtype for one in table.features.values() if isinstance(one, datasets.Value)]
    return any(kind.startswith(("int", "uint", "float", "double")) for kind in plain)


def _load_saved_table(
    datasets: Any, table: Any, where: str, labels: list[str], options: DataOptions
) -> Source:
    """Load a table of numbers; its tables lie in its own folder, like those of pictures."""
    _require_own_tables(table, _allowed_folders(datasets, where))
    if options.label_column is None and labels:
        options = replace(options, label_column=labels[0])
    names = getattr(table.features[labels[0]], "names", None) if labels else None
    frame = table.with_format(None).to_pandas()
    return table_source(f"hf:{Path(where).name}", frame, options, None if not names else (*names,))


def _open_hf_dataset(datasets: Any, where: str, split: str | None) -> Any:
    """Open the data set on disk or in the cache, whole or by split."""
    try:
        with offline_mode(datasets.config):
            if Path(where).is_dir():  # by its full path, which cannot be taken for an address
                _check_saved_table(Path(where))
                return datasets.load_from_disk(str(Path(where).absolute()))
            require(NAME.fullmatch(where) is not None and not Path(where).exists(), "no folder")
            return datasets.load_dataset(where, split=split or "test")
    except Exception as error:  # missing, no such split, or anything if it is not a data set
        raise InvalidInput(
            f"hf: must name a folder written by save_to_disk or a data set in the local cache, "
            f"got {where!r}: {first_error_line(error)}"
        ) from None


def _select_split(where: str, split: str | None, opened: Any) -> Any:
    """Return the requested table; a data set saved without splits has none to choose from."""
    if not isinstance(opened, dict):
        unexpected = split is not None and Path(where).is_dir()
        require(not unexpected, f"hf:{where} has no splits, got {split!r}; leave it out")
        return opened
    split = split or "test"
    require(
        split in opened, f"hf:{where} must be followed by one of {sorted(opened)}, got {split!r}"
    )
    return opened[split]


def _find_columns(table: Any, kind: type) -> list[str]:
    """Return the names of the columns of this kind."""
    return [name for name, feature in table.features.items() if isinstance(feature, kind)]


@contextmanager
def offline_mode(*configs: Any) -> Iterator[None]:
    """Inside this context, Hugging Face's libraries never use the network or wait for it.

    Each library keeps its own copy of the switch, so `configs` are switched as well, and
    huggingface_hub calls home by itself.
    """
    switches = (import_library("huggingface_hub.constants", "hf", "'hf:'"), *configs)
    before = [switch.HF_HUB_OFFLINE for switch in switches]
    for switch in switches:
        switch.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        for switch, value in zip(switches, before, strict=True):
            switch.HF_HUB_OFFLINE = value


def _check_saved_table(folder: Path) -> None:
    """Refuse pipes, devices, texts beyond the limits and tables that would grow when read.

    datasets maps tables into memory as they are and never packs them: a packed one, which would be
    unpacked whole, was made by something else.
    """
    for path in sorted(folder.rglob("*")):
        if path.is_dir():
            continue
        open_file(require_inside(path, folder, *hub_caches())).close()
        if path.suffix == ".json":
            read_json(path)
        elif path.suffix == ".arrow":
            require_memory(f"{path.name} of {folder.name}", path.stat().st_size)
            require(
                not _is_packed(path), f"{path.name} of {folder.name} must not be a packed table"
            )


def _is_packed(path: Path) -> bool:
    """Return whether any batch of an Arrow stream says that its body is compressed."""
    import pyarrow as pa

    try:
        with pa.memory_map(str(path)) as source:
            for message in pa.ipc.MessageReader.open_stream(source):
                head = message.metadata.to_pybytes()
                root = struct.unpack_from("<I", head)[0]
                kind, content = (_field_offset(head, root, number) for number in (KIND, CONTENT))
                if not kind or not content or head[kind] not in (DICTIONARY, BATCH):
                    continue
                batch = content + struct.unpack_from("<I", head, content)[0]
                if head[kind] == DICTIONARY:  # its values are a batch
                    inner = _field_offset(head, batch, VALUES)
                    batch = inner + struct.unpack_from("<I", head, inner)[0]
                if _field_offset(head, batch, PACKING):
                    return True
    except (pa.ArrowException, OSError, struct.error, IndexError) as error:
        raise InvalidInput(f"{path.name} must be a table that datasets wrote: {error}") from None
    return False


def _field_offset(head: bytes, table: int, number: int) -> int:
    """Return where a field of a flat buffer's table begins; 0 if the table lacks it."""
    directory = table - struct.unpack_from("<i", head, table)[0]
    at = 4 + 2 * number
    if directory < 0 or at >= struct.unpack_from("<H", head, directory)[0]:
        return 0
    offset = struct.unpack_from("<H", head, directory + at)[0]
    return table + int(offset) if offset else 0


def _picture_opener(
    datasets: Any, table: Any, column: str, folders: tuple[str, ...]
) -> Callable[[int], Any]:
    """Make a function that opens the picture of a row, decoded as the library does it."""
    _require_own_tables(table, folders)
    decoder = datasets.Image(mode=table.features[column].mode)
    plain = table.with_format(None).select_columns([column])
    plain = plain.cast_column(column, datasets.Image(decode=False))

    def open_picture(position: int) -> Any:
        cell = plain[position][column]
        content, path = cell["bytes"], cell["path"]
        if content is None:
            _check_picture_path(path, folders)
        return decoder.decode_example({"bytes": content, "path": None if content else path})

    return open_picture


def _require_own_tables(table: Any, folders: tuple[str, ...]) -> None:
    """Refuse a data set whose tables lie elsewhere."""
    for file in table.cache_files:
        path = str(file["filename"])
        require(_is_inside(path, folders), f"hf: must hold its own tables, got {path[:80]!r}")


def _check_picture_path(path: object, folders: tuple[str, ...]) -> None:
    """Refuse an address, and a file outside these folders."""
    assert isinstance(path, str), "there is none"
    require(
        "://" not in path and "::" not in path,
        f"the table holds the address {path[:80]!r} instead, and nothing is ever fetched over the "
        f"network; {INSTEAD}",
    )
    require(
        _is_inside(path, folders),
        f"the table leads to the file {path[:80]!r}, which is not in the data set's folder; "
        f"{INSTEAD}",
    )


def _allowed_folders(datasets: Any, where: str) -> tuple[str, ...]:
    """Return the folders in which the files of a data set may lie."""
    if Path(where).is_dir():
        return (_normalise_path(where),)
    config = datasets.config
    return tuple(
        _normalise_path(place) for place in (config.HF_CACHE_HOME, config.HF_DATASETS_CACHE)
    )


def _is_inside(path: str, folders: tuple[str, ...]) -> bool:
    """Return whether a path lies in one of the folders."""
    return any(_normalise_path(path).startswith(folder + os.sep) for folder in folders)


def _normalise_path(path: str | Path) -> str:
    """Return a full path without detours; links stay, as people keep large data behind them."""
    return os.path.normpath(Path(path).expanduser().absolute())
