"""Map the classes of a data set to the classes of a model that numbers them differently.

A folder with three of a model's thousand classes numbers them 0, 1, 2, so without a map the
accuracy would be that of other classes. A map gives the model's number for each class name:

    names       by the class names that model and data both have
    file.toml   name = number, one line per class of the data
    file.json   {"name": number}, or {"number": ["id", "name"]} like ImageNet's class index
    file.csv    name,number on each line; a header may come first
    file.txt    the model's classes in their order, one per line: "n01440764 tench, Tinca tinca"

Names are compared without regard to case, and _ counts as a space. A list of synonyms matches by
each of them, and by a WordNet id if it holds one.
"""

import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from simplicert.data.dataset import Dataset
from simplicert.errors import InvalidInput, require
from simplicert.files import parse_json, parse_toml, read_text
from simplicert.types import Ints

BY_NAME = "names"  # match the class names of model and data
WORDNET = re.compile(r"\bn[0-9]{8}\b")  # an id such as n01440764
MOST_NAMES_LISTED = 5  # names that an error lists
Names = dict[str, set[int]]  # normalised name -> the numbers it may mean


def map_classes(
    data: Dataset, given: str, model_classes: Sequence[str] | None, num_classes: int
) -> Dataset:
    """Return the data with labels and class names in the model's numbers."""
    require(data.labels is not None, f"class_map needs labels, and {data.name} has none")
    assert data.labels is not None
    own = data.classes or tuple(str(number) for number in range(int(data.labels.max()) + 1))
    if given == BY_NAME:
        require(
            model_classes is not None and data.classes is not None,
            "class_map names needs class names of both model and data: give a file instead",
        )
        assert model_classes is not None
        known = _index_names(enumerate(model_classes))
    else:
        known = read_class_map(Path(given))
    numbers = [_find_class_number(name, known, given) for name in own]
    for name, number in zip(own, numbers, strict=True):
        require(
            0 <= number < num_classes,
            f"class_map {given} must map to the classes 0..{num_classes - 1} of the model, "
            f"got {number} for {name!r}",
        )
    names = [str(number) for number in range(num_classes)]
    if model_classes is not None and len(model_classes) == num_classes:
        names = list(model_classes)
    else:
        for number in set(numbers):
            names[number] = " / ".join(n for n, k in zip(own, numbers, strict=True) if k == number)
    return replace(renumber_labels(data, numbers), classes=tuple(names))


def renumber_labels(data: Dataset, numbers: Sequence[int] | None) -> Dataset:
    """Return the data with labels in the model's numbers; None means that they are already."""
    if numbers is None or data.labels is None:
        return data
    largest = int(data.labels.max())
    require(
        largest < len(numbers),
        f"labels of {data.name} must lie in 0..{len(numbers) - 1}, the classes of the map, "
        f"got {largest}",
    )
    labels: Ints = np.asarray(numbers, dtype=np.int64)[data.labels]
    return replace(data, labels=labels, class_map=tuple(numbers))


def read_class_map(path: Path) -> Names:
    """Read the names in a file and the model's number for each."""
    require(
        path.suffix.lower() in READERS,
        f"class_map must be {BY_NAME} or a file {', '.join(READERS)}, got {str(path)!r}",
    )
    try:
        names = READERS[path.suffix.lower()](read_text(path, encoding="utf-8-sig"))
    except (OSError, ValueError, TypeError, csv.Error) as error:  # not this format, or not a number
        raise InvalidInput(f"class_map {path} cannot be read: {error}") from None
    require(bool(names), f"class_map {path} must map at least one class, got none")
    return names


def _index_names(pairs: Iterable[tuple[int, str]]) -> Names:
    """Map each variant of the class names to the numbers that it may mean."""
    index: Names = {}
    for number, name in pairs:
        for key in _name_variants(name):
            index.setdefault(key, set()).add(number)
    return index


def _find_class_number(name: str, known: Mapping[str, set[int]], given: str) -> int:
    """Return the model's number for a class of the data; refuse an unknown or ambiguous one."""
    for key in _name_variants(name):
        numbers = known.get(key, set())
        if len(numbers) == 1:
            return next(iter(numbers))
        require(
            not numbers,
            f"class_map {given} must tell the classes apart, and {name!r} may be "
            f"{' or '.join(map(str, sorted(numbers)[:MOST_NAMES_LISTED]))}",
        )
    raise InvalidInput(
        f"class_map {given} must name every class of the data, and lacks {name!r}; "
        f"it has {', '.join(sorted(known)[:MOST_NAMES_LISTED])}"
        f"{', ...' if len(known) > MOST_NAMES_LISTED else ''}"
    )


def _name_variants(name: str) -> list[str]:
    """Return a class's whole name, its WordNet id, its name without the id, and each synonym."""
    bare = WORDNET.sub("", name)
    variants = (name, *WORDNET.findall(name), bare, *bare.split(","))
    keys = map(_normalise_name, variants)
    return [key for key in dict.fromkeys(keys) if key]


def _normalise_name(name: str) -> str:
    """Return a name in the form in which names are compared."""
    return " ".join(name.replace("_", " ").casefold().split())


def _parse_table_map(content: Mapping[str, Any]) -> Names:
    """Parse {"name": number} or {"number": ["id", "name"]}."""
    pairs: list[tuple[int, str]] = []
    for key, value in content.items():
        if isinstance(value, list | tuple):
            pairs += [(int(key), str(name)) for name in value]
        elif isinstance(value, str) and key.strip().isdigit() and not value.strip().isdigit():
            pairs.append((int(key), value))
        else:
            pairs.append((_parse_class_number(value), str(key)))
    return _index_names(pairs)


def _parse_json_map(text: str) -> Names:
    """Parse such an object, or a list of the model's classes in their order."""
    content = parse_json("it", text)
    if isinstance(content, list):
        return _index_names(enumerate(map(str, content)))
    if not isinstance(content, dict):
        raise ValueError("it must hold an object or a list")
    return _parse_table_map(content)


def _parse_csv_map(text: str) -> Names:
    """Parse name,number on each line."""
    lines = [line for line in csv.reader(StringIO(text)) if any(cell.strip() for cell in line)]
    if lines and not lines[0][-1].strip().isdigit():
        lines = lines[1:]
    if wrong := [line for line in lines if len(line) != 2]:  # noqa: PLR2004
        raise ValueError(f"each line must be name,number, got {','.join(wrong[0])!r}")
    return _index_names((_parse_class_number(number), name) for name, number in lines)


def _parse_class_list(text: str) -> Names:
    """Parse one class per line, in the model's order."""
    lines = text.rstrip().splitlines()
    if "" in [line.strip() for line in lines]:  # skipping it would renumber all that follow
        raise ValueError("each line must name a class, and one in the middle is empty")
    return _index_names(enumerate(lines))


def _parse_class_number(value: object) -> int:
    """Return a class number; raise ValueError if it is not one."""
    if isinstance(value, bool) or not str(value).strip().isdigit():
        raise ValueError(f"a class must have a number, got {value!r}")
    return int(str(value))


READERS: dict[str, Callable[[str], Names]] = {
    ".toml": lambda text: _parse_table_map(parse_toml("it", text.encode())),
    ".json": _parse_json_map,
    ".csv": _parse_csv_map,
    ".txt": _parse_class_list,
}
