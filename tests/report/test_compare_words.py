"""What the page says of two runs, in words: no claim beyond its test."""

import numpy as np
import pytest
from certified import drawn, stated

import simplicert as sc
from simplicert.report import compare_words
from simplicert.report.views import make_views


def pair_of(first, second):
    return sc.compare(
        stated([True] * len(first), two_sided=first), stated([True] * len(second), two_sided=second)
    )


def test_the_verdict_names_who_is_ahead_either_way():
    near, far = [0.25, 0.25, 0.5, 0.5] * 8, [0.5, 0.75, 1.0, 0.75] * 8
    up = compare_words.compare_verdict(pair_of(near, far))
    assert up.startswith("b certifies farther than a: b has an average certified radius 0.750")
    assert "a change of +0.375 (95 % interval +0.3" in up and up.endswith("p = 1.0e-4).")
    down = compare_words.compare_verdict(pair_of(far, near))
    assert down.startswith("a certifies farther than b: ") and "a change of -0.375" in down


def test_a_difference_that_chance_explains_is_not_claimed():
    both = pair_of([0.2, 0.9, 0.4], [0.3, 0.7, 0.6])
    assert compare_words.compare_verdict(both).startswith("Neither is shown to certify farther: b")
    sentence = compare_words.compare_sentences(both)[0]
    assert sentence.startswith("At no radius is a difference in the certified accuracy shown")


def test_radii_where_the_band_leaves_out_0_are_named_as_ranges():
    both = pair_of([0.2] * 60, [1.0] * 60)
    assert (
        "is higher for b at r from 0.2 to 0.99: there the 95 % band"
        in (compare_words.compare_sentences(both)[0])
    )


def test_ranges_by_hand():
    at = np.array([0, 0.1, 0.2, 0.3, 0.4])
    mask = np.array([True, False, True, True, True])
    assert compare_words._say_ranges(at, mask) == "at r = 0, r from 0.2 to 0.4"


def test_without_labels_agreement_alone():
    first, second = (
        sc.certify(sc.bound(sc.Tally(rows, 0.5)))
        for rows in ([[900, 80, 20], [40, 35, 25]], [[80, 900, 20], [900, 80, 20]])
    )
    both = sc.compare(first, second)
    words = compare_words.compare_verdict(both)
    assert words == "a and b certify the same class for 0 of 2 inputs, and different ones for 1."
    said = " ".join([words, *compare_words.compare_sentences(both)])
    assert "nothing is said of accuracy" in said and "certified accuracy" not in said
    assert "radius" not in compare_words.compare_tiles(both)[0].label
    assert "as any class" in compare_words.radii_table(both).notes[0]


def test_bounds_are_rounded_outward_and_shares_down():
    both = sc.compare(drawn(), drawn(), radii=[0.3])
    texts = compare_words.reading_texts(both)
    for place, (_, _, change, low, high, p) in enumerate(texts):
        assert float(low) <= 100 * both.difference.low[place] <= 0
        assert float(high) >= 100 * both.difference.high[place] >= 0
        assert (change, p) == ("0.0", "1")
    assert compare_words.radii_table(both).rows[0][0] == "r > 0.3"


@pytest.mark.slow
def test_cautions_name_what_is_not_like_with_like(make_pair):
    first, second = make_pair(inputs=6)
    views = make_views([first, second])
    both = sc.compare(first, second)
    assert compare_words.compare_cautions(both, views) == []
    assert "same noise" in compare_words.simplex_note(both, views)
