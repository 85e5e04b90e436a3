"""Find out whether spans of draws share a draw, without comparing each with each.

A span is (seed, first draw, one past the last). A file of under a megabyte may hold a million of
them, so the work must grow like their number, and not like its square.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

Span = tuple[int, int, int]  # seed, first draw, one past the last

Point = tuple[int, int]  # a seed and a draw


class SortedSpans(NamedTuple):
    """Spans in the order of their seeds and first draws."""

    spans: list[Span]
    ends: list[Point]  # up to each span: its seed, and the furthest end of the spans of that seed


class TakenDraws:
    """The draws of one input that are counted already.

    >>> taken = TakenDraws()
    >>> taken.add([(7, 0, 100), (7, 200, 300)])
    >>> taken.share_draws([(7, 100, 200), (8, 0, 50)]), taken.share_draws([(7, 250, 400)])
    (False, True)
    """

    def __init__(self) -> None:
        """Begin without any draw."""
        # Each list is at least twice as long as the next. So there are few lists, and a span is
        # sorted again only a few times, however many are added after it.
        self._lists: list[SortedSpans] = []

    def add(self, spans: Iterable[Span]) -> None:
        """Take these draws too."""
        new = list(spans)
        while self._lists and len(self._lists[-1].spans) < 2 * len(new):
            new += self._lists.pop().spans
        if new:
            self._lists.append(_sort_spans(new))

    def share_draws(self, spans: Sequence[Span]) -> bool:
        """Tell whether any of these spans overlaps one that was added."""
        return any(_meet_span(held, span) for held in self._lists for span in spans)


def _sort_spans(spans: list[Span]) -> SortedSpans:
    """Sort spans, and remember how far those up to each of them reach."""
    spans = sorted(spans)
    return SortedSpans(spans, list(accumulate(((seed, stop) for seed, _, stop in spans), max)))


def _meet_span(held: SortedSpans, span: Span) -> bool:
    """Tell whether a span overlaps one of those held.

    It overlaps one that begins before its end and ends after its beginning. Of those that begin
    before its end the one that reaches furthest decides.
    """
    seed, first, stop = span
    begun = bisect_left(held.spans, (seed, stop))
    return begun > 0 and held.ends[begun - 1] > (seed, first)


def find_shared_spans(spans: Sequence[Span], owners: Sequence[int]) -> set[int]:
    """Return the owners, numbered from 0, with a span that overlaps a span of another owner.

    A walk over the spans in order sees whether another owner's span before it reaches into one,
    and a walk back whether another owner's span after it does.

    >>> sorted(find_shared_spans([(7, 0, 100), (7, 50, 80), (7, 100, 200)], [0, 1, 2]))
    [0, 1]
    """
    steps = sorted((*span, owner) for span, owner in zip(spans, owners, strict=True))
    ahead = _find_reached(((seed, stop), (seed, first), who) for seed, first, stop, who in steps)
    back = _find_reached(
        ((-seed, -first), (-seed, -stop), who) for seed, first, stop, who in reversed(steps)
    )
    return ahead | back


def _find_reached(steps: Iterable[tuple[Point, Point, int]]) -> set[int]:
    """Return the owners of a step that an earlier step of another owner reaches beyond.

    A step says where it ends, where it begins and whose it is.
    """
    found: set[int] = set()
    best: tuple[tuple[int, ...], int] = ((), -1)  # the furthest end, and whose it is
    other = best  # the furthest end of anybody else
    for end, begin, owner in steps:
        if (other if owner == best[1] else best)[0] > begin:
            found.add(owner)
        if owner == best[1]:
            best = max(best, (end, owner))
        elif end > best[0]:
            best, other = (end, owner), best
        else:
            other = max(other, (end, owner))
    return found
