"""Recipes: settings by name, from the TOML files beside this one or from a file of your own."""

from pathlib import Path
from typing import Any

from simplicert.errors import InvalidInput, choose
from simplicert.files import read_toml
from simplicert.training.settings import Settings, settings_from
from simplicert.trust import Trust, require_user

FOLDER = Path(__file__).parent / "recipes"
SETTINGS, ABOUT = "settings", "about"  # what a recipe file holds


def recipe_names() -> list[str]:
    """The recipes that ship with the package."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def read_recipe(name: str) -> dict[str, Any]:
    """The settings of a recipe; `name` may also be the path of a TOML file."""
    shipped = {known: FOLDER / f"{known}.toml" for known in recipe_names()}
    own = Path(name).suffix == ".toml"
    path = Path(name) if own else choose("recipe", name, shipped)
    try:
        content = read_toml(path)
        held: dict[str, Any] = content[SETTINGS]
    except (OSError, ValueError, KeyError) as error:
        raise InvalidInput(
            f"recipe {name} must be a TOML file with a table [{SETTINGS}]: {error!r}"
        ) from None
    return held


def resolved(recipe: str | None, options: dict[str, Any]) -> Settings:
    """A recipe's settings with the given ones in their place; None means not given."""
    base = {} if recipe is None else read_recipe(recipe)
    given = {name: value for name, value in options.items() if value is not None}
    arch = str(base.get("arch", ""))
    if ":" in arch and "arch" not in given:
        require_user(Trust(f"recipe {recipe}"), "arch", arch, f"--arch {arch}")
    return settings_from(base | given)
