"""Exact shares under splitting noise: ties, refusals, and every classifier of tiny worlds."""

from itertools import product

import numpy as np
import pytest

import simplicert as sc
from simplicert.errors import InvalidInput, MissingEvidence
from simplicert.noises import NoiseContext, NoiseModel
from simplicert.noises.splitting import write


def tally_of(counts, invalid=None, **fields):
    counts = np.asarray(counts)
    held = counts.sum(axis=1) + (0 if invalid is None else np.asarray(invalid))
    return sc.Tally(counts, held[0] / 510, invalid=invalid, noise="splitting", **fields)


def published_steps(counts, invalid, top):
    """The formula of the literature, rival by rival; a draw without a class is rival -1."""
    rivals = {-1: invalid, **{c: n for c, n in enumerate(counts) if c != top}}
    return min((counts[top] - n - (c < top)) // 2 for c, n in rivals.items())


def test_every_tally_of_three_classes_has_the_radius_of_the_formula():
    """All 455 ways to divide 12 draws among three classes and none."""
    rows = [n for n in product(range(13), repeat=4) if sum(n) == 12]
    counts, invalid = np.array(rows)[:, :3], np.array(rows)[:, 3]
    certificates = sc.certify(sc.bound(tally_of(counts, invalid)))
    for row, (n, none) in enumerate(zip(counts.tolist(), invalid.tolist(), strict=True)):
        top = n.index(max(n))
        steps = published_steps(n, none, top)
        assert certificates.abstained[row] == (none >= n[top])
        if none < n[top]:
            assert certificates.predicted[row] == top
            assert certificates.radii["two_sided"][row] == steps / 255
        assert certificates.radii["one_sided"][row] <= certificates.radius[row]
        assert certificates.radius[row] == certificates.ensemble[row]


def test_shares_are_exact_and_nothing_is_left_to_chance():
    known = sc.bound(tally_of([[6, 3, 1]]))
    assert (known.e0[0], known.e1[0]) == (0.6, 0.3)
    assert (known.alpha, known.level, known.scheme, known.method) == (0, 0, "exact", "exact")
    assert (known.count_top[0], known.count_second[0]) == (6, 3)
    words = "holds with certainty, up to floating point"
    assert words in repr(known) and words in repr(sc.certify(known))
    assert "alpha" not in repr(sc.certify(known))


def test_a_tie_goes_to_the_lowest_class_and_is_certified_at_the_input_alone():
    certificates = sc.certify(sc.bound(tally_of([[2, 4, 4], [4, 4, 2], [4, 3, 3]])))
    assert certificates.predicted.tolist() == [1, 0, 0]
    assert certificates.radius.tolist() == [0, 0, 0]
    assert not certificates.abstained.any() and certificates.reaches(0).all()
    assert not certificates.reaches(1 / 255).any()


def test_from_a_pair_alone_a_tie_counts_against_us():
    """10 offsets: 8 to 2 draws is three steps if the rival wins no tie, and nobody said so."""
    assert sc.radius("two_sided", 0.8, 0.2, noise="splitting", scale=10 / 510) == 2 / 255
    assert sc.radius("two_sided", 0.8, 0.1, noise="splitting", scale=10 / 510) == 3 / 255
    assert sc.radius("one_sided", 0.8, 0.0, noise="splitting", scale=10 / 510) == 2 / 255


def test_pairs_are_rounded_down_at_every_number_of_draws():
    for every in (1, 2, 3, 255, 441, 1000):
        top = np.arange(every // 2 + 1, every + 1)
        rest = every - top
        found = sc.radius(
            "two_sided", top / every, rest / every, noise="splitting", scale=every / 510
        )
        np.testing.assert_array_equal(found, np.maximum((top - rest - 1) // 2, 0) / 255)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"alpha": 0.05}, "alpha must be left out with splitting noise"),
        ({"scheme": "joint"}, "scheme must be left out with splitting noise"),
        ({"scheme": "split"}, "scheme must be left out with splitting noise"),
        ({"method": "clopper_pearson"}, "method must be left out with splitting noise"),
        ({"kind": "softmax"}, "kind must be multinomial with splitting noise"),
    ],
)
def test_settings_of_chance_are_refused(options, words):
    with pytest.raises(InvalidInput, match=words):
        sc.bound(tally_of([[6, 3, 1]]), **options)


@pytest.mark.parametrize(
    "segments",
    [
        [[0, 0, 0, 5], [0, 1, 0, 5]],  # five draws twice
        [[0, 0, 0, 9]],  # one is not accounted for
        [[0, 0, 1, 11]],  # an offset that is not there
        [[0, 0, 0, 5], [0, 0, 6, 11]],
        [[0, 0, 1, 10]],  # offset 0 is not accounted for
        [[0, 0, 0, 4], [0, 0, 5, 10]],
        [[0, 0, 0, 20]],
    ],
)
def test_a_tally_that_does_not_hold_every_draw_once_is_refused(segments):
    counts = [[6, 3, 1]] if segments != [[0, 0, 0, 20]] else [[12, 6, 2]]
    tally = sc.Tally(counts, 10 / 510, segments=segments, noise="splitting")
    with pytest.raises(MissingEvidence, match="must hold each of the 10 draws of splitting noise"):
        sc.bound(tally)


def test_draws_in_several_pieces_are_all_of_them():
    tally = sc.Tally(
        [[6, 3, 1], [5, 4, 1]],
        10 / 510,
        segments=[[1, 0, 0, 10], [0, 0, 4, 10], [0, 3, 0, 4]],
        noise="splitting",
    )
    assert sc.certify(sc.bound(tally)).radius.tolist() == [1 / 255, 0]


def test_too_few_or_too_many_draws_are_refused():
    for counts in ([[6, 3]], [[6, 5]]):
        with pytest.raises(MissingEvidence, match="each of the 10 draws"):
            sc.bound(sc.Tally(counts, 10 / 510, noise="splitting"))


def test_expectations_made_by_hand_say_nothing_where_they_overlap():
    known = sc.Expectations([0, 0], [0.3, 0.7], [0.5, 0.3], 0.5, noise="splitting")
    assert sc.certify(known).abstained.tolist() == [True, False]


# Tiny worlds: two features, few grey levels.


def seen_at(levels, every, offsets):
    """What the classifier gets at each offset, as whole numbers; one row per input of the world."""
    world = np.array(list(product(levels, repeat=2)))
    model = NoiseModel("splitting", offsets=offsets)
    out = np.empty((every, 2), np.float32)
    seen = []
    for x in world:
        context = NoiseContext(model, every / 510)
        write(out, (x / 255).astype(np.float32), None, slice(0, every), context)
        seen.append(out.copy())
    cells, place = np.unique(np.concatenate(seen), axis=0, return_inverse=True)
    return world, place.reshape(len(world), every), len(cells)


def steps_of(counts):
    """Top class and radius in steps, for counts of any shape (..., classes)."""
    flat = np.asarray(counts).reshape(-1, counts.shape[-1])
    certificates = sc.certify(sc.bound(tally_of(flat)))
    assert not certificates.abstained.any()
    shape = counts.shape[:-1]
    steps = np.rint(certificates.radius * 255).astype(int)
    return certificates.predicted.reshape(shape), steps.reshape(shape)


def flips_inside(world, place, tables, classes):
    """Whether some classifier has another class somewhere within the radius of some input."""
    answers = tables[:, place]  # (classifier, input, offset)
    counts = np.stack([(answers == c).sum(axis=2) for c in range(classes)], axis=2)
    tops, steps = steps_of(counts)
    apart = np.abs(world[:, None] - world[None]).sum(axis=2)
    inside = apart <= steps[:, :, None]
    return (inside & (tops[:, :, None] != tops[:, None])).any()


@pytest.mark.parametrize(("levels", "every"), [((0, 1, 2), 2), ((100, 101), 3), ((253, 254), 4)])
def test_every_classifier_of_a_tiny_world_keeps_its_class_within_the_radius(levels, every):
    world, place, cells = seen_at(levels, every, offsets=1)
    assert cells <= 12
    tables = np.array(list(product(range(2), repeat=cells)))
    assert not flips_inside(world, place, tables, 2)


@pytest.mark.parametrize("seed", range(3))
def test_random_classifiers_keep_their_class_in_larger_worlds(seed):
    """Three classes, 8 x 8 grey levels, 9 offsets: 100 classifiers, every pair of inputs."""
    random = np.random.default_rng(seed)
    world, place, cells = seen_at(range(40, 48), 9, offsets=seed)
    shares = random.dirichlet([0.5, 0.5, 0.5], size=100)
    tables = np.stack([random.choice(3, cells, p=share) for share in shares])
    assert not flips_inside(world, place, tables, 3)


@pytest.mark.parametrize("top", [0, 1])
@pytest.mark.parametrize("every", [6, 7, 10])
def test_one_step_beyond_the_radius_a_worst_case_flips(every, top):
    """A classifier of the first feature that knows only what x and x' have in common.

    Where the copies of x and x' differ it answers for x with the class and for x' with the rival.
    All offsets beside those give the class to x and x' alike, or the rival, as many as make the
    radius what it is.
    """
    model = NoiseModel("splitting")

    def copies(level):
        out = np.empty((every, 1), np.float32)
        x = np.array([level / 255], np.float32)
        write(out, x, None, slice(0, every), NoiseContext(model, every / 510))
        return out[:, 0]

    reached = set()
    for far in range(1, every // 2 + 2):
        here, there = copies(100), copies(100 + far)
        differ = here != there
        assert differ.sum() == min(far, every)
        same = np.flatnonzero(~differ)
        for shared in range(len(same) + 1):  # of what is shared, how much is the class's
            ours = set(here[differ]) | set(here[same[:shared]])
            counts = np.zeros((2, 2), int)
            for row, seen in enumerate((here, there)):
                mine = sum(float(v) in ours for v in seen.tolist())
                counts[row, top], counts[row, 1 - top] = mine, every - mine
            tops, steps = steps_of(counts)
            if tops[0] == top and steps[0] == far - 1 and tops[1] != top:
                reached.add(far - 1)
            assert tops[0] != top or steps[0] < far or tops[1] == top
    assert reached >= set(range((every - 1) // 2))


def test_an_exhaustive_attack_inside_the_radius_finds_nothing():
    """End to end: a network of two features, every input within every certified radius."""
    random = np.random.default_rng(4)
    weights = random.normal(size=(2, 3)).astype(np.float32) * 4
    places = random.normal(size=(3,)).astype(np.float32)
    smooth = sc.Smoothed(
        lambda x: np.sin(x @ weights * 3 + places), noise="splitting", scale=30 / 510, device="cpu"
    )
    inputs = random.integers(0, 256, (3, 2))
    certificates = smooth.certify((inputs / 255).astype(np.float32))
    steps = np.rint(certificates.radius * 255).astype(int)
    assert steps.max() >= 4
    for x, top, reach in zip(inputs, certificates.predicted, steps, strict=True):
        moves = [
            m for m in product(range(-reach, reach + 1), repeat=2) if sum(map(abs, m)) <= reach
        ]
        near = x + np.array(moves)
        near = near[((near >= 0) & (near <= 255)).all(axis=1)]
        answer = smooth.predict((near / 255).astype(np.float32))
        assert (answer.classes == top).all()
