"""Every noise is drawn as its row says, and a draw does not depend on those beside it.

The tests of distributions compare with scipy's distribution functions at fixed seeds. A p-value
below 1e-6 fails; with about twenty of them a right generator fails for one seed in 50,000.
"""

import numpy as np
import pytest
from scipy import stats

from simplicert.noises import NOISES, NoiseContext, NoiseModel
from simplicert.noises.inputs import check_inputs
from simplicert.sampling.noise import NOISE, chunk_generator
from simplicert.sampling.noisy import NoiseWriter

SURE = 1e-6  # smallest p-value that passes
ROWS = 4000
ADDITIVE = {
    "gaussian": stats.norm(),
    "laplace": stats.laplace(),
    "uniform": stats.uniform(-1, 2),
}
SETTINGS = {
    "gaussian": {},
    "laplace": {},
    "uniform": {},
    "exponential-linf": {},
    "ablation": {"keep": 5, "absent": -1.0},
    "brightness": {},
    "contrast": {},
    "shift": {},
}
ARRAY_NOISES = [
    name for name, row in NOISES.items() if (row.fill or row.write) and name in SETTINGS
]


def filled(name, rows, size, dtype, seed=0):
    out = np.empty((rows, size), dtype)
    NOISES[name].fill(np.random.default_rng(seed), out)
    return out


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ADDITIVE)
def test_added_noise_has_its_distribution(name, dtype):
    drawn = filled(name, ROWS, 3, dtype)
    assert drawn.dtype == dtype and np.isfinite(drawn).all()
    assert stats.kstest(drawn.ravel(), ADDITIVE[name].cdf).pvalue > SURE
    for one, other in ((0, 1), (1, 2)):  # features are independent, their sizes too
        assert stats.pearsonr(drawn[:, one], drawn[:, other]).pvalue > SURE
        assert stats.pearsonr(np.abs(drawn[:, one]), np.abs(drawn[:, other])).pvalue > SURE


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("name", ADDITIVE)
def test_noise_on_a_device_has_its_distribution(name, kind):
    torch = pytest.importorskip("torch")
    random = torch.Generator()
    random.manual_seed(3)
    drawn = NOISES[name].draw_tensor((ROWS, 2), random, getattr(torch, kind))
    assert drawn.dtype == getattr(torch, kind) and torch.isfinite(drawn).all()
    assert stats.kstest(drawn.numpy().ravel(), ADDITIVE[name].cdf).pvalue > SURE


def test_laplace_noise_of_the_rarest_words_is_finite():
    """The words with all bits 0 and all bits 1, and the smallest and largest doubles."""

    class Words:
        def integers(self, low, high, shape, dtype):
            return np.array([0, 1, 2**32 - 2, 2**32 - 1], dtype=dtype)

        def random(self, out):
            out[:] = [0.0, 0.5, 0.5 + 2.0**-53, 1 - 2.0**-53]

    for dtype in (np.float32, np.float64):
        out = np.empty(4, dtype)
        NOISES["laplace"].fill(Words(), out)
        assert np.isfinite(out).all()
        assert np.abs(out).max() > 21


def test_noise_of_a_largest_feature_is_gamma_and_uniform_on_the_cube():
    """Given its size, one feature lies on a face, each equally often, the others are uniform."""
    size = 4
    drawn = filled("exponential-linf", ROWS, size, np.float64)
    largest = np.abs(drawn).max(axis=1)
    assert stats.kstest(largest, stats.gamma(size).cdf).pvalue > SURE
    face = np.abs(drawn).argmax(axis=1)
    assert stats.chisquare(np.bincount(face, minlength=size)).pvalue > SURE
    sign = drawn[np.arange(ROWS), face] > 0
    assert stats.binomtest(int(sign.sum()), ROWS).pvalue > SURE
    scaled = drawn / largest[:, None]
    others = np.array([np.delete(row, at) for row, at in zip(scaled, face, strict=True)])
    assert stats.kstest(others.ravel(), stats.uniform(-1, 2).cdf).pvalue > SURE


def copies(name, rows, seed=0, channels_last=False, grid=None):
    """Rows of the first chunk of an image of 2 channels and 3 x 4 pixels."""
    shape = (2, 3, 4)
    x = (np.arange(24, dtype=np.float32).reshape(shape) + 1) / 32
    laid_out = np.moveaxis(x, 0, -1) if channels_last else x
    model = check_inputs(NoiseModel(name, **SETTINGS[name]), shape)
    writer = NoiseWriter(np.asarray(0.5), grid, NoiseContext(model, 0.5, channels_last), 64)
    out = np.empty((rows.stop - rows.start, *laid_out.shape), np.float32)
    writer.write(out, laid_out, (seed, 3, 0, NOISE), rows)
    return x, np.moveaxis(out, -1, 1) if channels_last else out


@pytest.mark.parametrize("name", ARRAY_NOISES)
def test_a_draw_does_not_depend_on_those_beside_it(name):
    _, whole = copies(name, slice(0, 64))
    for part in (slice(0, 10), slice(10, 30), slice(63, 64)):
        np.testing.assert_array_equal(copies(name, part)[1], whole[part])
    assert not np.array_equal(copies(name, slice(0, 64), seed=1)[1], whole)
    assert len(np.unique(whole.reshape(64, -1), axis=0)) > 4


