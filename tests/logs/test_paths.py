"""Paths say sigma, draws, alpha and labels by a pattern; another sigma there is a doubt."""

from pathlib import Path

import pytest

from simplicert.errors import InvalidInput
from simplicert.logs.paths import PathPattern, check_named_sigma, find_named_sigma

PATH = Path("logs/cifar10/resnet110/noise_0.25/test/sigma_0.50.tsv")


def test_a_pattern_reads_settings_and_a_label():
    found = PathPattern("{data}/{arch}/noise_{train}/test/sigma_{sigma}").read(PATH)
    assert (found.sigma, found.draws, found.alpha) == (0.5, None, None)
    assert found.label == "cifar10 resnet110 train 0.25"
    found = PathPattern("{method}-{n}-{alpha}").read(Path("here/smooth-100000-0.001.txt"))
    assert (found.draws, found.alpha, found.label) == (100_000, 0.001, "smooth")
    assert PathPattern("*/sigma_{sigma}").read(PATH).sigma == 0.5


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("sigma", "pattern must have different names in braces"),
        ("{a}/{a}", "pattern must have different names in braces"),
        ("{n}_{draws}", "pattern must have different names in braces"),
        ("{a b}", "pattern must have different names in braces"),
        ("{a}}", "pattern must have different names in braces"),
        ("sigma_{sigma}/x", "does not fit the end of 'logs/cifar10"),
        ("noise_{train}/{sigma}/sigma_*", "sigma of 'logs/.*must be a positive number .*'test'"),
        ("noise_{x}/test/sigma_{alpha}0", "alpha of .* must be a number between 0 and 1"),
        ("noise_{x}/test/sigma_{n}", "draws of .* must be a positive whole number .*'0.50'"),
    ],
)
def test_what_a_pattern_cannot_say_is_refused(pattern, message):
    path = Path("logs/cifar10/noise_0.25/test/sigma_10") if "alpha" in pattern else PATH
    with pytest.raises(InvalidInput, match=message):
        PathPattern(pattern).read(path)


def test_braces_and_dots_are_no_regular_expression():
    with pytest.raises(InvalidInput, match="does not fit"):
        PathPattern("x.{sigma}").read(Path("xy0.5"))


def test_another_sigma_in_the_path_or_in_a_comment_is_a_doubt(tmp_path):
    assert check_named_sigma(PATH, 0.5) == []
    (doubt,) = check_named_sigma(PATH, 0.25)
    assert doubt.code == "sigma_named" and "names 0.5" in doubt.sentence
    assert "wrong by a factor of 0.5" in doubt.sentence
    file = tmp_path / "counts.txt"
    file.write_text("# drawn at sigma = 0.25\n7 2 1 0\n")
    assert find_named_sigma(file) == (0.25, "a comment of counts.txt")
    assert check_named_sigma(file, 0.5)[0].code == "sigma_named"
    file.write_text("7 2 1 0\n")
    assert find_named_sigma(file) is None
    assert find_named_sigma(Path("noise_0.25/log")) is None  # the noise of training


@pytest.mark.parametrize(
    ("name", "doubtful"),
    [("cifar0.25.txt", True), ("noise_0.25_acc", True), ("cifar0.5.txt", False), ("v1.2", False),
     ("a-0.5-100000-0.001.txt", False), ("model.0.25.1", False), ("10.25", False)],
)  # fmt: skip
def test_a_usual_sigma_in_the_name_of_the_file_is_one_too(name, doubtful):
    assert bool(check_named_sigma(Path("noise_1.00", name), 0.5)) == doubtful
