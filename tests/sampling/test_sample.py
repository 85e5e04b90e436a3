"""Tallies against the truth, and against everything that must not change them."""

import numpy as np
import pytest
from scipy.stats import binom, chi2
from steps import Steps

import simplicert as sc
from simplicert.sampling import Sampler, SamplingSettings, Smoothing

torch = pytest.importorskip("torch")


def small_net(seed=0, classes=5, shape=(3, 6, 6)):
    torch.manual_seed(seed)
    return torch.nn.Sequential(
        torch.nn.Conv2d(shape[0], 8, 3, padding=1),
        torch.nn.BatchNorm2d(8),
        torch.nn.ReLU(),
        torch.nn.Flatten(),
        torch.nn.Linear(8 * shape[1] * shape[2], classes),
    )


INPUTS = np.random.default_rng(0).random((6, 3, 6, 6)).astype(np.float32)


@pytest.mark.parametrize("shape", [(3, 4, 4), (7,), (2, 3, 2, 2)])
@pytest.mark.parametrize("classes", [2, 10, pytest.param(1000, marks=pytest.mark.slow)])
def test_counts_and_votes_agree_with_the_truth(shape, classes):
    """Pearson's chi-square on 20,000 draws; fails by chance with probability 1e-6 a case."""
    steps = Steps(shape, classes, width=0.4)
    t, sigma, n = 0.55, 0.3, 20_000
    tally = sc.sample(steps.logits, steps.input_at(t)[None], sigma, n, histograms=False)
    expected = n * steps.probabilities(t, sigma)
    usual = expected > 5
    seen = np.r_[tally.counts[0][usual], tally.counts[0][~usual].sum()]
    wanted = np.r_[expected[usual], max(expected[~usual].sum(), 1e-9)]
    if wanted[-1] < 5:
        seen, wanted = seen[:-1], wanted[:-1]
    statistic = ((seen - wanted) ** 2 / wanted).sum()
    assert statistic < chi2.isf(1e-6, len(seen))
    assert tally.draws[0] == n
    # The votes are multinomial with the mean scores as probabilities.
    mean = tally.softmax_sums[0] / 2.0**40
    often = mean > 5
    votes = ((tally.votes[0][often] - mean[often]) ** 2 / mean[often]).sum()
    assert votes < chi2.isf(1e-6, max(often.sum(), 1))


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 10, 1000])
def test_certified_radii_are_true(classes):
    """At most alpha of 400 certificates exceed the true radius; budget 1e-6 at exactly alpha."""
    steps = Steps((5,), classes, width=0.4)
    sigma, alpha = 0.2, 0.05
    t = np.linspace(0.05, 0.35 if classes > 2 else 1.0, 400)
    inputs = np.stack([steps.input_at(x) for x in t])
    tally = sc.sample(steps.logits, inputs, sigma, 300, seed=9, histograms=False)
    certificates = sc.certify(sc.bound(tally, alpha))
    true = np.array([steps.radius(x) for x in t])
    label = np.array([steps.label(x) for x in t])
    live = ~certificates.abstained
    wrong = live & ((certificates.radius > true) | (certificates.predicted != label))
    assert live.sum() > 100
    assert wrong.sum() <= binom.isf(1e-6, 400, alpha)


@pytest.mark.slow
def test_an_input_does_not_depend_on_the_others():
    net = small_net()
    together = sc.sample(net, INPUTS, 0.3, 150, batch_size=64, compile=False)
    for row in (0, 3, 5):
        alone = sc.sample(net, INPUTS[[row]], 0.3, 150, index=[row], batch_size=64, compile=False)
        np.testing.assert_array_equal(alone.counts[0], together.counts[row])
        np.testing.assert_array_equal(alone.softmax_sums[0], together.softmax_sums[row])
        np.testing.assert_array_equal(alone.histograms[0], together.histograms[row])
    back = sc.sample(net, INPUTS[::-1].copy(), 0.3, 150, index=np.arange(6)[::-1], batch_size=64)
    np.testing.assert_array_equal(back.softmax_sums[::-1], together.softmax_sums)


