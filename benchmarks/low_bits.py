"""A classifier that reads the last bits of its input, and so knows where the noise was added.

In floating point x + noise is not ideal Gaussian smoothing (Voracek and Hein 2023). A number near 0
that is the sum of x_i = 1/32 and noise near -1/32 is a multiple of the noise's spacing there,
2^-29; noise alone that is near 0 has far finer bits. So a single fine number among a thousand
says that the input was 0. By the default mode the two inputs are certified for different classes,
each inside the other's ball: the certificates are false. In grid mode no bit tells.
"""

import numpy as np

import simplicert as sc

FEATURES, SHIFT, SPACING = 1024, 2.0**-5, 2.0**-29
NEAR = SHIFT / 4  # numbers this small come from noise between 3/4 and 5/4 of the shift
SIGMA, DRAWS, GRID = 1.0, 4000, 2.0**-6


def classify(batch):
    """Class 0 where some small number is finer than the sum with the shift can be; else class 1."""
    small = np.abs(batch) < NEAR
    fine = np.float64(batch) / SPACING % 1 != 0
    one = 1.0 - (small & fine).any(axis=1)
    return np.column_stack([1 - one, one])


def distance():
    """Between the two inputs, not below the truth: SHIFT sqrt(FEATURES), both powers of two."""
    return np.nextafter(SHIFT * np.sqrt(FEATURES), np.inf)


def measured(draws=DRAWS):
    """Certificates of the two inputs by each mode, and whether both can be true."""
    inputs = np.full((2, FEATURES), SHIFT, np.float32) * np.array([[0], [1]], np.float32)
    out = []
    for mode, grid in (("default", None), ("grid", GRID)):
        tally = sc.sample(classify, inputs, SIGMA, draws, outputs="probabilities", grid=grid)
        found = sc.certify(sc.bound(tally, 0.001))
        one, other = (int(k) for k in found.predicted)
        radii = [float(r) for r in found.radius]
        false = one != other and min(one, other) >= 0 and max(radii) > distance()
        out.append(
            {
                "mode": mode,
                "distance": float(distance()),
                "predicted": [one, other],
                "radii": radii,
                "contradiction": bool(false),
            }
        )
    return out
