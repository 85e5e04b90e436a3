"""Every warning comes when it should, and only then."""

import numpy as np
import pytest

import simplicert as sc
from simplicert.logs import import_log
from simplicert.metrics.study import Study
from simplicert.report.cautions import largest_reachable_radius, view_cautions
from simplicert.report.views import make_views
from simplicert.stopping import plan_looks
from simplicert.store import Manifest, create_run


def cautions_of(study, kind=0):
    return view_cautions(make_views([study])[kind])


def test_a_sound_run_has_no_warning(make_study):
    assert cautions_of(make_study()) == []


def test_incomplete(make_study):
    (said,) = cautions_of(make_study(planned=50))
    assert said.startswith("incomplete: 10 of 50 inputs are missing")
    assert "over the 40 that are there" in said


def looked_at(tmp_path, counts, inputs=None):
    """A run whose looks are at 200, 400 and 800 draws, until radius 0.3."""
    plan = plan_looks(800, "radius=0.3")
    tally = sc.Tally(counts, 0.5, labels=np.zeros(len(counts), int), plan=plan)
    manifest = Manifest(0.5, inputs or len(counts), 3, plan=plan)
    return Study("run", create_run(tmp_path / "run", manifest, tally))


def test_a_rule_that_stopped_inputs(tmp_path):
    said = cautions_of(looked_at(tmp_path, [[195, 5, 0], [780, 10, 10]]))
    assert said[0].startswith("stopped early: n = 200 to 800, each stopped by radius=0.3: it asks")


def test_missing_inputs_and_those_that_may_still_draw_are_told_apart(tmp_path):
    some = [[195, 5, 0], [150, 45, 5], [148, 42, 10]]
    said = cautions_of(looked_at(tmp_path, some, inputs=7))
    start = "incomplete: 4 of 7 inputs are missing and 2 of 7 inputs may still draw more, and"
    assert said[0].startswith(start)


def test_exploratory(make_study):
    (said,) = cautions_of(make_study(), kind=1)
    assert said.startswith("exploratory: the run declared alpha 0.001, kind multinomial")


def test_no_labels(make_study):
    (said,) = cautions_of(make_study(labelled=False))
    assert said.startswith("no labels")


def test_a_model_that_is_random(make_study):
    (said,) = cautions_of(make_study(source={"random": True}))
    assert "random by itself" in said


def test_a_scaled_norm(make_study):
    (said,) = cautions_of(make_study(scale=np.array([1.0, 1.0, 0.5, 0.0])))
    assert "1 feature must not change, 1 feature / 0.5, 2 features / 1" in said


def test_few_draws(make_study):
    (said,) = cautions_of(make_study(draws=200, soft=False))
    assert said.startswith("few draws: 200 per input")
    assert "reach no radius above" in said
    (said,) = cautions_of(make_study(draws=5, soft=False))
    assert "reach nothing" in said


def counted(tmp_path, counts):
    tally = sc.Tally(counts, 0.5, labels=np.zeros(len(counts), int))
    return Study("run", create_run(tmp_path / "run", Manifest(0.5, len(counts), 3), tally))


def test_saturation_counts_the_inputs_at_the_limit(tmp_path):
    study = counted(tmp_path, [[2000, 0, 0], [0, 0, 2000], [1999, 1, 0], [900, 800, 300]])
    (said,) = cautions_of(study)
    assert said.startswith("saturation: 2 of 4 inputs")
    assert f"{study.certificates().radius.max():.2f}"[:3] in said


def test_saturation_knows_each_input_by_its_own_draws(tmp_path):
    (said,) = cautions_of(counted(tmp_path, [[2000, 0, 0], [1000, 0, 0], [1990, 10, 0]]))
    assert said.startswith("saturation: 2 of 3 inputs")


@pytest.mark.parametrize("kind", ["multinomial", "softmax"])
def test_no_input_is_above_the_limit(make_study, kind):
    study = make_study(inputs=60, seed=3)
    certificates = study.certificates(kind)
    limit = largest_reachable_radius(certificates, study.tally, 2000)
    assert certificates.radius.max() <= limit
    assert limit < 4 * study.sigma


def test_the_audit_of_a_log_is_told(tmp_path):
    (tmp_path / "log").write_text(
        "idx\tlabel\tpredict\tradius\tcorrect\ttime\n0\t3\t3\t2.9\t1\t1\n"
    )
    run = import_log("cohen", tmp_path / "log", 0.5, tmp_path / "run", draws=1000)
    said = cautions_of(Study("log", run))
    rounding, above = run.audit
    assert said == [
        f"imported log, its stated level is disproved: {above}",
        f"imported log: {rounding}",
    ]
    assert said
