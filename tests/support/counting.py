"""Count what a function does: comparisons of numbers, and calls. A count is the same every time."""

import sys


class CountedNumber(int):
    """A whole number that counts how often such numbers are compared by size."""

    compared = 0

    def __lt__(self, other):
        """Whether it is smaller; counted."""
        CountedNumber.compared += 1
        return int(self) < other

    def __gt__(self, other):
        """Whether it is larger; counted."""
        CountedNumber.compared += 1
        return int(self) > other


def count_comparisons(function, *given):
    """How often counted numbers are compared by size during a call."""
    CountedNumber.compared = 0
    function(*given)
    return CountedNumber.compared


def count_calls(function, *given):
    """How many functions, of Python and of C, a call calls."""
    calls = 0

    def watch(_frame, event, _argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        function(*given)
    finally:
        sys.setprofile(before)
    return calls
