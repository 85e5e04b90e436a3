"""The table of certificates: its columns, empty cells and notebook; radii as text."""

import copy
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simplicert import MECHANISMS, Certificates, Expectations, InvalidInput, Tally, bound, certify
from simplicert.certification import certify_point
from simplicert.types import ScoreBands
from simplicert.types.certificates import format_radius_down
from simplicert.types.scores import BINS

COLUMNS = [
    "index",
    "label",
    "top",
    "predicted",
    "correct",
    "abstained",
    "radius",
    "e0",
    "e1",
    *(name for name, row in MECHANISMS.items() if "multinomial" in row.kinds),
    "ensemble",
    "winner",
    "draws",
    "sigma",
    "alpha",
    "kind",
    "scheme",
    "method",
    "level",
    "count_top",
    "count_second",
    "sensitivity",
    "grid",
]


@pytest.fixture
def certificates():
    tally = Tally(
        [[900, 80, 20], [500, 480, 20], [10, 990, 0]], 0.5, labels=[0, 0, 2], index=[10, 20, 30]
    )
    return certify(bound(tally))


def softmax_columns(needs):
    """COLUMNS with the mechanisms that have a proof for softmax and need no more than is there."""
    first, last = COLUMNS.index("e1") + 1, COLUMNS.index("ensemble")
    soft = [n for n, row in MECHANISMS.items() if "softmax" in row.kinds and row.needs in needs]
    return [*COLUMNS[:first], *soft, *COLUMNS[last:]]


def test_columns_are_those_of_the_format(certificates):
    assert list(certificates.to_frame().columns) == COLUMNS


@pytest.mark.parametrize("name", ["radius", "abstained", "predicted", "correct"])
def test_derived_columns_are_computed_once_and_read_only(certificates, name):
    values = getattr(certificates, name)
    assert getattr(certificates, name) is values
    with pytest.raises(ValueError, match="read-only"):
        values[0] = 1
    with pytest.raises(AttributeError):
        setattr(certificates, name, values)
    before, frame = values.copy(), certificates.to_frame()
    frame.loc[0, name] = frame.loc[1, name]  # a table is its reader's own
    np.testing.assert_array_equal(getattr(certificates, name), before)


def test_what_is_known_is_computed_once(certificates):
    known = certificates.known
    assert known.abstained is known.abstained and not known.abstained.flags.writeable


def test_columns_of_the_format_keep_their_places():
    """Whatever mechanism is new comes after them."""
    place = COLUMNS.index("e1") + 1
    first = ["cohen", "li", "lecuyer", "improved_dp", "two_sided"]
    assert COLUMNS[place : place + len(first)] == first


def test_softmax_leaves_out_what_has_no_proof():
    known = Expectations([0], [0.6], [0.3], kind="softmax")
    columns = list(certify(known).to_frame().columns)
    assert columns == softmax_columns(("pair",))
    assert not {"cohen", "li"} & set(columns)


def test_cdf_stands_after_two_sided_and_before_the_ensemble():
    bands = ScoreBands(np.full((1, BINS), 0.6), np.full((1, 1, BINS), 0.3))
    known = Expectations([0], [0.6], [0.3], kind="softmax", bands=bands)
    columns = list(certify(known).to_frame().columns)
    assert columns == softmax_columns(("pair", "histograms"))
    place = columns.index("cdf")
    assert columns[place - 1] == "two_sided" and "ensemble" in columns[place + 1 :]


def test_a_refused_certificate_shows_no_bounds(certificates):
    row = certificates.to_frame().iloc[1]
    assert row["abstained"]
    assert row["top"] == 0
    for name in ("predicted", "e0", "e1", "winner"):
        assert pd.isna(row[name])
    assert not row["correct"]
    assert all(row[name] == 0 for name in ("radius", "cohen", "two_sided", "ensemble"))


def test_correct_needs_the_label(certificates):
    np.testing.assert_array_equal(certificates.correct, [True, False, False])
    np.testing.assert_array_equal(certificates.predicted, [0, -1, 1])
    known = Expectations([0], [0.6], [0.3])
    frame = certify(known).to_frame()
    assert frame["label"].isna().all()
    assert frame["correct"].isna().all()
    with pytest.raises(InvalidInput, match="labels are needed"):
        _ = certify(known).correct


