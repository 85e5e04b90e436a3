"""What the board knows of a log besides its rows: by claims first, then by the path."""

from pathlib import Path

import pytest

import simplicert as sc
from simplicert.board.claims import find_claims, read_claims, settings_of


@pytest.mark.parametrize(
    ("path", "method", "data", "sigma"),
    [
        ("data/certify/cifar10/resnet110/noise_0.25/test/sigma_0.50", "resnet110", "cifar10", 0.5),
        ("certify/mnist/stab/lbd_2/noise_1.0_0", "stab/lbd_2", "mnist", 1.0),
        ("certify/imagenet/resnet50/noise_0.50/train/sigma_0.50", "resnet50/train",
         "imagenet train", 0.5),
        ("mine.tsv", "", "", None),
    ],
)  # fmt: skip
def test_paths_tell(tmp_path, path, method, data, sigma):
    told = settings_of(tmp_path / path, tmp_path, [])
    assert (told.method, told.data, told.sigma) == (method, data, sigma)


def test_claims_go_before_the_path_and_say_so(tmp_path):
    (tmp_path / "board.toml").write_text(
        "[[claim]]\nalpha = 0.001\ndraws = 1000\n"
        '[[claim]]\nmatch = "b/*"\nsigma = 0.3\nalpha = 0.01\n'
    )
    (tmp_path / "b").mkdir()
    path = tmp_path / "b" / "sigma_0.5"
    path.write_text("")
    told = settings_of(path, tmp_path, find_claims(path, tmp_path))
    assert (told.sigma, told.alpha, told.draws) == (0.3, 0.01, 1000)
    assert told.origin["sigma"] == "claim"
    other = tmp_path / "sigma_0.5"
    other.write_text("")
    told = settings_of(other, tmp_path, find_claims(other, tmp_path))
    assert (told.sigma, told.alpha, told.origin["sigma"]) == (0.5, 0.001, "path")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[claim]]\nsigma = -1\n", "sigma of a claim has no such value: -1"),
        ("[[claim]]\nalpha = 1.5\n", "alpha of a claim has no such value"),
        ("[[claim]]\ndraws = 10.5\n", "draws of a claim has no such value"),
        ("[[claim]]\nmethod = 3\n", "method of a claim has no such value"),
        ("[[claim]]\nsgima = 3\n", "sgima"),
        ("[[claim]]\ntotals_only = 1\n", "totals_only of a claim has no such value: 1"),
        ("[other]\na = 1\n", "must hold"),
    ],
)
def test_bad_claims_are_refused(tmp_path, text, words):
    file = Path(tmp_path, "board.toml")
    file.write_text(text)
    with pytest.raises(sc.InvalidInput, match=words):
        read_claims(file)