@pytest.mark.parametrize("name", ["gaussian", "laplace", "uniform", "exponential-linf"])
def test_on_a_grid_noise_is_whole_steps(name):
    x, noisy = copies(name, slice(0, 64), grid=1 / 32)
    steps = (noisy - x) * 32
    np.testing.assert_array_equal(steps, np.rint(steps))
    assert np.abs(steps).max() > 4


@pytest.mark.parametrize("channels_last", [False, True])
def test_ablation_keeps_whole_pixels_and_marks_the_others(channels_last):
    x, noisy = copies("ablation", slice(0, 64), channels_last=channels_last)
    kept = (noisy == x).all(axis=1)
    absent = (noisy == -1).all(axis=1)
    np.testing.assert_array_equal(kept, ~absent)
    np.testing.assert_array_equal(kept.reshape(64, -1).sum(axis=1), 5)


def test_ablation_chooses_every_set_equally_often():
    context = NoiseContext(NoiseModel("ablation", size=5, keep=2, absent=-1.0), 1.0)
    out = np.empty((ROWS, 5), np.float32)
    x = np.zeros(5, np.float32)
    NOISES["ablation"].write(out, x, chunk_generator(0, 0, 0, NOISE), slice(0, ROWS), context)
    sets = (out == 0) @ (1 << np.arange(5))
    counts = np.unique(sets, return_counts=True)[1]
    assert len(counts) == 10
    assert stats.chisquare(counts).pvalue > SURE


@pytest.mark.parametrize("channels_last", [False, True])
def test_transformations_change_their_parameter_alone(channels_last):
    x, bright = copies("brightness", slice(0, 64), channels_last=channels_last)
    moved = (bright - x).reshape(64, -1)
    assert (
        np.ptp(moved, axis=1).max() < 1e-6
        and stats.kstest(moved[:, 0] / 0.5, stats.norm().cdf).pvalue > SURE
    )
    x, contrast = copies("contrast", slice(0, 64), channels_last=channels_last)
    factors = np.log(contrast / x).reshape(64, -1)
    assert np.ptp(factors, axis=1).max() < 1e-5
    assert stats.kstest(factors[:, 0] / 0.5, stats.norm().cdf).pvalue > SURE
    x, shifted = copies("shift", slice(0, 64), channels_last=channels_last)
    places = {
        np.roll(x, (down, across), (1, 2)).tobytes() for down in range(3) for across in range(4)
    }
    assert {np.ascontiguousarray(row).tobytes() for row in shifted} <= places


def test_shifts_are_normal_numbers_rounded_to_whole_pixels():
    """On a picture so large that no shift wraps around, where P(k) is known."""
    x = np.zeros((1, 32, 32), np.float32)
    x[0, 16, 16] = 1
    out = np.empty((ROWS, *x.shape), np.float32)
    context = NoiseContext(NoiseModel("shift"), 2.0)
    NOISES["shift"].write(out, x, chunk_generator(1, 0, 0, NOISE), slice(0, ROWS), context)
    places = np.argwhere(out[:, 0])[:, 1:] - 16
    ends = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5])
    expected = np.diff(np.r_[0, stats.norm.cdf(ends / 2.0), 1]) * ROWS
    for axis in range(2):
        held = np.histogram(places[:, axis], np.r_[-99, ends, 99])[0]
        assert stats.chisquare(held, expected).pvalue > SURE


@pytest.mark.parametrize(
    ("model", "shape", "message"),
    [
        (NoiseModel("deletion", rate=0.5), (3, 4, 4), "noise must be one for inputs that are arr"),
        (NoiseModel("ablation", keep=3), (9,), "absent must be given for ablation noise"),
        (NoiseModel("ablation", keep=10, absent=-1), (9,), "keep must be at most size = 9"),
        (NoiseModel("ablation", keep=1, size=4, absent=-1), (9,), "size must be the number of fe"),
        (NoiseModel("shift"), (9,), "noise shift must be given images"),
    ],
)
def test_inputs_that_a_noise_cannot_change_are_refused(model, shape, message):
    from simplicert import InvalidInput

    with pytest.raises(InvalidInput, match=message):
        check_inputs(model, shape)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("pink",), "noise must be one of gaussian, laplace"),
        (("laplace", 3), "size is not a number of laplace noise, got 3"),
        (("ablation",), "keep must be given for ablation noise, got None"),
        (("ablation", 9, 0), "keep must be a whole number above 0, got 0"),
        (("ablation", 9, 3, None, float("nan")), "absent must be a finite number"),
        (("deletion", None, None, 1.0), "rate must lie between 0 and 1, got 1.0"),
    ],
)
def test_numbers_that_a_noise_cannot_have_are_refused(arguments, message):
    from simplicert import InvalidInput

    with pytest.raises(InvalidInput, match=message):
        NoiseModel(*arguments)
