"""An estimator of ART, run against the real toolbox."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import simplicert as sc
from simplicert.adapters import smoothed_estimator
from simplicert.errors import InvalidInput

pytestmark = pytest.mark.slow  # importing the toolbox takes seconds

ROWS = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
LABELS = (ROWS[:, 0] > 0).astype(int)


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture(scope="module")
def art():
    """The names of the toolbox that are used here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the toolbox, about what else could be installed
        pytest.importorskip("art", reason="adversarial-robustness-toolbox is not installed")
        from art.attacks import evasion
        from art.estimators import classification
        from art.estimators.certification import randomized_smoothing
        from art.utils import compute_accuracy
    return SimpleNamespace(
        pgd=evasion.ProjectedGradientDescent,
        hop=evasion.HopSkipJump,
        smoothing=randomized_smoothing.NumpyRandomizedSmoothing,
        black_box=classification.BlackBoxClassifier,
        network=classification.PyTorchClassifier,
        compute_accuracy=compute_accuracy,
    )


@pytest.fixture(scope="module")
def base(art):
    """Makes the sign of the first feature, as a network of ART."""

    def make(**more):
        layer = torch.nn.Linear(3, 2)
        with torch.no_grad():
            layer.weight.copy_(torch.tensor([[-1.0, 0, 0], [1.0, 0, 0]]))
            layer.bias.zero_()
        optimiser = torch.optim.SGD(layer.parameters(), 0.1)
        loss = torch.nn.CrossEntropyLoss()
        return art.network(layer, loss, (3,), 2, optimiser, clip_values=(-9, 9), **more)

    return make


@pytest.fixture(scope="module")
def smooth(base):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return smoothed_estimator(base(), sample_size=200, scale=0.5)


def test_it_is_one_of_arts_own_and_answers_like_it(art, base, smooth):
    assert isinstance(smooth, art.smoothing)
    own = art.smoothing(base(), sample_size=100, scale=0.5)
    rows, labels = ROWS[:12], LABELS[:12]
    clear = np.abs(rows[:, 0]) > 0.6
    predicted = smooth.predict(rows)
    assert predicted.shape == (12, 2) and set(predicted.sum(axis=1)) <= {0.0, 1.0}
    np.testing.assert_array_equal(predicted[clear], own.predict(rows[clear]))
    assert art.compute_accuracy(predicted[clear], np.eye(2)[labels[clear]])[0] == 1
    classes, radii = smooth.certify(rows[clear], n=1000)
    np.testing.assert_array_equal(classes, labels[clear])
    true = np.abs(rows[clear][:, 0])  # the distance to the border, in l2
    assert (radii < true).all() and (radii > 0.5 * np.minimum(true, 1)).all()


def test_it_abstains_as_art_does(smooth):
    tie = np.zeros((1, 3), dtype=np.float32)
    assert smooth.predict(tie).tolist() == [[0.0, 0.0]]
    assert smooth.predict(tie, is_abstain=False).sum() == 1
    assert smooth.predict_classes(tie).tolist() == [-1]
    classes, radii = smooth.certify(tie, n=100)
    assert classes.tolist() == [-1] and radii.tolist() == [0.0]
    assert isinstance(smooth.certificates(ROWS[:2], 100), sc.Certificates)


def test_noise_comes_before_the_preprocessing_and_is_fresh(base):
    """ART's (mean, std) belong to the classifier: radii are in units of the inputs passed in."""
    plain, scaled = (
        smoothed_estimator(base(preprocessing=numbers), 500, 0.5)
        for numbers in ((0.0, 1.0), (0.0, 0.1))
    )
    row = np.array([[0.8, 0, 0]], dtype=np.float32)
    both = [estimator.certify(row, n=2000)[1][0] for estimator in (plain, scaled)]
    assert all(0.5 < radius < 0.8 for radius in both)
    assert len({tuple(plain.smoothed().predict(0 * row).votes[0]) for _ in range(3)}) > 1


def test_attacks_of_the_toolbox_take_it_and_break_no_certificate(art, smooth):
    rows, labels = ROWS[np.abs(ROWS[:, 0]) > 0.6][:2], LABELS[np.abs(ROWS[:, 0]) > 0.6][:2]
    radii = smooth.certify(rows, n=500)[1]
    attacks = (
        art.pgd(smooth, norm=2, eps=3.0, eps_step=1.0, max_iter=4, verbose=False),
        art.hop(smooth, norm=2, max_iter=1, max_eval=20, init_eval=5, verbose=False),
    )
    for attack in attacks:
        found = attack.generate(rows, np.eye(2)[labels])
        moved = np.linalg.norm(found - rows, axis=1)
        there = smooth.predict_classes(found)
        broken = (there != labels) & (there >= 0)
        assert not (broken & (moved < radii)).any()
    assert broken.any() or (there == -1).any()


def test_gradients_are_averages_over_noise(smooth):
    """Where the loss is curved, the mean slope differs from the slope at the mean."""
    row, target = np.array([[0.1, 0, 0]], dtype=np.float32), np.array([[0.0, 1.0]])
    alone = smooth.classifier.loss_gradient(row, target)
    means = [smooth.loss_gradient(row, target) for _ in range(2)]
    assert means[0].shape == row.shape and (means[0] != means[1]).any()
    assert np.sign(means[0][0, 0]) == np.sign(alone[0, 0]) and (means[0] != alone).any()
    assert smooth.class_gradient(row).shape == (1, 2, 3)


def test_it_is_trained_under_noise(base):
    estimator = smoothed_estimator(base(), 200, 0.5)
    before = estimator.classifier.model.state_dict()["weight"].clone()
    estimator.fit(ROWS, np.eye(2)[LABELS], batch_size=20, nb_epochs=2)
    assert (estimator.classifier.model.state_dict()["weight"] != before).any()


def test_what_is_no_network_of_art_is_refused(art):
    black = art.black_box(lambda x: np.eye(2)[(x[:, 0] > 0).astype(int)], (3,), 2)
    with pytest.raises(InvalidInput, match=r"must be a neural network of ART.*BlackBoxClassifier"):
        smoothed_estimator(black)