def test_radius_is_the_best_and_the_winner_is_the_papers(certificates):
    frame = certificates.to_frame()
    assert (frame["radius"] == frame["two_sided"]).all()
    members = frame[["cohen", "li", "improved_dp"]]
    assert (frame["ensemble"] == members.max(axis=1)).all()
    live = frame["winner"].notna()
    assert (members.idxmax(axis=1)[live] == frame["winner"][live]).all()


def test_settings_are_columns(certificates):
    frame = certificates.to_frame()
    assert set(frame["sigma"]) == {0.5}
    assert set(frame["alpha"]) == {0.001}
    assert set(frame["kind"]) == {"multinomial"}
    assert set(frame["scheme"]) == {"gated"}
    assert set(frame["draws"]) == {1000}


def test_column_by_name(certificates):
    np.testing.assert_array_equal(certificates.column("radius"), certificates.radius)
    np.testing.assert_array_equal(certificates.column("li"), certificates.radii["li"])
    with pytest.raises(InvalidInput, match=r"column must be one of cohen, .*got 'ours'"):
        certificates.column("ours")


def test_notebook(certificates):
    html = certificates._repr_html_()
    assert "2 of 3 inputs certified" in html
    assert "<table" in html
    assert "nan" not in html.lower()
    many = certify(Expectations(np.zeros(30, int), np.full(30, 0.6), np.full(30, 0.3)))
    assert "first 10 of 30 inputs" in many._repr_html_()


def test_shown_radii_are_rounded_down():
    """1.99996 must not be shown as 2, in a line or in a table."""
    known = Expectations([0], [0.6], [0.3], sigma=1.99996 / certify_point(0.6, 0.3).radius[0])
    certificates = certify(known)
    assert 1.9999 < certificates.radius[0] < 2
    assert "1.9999" in certificates._repr_html_()
    assert "median radius 1.9999;" in repr(certificates)


def test_frozen(certificates):
    with pytest.raises(TypeError):
        certificates.radii["mine"] = np.ones(3)
    for array in (certificates.radii["li"], certificates.ensemble, certificates.winner):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]


def test_no_inputs_at_all():
    assert "0 of 0 inputs" in repr(certify(Expectations(np.empty(0, int), [], [])))


def test_nothing_false_can_be_built(certificates):
    known = certificates.known
    good = np.zeros(3)
    for bad, message in [
        (np.array([0.0, 0.1, 0.0]), "0 where the input is abstained"),
        (np.array([np.nan, 0, 0]), "finite and not negative"),
        (np.array([-1.0, 0, 0]), "finite and not negative"),
        (np.array([np.inf, 0, 0]), "finite and not negative"),
        (np.zeros(2), "finite and not negative"),
    ]:
        with pytest.raises(InvalidInput, match=message):
            Certificates(known, {"cohen": bad}, good.copy(), np.array(["", "", ""]))
    for winner in (["cohen", "", ""], ["", ""]):
        with pytest.raises(InvalidInput, match="winner must name"):
            Certificates(known, {"cohen": good}, good, np.array(winner))
    with pytest.raises(InvalidInput, match="at least one mechanism"):
        Certificates(known, {}, good.copy(), np.array(["", "", ""]))


@pytest.fixture
def alone():
    """A radius that was bounded alone: scheme joint, as earlier versions had it."""
    tally = Tally([[900, 80, 20], [500, 480, 20]], 0.5, labels=[0, 0])
    return certify(bound(tally, scheme="joint", method="buehler"))


def test_a_margin_leaves_the_other_columns_empty(alone):
    frame = alone.to_frame()
    assert list(frame.columns) == COLUMNS
    others = [name for name in MECHANISMS if name in COLUMNS and name != "two_sided"]
    empty = ["e0", "e1", *others, "ensemble", "winner"]
    assert frame[empty].isna().all(axis=None)
    assert list(frame["abstained"]) == [False, True]
    assert frame["radius"][0] == frame["two_sided"][0] > 0
    assert frame["radius"][1] == frame["two_sided"][1] == 0
    line = frame.to_csv(index=False).splitlines()[1].split(",")
    assert [line[COLUMNS.index(name)] for name in empty] == [""] * len(empty)
    assert line[-7:] == ["joint", "buehler", "0.001", "900", "80", "1.0", ""]


