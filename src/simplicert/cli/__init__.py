"""The command line. Each command has its own file: it parses, calls one function and prints."""

import atexit
import os
import sys
from contextlib import suppress
from typing import Annotated, NoReturn

import typer

from simplicert.cli.attack import attack
from simplicert.cli.board import board
from simplicert.cli.card import card
from simplicert.cli.certify import certify
from simplicert.cli.check import check
from simplicert.cli.compact import compact
from simplicert.cli.demo import demo
from simplicert.cli.explain import explain
from simplicert.cli.explorer import explorer
from simplicert.cli.export import export
from simplicert.cli.figure import figure
from simplicert.cli.gate import gate
from simplicert.cli.geometry import geometry
from simplicert.cli.history import history
from simplicert.cli.import_ import app as import_app
from simplicert.cli.plan import plan
from simplicert.cli.population import app as population_app
from simplicert.cli.radius import radius
from simplicert.cli.report import report
from simplicert.cli.run import run
from simplicert.cli.sample import sample
from simplicert.cli.saying import print_lines, print_note
from simplicert.cli.seal import seal
from simplicert.cli.simplex import simplex
from simplicert.cli.status import status
from simplicert.cli.table import table
from simplicert.cli.train import train
from simplicert.cli.verify import verify
from simplicert.cli.watch import watch

app = typer.Typer(
    name="simplicert",
    help="How far can an input be changed before a smoothed classifier changes its answer?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

LOOP = "Symlink loop"  # how Python 3.11 and 3.12 begin the error about a link to itself

# What a stranger looks for first stands first.
START, DRAW, READ, CHECK = "Start", "Draw", "Read", "Check"
for panel, commands in {
    START: (demo, radius, explorer, simplex, plan, train),
    DRAW: (sample, run, watch, status, compact),
    READ: (certify, table, figure, report, history, explain, board, card, export),
    CHECK: (verify, seal, attack, geometry, gate, check),
}.items():
    for command in commands:
        app.command(rich_help_panel=panel)(command)
app.add_typer(import_app, name="import", rich_help_panel=DRAW)
app.add_typer(population_app, name="population", rich_help_panel=READ)


def _show_version(wanted: bool) -> None:
    """Print the version and stop, if it is wanted."""
    if wanted:
        from simplicert import __version__

        print_lines(f"simplicert {__version__}")
        raise typer.Exit


@app.callback()
def _main_options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """How far can an input be changed before a smoothed classifier changes its answer?"""


def main() -> None:
    """Run a command; a deliberate error is one sentence on stderr and exit code 2."""
    from simplicert.errors import SimplicertError

    try:
        app()
    except SimplicertError as error:
        sys.exit(_print_refusal(str(error)))
    except MemoryError as error:
        sys.exit(
            _print_refusal(
                f"the memory is full: {str(error) or 'give fewer inputs or classes at a time'}"
            )
        )
    except RuntimeError as error:
        if not str(error).startswith(LOOP):
            raise
        sys.exit(_print_refusal(f"cannot read or write: {error}"))
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        sys.exit(_print_refusal(f"cannot read or write{where}: {error.strerror or error}"))


def run_program() -> NoReturn:
    """Run a command as a process of its own, which ends as soon as everything is written.

    If a library still has a thread when the process destroys its C++ objects, the process aborts:
    one command in forty, done and with its files written, had exit code 134.
    """
    import signal

    from simplicert.cli.signals import STOPPED_EXIT, ExitState, handle_interrupt

    code: int | str | None = 0
    try:
        signal.signal(signal.SIGINT, handle_interrupt)
        main()
    except SystemExit as stop:
        code = stop.code
    except KeyboardInterrupt:
        code = STOPPED_EXIT
    ExitState.code = code if isinstance(code, int) else int(code is not None)
    if isinstance(code, str):
        print_note(code)
        code = 1
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # closed by the program that was reading it
            stream.flush()
    os._exit(code or 0)


def _print_refusal(message: str) -> int:
    """Print why the command was refused, on stderr, and return its exit code."""
    print_note(f"simplicert: {message}")
    return 2