def test_the_number_of_threads_changes_nothing():
    net = small_net()
    before = torch.get_num_threads()
    try:
        tallies = []
        for threads in (1, 2):
            torch.set_num_threads(threads)
            tallies.append(sc.sample(net, INPUTS, 0.3, 150, batch_size=64))
    finally:
        torch.set_num_threads(before)
    assert tallies[0] == tallies[1]


@pytest.mark.slow
def test_drawn_in_pieces_or_at_once():
    """Whatever the cuts, the same draws: the pieces add up to the whole, bit for bit."""
    net = small_net()
    sampler = Sampler(net, INPUTS, SamplingSettings(Smoothing(0.3), batch_size=64))
    index = np.arange(6)
    whole = sampler.tally(INPUTS, index, (0, 500))
    parts = [sampler.tally(INPUTS, index, span) for span in ((0, 100), (100, 333), (333, 500))]
    assert parts[0] + parts[1] + parts[2] == whole


@pytest.mark.slow
def test_other_seeds_draw_otherwise():
    one, two = (sc.sample(small_net(), INPUTS, 0.3, 200, seed=seed) for seed in (1, 2))
    assert (one.softmax_sums != two.softmax_sums).all()
    np.testing.assert_array_equal(one.leaders, two.leaders)
    assert (one + two).draws.tolist() == [400] * 6


@pytest.mark.slow
def test_seeds_add_up_to_a_look_of_their_plan():
    """Half the draws each, by two seeds: bounded together, and not before."""
    plan = sc.Plan((400,))
    one, two = (sc.sample(small_net(), INPUTS, 0.3, 200, seed=s, plan=plan) for s in (1, 2))
    with pytest.raises(sc.MissingEvidence, match="it can be bounded at a look only"):
        sc.bound(one)
    known = sc.bound(one + two)
    assert (known.draws == 400).all()


def test_a_model_is_left_as_it_was():
    net = small_net().train()
    before = {name: value.clone() for name, value in net.state_dict().items()}
    strides = [p.stride() for p in net.parameters()]
    sc.sample(net, INPUTS, 0.3, 100)
    assert net.training
    assert [p.stride() for p in net.parameters()] == strides
    for name, value in net.state_dict().items():
        assert torch.equal(value, before[name])


def test_a_model_that_looks_at_its_batch_is_refused():
    def normalised(batch):
        return (batch - batch.mean(axis=0)).reshape(len(batch), -1)[:, :5] * 10

    with pytest.raises(sc.InvalidInput, match="answers a row differently among other rows"):
        sc.sample(normalised, INPUTS, 0.3, 100)


def test_a_large_logit_does_not_hide_dependence():
    def masked(batch):
        logits = (batch - batch.mean(axis=0)).reshape(len(batch), -1)[:, :5] * 10
        logits[:, 4] = -1e6
        return logits

    with pytest.raises(sc.InvalidInput, match="answers a row differently among other rows"):
        sc.sample(masked, INPUTS, 0.3, 100)


def test_randomness_shared_by_a_batch_is_refused():
    random = np.random.default_rng(0)

    def one_mask(batch):
        return batch.reshape(len(batch), -1)[:, :5] + random.normal(size=(1, 5))

    with pytest.raises(sc.InvalidInput, match="random by itself, once for a whole batch"):
        sc.sample(one_mask, INPUTS, 0.3, 100)

    def random_and_dependent(batch):
        rows = (batch - batch.mean(axis=0)).reshape(len(batch), -1)[:, :5]
        return rows + 1e-6 * random.normal(size=(len(batch), 5))

    with pytest.raises(sc.InvalidInput, match="answers a row differently among other rows"):
        sc.sample(random_and_dependent, INPUTS, 0.3, 100)


def test_a_random_model_is_accepted_and_marked():
    random = np.random.default_rng(0)

    def dropout(batch):
        return batch.reshape(len(batch), -1)[:, :5] + random.normal(size=(len(batch), 5))

    sampler = Sampler(dropout, INPUTS, SamplingSettings(Smoothing(0.3)))
    assert sampler.probe_result.random
    assert not Sampler(small_net(), INPUTS, SamplingSettings(Smoothing(0.3))).probe_result.random


