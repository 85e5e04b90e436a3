"""A smoothed classifier of texts: predict, certify, and what it refuses."""

import numpy as np
import pytest

import simplicert as sc

TEXTS = ["good " * 30 + "bad", "a bad film", ""]


def is_good(batch):
    return [int(one.count("good") > one.count("bad")) for one in batch]


def smoothed(**more):
    settings = {"noise": "deletion", "rate": 0.8, "num_classes": 2, "outputs": "labels"}
    return sc.Smoothed(is_good, device="cpu", **{**settings, **more})


def test_predict_and_certify_of_texts_and_of_lists():
    smooth = smoothed()
    assert repr(smooth) == "Smoothed(function, deletion noise, rate 0.8, kind=multinomial)"
    lists = [text.split() for text in TEXTS]
    for inputs in (TEXTS, lists):
        assert smooth.predict(inputs, seed=0).classes.tolist() == [1, 0, 0]
    certificates = smooth.certify(TEXTS, draws=1000, seed=0, labels=[1, 0, 0])
    assert certificates.correct.all()
    assert certificates.radius.tolist() == [2.0, 3.0, 3.0]
    assert certificates.known.norm == "edits"
    again = smooth.certify(lists, draws=1000, seed=0, labels=[1, 0, 0])
    np.testing.assert_array_equal(again.radius, certificates.radius)


def test_fixed_batches_of_any_size_predict_the_same():
    for size in (1, 7, 64):
        assert smoothed(batch_size=size).predict(TEXTS, seed=3).classes.tolist() == [1, 0, 0]


def test_other_inputs_and_settings_are_refused():
    smooth = smoothed()
    for call in (smooth.predict, smooth.certify):
        with pytest.raises(sc.InvalidInput, match=r"token lists, .* got an array of shape \(2, 3"):
            call(np.zeros((2, 3)))
    with pytest.raises(sc.InvalidInput, match="rate must be given to Smoothed and not to certify"):
        smooth.certify(TEXTS, draws=100, rate=0.9)
    with pytest.raises(sc.InvalidInput, match="noise must be one for arrays of numbers to be sav"):
        smooth.save("nowhere", TEXTS)
    with pytest.raises(sc.InvalidInput, match="module"):
        smoothed(outputs="logits", num_classes=None).module()
    plain = sc.Smoothed(is_good, 0.5, 2, outputs="labels", device="cpu")
    for call in (plain.predict, plain.certify):
        with pytest.raises(sc.InvalidInput, match="noise must be deletion for sequences of tokens"):
            call(TEXTS)
    with pytest.raises(sc.InvalidInput, match="inputs must be a batch of shape"):
        plain.predict(np.zeros(3))
