"""What counts and what does not in a module's fingerprint."""

import torch
from torch import nn

from simplicert.models.fingerprints import digest, of_classifier, of_module, tensors


def test_parts_do_not_run_into_each_other():
    assert digest("ab", "c") != digest("a", "bc") != digest("abc")
    assert len(digest("ab")) == 32 and digest("ab") == digest(b"ab")


def test_a_module_is_its_structure_and_its_numbers():
    def made(act=nn.ReLU, eps=1e-5, shift=0.0):
        torch.manual_seed(0)
        module = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3, eps=eps), act())
        module[1].running_mean[0] += shift
        return of_module(module)

    with torch.random.fork_rng():
        first = made()
        assert made() == first
        assert len({first, made(nn.Tanh), made(eps=1e-3), made(shift=1e-6)}) == 4


def test_the_order_of_tensors_does_not_count_but_their_names_and_types_do():
    one, two = torch.ones(2), torch.zeros(2)
    state = digest(tensors({"a": one, "b": two}))
    assert digest(tensors({"b": two, "a": one})) == state
    others = [{"a": two, "b": one}, {"a": one.double(), "b": two}, {"a": one[None], "b": two}]
    assert state not in {digest(tensors(other)) for other in others}


def test_every_type_of_tensor():
    for kind in (torch.bfloat16, torch.int64, torch.bool, torch.complex64):
        assert digest(tensors({"a": torch.ones((), dtype=kind)}))
        assert digest(tensors({"a": torch.ones((2, 3), dtype=kind).t()}))
    assert digest(tensors({"a": torch.ones(0)})) != digest(tensors({}))


def test_addresses_in_memory_do_not_count():
    class Odd(nn.Module):
        def extra_repr(self):
            return repr(object())

    assert of_module(Odd()) == of_module(Odd())


def test_a_name_stands_for_a_function_without_source():
    assert of_classifier(len) != of_classifier(max)
    assert of_classifier(len) == of_classifier(len)