def test_functions_get_what_was_given():
    seen = []

    def classifier(batch):
        seen.append(type(batch))
        return batch.reshape(len(batch), -1)[:, :4]

    sc.sample(classifier, INPUTS, 0.3, 10, batch_size=16)
    sc.sample(classifier, torch.from_numpy(INPUTS), 0.3, 10, batch_size=16)
    assert seen[0] is np.ndarray
    assert seen[-1] is torch.Tensor


def test_channels_last_is_a_view_of_the_same_picture():
    """The module sees images channels-first, whatever the memory's order."""

    class First(torch.nn.Module):
        def forward(self, x):
            assert x.shape[1:] == (3, 6, 6)
            return torch.stack([x[:, c].mean((1, 2)) for c in range(3)], 1) * 50

    inputs = np.zeros((1, 3, 6, 6), np.float32)
    inputs[0, 1] = 1.0
    tally = sc.sample(First(), inputs, 0.05, 200)
    assert tally.counts[0].tolist() == [0, 200, 0]


def test_invalid_draws_have_their_own_cell():
    def classifier(batch):
        logits = batch.reshape(len(batch), -1)[:, :3].copy()
        logits[logits[:, 0] > 0.5] = np.nan
        return logits

    tally = sc.sample(classifier, np.full((1, 4), 0.5, np.float32), 0.3, 4000)
    assert 1800 < tally.invalid[0] < 2200
    assert tally.invalid[0] == tally.votes_invalid[0]
    assert tally.draws[0] == 4000
    assert sc.bound(tally).abstained[0]


def test_labels_as_outputs():
    steps = Steps((4,), 3, width=0.4)
    x = steps.input_at(0.4)[None]
    hard = sc.sample(
        lambda b: steps.logits(b).argmax(axis=1), x, 0.2, 500, outputs="labels", num_classes=3
    )
    soft = sc.sample(steps.logits, x, 0.2, 500)
    np.testing.assert_array_equal(hard.counts, soft.counts)
    assert hard.softmax_sums is None
    assert hard.votes is None


def test_pilot_is_separate_and_for_split():
    steps = Steps((4,), 3, width=0.4)
    tally = sc.sample(steps.logits, steps.input_at(0.4)[None], 0.2, 500, pilot=100)
    assert tally.pilot.sum() == 100
    assert tally.draws[0] == 500
    assert not sc.bound(tally, scheme="split").abstained[0]
    without = sc.sample(steps.logits, steps.input_at(0.4)[None], 0.2, 500)
    assert without.pilot is None
    np.testing.assert_array_equal(without.counts, tally.counts)


def test_histograms_hold_every_draw_and_can_be_left_out():
    tally = sc.sample(small_net(), INPUTS, 0.3, 100)
    assert (tally.histograms.sum(axis=2) == 100).all()
    assert tally.leaders.shape == (6, 3)
    assert sc.sample(small_net(), INPUTS, 0.3, 100, histograms=False).histograms is None


def test_grid_mode():
    """Inputs on the grid are drawn in whole steps; others are refused."""
    steps = Steps((16,), 3, width=0.4)
    x = (np.random.default_rng(0).integers(0, 256, (2, 16)) / 255).astype(np.float32)
    seen = []

    def classifier(batch):
        seen.append(batch.copy())
        return steps.logits(batch)

    sc.sample(classifier, x, 0.2, 100, grid=1 / 255)
    numbers = np.concatenate(seen).astype(float) * 255
    assert np.abs(numbers - np.rint(numbers)).max() < 1e-3
    with pytest.raises(sc.InvalidInput, match=r"grid of 0.00392157, and input 1"):
        sc.sample(classifier, x + np.float32([[0], [0.001]]), 0.2, 100, grid=1 / 255)


