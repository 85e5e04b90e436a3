"""A board of many logs: a static site that lists, audits and compares them.

`make_board` reads every file and folder it is given, certifies what has counts at one alpha, holds
each log against its own claims and against the others, and writes pages that need no network.
"""

from simplicert.board.job import Board, make_board, read_board

__all__ = ["Board", "make_board", "read_board"]
