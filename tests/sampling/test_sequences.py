"""Sequences of tokens are drawn like any other input: by (seed, input, chunk) alone."""

import numpy as np
import pytest

import simplicert as sc
from simplicert.data.sequences import hold_sequences
from simplicert.noises import NoiseModel
from simplicert.sampling.sampler import Sampler
from simplicert.sampling.settings import SamplingSettings
from simplicert.types.smoothing import Smoothing

WORDS = ["the", "film", "was", "good", "and", "the", "end", "was", "bad", "but", "not", "so", "bad"]
SEQUENCES = [WORDS[:n] for n in (13, 4, 0, 9, 1)]
HALF = {"noise": "deletion", "rate": 0.5, "device": "cpu"}
DELETION = {**HALF, "outputs": "labels", "num_classes": 2}


def is_good(batch):
    """Class 1 where good is said more often than bad."""
    assert all(isinstance(one, list) for one in batch)
    return [int(one.count("good") > one.count("bad")) for one in batch]


def lengths(batch):
    """Logits that follow from how many tokens are left."""
    return np.array([[len(one), 2.5] for one in batch])


def test_counts_are_those_of_the_dropped_copies():
    tally = sc.sample(is_good, SEQUENCES, draws=2000, **DELETION)
    assert str(tally.noise) == "deletion, rate 0.5"
    assert tally.norm == "edits"
    assert (tally.counts.sum(axis=1) == 2000).all()
    assert tally.counts[2].tolist() == tally.counts[4].tolist() == [2000, 0]
    # Binomial shares within five deviations: both words of `was good ... bad` are kept by halves.
    assert tally.counts[1, 1] / 2000 == pytest.approx(0.5, abs=5 * 0.5 / 2000**0.5)
    assert tally.counts[0, 1] / 2000 == pytest.approx(0.125, abs=5 * 0.331 / 2000**0.5)


def test_an_input_is_drawn_alike_in_any_company():
    whole = sc.sample(lengths, SEQUENCES, draws=200, pilot=20, **HALF)
    for rows in ([3], [4, 0], [0, 1, 2, 3, 4]):
        part = sc.sample(
            lengths,
            [SEQUENCES[row] for row in rows],
            draws=200,
            pilot=20,
            index=rows,
            **HALF,
        )
        for name in ("counts", "softmax_sums", "votes", "histograms", "pilot"):
            np.testing.assert_array_equal(getattr(part, name), getattr(whole, name)[rows])
    again = sc.sample(lengths, SEQUENCES, draws=200, seed=1, **HALF)
    assert (again.counts != whole.counts).any()


def sampler(classify):
    inputs = hold_sequences(SEQUENCES)
    smoothing = Smoothing(1.0, noise=NoiseModel("deletion", rate=0.5))
    return Sampler(classify, inputs, SamplingSettings(smoothing, batch_size=64)), inputs


def test_spans_add_up_to_the_whole():
    made, inputs = sampler(lengths)
    index = np.arange(len(inputs))
    whole = made.tally(inputs, index, (0, 150))
    first, rest = (made.tally(inputs, index, span) for span in ((0, 70), (70, 150)))
    assert (first.counts + rest.counts == whole.counts).all()
    assert (first.softmax_sums + rest.softmax_sums == whole.softmax_sums).all()


def test_a_model_that_pads_to_the_longest_never_sees_an_earlier_batch():
    """Its last bits depend on the rows beside; those are the input's own, or empty."""

    def padded(batch):
        longest = max(map(len, batch))
        return np.array([[len(one) + 1e-9 * longest, 2.5] for one in batch])

    made, inputs = sampler(padded)
    assert not made.probe_result.packable
    alone = made.tally(inputs[1:2], np.array([1]), (0, 100))
    made.tally(inputs[:1], np.array([0]), (0, 100))  # longer ones
    again = made.tally(inputs[1:2], np.array([1]), (0, 100))
    assert again == alone


def test_a_classifier_may_change_its_lists_and_return_anything_that_holds_numbers():
    def spoil(batch):
        answers = tuple(len(one) % 2 for one in batch)
        for one in batch:
            one.clear()
        return answers

    clean = sc.sample(lambda b: [len(one) % 2 for one in b], SEQUENCES, draws=100, **DELETION)
    assert sc.sample(spoil, SEQUENCES, draws=100, **DELETION) == clean


