"""Lines on a mesh: which edges a line crosses, and how the crossings join to lines."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from simplicert.types import Bools, Floats, Ints


@dataclass(frozen=True)
class Curve:
    """Points of one line in their order on it."""

    e0: Floats  # (P,)
    e1: Floats  # (P,)
    closed: bool  # the last point joins the first


def crossed(inside: Bools) -> tuple[Ints, Ints]:
    """(M, 2) nodes that a line passes between, and (S, 2) which of them share a triangle.

    Each square of the mesh is two triangles, and a triangle with both states has two such edges.
    """
    node = np.arange(inside.size).reshape(inside.shape)
    a, b, c, d = node[:-1, :-1], node[1:, :-1], node[:-1, 1:], node[1:, 1:]
    triangles = np.stack([[a, b, c], [d, c, b]]).transpose(0, 2, 3, 1).reshape(-1, 3)
    flat = inside.ravel()
    mixed = triangles[flat[triangles].any(axis=1) & ~flat[triangles].all(axis=1)]
    edges = np.sort(mixed[:, [[0, 1], [1, 2], [2, 0]]], axis=2)
    between = edges[flat[edges[..., 0]] != flat[edges[..., 1]]]
    unique, which = np.unique(between, axis=0, return_inverse=True)
    return unique, which.reshape(-1, 2)


def chains(segments: Ints) -> list[tuple[list[int], bool]]:
    """Segments joined end to end: the points of each line in order, and whether it closes."""
    beside: dict[int, list[int]] = defaultdict(list)
    for one, other in segments.tolist():
        beside[one].append(other)
        beside[other].append(one)
    found: list[tuple[list[int], bool]] = []
    seen: set[int] = set()
    for first in sorted(beside, key=lambda point: len(beside[point])):  # open ends first
        if first in seen:
            continue
        order, following = [first], [first]
        while following:
            seen.add(order[-1])
            following = [point for point in beside[order[-1]] if point not in seen][:1]
            order += following
        found.append((order, len(beside[first]) > 1))
    return found


def parts(curve: Curve, keep: Bools) -> list[Curve]:
    """The stretches of a line to keep, each up to the next point, so that stretches meet."""
    if keep.all():
        return [curve]
    changes = np.flatnonzero(np.diff(np.concatenate([[False], keep, [False]])))
    cuts = [slice(max(first - 1, 0), end + 1) for first, end in changes.reshape(-1, 2).tolist()]
    return [Curve(curve.e0[cut], curve.e1[cut], closed=False) for cut in cuts]


def length(curve: Curve) -> float:
    """Along its points."""
    return float(np.hypot(np.diff(curve.e0), np.diff(curve.e1)).sum())
