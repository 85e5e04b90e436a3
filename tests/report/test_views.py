"""A view is what the certificates say, and its CSV is the certificates file."""

import numpy as np
import pytest

import simplicert as sc
from simplicert.logs import import_radii
from simplicert.metrics.study import Study
from simplicert.report.views import make_views


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
