"""`python -m simplicert`: the same as the command."""

from simplicert.cli import program

if __name__ == "__main__":  # worker processes import this file too
    program()