def test_noise_scale():
    """A feature with share 0 is never touched."""
    seen = []

    def classifier(batch):
        seen.append(batch.copy())
        return batch[:, :2]

    sc.sample(classifier, np.ones((1, 3), np.float32), 0.5, 64, noise_scale=[1.0, 1.0, 0.0])
    drawn = seen[-1]
    scaled = sc.sample(
        lambda b: 9 * b[:, :2], np.eye(3, dtype=np.float32), 0.2, 64, noise_scale=0.5
    )
    assert scaled.norm == "scaled l2"
    assert "scaled l2 norm" in repr(sc.certify(sc.bound(scaled)))
    assert (drawn[:, 2] == 1).all()
    assert drawn[:, 0].std() > 0.3
    with pytest.raises(sc.InvalidInput, match=r"noise_scale must fit an input of shape \(3,\)"):
        sc.sample(classifier, np.ones((1, 3), np.float32), 0.5, 64, noise_scale=[1.0, 1.0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sigma": 0}, "sigma must be a positive finite number, got 0"),
        ({"draws": 0}, "draws must be a positive whole number, got 0"),
        ({"draws": 1.5}, "draws must be a positive whole number, got 1.5"),
        ({"seed": -1}, "seed must be a whole number of at least 0, got -1"),
        ({"batch_size": 0}, "batch_size must be a whole number of at least 1"),
        ({"pilot": -1}, "pilot must be a whole number of at least 0"),
        ({"inputs": np.ones(3)}, "inputs must be numbers of shape"),
        ({"inputs": np.array([["a", "b"]])}, "inputs must be numbers of shape"),
        ({"inputs": np.full((1, 3), np.nan)}, "inputs must be finite"),
        ({"outputs": "votes"}, "outputs must be one of"),
        ({"labels": [9]}, r"labels must lie in 0..2"),
        ({"labels": [0, 1]}, r"labels must have shape"),
        ({"index": [0, 1]}, "index must have shape"),
        ({"grid": 0.0}, "grid must be a positive finite number"),
        ({"num_classes": 7}, "classifier must have num_classes = 7 outputs, got 3"),
        ({"classifier": lambda b: {}["key"]}, "and it failed: 'key'"),
        ({"device": "nowhere"}, "device must be cpu or a device that torch has here"),
        ({"classifier": lambda b: b[:, 0]}, "classifier must return outputs of shape"),
        ({"classifier": lambda b: b[:2]}, "classifier must return outputs of shape"),
        ({"classifier": lambda b: b[:, :1]}, "classifier must return outputs of shape"),
        ({"classifier": lambda b: b @ np.ones((9, 2))}, "and it failed: matmul"),
        ({"classifier": lambda b: np.zeros(len(b))}, r'class numbers are outputs="labels"'),
        ({"classifier": lambda b: b[:, 0]}, "one score per row is one class too few"),
        ({"classifier": lambda b: np.full(len(b), "cat")}, r"must return numbers, got \['cat'\]"),
        ({"outputs": "labels"}, r'num_classes must be given with outputs="labels"'),
        ({"classifier": "net.pt"}, r"got 'net.pt': a file is opened by sc.models.load_model"),
        ({"inputs": np.ones((1, 3), np.uint8)}, "must be floats, got uint8: divide images by 255"),
        ({"inputs": iter([])}, "inputs must be one array or tensor of numbers, got list_iterator"),
        ({"compile": True}, "compile must not be asked for a classifier that is no torch module"),
    ],
)
def test_bad_input(change, message):
    fields = {
        "classifier": lambda batch: batch,
        "inputs": np.ones((1, 3), np.float32),
        "sigma": 0.5,
        "draws": 20,
        **change,
    }
    with pytest.raises(sc.InvalidInput, match=message):
        sc.sample(**fields)


def test_a_failing_network_is_told_of_the_shape_that_it_saw():
    """In memory the axes lie in another order, which the message must not show."""
    torch = pytest.importorskip("torch")
    network = torch.nn.Conv2d(3, 2, 3)
    with pytest.raises(sc.InvalidInput, match=r"laid out as \(32, 8, 6, 3\), .* channels seem to"):
        sc.sample(network, np.ones((1, 8, 6, 3), np.float32), 0.5, 20, batch_size=32)
    with pytest.raises(
        sc.InvalidInput, match=r"laid out as \(32, 8, 6\), .* one is inputs\[None\]"
    ):
        sc.sample(network, np.ones((3, 8, 6), np.float32), 0.5, 20, batch_size=32)