def test_texts_and_numbers_are_sequences_too():
    texts = [" ".join(one) for one in SEQUENCES]
    assert sc.sample(is_good, texts, draws=100, **DELETION) == sc.sample(
        is_good, SEQUENCES, draws=100, **DELETION
    )
    numbers = sc.sample(lambda b: [sum(one) % 2 for one in b], [[1, 2], [3]], draws=50, **DELETION)
    assert numbers.counts.sum() == 100


def test_a_torch_module_gets_lists_of_tokens():
    torch = pytest.importorskip("torch")

    class Counter(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(1, 2)

        def forward(self, batch):
            return self.layer(torch.tensor([[float(len(one))] for one in batch]))

    network = Counter().eval()
    numbers = {**HALF, "draws": 100}
    tally = sc.sample(network, SEQUENCES, **numbers)
    with torch.no_grad():
        weights, bias = network.layer.weight.numpy().ravel(), network.layer.bias.numpy()
    same = sc.sample(
        lambda b: np.array([len(one) * weights + bias for one in b]), SEQUENCES, **numbers
    )
    assert (tally.counts == same.counts).all()
    with pytest.raises(sc.InvalidInput, match="compile must not be asked for a classifier of seq"):
        sc.sample(network, SEQUENCES, compile=True, **numbers)


@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        (np.zeros((3, 1, 8, 8)), r"inputs must be a list of token lists, .* shape \(3, 1, 8, 8\)"),
        (np.zeros((3, 4), int), r"got an array of shape \(3, 4\)"),
        ([np.zeros(4)], r"lists of tokens like the first, got an array of shape \(4,\) at input 0"),
        ("one text", "inputs must be a list of token lists, or of texts, .* got 'one text'"),
        ([], "inputs must hold at least one sequence, got none"),
        (["a text", ["a", "list"]], "inputs must all be texts like the first, got list at input 1"),
        ([["a"], [0.5]], "tokens of inputs must be texts or whole numbers, got 0.5 at input 1"),
        ([["a", 1]], "tokens of inputs must be all texts or all whole numbers, got 1 at input 0"),
    ],
)
def test_other_inputs_are_refused(inputs, sentence):
    with pytest.raises(sc.InvalidInput, match=sentence):
        sc.sample(is_good, inputs, draws=10, **DELETION)


@pytest.mark.parametrize(
    ("noise", "sentence"),
    [
        ({"sigma": 0.5}, "noise must be deletion for sequences of tokens, got gaussian"),
        ({"noise": "laplace", "scale": 0.5}, "noise must be deletion .* got laplace"),
        ({"noise": "deletion"}, "rate must be given for deletion noise, got None"),
        ({"noise": "deletion", "rate": 0.0}, "rate must lie between 0 and 1, got 0.0"),
        ({"noise": "deletion", "rate": 1.0}, "rate must lie between 0 and 1, got 1.0"),
        ({"noise": "deletion", "rate": float("nan")}, "rate must lie between 0 and 1, got nan"),
        ({"noise": "deletion", "rate": 0.5, "grid": 0.1}, "grid must be left out with deletion"),
        ({"noise": "deletion", "rate": 0.5, "sigma": 1.0}, "sigma is not a number of deletion"),
        ({"sigma": 0.5, "rate": 0.5}, "rate is not a number of gaussian noise, got 0.5"),
    ],
)
def test_other_noises_and_rates_are_refused(noise, sentence):
    for inputs in (SEQUENCES, ["a text", "another"]):
        with pytest.raises(sc.InvalidInput, match=sentence):
            sc.sample(is_good, inputs, draws=10, outputs="labels", num_classes=2, **noise)


def test_a_classifier_that_fails_on_an_empty_sequence_is_told_so():
    def first_letter(batch):
        return [int(one[0] == "the") for one in batch]

    with pytest.raises(sc.InvalidInput, match="lists of tokens, of which some or all are empty, a"):
        sc.sample(first_letter, [["the"] * 500], draws=10, **{**DELETION, "rate": 0.01})


def test_tallies_of_other_rates_do_not_add():
    half, more = (
        sc.sample(is_good, SEQUENCES, draws=10, **{**DELETION, "rate": rate}) for rate in (0.5, 0.6)
    )
    with pytest.raises(sc.IncompatibleTallies, match="noise"):
        half + more
