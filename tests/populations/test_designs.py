"""Designs are fixed before the draws, proved when they are read, and refused when altered."""

from dataclasses import replace

import numpy as np
import pytest

import simplicert as sc
from simplicert.errors import InvalidInput, MissingEvidence
from simplicert.files import content_checksum
from simplicert.populations import read_design
from simplicert.populations.coefficients import binomial_table, expect_limit
from simplicert.populations.design import RadiusDesign
from simplicert.store.manifest import CHECKSUM_LINE

RNG = np.random.default_rng(5)
RIGHT = RNG.binomial(1000, RNG.beta(0.5, 0.5, 200))
PILOT = sc.Tally(np.column_stack([RIGHT, 1000 - RIGHT]), 0.5, labels=np.zeros(200, int))


@pytest.fixture(scope="module")
def design():
    return sc.design_population(0.5, [0.25, 0.5], 16, 1000, pilot=PILOT)


def sealed(text):
    """The same text with a checksum that fits it."""
    body = text[: text.rindex(CHECKSUM_LINE)]
    return f"{body}{CHECKSUM_LINE}{content_checksum(body.encode())}\n"


def test_a_design_comes_back_as_it_was_written(design, tmp_path):
    path = tmp_path / "population.toml"
    design.write(path)
    again = read_design(path)
    assert again.text == design.text and again.fingerprint == design.fingerprint
    assert again.pilot.index.tolist() == list(range(200))
    assert path.read_text().rstrip().endswith(design.fingerprint)
    with pytest.raises(InvalidInput, match="already there"):
        design.write(path)


def test_a_listed_pilot_comes_back_too(tmp_path):
    index = [3, 5, 9, *range(20, 217)]
    pilot = sc.Tally(PILOT.counts, 0.5, labels=PILOT.labels, index=index)
    sc.design_population(0.5, [0.1], 2, 10, pilot=pilot).write(tmp_path / "a.toml")
    assert read_design(tmp_path / "a.toml").pilot.index.tolist() == index


def test_an_altered_file_is_refused(design, tmp_path):
    path = tmp_path / "a.toml"
    path.write_bytes(design.text.replace(b"inputs = 1000", b"inputs = 2000"))
    with pytest.raises(InvalidInput, match="checksum does not match"):
        read_design(path)


def test_a_forged_coefficient_is_refused_even_with_its_checksum(design, tmp_path):
    path = tmp_path / "a.toml"
    item = design.radii[0]
    low = int(np.argmin(item.coefficients))
    for place, value in ((low, 1.0), (low, item.coefficients[low] + 0.01)):
        forged = item.coefficients.copy()
        forged[place] = value
        with pytest.raises(InvalidInput, match="promise no more than is true"):
            replace(design, radii=(RadiusDesign(item.radius, forged, item.bets),))
    text = design.text.decode().replace(f"{float(item.coefficients[low])!r}", "0.5")
    path.write_text(sealed(text))
    with pytest.raises(InvalidInput, match="promise no more than is true"):
        read_design(path)


def test_a_smaller_sigma_or_larger_radius_is_refused(design):
    """The same coefficients promise something else there."""
    with pytest.raises(InvalidInput, match="promise no more"):
        replace(design, sigma=0.4)
    with pytest.raises(InvalidInput, match="promise no more"):
        replace(design, classifier="randomised")
    item = design.radii[0]
    with pytest.raises(InvalidInput, match="promise no more"):
        replace(design, radii=(RadiusDesign(0.3, item.coefficients, item.bets),))


@pytest.mark.parametrize("bets", [[0.1, 0.1], [0.1, -0.1, 0.1], [0.1, 5.0, 0.1], [np.nan] * 3])
def test_bets_that_could_lose_everything_are_refused(design, bets):
    item = design.radii[0]
    with pytest.raises(InvalidInput, match="bets"):
        replace(design, radii=(RadiusDesign(0.25, item.coefficients, np.array(bets)),))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sigma": -1.0}, "sigma must"),
        ({"draws": 0}, "draws must be a whole number in 1..512, got 0"),
        ({"draws": 1.5}, "draws must"),
        ({"draws": 1000}, "draws must"),
        ({"inputs": 0}, "inputs must"),
        ({"confidence": 1.0}, "confidence must"),
        ({"radii": []}, "radii must be 1 to 50 numbers, got 0"),
        ({"radii": [0.1, 0.1]}, "differ"),
        ({"radii": [-0.1]}, "negative"),
        ({"radii": [4.0]}, "at most 7 sigma"),
        ({"classifier": "base"}, "classifier must be one of smoothed, randomised"),
        ({"penalty": 0.0}, "penalty must"),
        ({"penalty": 2000.0}, "penalty must"),
        ({"prior": (0.0, 1.0)}, "prior must"),
        ({"sensitivity": 0.0}, "sensitivity must"),
        ({"pilot": "runs/mine"}, "pilot must be a run or a tally"),
        ({"pilot": replace(PILOT, sigma=1.0)}, "sigma = 0.5, got 1"),
    ],
)
def test_bad_settings_are_one_sentence(changes, words):
    settings = {"sigma": 0.5, "radii": [0.25], "draws": 4, "inputs": 100}
    with pytest.raises(InvalidInput, match=words):
        sc.design_population(**settings | changes)


def test_a_pilot_needs_labels():
    with pytest.raises(MissingEvidence, match="labels"):
        sc.design_population(0.5, [0.25], 4, 100, pilot=sc.Tally([[9, 1]], 0.5))


def test_other_files_are_refused(tmp_path, design):
    path = tmp_path / "a.toml"
    for text, words in (
        (design.text.decode().replace("format = 1", "format = 2"), "format 1, got 2"),
        (design.text.decode().replace("penalty", "payment"), "must hold the settings"),
        (design.text.decode().replace('source = "a', 'sauce = "a'), "is no design"),
        (design.text.decode().replace('"0:200:1"', '"0:200"'), "index must be like"),
        (design.text.decode().replace('"0:200:1"', '"0:999999999999:1"'), "index must be like"),
        (design.text.decode().replace('"0:200:1"', '"9:1:1"'), "index must be like"),
        (design.text.decode().replace('"0:200:1"', '"0:9:0"'), "index must be like"),
        (design.text.decode().replace('"0:200:1"', "5"), "index must be like"),
        (design.text.decode().replace("radius = 0.25", 'radius = "far"'), "is no design"),
        (design.text.decode().replace("radius = 0.25", "radius = nan"), "negative"),
        (design.text.decode().replace("sigma = 0.5", 'sigma = "half"'), "sigma must"),
    ):
        path.write_text(sealed(text))
        with pytest.raises(InvalidInput, match=words):
            read_design(path)
    path.write_text("x = 1\n")
    with pytest.raises(InvalidInput, match="checksum"):
        read_design(path)


def test_a_pilot_that_fits_promises_more_than_a_prior(design):
    chance = binomial_table(16, (RIGHT + 0.5) / 1001).mean(axis=0)
    prior = sc.design_population(0.5, [0.25, 0.5], 16, 1000, prior=(5, 5))
    for one, two in zip(design.radii, prior.radii, strict=True):
        limits = [
            expect_limit(item.coefficients, chance, item.bets, 1000, design.tail)
            for item in (one, two)
        ]
        assert limits[0] > limits[1]


def test_radii_divide_the_confidence(design):
    assert design.tail == pytest.approx(0.0005)


def test_what_is_proved_cannot_be_written_to(design):
    with pytest.raises(ValueError, match="read-only"):
        design.radii[0].coefficients[0] = 1.0
