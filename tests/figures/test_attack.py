"""Radius against distance: every input that was attacked, and the broken ones in sight."""

from dataclasses import replace

import numpy as np
import pytest
from figured import new_axes, write_attacks, write_run

import simplicert as sc
from simplicert.figures import attack_distances, make_figure
from simplicert.metrics.study import read_studies


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("attacked") / "run"
    return read_studies([write_attacks(write_run(folder), broken=17)])[0]


def points(axes):
    """Label -> points (N, 2)."""
    return {str(one.get_label()): np.asarray(one.get_offsets()) for one in axes.collections}


def test_every_input_has_its_place(study):
    rows = study.attack()
    axes = attack_distances({"run": rows}, new_axes())
    shown = points(axes)
    broken = [row for row in rows if row.broken]
    sound = [row for row in rows if row.found is not None and not row.broken]
    missed = len(rows) - len(broken) - len(sound)
    assert len(broken) == 1 and len(sound) > 5 and missed > 1
    np.testing.assert_array_equal(
        shown[f"run: {len(sound)}"], [(row.radius, row.found) for row in sound]
    )
    np.testing.assert_array_equal(shown["broken: 1"], [(broken[0].radius, broken[0].found)])
    assert f"nothing found: {missed}" in shown
    x, y = axes.get_lines()[0].get_data()
    np.testing.assert_array_equal(x, y)
    assert axes.get_xlim()[1] > max(row.radius for row in rows)
    assert axes.get_ylim()[1] > max(row.found or 0 for row in rows)


def test_behind_a_first_stage_the_axes_say_so(study):
    axes = attack_distances({"run": study.attack()}, new_axes(), staged=True)
    assert axes.get_xlabel() == "certified radius at the noise"
    assert axes.get_ylabel() == "attack distance at the noise"


def test_another_norm_is_named_and_never_shares_axes(study):
    rows = study.attack()
    flat = [replace(row, norm="l1", noise="laplace") for row in rows]
    axes = attack_distances({"run": flat}, new_axes())
    assert axes.get_xlabel() == "certified radius (l1)"
    with pytest.raises(sc.InvalidInput, match=r"radii in one norm to share axes, got \['l1', 'l2'"):
        attack_distances({"run": rows, "other": flat}, new_axes())


def test_none_broken_is_said(study):
    rows = [row for row in study.attack() if not row.broken]
    assert "broken: 0" in points(attack_distances({"run": rows}, new_axes()))


def test_each_kind_has_its_own_attack(study):
    assert {row.kind for row in study.attack()} == {"multinomial"}
    assert {row.kind for row in study.attack("soft")} == {"softmax"}


def test_a_run_that_was_not_attacked_says_how(tmp_path):
    studies = read_studies([write_run(tmp_path / "run")])
    assert studies[0].attack() == []
    with pytest.raises(sc.InvalidInput, match=r"run run must have been attacked \(simplicert att"):
        make_figure("attack", studies, tmp_path / "figure.png")


def test_the_table_of_another_run_is_refused(study, tmp_path):
    folder = write_run(tmp_path / "run")
    (folder / "attack.csv").write_bytes((study.run.folder / "attack.csv").read_bytes())
    (own,) = read_studies([folder])
    with pytest.raises(sc.DamagedRun, match="is of another run or kind"):
        own.attack()
