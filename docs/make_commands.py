"""Print docs/commands.md: every command, its help, its example and its options.

python docs/make_commands.py > docs/commands.md
"""

from typing import Any

from typer.main import get_command

from simplicert.cli import app

EXAMPLE = "Example: "
FIRST = """\
# Commands

Made by `python docs/make_commands.py` from the commands themselves: `simplicert COMMAND -h`
says the same. Each example is run by a test.

Exit codes: 0 done; 1 finished, but something did not hold (a failed gate, an unsound mechanism);
2 bad input or refused, with one sentence that says why; 130 interrupted: the same command
continues.
"""


def commands() -> list[tuple[str, Any]]:
    """Every command with the words that call it, in the order of `simplicert --help`."""
    found: list[tuple[str, Any]] = []
    for name, command in get_command(app).commands.items():
        if hasattr(command, "commands"):
            found += [(f"{name} {sub}", below) for sub, below in command.commands.items()]
        else:
            found.append((name, command))
    return found


def paragraphs(command: Any) -> list[str]:
    """The help text, cut at its empty lines."""
    return [part.strip() for part in (command.help or "").split("\n\n")]


def examples(command: Any) -> list[str]:
    """The lines to type that the help shows."""
    texts = [" ".join(part.split()) for part in paragraphs(command)]
    return [text.removeprefix(EXAMPLE) for text in texts if text.startswith(EXAMPLE)]


def section(name: str, command: Any) -> str:
    """One command: help, example, arguments and options."""
    parts = [f"## {name}"]
    for text in paragraphs(command):
        example = text.startswith(EXAMPLE)
        line = " ".join(text.removeprefix(EXAMPLE).split())
        parts.append(f"```sh\n{line}\n```" if example else text)
    rows = [row(parameter) for parameter in command.params if parameter.name != "help"]
    table = ["| | | default |", "|---|---|---|", *rows]
    return "\n\n".join([*parts, "\n".join(table)])


def row(parameter: Any) -> str:
    """One argument or option."""
    names = (
        " or ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
        if parameter.param_type_name == "option"
        else f"`{parameter.name.upper()}`"
    )
    help_text = (getattr(parameter, "help", None) or "").replace("|", "\\|")
    return f"| {names} | {help_text} | {shown(parameter)} |"


def shown(parameter: Any) -> str:
    """The default; nothing where there is none."""
    if parameter.required:
        return "required"
    value = parameter.default
    if value is None or value is False or callable(value) or not str(value):
        return ""
    if getattr(parameter, "is_flag", False):
        return "yes"
    return f"`{value}`"


def page() -> str:
    """All of docs/commands.md."""
    return "\n\n".join([FIRST.rstrip(), *(section(*pair) for pair in commands())]) + "\n"


if __name__ == "__main__":
    print(page(), end="")
