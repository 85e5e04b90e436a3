"""`python -m simplicert`: the same as the command."""

from simplicert.cli import program

program()
