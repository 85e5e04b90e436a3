"""A view is what the certificates say, its CSV is their file, and the riskiest inputs lead."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simplicert as sc
from simplicert.logs import import_radii
from simplicert.metrics.study import Study
from simplicert.report.views import describe_risk_order, make_views, risk_order


def test_every_kind_of_every_run(make_study):
    studies = [make_study("both"), make_study("hard", soft=False)]
    found = [(view.run, view.study.name, view.kind) for view in make_views(studies)]
    assert found == [
        (0, "both", "multinomial"),
        (0, "both", "softmax"),
        (1, "hard", "multinomial"),
    ]


def test_a_view_agrees_with_its_certificates(make_study):
    for view in make_views([make_study()]):
        certificates = view.certificates
        for name in ("index", "labels"):
            assert (getattr(view, name) == getattr(certificates.known, name)).all()
        for name in ("radius", "predicted", "abstained", "correct"):
            assert (getattr(view, name) == getattr(certificates, name)).all()
        assert view.columns == (*certificates.radii, "ensemble")
        assert certificates.abstained.any() and not certificates.abstained.all()


@pytest.mark.parametrize("labelled", [True, False])
def test_the_csv_is_the_certificates_file(make_study, tmp_path, labelled):
    for view in make_views([make_study(labelled=labelled)]):
        sc.write_certificates(view.certificates, tmp_path / "c.csv")
        assert view.csv.encode() == (tmp_path / "c.csv").read_bytes()


def test_a_log_of_bare_radii(tmp_path):
    (tmp_path / "log.csv").write_text("idx,label,predict,radius\n4,1,1,0.25\n6,2,0,0.5\n9,1,-1,0\n")
    columns = "index=idx,label=label,predict=predict,radius=radius"
    run = import_radii(tmp_path / "log.csv", columns, 0.5, tmp_path / "run", bare=True)
    (view,) = make_views([Study("log", run)])
    assert view.certificates is None
    assert view.columns == ("radius",)
    assert view.index.tolist() == [4, 6, 9]
    assert view.correct.tolist() == [True, False, False]
    assert view.abstained.tolist() == [False, False, True]
    assert np.array_equal(view.radius, [0.25, 0.5, 0.0])


def plain_view(radius, right=None, index=None):
    radius = np.array(radius, dtype=float)
    abstained = ~(radius > 0)
    return SimpleNamespace(
        radius=radius,
        abstained=abstained,
        correct=None if right is None else ~abstained & np.array(right),
        labels=None if right is None else np.zeros(len(radius), int),
        index=np.arange(len(radius)) if index is None else np.array(index),
    )


def test_wrong_promises_then_none_then_the_weakest():
    right = [True, False, True, False, True, False]
    found = risk_order(plain_view([0.5, 0.2, 0.1, 0.9, 0.0, 0.0], right))
    assert found.tolist() == [3, 1, 4, 5, 2, 0]


def test_without_labels_by_rising_radius():
    assert risk_order(plain_view([0.5, 0.0, 0.2])).tolist() == [1, 2, 0]
    assert "abstentions" in describe_risk_order(plain_view([0.5]))
    assert describe_risk_order(plain_view([0.5])) != describe_risk_order(plain_view([0.5], [True]))


def test_ties_stand_by_number():
    assert risk_order(plain_view([0.5, 0.5, 0.5], [False] * 3, index=[30, 10, 20])).tolist() == [
        1,
        2,
        0,
    ]


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.5]), st.booleans()), min_size=1))
def test_every_input_once_and_no_group_mixed(rows):
    radius, right = (list(column) for column in zip(*rows, strict=True))
    shown = plain_view(radius, right)
    order = risk_order(shown)
    assert sorted(order.tolist()) == list(range(len(rows)))
    group = [0 if radius[i] > 0 and not right[i] else 1 if radius[i] == 0 else 2 for i in order]
    assert group == sorted(group)
