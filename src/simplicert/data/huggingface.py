"""`hf:NAME_OR_DIR[:SPLIT]`: a Hugging Face data set of images, from disk or from the local cache.

Nothing is downloaded. A folder is one that `save_to_disk` wrote; the split is `test` by default.
"""

import re
from pathlib import Path
from typing import Any

import numpy as np

from simplicert.data.dataset import Source
from simplicert.data.images import as_images
from simplicert.data.libraries import library, said
from simplicert.data.offline import offline
from simplicert.data.pictures import opener, places
from simplicert.data.saved_table import check_saved_table
from simplicert.errors import InvalidInput, require

NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")  # of a data set on the Hub
SPLIT = re.compile(r"(?P<where>.+?)(?::(?P<split>\w+))?")


def load(spec: str) -> Source:
    """The one image column as inputs; the one column of class labels, if any, as labels."""
    parts = SPLIT.fullmatch(spec)
    require(parts is not None, "hf: must be followed by a name or a folder, got nothing")
    assert parts is not None
    where, split = parts["where"], parts["split"]
    datasets = library("datasets", "hf", "data 'hf:'")
    table = one_split(where, split, found(datasets, where, split))
    images = columns(table, datasets.Image)
    require(
        len(images) == 1,
        f"hf:{where} must have one column of images, got {images or 'none'} among "
        f"{table.column_names}",
    )
    labels = columns(table, datasets.ClassLabel)
    require(len(labels) < 2, f"hf:{where} must have one column of labels, got {labels}")  # noqa: PLR2004
    inputs = as_images(
        len(table),
        opener(datasets, table, images[0], places(datasets, where)),
        lambda position: f"hf:{Path(where).name} image {position}",
    )
    if not labels:
        return Source(inputs)
    names = tuple(table.features[labels[0]].names)
    return Source(inputs, np.array(table[labels[0]][:], dtype=np.int64), names)


def found(datasets: Any, where: str, split: str | None) -> Any:
    """The data set on disk or in the cache, whole or by split."""
    try:
        with offline(datasets.config):
            if Path(where).is_dir():  # by its full path, which cannot be taken for an address
                check_saved_table(Path(where))
                return datasets.load_from_disk(str(Path(where).absolute()))
            require(NAME.fullmatch(where) is not None and not Path(where).exists(), "no folder")
            return datasets.load_dataset(where, split=split or "test")
    except Exception as error:  # not there, no such split; anything for what is no data set
        raise InvalidInput(
            f"hf: must name a folder written by save_to_disk or a data set in the local cache, "
            f"got {where!r}: {said(error)}"
        ) from None


def one_split(where: str, split: str | None, held: Any) -> Any:
    """The table asked for; a data set saved without splits has none to choose."""
    if not isinstance(held, dict):
        asked_of_disk = split is not None and Path(where).is_dir()
        require(not asked_of_disk, f"hf:{where} has no splits, got {split!r}; leave it out")
        return held
    split = split or "test"
    require(split in held, f"hf:{where} must be followed by one of {sorted(held)}, got {split!r}")
    return held[split]


def columns(table: Any, kind: type) -> list[str]:
    """The names of the columns of this kind."""
    return [name for name, feature in table.features.items() if isinstance(feature, kind)]
