"""The public interface in words, a line a name: `python release/surface.py > release/surface.txt`.

release/surface.txt is what users build on. A test compares it with the package, so that a name or
an argument changes only when somebody means it and writes the file again. Types are not in it: they
are checked from a user's file.
"""

import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import simplicert
from simplicert import adapters, figures, metrics, models, tables, training

MODULES = (simplicert, models, training, metrics, tables, figures, adapters)


def lines() -> Iterator[str]:
    """Every public name, then what hangs on it."""
    for module in MODULES:
        for name in module.__all__:
            yield from described(module, name, getattr(module, name))


def described(module: ModuleType, name: str, value: Any) -> Iterator[str]:
    """A function with its arguments, an error with its parent, a class with its members."""
    full = f"{module.__name__}.{name}"
    if isinstance(value, dict):
        yield f"{full}: {', '.join(map(row, value.items()))}"
    elif not inspect.isclass(value):
        yield f"{full}{arguments(value)}"
    elif issubclass(value, Exception):
        yield f"{full}: {value.__mro__[1].__name__}"
    else:
        yield f"{full}{arguments(value)}"
        yield from (f"  {line}" for line in members(value))


def row(item: tuple[str, object]) -> str:
    """A row of a table: its name, and the names it stands for."""
    name, value = item
    return f"{name} ({' '.join(value)})" if isinstance(value, tuple) and bare(value) else name


def bare(value: tuple[object, ...]) -> bool:
    """Whether these are names and nothing else."""
    return all(isinstance(part, str) for part in value)


def members(kind: type) -> Iterator[str]:
    """What an instance offers, by name."""
    fields = set(getattr(kind, "__dataclass_fields__", ()))
    offered = {name for name in {*dir(kind), *fields} if not name.startswith("_")}
    offered -= {name for one in kind.__mro__ if not_ours(one) for name in vars(one)} - {
        name for one in kind.__mro__ if not not_ours(one) for name in vars(one)
    }
    if hasattr(kind, "__add__"):
        yield "+"
    for name in sorted(offered):
        value = inspect.getattr_static(kind, name, None)
        if not_ours(type(value)):
            continue
        if isinstance(value, classmethod | staticmethod):
            yield f".{name}{arguments(getattr(kind, name))}"
        elif inspect.isfunction(value):
            yield f".{name}{arguments(value)}"
        else:
            yield f".{name}"


def not_ours(kind: type) -> bool:
    """Whether a class is of another library, whose members change with its versions."""
    return kind.__module__.startswith("sklearn")


def arguments(value: Any) -> str:
    """Names, order, kinds and defaults."""
    return str(inspect.Signature(list(map(plain, inspect.signature(value).parameters.values()))))


def plain(parameter: inspect.Parameter) -> inspect.Parameter:
    """Without its type; a function as default has its name and no address."""
    default = Named(parameter.default) if callable(parameter.default) else parameter.default
    default = inspect.Parameter.empty if parameter.default is inspect.Parameter.empty else default
    return parameter.replace(annotation=inspect.Parameter.empty, default=default)


class Named:
    """Something that shows as its name."""

    def __init__(self, value: Any) -> None:
        """Keep the name only."""
        self.name = value.__name__

    def __repr__(self) -> str:
        """The name."""
        return str(self.name)


if __name__ == "__main__":
    print("\n".join(lines()))
