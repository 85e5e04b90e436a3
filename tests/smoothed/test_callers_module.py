"""The caller's module is the caller's: never switched, moved, trained or waited for."""

import copy
import pickle
import secrets
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

import simplicert as sc

SIGMA = 0.5
INPUTS = np.random.default_rng(0).random((6, 3, 4, 4), dtype=np.float32)
THREADS, CALLS = 4, 40

pytestmark = pytest.mark.usefixtures("one_thread")


def network():
    """In the middle of training: one layer frozen, another in eval mode, statistics that move."""
    torch.manual_seed(1)
    net = torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 3),
        torch.nn.BatchNorm2d(4),
        torch.nn.ReLU(),
        torch.nn.Dropout(0.5),
        torch.nn.Flatten(),
        torch.nn.Linear(16, 3),
    ).train()
    net[0].requires_grad_(False)
    net[3].eval()
    return net


def looks_of(net):
    """Everything that could have been touched."""
    return (
        {name: value.clone() for name, value in net.state_dict().items()},
        [module.training for module in net.modules()],
        [weight.requires_grad for weight in net.parameters()],
        [weight.stride() for weight in net.parameters()],
        [weight.data_ptr() for weight in net.parameters()],
    )


def same(one, other):
    state, *rest = one
    again, *others = other
    return rest == others and all(torch.equal(state[name], again[name]) for name in state)


def test_no_use_touches_it(tmp_path):
    net = network()
    before = looks_of(net)
    smooth = sc.Smoothed(net, SIGMA)
    smooth.predict(INPUTS, seed=0)
    smooth.certify(INPUTS, draws=300, seed=0)
    smooth.save(tmp_path / "kept", INPUTS)
    smooth.module(draws=2, seed=0)
    sc.sample(net, INPUTS, SIGMA, 300)
    assert same(before, looks_of(net))


def test_the_module_for_gradients_switches_nothing():
    net = network().eval()
    net[3].train()
    before = looks_of(net)
    sc.Smoothed(net, SIGMA).module(draws=2, seed=0)(torch.from_numpy(INPUTS))
    assert same(before, looks_of(net))


@pytest.mark.slow
def test_threads_predict_what_they_predict_one_after_another():
    net = network()
    before = looks_of(net)
    smooth = sc.Smoothed(net, SIGMA)

    def votes(seed):
        return smooth.predict(INPUTS, draws=200, seed=seed).votes

    alone = [votes(seed) for seed in range(CALLS)]
    fresh = sc.Smoothed(net, SIGMA)  # whose first calls are at once
    smooth = fresh
    with ThreadPoolExecutor(THREADS) as threads:
        together = list(threads.map(votes, range(CALLS)))
    assert all(np.array_equal(one, two) for one, two in zip(alone, together, strict=True))
    assert same(before, looks_of(net))


def test_training_on_changes_nothing_that_was_certified():
    net = network()
    smooth = sc.Smoothed(net, SIGMA)
    before = smooth.predict(INPUTS, seed=0).votes
    with torch.no_grad():
        net[-1].weight.neg_()
        net[-1].bias.neg_()
    assert (smooth.predict(INPUTS, seed=0).votes == before).all()
    assert (sc.Smoothed(net, SIGMA).predict(INPUTS, seed=0).votes != before).any()
    assert smooth.module().classifier is net


def test_it_travels_to_another_process():
    smooth = sc.Smoothed(network(), SIGMA)
    before = smooth.predict(INPUTS, seed=0).votes
    for other in (pickle.loads(pickle.dumps(smooth)), copy.deepcopy(smooth)):
        assert (other.predict(INPUTS, seed=0).votes == before).all()


class Uncopied(torch.nn.Module):
    """As a module with an open connection is."""

    def __deepcopy__(self, memo):
        """Refuse."""
        raise TypeError("cannot pickle 'socket' object")


def test_a_module_that_cannot_be_copied():
    with pytest.raises(sc.InvalidInput, match=r"copy.deepcopy can copy, .* 'socket'"):
        sc.Smoothed(Uncopied(), SIGMA)


def test_an_input_has_its_own_draws():
    """Whatever stands after it, and however batches are cut."""
    smooth = sc.Smoothed(network(), SIGMA)
    whole = smooth.predict(INPUTS, seed=3, alpha=0.05, draws=60)
    few = smooth.predict(INPUTS[:2], seed=3, alpha=0.05, draws=60)
    assert (few.votes == whole.votes[:2]).all()


def test_half_precision_inputs_are_taken():
    half = torch.from_numpy(INPUTS).to(torch.bfloat16)
    smooth = sc.Smoothed(network(), SIGMA)
    one, other = (smooth.predict(x, seed=0).votes for x in (half, half.float()))
    assert (one == other).all()


def test_a_module_adds_noise_of_its_seed_times_sigma():
    """With known noise in the place of the drawn one, each score is known too."""
    made = sc.Smoothed(torch.nn.Flatten(), SIGMA).module(draws=1, seed=0)
    made.draw = lambda shape, generator, kind: torch.ones(shape, dtype=kind)
    inputs = torch.tensor([[0.25, 1.0], [3.0, 2.0]])
    torch.testing.assert_close(made(inputs).softmax(-1), (inputs + SIGMA).softmax(-1))
    made.draw = lambda shape, generator, kind: torch.tensor([4.0, 0.0], dtype=kind).expand(shape)
    moved = inputs + torch.tensor([2.0, 0.0])
    torch.testing.assert_close(made(inputs).softmax(-1), moved.softmax(-1))


def test_without_a_seed_a_module_takes_one_that_every_generator_takes(monkeypatch):
    """Of 63 bits: on some devices a seed is a signed number of 64. Each call takes another one."""
    made = sc.Smoothed(torch.nn.Flatten(), SIGMA).module(draws=1)
    seeds = []
    monkeypatch.setattr(secrets, "randbits", lambda bits: seeds.append(2**bits - 1) or len(seeds))
    inputs = torch.zeros(1, 4)
    assert not torch.equal(made(inputs), made(inputs))
    assert seeds == [2**63 - 1] * 2
