"""Newton's iteration for `improved_dp`, and the small table that gives it its start.

The optimum of paper eq. (NewDP) makes its derivative in epsilon vanish:
    Phi(u) - Phi(v) = 2 e^epsilon (Phi(v) - E_1),   u, v = +-L/2 - epsilon/L.
With e^epsilon = phi(u) / phi(v) both expectations are then explicit functions of (u, v):
    E_0 = Phi(u) + (Phi(u) - Phi(v)) phi(u) / (2 phi(v)),
    E_1 = Phi(v) - (Phi(u) - Phi(v)) phi(v) / (2 phi(u)).
Nothing here needs to be exact or sound: `improved_dp` checks whatever comes out.
"""

from functools import cache

import numpy as np
from scipy.special import ndtr

from simplicert.types import Floats

# The table's coordinates are log(1 + a) and log(1 + 2 b), with a the two-sided radius and
# b = -(z_0 + z_1) the distance from the edge E_0 + E_1 = 1; its values are c and d, with
# v = z_1 + c a and u = z_0 - d a. At a = 0 both are 1/2.
ROWS, COLUMNS = 49, 33
LAST = (3.2, 5.1)
LOWEST = -37.5  # quantile of about 1e-307: beyond it the table repeats its last column
SETTLING = 12  # Newton steps for each new row or column of the table
LONGEST = 0.5  # longest step in u and v


def step(u: Floats, v: Floats, e0: Floats, e1: Floats) -> tuple[Floats, Floats, Floats]:
    """One Newton step in the logs of both expectations, kept at epsilon >= 0; and its length."""
    with np.errstate(all="ignore"):
        top, tail = ndtr(u), ndtr(v)
        between = (top - tail) / 2
        phi_u, phi_v = (np.exp(-x * x / 2) / np.sqrt(2 * np.pi) for x in (u, v))
        up, down = between * phi_u / phi_v, between * phi_v / phi_u
        got0, got1 = top + up, np.maximum(tail - down, e1 / 10)
        miss0, miss1 = got0 * np.log(got0 / e0), got1 * np.log(got1 / e1)
        d0u, d0v = phi_u + phi_u * phi_u / phi_v / 2 - u * up, v * up - phi_u / 2
        d1u, d1v = -phi_v / 2 - u * down, phi_v + phi_v * phi_v / phi_u / 2 + v * down
        determinant = d0u * d1v - d0v * d1u
        du = (d0v * miss1 - d1v * miss0) / determinant
        dv = (d1u * miss0 - d0u * miss1) / determinant
        length = np.maximum(np.abs(du), np.abs(dv))
        share = np.where(np.isfinite(length), LONGEST / np.maximum(length, LONGEST), 0.0)
    u = u + np.where(share > 0, share * du, 0.0)
    v = v + np.where(share > 0, share * dv, 0.0)
    # epsilon = (v^2 - u^2) / 2 >= 0 means u + v <= 0. Past the fork on the edge E_0 + E_1 = 1
    # the mirror image at epsilon < 0 is the other solution: slide back to epsilon = 0.
    over = np.maximum(u + v, 0.0) / 2
    return u - over, v - over, length


def start(z0: Floats, z1: Floats) -> tuple[Floats, Floats]:
    """(u, v) near the optimum, by bilinear interpolation of the table."""
    a, b = (z0 - z1) / 2, np.maximum(-(z0 + z1), 0.0)
    x = np.clip(np.log1p(np.maximum(a, 0)) / LAST[0], 0, 0.9999) * (ROWS - 1)
    y = np.clip(np.log1p(2 * b) / LAST[1], 0, 0.9999) * (COLUMNS - 1)
    i, j = x.astype(np.intp), y.astype(np.intp)
    x, y = x - i, y - j
    corner = table().reshape(2, -1)
    at = i * COLUMNS + j
    left = corner[:, at] * (1 - x) + corner[:, at + COLUMNS] * x
    right = corner[:, at + 1] * (1 - x) + corner[:, at + COLUMNS + 1] * x
    c, d = left * (1 - y) + right * y
    return z0 - d * a, z1 + c * a


@cache
def table() -> Floats:
    """(c, d) on the grid, each solved from its solved neighbour; about 30 ms, once a process.

    First away from ties (a = 0, where c = d = 1/2) at a distance from the edge, then toward the
    edge: along the edge itself the way would lead past the fork to the wrong branch.
    """
    a = np.expm1(np.linspace(0, LAST[0], ROWS))
    b = np.expm1(np.linspace(0, LAST[1], COLUMNS)) / 2
    out = np.full((2, ROWS, COLUMNS), 0.5)
    far = COLUMNS // 4
    for i in range(1, ROWS):
        out[:, i, far:] = solve(a[i], b[far:], out[:, i - 1, far:])
    for j in range(far - 1, -1, -1):
        out[:, 1:, j] = solve(a[1:], b[j], out[:, 1:, j + 1])
    for j in range(1, COLUMNS):
        beyond = -a - b[j] / 2 < LOWEST
        out[:, beyond, j] = out[:, beyond, j - 1]
    return out


def solve(a: Floats | float, b: Floats | float, guess: Floats) -> Floats:
    """(c, d) at the given coordinates, from a neighbour's."""
    z0, z1 = np.maximum(a - b / 2, LOWEST + 1), np.maximum(-a - b / 2, LOWEST)
    e0, e1 = ndtr(z0), ndtr(z1)
    u, v = z0 - guess[1] * a, z1 + guess[0] * a
    for _ in range(SETTLING):
        u, v, _ = step(u, v, e0, e1)
    return np.stack([(v - z1) / a, (z0 - u) / a])
