"""Exact arithmetic that shares nothing with the package: does a polynomial have a root?

A polynomial in Bernstein form is written out in powers of p with whole numbers, and Sturm's theorem
counts its roots in an interval with rational ends.
"""

from fractions import Fraction
from itertools import pairwise
from math import comb, gcd


def power_basis(coefficients):
    """Whole numbers a_0..a_k, with sum a_i p^i a positive multiple of the polynomial."""
    degree = len(coefficients) - 1
    exact = [Fraction(float(value)) for value in coefficients]
    powers = [Fraction(0)] * (degree + 1)
    for j, value in enumerate(exact):
        for i in range(degree - j + 1):
            powers[j + i] += value * comb(degree, j) * comb(degree - j, i) * (-1) ** i
    return primitive(scale_up(powers))


def scale_up(powers):
    least = 1
    for value in powers:
        least = least * value.denominator // gcd(least, value.denominator)
    return [int(value * least) for value in powers]


def primitive(powers):
    """Without a common factor, and without leading zeros."""
    while len(powers) > 1 and powers[-1] == 0:
        powers = powers[:-1]
    common = gcd(*powers) or 1
    return [value // common for value in powers]


def value_at(powers, at):
    total = Fraction(0)
    for value in reversed(powers):
        total = total * at + value
    return total


def remainder(one, two):
    """A positive multiple of the remainder of a division."""
    one = list(one)
    while len(one) >= len(two) and any(one):
        lead, shift = one[-1], len(one) - len(two)
        sign = 1 if two[-1] > 0 else -1
        one = [value * abs(two[-1]) for value in one]
        for i, value in enumerate(two):
            one[i + shift] -= sign * lead * value
        one = one[:-1]
        while len(one) > 1 and one[-1] == 0:
            one = one[:-1]
        one = primitive(one)
    return one


def count_roots(powers, low, high):
    """How many different roots lie in (low, high]; neither end may be a multiple root."""
    chain = [powers, primitive([i * value for i, value in enumerate(powers)][1:])]
    while len(chain[-1]) > 1:
        rest = remainder(chain[-2], chain[-1])
        if not any(rest):
            break
        chain.append([-value for value in rest])

    def changes(at):
        signs = [value for value in (value_at(item, at) for item in chain) if value]
        return sum((one > 0) != (two > 0) for one, two in pairwise(signs))

    return changes(low) - changes(high)


def is_negative(coefficients, end):
    """Whether the polynomial is negative on all of [0, end], by exact arithmetic."""
    powers, end = power_basis(coefficients), Fraction(float(end))
    return (
        powers[0] < 0 and value_at(powers, end) < 0 and count_roots(powers, Fraction(0), end) == 0
    )
