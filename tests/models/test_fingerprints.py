"""What counts and what does not in a module's fingerprint."""

import torch
from torch import nn

from simplicert.models.model import (
    classifier_fingerprint,
    digest_parts,
    module_fingerprint,
    tensor_bytes,
)


def test_parts_do_not_run_into_each_other():
    assert digest_parts("ab", "c") != digest_parts("a", "bc") != digest_parts("abc")
    assert len(digest_parts("ab")) == 32 and digest_parts("ab") == digest_parts(b"ab")


def test_a_module_is_its_structure_and_its_numbers():
    def made(act=nn.ReLU, eps=1e-5, shift=0.0):
        torch.manual_seed(0)
        module = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3, eps=eps), act())
        module[1].running_mean[0] += shift
        return module_fingerprint(module)

    with torch.random.fork_rng():
        first = made()
        assert made() == first
        assert len({first, made(nn.Tanh), made(eps=1e-3), made(shift=1e-6)}) == 4


def test_the_order_of_tensors_does_not_count_but_their_names_and_types_do():
    one, two = torch.ones(2), torch.zeros(2)
    state = digest_parts(tensor_bytes({"a": one, "b": two}))
    assert digest_parts(tensor_bytes({"b": two, "a": one})) == state
    others = [{"a": two, "b": one}, {"a": one.double(), "b": two}, {"a": one[None], "b": two}]
    assert state not in {digest_parts(tensor_bytes(other)) for other in others}


def test_every_type_of_tensor():
    for kind in (torch.bfloat16, torch.int64, torch.bool, torch.complex64):
        assert digest_parts(tensor_bytes({"a": torch.ones((), dtype=kind)}))
        assert digest_parts(tensor_bytes({"a": torch.ones((2, 3), dtype=kind).t()}))
    assert digest_parts(tensor_bytes({"a": torch.ones(0)})) != digest_parts(tensor_bytes({}))


def test_addresses_in_memory_do_not_count():
    class Odd(nn.Module):
        def extra_repr(self):
            return repr(object())

    assert module_fingerprint(Odd()) == module_fingerprint(Odd())


def test_a_name_stands_for_a_function_without_source():
    assert classifier_fingerprint(len) != classifier_fingerprint(max)
    assert classifier_fingerprint(len) == classifier_fingerprint(len)
