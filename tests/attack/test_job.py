"""A whole attack: which inputs, going on after an interruption, other models refused."""

from dataclasses import replace

import numpy as np
import pytest
from known import data_of, drawn, model_of
from places import half_written

from simplicert.attack import Effort, attack_run, choose_inputs, open_target
from simplicert.attack.job import perturbation_path
from simplicert.errors import InvalidInput
from simplicert.store.attacks import read_attack

EFFORT = Effort(steps=3, restarts=1, samples=4, explore=200, confirm=500)


@pytest.fixture(scope="module")
def target(run):
    return open_target(run, model_of(run), data_of(run.folder.parent))


@pytest.fixture(scope="module")
def certificates(run):
    return run.certify()


def attacked(target, certificates, out, **more):
    asked = {"inputs": np.arange(4), "effort": EFFORT, **more}
    return attack_run(target, certificates, out=out, **asked)


@pytest.fixture(scope="module")
def whole(target, certificates, tmp_path_factory):
    out = tmp_path_factory.mktemp("whole") / "attack.csv"
    return attacked(target, certificates, out), out


def test_radii_of_another_place_are_not_attacked(target, certificates, tmp_path):
    with pytest.raises(InvalidInput, match="must be for sensitivity 1 to be attacked, got 2"):
        attacked(target, replace(certificates, sensitivity=2.0), tmp_path / "attack.csv")


def test_an_attack_leaves_a_row_for_each_input(whole, certificates):
    rows, out = whole
    assert read_attack(out) == rows
    assert [row.index for row in rows] == [0, 1, 2, 3]
    assert [row.radius for row in rows] == certificates.radius.tolist()
    assert [row.certified for row in rows] == [0, 0, 1, 0]
    assert not any(row.broken for row in rows)
    assert {row.gradients for row in rows} == {"network"}
    assert all(row.found > row.radius and row.rival == 1 - row.certified for row in rows)
    assert all(row.draws > 1000 and 1 <= row.tests <= 8 for row in rows)


def test_interrupted_twice_and_resumed_it_is_the_same(whole, target, certificates, tmp_path):
    out = tmp_path / "attack.csv"
    for stops_after in (1, 2, 9):
        left = iter([False] * stops_after + [True] * 9)
        seen = []
        attacked(
            target,
            certificates,
            out,
            stop=lambda left=left: next(left),
            report=lambda done, total, rows, seen=seen: seen.append((done, total)),
        )
    assert seen == [(3, 4), (4, 4)]
    left = half_written(out)  # by one that was killed as it wrote the last row
    attacked(target, certificates, out)
    assert not left.exists()
    assert out.read_bytes() == whole[1].read_bytes()


def test_another_order_or_another_choice_finds_the_same(whole, target, certificates, tmp_path):
    """With the level of as many inputs: one alone has a larger share of it."""
    (row,) = attacked(
        target,
        certificates,
        tmp_path / "one.csv",
        inputs=np.array([2]),
        effort=replace(EFFORT, level=EFFORT.level / 4),
    )
    both = [replace(one, inputs=1, level=1.0) for one in (row, whole[0][2])]
    assert both[0] == both[1]


def test_another_seed_searches_elsewhere(whole, run, certificates, tmp_path):
    effort = replace(EFFORT, seed=1)
    other = open_target(run, model_of(run), data_of(run.folder.parent), seed=1)
    rows = attacked(other, certificates, tmp_path / "attack.csv", effort=effort)
    assert all(a.found != b.found for a, b in zip(rows, whole[0], strict=True))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"effort": replace(EFFORT, steps=4)}, "with steps = 3, and steps = 4 was asked for"),
        ({"effort": replace(EFFORT, level=0.01)}, "with level = "),
        ({"inputs": np.arange(3)}, "with level = "),
    ],
)
def test_another_attack_is_not_mixed_in(whole, target, certificates, change, message):
    before = whole[1].read_bytes()
    with pytest.raises(InvalidInput, match=message):
        attacked(target, certificates, whole[1], **change)
    assert whole[1].read_bytes() == before


def test_other_certificates_or_inputs_are_not_mixed_in(whole, target, run):
    with pytest.raises(InvalidInput, match=r"with alpha = 0.001, and alpha = 0.01 was asked for"):
        attacked(target, run.certify(alpha=0.01), whole[1])
    with pytest.raises(InvalidInput, match="an attack on input 0, which was not asked for"):
        attacked(target, run.certify(), whole[1], inputs=np.array([1, 2, 3, 9]))


@pytest.mark.parametrize("out", ["attack.txt", "nowhere/attack.csv"])
def test_where_a_table_cannot_be_written(target, certificates, tmp_path, out):
    with pytest.raises(InvalidInput, match="out must"):
        attacked(target, certificates, tmp_path / out)


@pytest.mark.slow
def test_a_false_certificate_is_broken_and_its_perturbation_kept(target, certificates, tmp_path):
    """1.5 times the truth would do; here every radius is doubled and more."""
    known = certificates.known
    radii = {"two_sided": 2.2 * certificates.radius}
    ensemble = np.zeros(len(known))
    false = replace(certificates, radii=radii, ensemble=ensemble, winner=np.full(len(known), ""))
    out = tmp_path / "attack.csv"
    rows = attacked(target, false, out, effort=replace(EFFORT, confirm=5000, steps=6))
    assert [row.broken for row in rows] == [True] * 4
    for row in rows:
        perturbation = np.load(perturbation_path(out, row.index))
        assert perturbation.dtype == np.float64
        norm = np.linalg.norm(perturbation.ravel())
        assert norm == pytest.approx(row.found, rel=1e-12)
        assert norm < row.radius


# Which inputs


def test_inputs_are_all_some_or_those_named(certificates):
    assert choose_inputs(certificates, None, [], 0).tolist() == [0, 1, 2, 3]
    assert choose_inputs(certificates, None, [3, 1, 3], 0).tolist() == [1, 3]
    some = [choose_inputs(certificates, 2, [], seed).tolist() for seed in (0, 0, 1, 2, 3)]
    assert some[0] == some[1] and len({tuple(one) for one in some}) > 1
    assert all(len(one) == 2 for one in some)


@pytest.mark.parametrize(
    ("count", "index", "message"),
    [
        (0, [], r"inputs must lie in 1..4, the certified inputs of the run, got 0"),
        (5, [], r"inputs must lie in 1..4, the certified inputs of the run, got 5"),
        (None, [4, -1], r"index must name certified inputs of the run, got \[-1, 4\]"),
        (1, [1], r"inputs \(1\) and index cannot be given together"),
    ],
)
def test_a_choice_that_makes_no_sense(certificates, count, index, message):
    with pytest.raises(InvalidInput, match=message):
        choose_inputs(certificates, count, index, 0)


def test_a_run_without_a_certificate_has_nothing_to_attack(place):
    own = drawn(place, "known_truth:network", out="few", draws=5)
    with pytest.raises(InvalidInput, match="run must have a certified input to attack"):
        choose_inputs(own.certify(), None, [], 0)
