"""Spans that share a draw are found as by comparing each with each, and with far less work."""

from counting import CountedNumber, count_comparisons
from hypothesis import given
from hypothesis import strategies as st

from simplicert.store.spans import TakenDraws, find_shared_spans

FEW = st.integers(-2, 9)  # so few draws that spans touch, nest, repeat and are empty
SPAN = st.tuples(st.integers(-1, 1), FEW, FEW).map(lambda span: (span[0], *sorted(span[1:])))
ROWS = st.lists(st.lists(SPAN, max_size=5), max_size=8)


def overlap(left, right):
    """Whether two rows share a draw, by every pair of their spans."""
    return any(a[0] == b[0] and a[1] < b[2] and b[1] < a[2] for a in left for b in right)


@given(ROWS)
def test_taken_draws_are_those_of_every_pair(rows):
    taken, before = TakenDraws(), []
    for row in rows:
        assert taken.share_draws(row) == overlap(before, row)
        taken.add(row)
        before += row


@given(ROWS)
def test_owners_of_shared_draws_are_those_of_every_pair(rows):
    spans = [span for row in rows for span in row]
    owners = [number for number, row in enumerate(rows) for _ in row]
    pairs = [(one, two) for one in range(len(rows)) for two in range(len(rows)) if one != two]
    shared = {one for one, two in pairs if overlap(rows[one], rows[two])}
    assert find_shared_spans(spans, owners) == shared


def test_one_who_overlaps_several_finds_them_all():
    """The furthest may be one's own, and the nearest too: then those of another count."""
    spans = [(7, 0, 100), (7, 10, 90), (7, 20, 30), (7, 40, 50), (7, 95, 99), (7, 100, 110)]
    assert find_shared_spans(spans, [0, 0, 1, 2, 3, 4]) == {0, 1, 2, 3}
    assert find_shared_spans(spans, [0, 0, 0, 0, 0, 0]) == set()


def one_by_one(taken, spans):
    for span in spans:
        assert not taken.share_draws([span])
        taken.add([span])


def test_the_work_grows_like_the_number_of_spans():
    """About n log n comparisons, where n spans are added together or each by itself."""
    many = 2000
    spans = [tuple(map(CountedNumber, (7, 2 * k, 2 * k + 1))) for k in range(many)]
    between = [tuple(map(CountedNumber, (7, 2 * k + 1, 2 * k + 2))) for k in range(many)]
    taken = TakenDraws()
    taken.add(spans)
    assert 0 < count_comparisons(taken.share_draws, between) < 30 * many
    assert 0 < count_comparisons(one_by_one, TakenDraws(), spans[::2] + spans[1::2]) < 200 * many
    assert 0 < count_comparisons(find_shared_spans, spans, range(many)) < 30 * many


def test_lists_stay_few_where_each_is_a_little_shorter_than_the_one_before():
    rows = [[(7, 1000 * n + k, 1000 * n + k + 1) for k in range(200 - n)] for n in range(200)]
    taken = TakenDraws()
    for row in rows:
        taken.add(row)
    probe = [tuple(map(CountedNumber, (7, 10**6, 10**6 + 1)))]
    assert 0 < count_comparisons(taken.share_draws, probe) < 300