def test_memory_does_not_grow_with_draws():
    import tracemalloc

    steps = Steps((50,), 10, width=0.4)
    x = steps.input_at(0.4)[None]
    peaks = []
    for draws in (10_000, 40_000):
        tracemalloc.start()
        sc.sample(steps.logits, x, 0.2, draws)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


def test_on_another_device_the_noise_is_drawn_there():
    """The code for GPUs, run on the CPU's own generator: deterministic, Gaussian, whole chunks."""
    from simplicert.noises import GAUSSIAN, NoiseContext
    from simplicert.sampling.noisy import DeviceBatch, NoiseWriter, NoisyCopies

    def writer(step, chunk):
        return NoiseWriter(np.asarray(0.5), step, NoiseContext(GAUSSIAN, 0.5), chunk)

    x = np.zeros((4, 4, 3), np.float32)
    batch = DeviceBatch((64, 4, 4, 3), lambda memory: memory, writer(None, 32), "cpu")
    batch.fill([NoisyCopies(0, x, (0, 1, 2, 0), slice(0, 32))])
    first = batch.rows()[:32]
    batch.fill([NoisyCopies(32, x, (0, 1, 2, 0), slice(10, 32))])
    np.testing.assert_array_equal(batch.rows()[32:54], first[10:32])
    assert 0.4 < first.std() < 0.6
    stepped = DeviceBatch((64, 3), lambda memory: memory, writer(0.25, 64), "cpu")
    stepped.fill([NoisyCopies(0, np.full(3, 0.5, np.float32), (0, 1, 2, 0), slice(0, 64))])
    np.testing.assert_array_equal(stepped.rows() * 4, np.rint(stepped.rows() * 4))


NAMES = ("wolf", "cat", "newt")  # in no order but the classifier's
BY_NAME = {"inputs": 3 * np.eye(3, dtype=np.float32), "sigma": 0.25, "draws": 200}


def test_labels_may_be_names_of_classes():
    """They are numbered in the classifier's order, not in that of the alphabet."""
    texts = np.array(["newt", "wolf", "cat"])
    tally = sc.sample(lambda x: x, **BY_NAME, labels=texts, class_names=NAMES)
    assert tally.labels.tolist() == [2, 0, 1]
    numbers = sc.sample(lambda x: x, **BY_NAME, labels=[2, 0, 1], class_names=NAMES)
    assert numbers.labels.tolist() == [2, 0, 1]
    smooth = sc.Smoothed(lambda x: x, num_classes=3, sigma=0.25)
    certificates = smooth.certify(
        BY_NAME["inputs"], 200, labels=["wolf", "cat", "cat"], class_names=NAMES, seed=0
    )
    assert certificates.to_frame()["correct"].tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("labels", "names", "sentence"),
    [
        (["cat", "dog", "newt"], NAMES, r"labels must be among the class_names .* got \['dog'\]"),
        (["cat", {}, "newt"], NAMES, r"labels must be among the class_names .* got \[\{\}\]"),
        (np.array([0, "0", "1"], dtype=object), ("1", "0", "2"), r"among the .* got \[0\]"),
        (["cat"], NAMES, r"labels must have shape"),
        (["cat", "wolf", "newt"], None, r"sample and certify take texts with class_names"),
        (["cat", "wolf", "cat"], ("cat", "wolf"), r"class_names must be 3 different names"),
        (["cat", "wolf", "cat"], ("cat", "wolf", "cat"), r"class_names must be 3 different names"),
        (["cat", "wolf", "cat"], "cat", r"class_names must be a list .* got a str"),
        (["cat", "wolf", "cat"], set(NAMES), r"class_names must be a list .* got a set"),
        (["cat", "wolf", "cat"], dict.fromkeys(NAMES, 0), r"class_names must be a list"),
        (["cat", "wolf", "cat"], iter(NAMES), r"class_names must be a list"),
        ([0, 1, 2], (0, 1, 2), r"class_names must be texts"),
    ],
)
def test_wrong_names_of_classes(labels, names, sentence):
    with pytest.raises(sc.InvalidInput, match=sentence):
        sc.sample(lambda x: x, **BY_NAME, labels=labels, class_names=names)
