"""How data are read where their files leave it open: the size of pictures, the columns of tables.

A run records these options, so that whoever opens its data again reads the same inputs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from simplicert.errors import require

MOST_PIXELS = 2**14  # of a side of a picture
PICTURE_OPTIONS = ("resize", "crop")
TABLE_OPTIONS = ("label_column", "columns")


@dataclass(frozen=True)
class DataOptions:
    """The options of one reading; None leaves pictures and tables as they are.

    >>> DataOptions(resize=256, crop=224).record()
    {'resize': 256, 'crop': 224}
    """

    resize: int | None = None  # pixels of the shorter side of a picture
    crop: int | None = None  # pixels of both sides of the square cut out of its middle
    label_column: str | None = None  # of a table; "" for none
    columns: tuple[str, ...] | None = None  # of a table, to be inputs; all others than the label

    def __post_init__(self) -> None:
        """Check the values, once."""
        for name in PICTURE_OPTIONS:
            value = getattr(self, name)
            whole = isinstance(value, int) and not isinstance(value, bool)
            require(
                value is None or (whole and 1 <= value <= MOST_PIXELS),
                f"{name} must be a number of pixels in 1..{MOST_PIXELS}, got {value!r:.60}",
            )
        both = self.resize is not None and self.crop is not None
        require(
            not both or self.crop <= self.resize,  # type: ignore[operator]
            f"crop must be at most resize = {self.resize}, got {self.crop}",
        )
        label = self.label_column
        require(
            label is None or isinstance(label, str),
            f"label_column must be the name of a column, got {label!r:.60}",
        )
        if self.columns is not None:
            texts = isinstance(self.columns, list | tuple) and all(
                isinstance(column, str) for column in self.columns
            )
            require(
                texts and len(self.columns) > 0,
                f"columns must be a list of names of columns, got {self.columns!r:.60}",
            )
            object.__setattr__(self, "columns", tuple(self.columns))

    @property
    def fits_pictures(self) -> bool:
        """Whether pictures are brought to a size."""
        return self.resize is not None or self.crop is not None

    def record(self) -> dict[str, Any]:
        """Return what run.toml keeps: the options that were given."""
        held = {name: getattr(self, name) for name in (*PICTURE_OPTIONS, *TABLE_OPTIONS)}
        given = {name: value for name, value in held.items() if value is not None}
        return given | ({"columns": list(self.columns)} if self.columns is not None else {})

    def picture_record(self) -> dict[str, int]:
        """Return the size that pictures are brought to, for model.toml; nothing where none is."""
        return {name: value for name, value in self.record().items() if name in PICTURE_OPTIONS}

    def require_only(self, what: str, *allowed: str) -> None:
        """Refuse options that this form of data does not have."""
        for name in set(self.record()) - set(allowed):
            forms = "folder: and hf:" if name in PICTURE_OPTIONS else "csv:, parquet: and hf:"
            require(False, f"{name} is an option of {forms}, and {what} has none such")


AS_IT_IS = DataOptions()


def say_pictures(record: Mapping[str, int]) -> str:
    """Return the options of `sample` that bring pictures to this size.

    >>> say_pictures({"resize": 256, "crop": 224}), say_pictures({})
    ('--resize 256 --crop 224', 'pictures as they are')
    """
    given = [f"--{name} {record[name]}" for name in PICTURE_OPTIONS if name in record]
    return " ".join(given) or "pictures as they are"


def restore_options(source: Mapping[str, Any]) -> DataOptions:
    """Return the options that a run recorded."""
    return DataOptions(**{field.name: source.get(field.name) for field in fields(DataOptions)})
