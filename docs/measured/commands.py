"""docs/commands.md: every command, its help, its example and its options."""

from typing import Any

EXAMPLE = "Example: "


def list_commands() -> str:
    """One section for each command, in the order of `simplicert --help`."""
    from typer.main import get_command

    from simplicert.cli import app

    sections = []
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        if hasattr(command, "commands"):
            below = command.commands.items()
            sections += [_write_section(f"{name} {sub}", one) for sub, one in below]
        else:
            sections.append(_write_section(name, command))
    return "\n\n".join(sections)


def _write_section(name: str, command: Any) -> str:
    """One command: help, example, arguments and options."""
    parts = [f"## {name}"]
    for paragraph in (command.help or "").split("\n\n"):
        text = paragraph.strip()
        line = " ".join(text.removeprefix(EXAMPLE).split())
        parts.append(f"```sh\n{line}\n```" if text.startswith(EXAMPLE) else text)
    rows = [_write_row(parameter) for parameter in command.params if parameter.name != "help"]
    table = ["| | | default |", "|---|---|---|", *rows]
    return "\n\n".join([*parts, "\n".join(table)])


def _write_row(parameter: Any) -> str:
    """One argument or option."""
    names = (
        " or ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
        if parameter.param_type_name == "option"
        else f"`{parameter.name.upper()}`"
    )
    help_text = (getattr(parameter, "help", None) or "").replace("|", "\\|")
    return f"| {names} | {help_text} | {_state_default(parameter)} |"


def _state_default(parameter: Any) -> str:
    """The default; nothing where there is none."""
    if parameter.required:
        return "required"
    value = parameter.default
    if value is None or value is False or callable(value) or not str(value):
        return ""
    if getattr(parameter, "is_flag", False):
        return "yes"
    return f"`{value}`"
