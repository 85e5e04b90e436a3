"""All words of up to six letters out of two, and what deletion makes of them, exactly.

A classifier of words is a function from a tuple of letters to a class. Its probabilities under
deletion are sums over all subsets of letters, in rational numbers.
"""

import itertools
from collections import Counter
from fractions import Fraction
from functools import cache

LONGEST = 6
WORDS = [word for n in range(LONGEST + 1) for word in itertools.product("ab", repeat=n)]


@cache
def thinned(word, rate):
    """Every subsequence with its probability."""
    found = Counter()
    for kept in itertools.product((0, 1), repeat=len(word)):
        left = tuple(itertools.compress(word, kept))
        found[left] += (1 - rate) ** sum(kept) * rate ** (len(word) - sum(kept))
    return found


@cache
def shares(classify, word, rate, classes=2):
    """The exact probability of each class."""
    found = [Fraction(0)] * classes
    for left, mass in thinned(word, rate).items():
        found[classify(left)] += mass
    return found


@cache
def distances(word):
    """For each norm, every word of the world within reach and its distance."""
    near = {"edits": {}, "insertions": {}, "deletions": {}}
    for other in WORDS:
        near["edits"][other] = edit_distance(word, other)
        if is_part(word, other):
            near["insertions"][other] = len(other) - len(word)
        if is_part(other, word):
            near["deletions"][other] = len(word) - len(other)
    return near


def find_flips(classify, word, rate, norm, radius):
    """The exhaustive attack: all words within the radius where the class is not the largest."""
    top = max(range(2), key=shares(classify, word, rate).__getitem__)
    flips = []
    for other, steps in distances(word)[norm].items():
        if steps <= radius:
            there = shares(classify, other, rate)
            if there[top] <= there[1 - top]:  # a tie counts against us
                flips.append(other)
    return flips


def edit_distance(first, second):
    """Insertions, deletions and replacements that turn one word into the other, at least."""
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        before, row = row, [i]
        for j, b in enumerate(second, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b)))
    return row[-1]


def is_part(short, long):
    """Whether one word is a subsequence of the other."""
    rest = iter(long)
    return all(letter in rest for letter in short)
