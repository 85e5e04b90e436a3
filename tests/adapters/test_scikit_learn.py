"""SmoothedClassifier keeps scikit-learn's rules, abstains aloud and certifies."""

import pickle
import warnings

import numpy as np
import pytest

import simplicert as sc
from simplicert.errors import InvalidInput

sklearn = pytest.importorskip("sklearn", reason="scikit-learn is not installed")
pytest.importorskip("sklearn.utils.validation", reason="scikit-learn 1.6 or later")

from sklearn.datasets import make_blobs  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.tree import DecisionTreeClassifier  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

from simplicert.adapters import SmoothedClassifier  # noqa: E402

ROWS, NUMBERS = make_blobs(120, centers=3, random_state=1)
NAMES = np.array(["ant", "bee", "cow"])[NUMBERS]


@pytest.mark.slow
@pytest.mark.parametrize(
    "base",
    [
        LogisticRegression(),
        pytest.param(DecisionTreeClassifier(max_depth=4), marks=pytest.mark.long),
    ],
)
def test_scikit_learns_own_checks_pass(base):
    """With every default; whatever abstains counts as wrong in those that ask for an accuracy."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's about checks that it skips
        checks = check_estimator(SmoothedClassifier(base), on_fail=None)
    failed = [one for one in checks if one["status"] not in ("passed", "skipped")]
    assert not failed and len(checks) > 40
    skipped = {one["check_name"] for one in checks if one["status"] == "skipped"}
    assert skipped <= {"check_pipeline_consistency", "check_array_api_input"}


@pytest.fixture(scope="module")
def smooth():
    return SmoothedClassifier(LogisticRegression(), 0.5, random_state=0).fit(ROWS, NAMES)


def test_classes_are_texts_and_certificates_numbers(smooth):
    predicted = smooth.predict(ROWS)
    assert set(predicted) <= {"ant", "bee", "cow", smooth.abstain_label_}
    assert smooth.score(ROWS, NAMES) > 0.9
    certificates = smooth.certify(ROWS[:20], NAMES[:20], draws=1000)
    assert isinstance(certificates, sc.Certificates) and certificates.radius.max() > 0.5
    np.testing.assert_array_equal(certificates.known.labels, NUMBERS[:20])
    with pytest.raises(InvalidInput, match=r"y must hold the classes that fit saw, got .*'dog'"):
        smooth.certify(ROWS[:1], ["dog"], draws=100)


def test_it_abstains_with_a_label_that_is_no_class():
    tie = np.zeros((1, 1))
    for labels, other in [
        (["a", "b"], "abstained"),
        (["abstained", "b"], "abstained_"),
        ([0, 1], -1),
        ([-1, 1], -2),
        ([2.0, 5.0], -1.0),
    ]:
        smooth = SmoothedClassifier(LogisticRegression(), 1.0, copies=0, random_state=0)
        smooth.fit([[-1.0], [1.0]], labels)
        assert smooth.abstain_label_ == other and smooth.predict(tie).tolist() == [other]
        assert smooth.predict([[9.0]]).tolist() == labels[1:]
        assert smooth.score(tie, labels[:1]) == 0


def test_noise_is_fresh_unless_a_seed_is_given():
    rows = np.zeros((1, 1), dtype=np.float32)
    fresh = SmoothedClassifier(LogisticRegression(), 1.0, copies=0).fit([[-1.0], [1.0]], [0, 1])
    counts = {fresh.certify(rows, draws=2000).known.e0[0] for _ in range(4)}
    seen = {tuple(fresh._smoothed().predict(rows).votes[0]) for _ in range(4)}
    assert len(seen) > 1
    fixed = SmoothedClassifier(LogisticRegression(), 1.0, copies=0, random_state=3)
    fixed.fit([[-1.0], [1.0]], [0, 1])
    again = [fixed.certify(rows + 0.3, draws=500).radius[0] for _ in range(2)]
    assert again[0] == again[1] and len(counts) >= 1


def test_prediction_and_certificate_rest_on_different_draws(monkeypatch, smooth):
    """With one seed for both, no noisy row of one is a row of the other."""
    seen = []
    own = LogisticRegression.predict

    def watched(self, rows):
        seen.append({row.tobytes() for row in np.asarray(rows)})
        return own(self, rows)

    monkeypatch.setattr(LogisticRegression, "predict", watched)
    smooth.predict(ROWS[:2])
    first, seen[:] = set().union(*seen), []
    smooth.certify(ROWS[:2], draws=200)
    assert len(first) > 20 and not first & set().union(*seen)


def test_pipelines_searches_and_pickles():
    pipeline = make_pipeline(StandardScaler(), SmoothedClassifier(LogisticRegression(), 0.25))
    grid = {"smoothedclassifier__sigma": [0.1, 0.5]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(ROWS, NAMES)
    assert search.best_score_ > 0.8
    best = search.best_estimator_[-1]
    assert pickle.loads(pickle.dumps(best)).classes_.tolist() == ["ant", "bee", "cow"]


@pytest.mark.parametrize(
    ("given", "message"),
    [({"sigma": 0.0}, "sigma"), ({"copies": -1}, "copies must be 0 or more, got -1")],
)
def test_parameters_are_checked_by_fit(given, message):
    with pytest.raises(InvalidInput, match=message):
        SmoothedClassifier(LogisticRegression(), **given).fit(ROWS, NAMES)
    with pytest.raises(ValueError, match="class"):
        SmoothedClassifier(DecisionTreeClassifier()).fit(ROWS, np.zeros(len(ROWS)))