def test_a_margin_has_no_ensemble(alone):
    assert alone.columns == ("two_sided",)
    assert alone.ensemble.dtype == float
    assert np.isnan(alone.ensemble).all()
    assert list(alone.winner) == ["", ""]
    assert list(alone.correct) == [True, False]
    np.testing.assert_array_equal(alone.column("radius"), alone.radii["two_sided"])
    for name in ("ensemble", "cohen", "improved_dp"):
        with pytest.raises(InvalidInput, match=f"bounds that radius alone, got '{name}'"):
            alone.column(name)
    with pytest.raises(InvalidInput, match=r"column must be one of two_sided, radius, got 'ours'"):
        alone.column("ours")
    assert "nan" not in alone._repr_html_().lower()
    assert "1 of 2 inputs certified" in repr(alone)


def test_nothing_false_can_be_built_on_a_margin(alone):
    known, nobody = alone.known, np.array(["", ""])
    none = np.full(2, np.nan)
    with pytest.raises(InvalidInput, match="ensemble must be NaN"):
        Certificates(known, {"two_sided": np.zeros(2)}, np.zeros(2), nobody)
    with pytest.raises(InvalidInput, match="0 where the input is abstained"):
        Certificates(known, {"two_sided": np.ones(2)}, none, nobody)
    with pytest.raises(InvalidInput, match="winner must name"):
        Certificates(known, {"two_sided": np.zeros(2)}, none, np.array(["cohen", ""]))


def test_columns_of_a_pair_end_in_the_ensemble(certificates):
    assert certificates.columns == (*certificates.radii, "ensemble")


def test_the_last_columns_say_what_the_numbers_rest_on():
    """Counts by hand: draws without a class count as a rival; scheme paper proves 3 alpha."""
    tally = Tally([[900, 80, 20], [600, 100, 20]], 0.5, invalid=[0, 280], grid=1 / 255)
    frame = certify(bound(tally, scheme="paper"), sensitivity=2.0).to_frame()
    assert list(frame["method"]) == ["clopper_pearson"] * 2
    assert list(frame["level"]) == [0.003] * 2
    assert list(frame["count_top"]) == [900, 600]
    assert list(frame["count_second"]) == [80, 280]
    assert list(frame["sensitivity"]) == [2.0] * 2
    assert list(frame["grid"]) == [1 / 255] * 2


def test_a_pilot_chooses_whose_draws_are_counted():
    tally = Tally([[900, 80, 20]], 0.5, pilot=[[1, 9, 0]])
    frame = certify(bound(tally, scheme="split")).to_frame()
    assert list(frame[["top", "count_top", "count_second"]].loc[0]) == [1, 80, 900]


def test_softmax_counts_are_the_votes():
    unit = 2**40
    tally = Tally(
        [[900, 80, 20]],
        0.5,
        softmax_sums=[[800 * unit, 100 * unit, 50 * unit]],
        softmax_squares=[[700 * unit, 50 * unit, 25 * unit]],
        votes=[[810, 90, 40]],
        votes_invalid=[60],
    )
    frame = certify(bound(tally, kind="softmax")).to_frame()
    assert list(frame[["count_top", "count_second"]].loc[0]) == [810, 90]


def test_without_counts_their_cells_are_empty():
    frame = certify(Expectations([0], [0.6], [0.3])).to_frame()
    assert frame[["count_top", "count_second", "grid"]].isna().all(axis=None)


@given(st.floats(0, allow_nan=False, allow_infinity=False), st.integers(0, 8))
def test_never_larger_and_off_by_less_than_its_last_digit(radius, decimals):
    text = format_radius_down(radius, decimals)
    off = Fraction(radius) - Fraction(text)
    assert 0 <= off < Fraction(1, 10**decimals)


@pytest.mark.parametrize(("radius", "text"), [(float("inf"), "inf"), (float("nan"), "nan")])
def test_what_is_no_number_is_said(radius, text):
    assert format_radius_down(radius) == text


def test_a_sigma_of_fifty_digits_on_the_command_line(command):
    code, out, err = command("radius", "--e0", 0.6, "--e1", 0.3, "--sigma", "1" * 50 + ".5")
    assert code == 0, err
    assert "4320820" in out


def test_a_copy_and_a_pickle_are_the_same_and_as_unwritable(certificates):
    for again in (copy.deepcopy(certificates), pickle.loads(pickle.dumps(certificates))):
        pd.testing.assert_frame_equal(again.to_frame(), certificates.to_frame())
        for values in (again.radii["cohen"], again.ensemble, again.known.e0):
            with pytest.raises(ValueError, match="read-only"):
                values[0] = 99.0
        with pytest.raises(TypeError):
            again.radii["cohen"] = values
