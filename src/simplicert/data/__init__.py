"""Load the data set to certify, by its name: `load_data("cifar10:DIR")`.

To add a form of data, write its file and add its row to the tables below. The package also holds
one table of counts that we made ourselves, example_counts.txt.
"""

from collections.abc import Callable
from pathlib import Path

from simplicert.data import arrays, cifar10, digits, folder, huggingface, jsonl, tables
from simplicert.data.dataset import (
    Dataset,
    Inputs,
    SelectedInputs,
    Source,
    check_inputs,
    check_labels,
    data_fingerprint,
    select_positions,
)
from simplicert.data.options import AS_IT_IS, DataOptions
from simplicert.errors import InvalidInput, require

__all__ = ["DataOptions", "Dataset", "Inputs", "load_data"]

Loader = Callable[[str], Source]
OptionLoader = Callable[[str, DataOptions], Source]

NAMES: dict[str, Loader] = {"digits": digits.load_digits}
SUFFIXES: dict[str, Loader] = {".npz": arrays.load_npz, ".jsonl": jsonl.load_jsonl}
PREFIXES: dict[str, Loader] = {"cifar10": cifar10.load_cifar10}

# These leave something open: the size of pictures, the columns of tables.
SUFFIXES_WITH_OPTIONS: dict[str, OptionLoader] = {
    ".csv": tables.load_csv,
    ".parquet": tables.load_parquet,
}
PREFIXES_WITH_OPTIONS: dict[str, OptionLoader] = {
    "folder": folder.load_folder,
    "hf": huggingface.load_hf_dataset,
    "csv": tables.load_csv,
    "parquet": tables.load_parquet,
}

ARRAYS = (".npy", ".pt", ".pth", ".pkl")  # other files of arrays, for a hint

FORMS = (
    "digits, file.npz, file.jsonl, file.csv, file.parquet, folder:DIR, cifar10:DIR or "
    "hf:NAME_OR_DIR"
)


def load_data(
    spec: str,
    *,
    start: int = 0,
    stop: int | None = None,
    step: int = 1,
    index_file: Path | None = None,
    options: DataOptions = AS_IT_IS,
) -> Dataset:
    """Load the data set that `spec` names, or some of its inputs with their original numbers."""
    source, name = _load_source(spec, options)
    return build_dataset(source, name, start, stop, step, index_file, options)


def build_dataset(  # noqa: PLR0917
    source: Source,
    name: str,
    start: int = 0,
    stop: int | None = None,
    step: int = 1,
    index_file: Path | None = None,
    options: DataOptions = AS_IT_IS,
) -> Dataset:
    """Check what a loader found and select inputs from it."""
    check_inputs(name, source.inputs)
    labels = check_labels(name, source)
    positions = select_positions(
        len(source.inputs), start=start, stop=stop, step=step, index_file=index_file
    )
    everything = len(positions) == len(source.inputs) and index_file is None
    return Dataset(
        inputs=source.inputs if everything else SelectedInputs(source.inputs, positions),
        labels=None if labels is None else labels[positions],
        index=positions,
        classes=source.classes,
        name=name,
        fingerprint=data_fingerprint(name, source.inputs, labels),
        options=options,
        columns=source.columns,
    )


def _load_source(spec: str, options: DataOptions) -> tuple[Source, str]:
    """Return the whole data set and its name, which is the spec with file names only, no path."""
    require("\0" not in spec, f"data must be {FORMS}, got {spec[:80]!r}")
    prefix, colon, rest = spec.partition(":")
    path, suffix = Path(spec), Path(spec).suffix.lower()
    if colon and prefix in PREFIXES_WITH_OPTIONS:
        hub = prefix == "hf" and not Path(rest.partition(":")[0]).is_dir()
        last = rest if hub else Path(rest).resolve().name
        return PREFIXES_WITH_OPTIONS[prefix](rest, options), f"{prefix}:{last}"
    if suffix in SUFFIXES_WITH_OPTIONS:
        return SUFFIXES_WITH_OPTIONS[suffix](spec, options), path.name
    options.require_only(spec)
    if spec in NAMES:
        return NAMES[spec](spec), spec
    if colon and prefix in PREFIXES:
        return PREFIXES[prefix](rest), f"{prefix}:{Path(rest).resolve().name}"
    if suffix in SUFFIXES:
        return SUFFIXES[suffix](spec), path.name
    hint = f"; a folder of images is folder:{spec}" if path.is_dir() else ""
    if suffix in ARRAYS:
        hint = "; np.savez('data.npz', inputs=..., labels=...) makes a file of arrays"
    raise InvalidInput(f"data must be {FORMS}, got {spec!r}{hint}")
