"""`python -m simplicert`: the same as the command."""

import signal


def start() -> None:
    """The command. Until it listens for itself, Ctrl-C ends it without a traceback."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from simplicert.cli import run_program

    run_program()


if __name__ == "__main__":  # worker processes import this file too
    start()
