"""Maps over the simplex, read from matplotlib's own objects; pixels are for eyes."""

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.tri import TriContourSet
from readable import assert_readable

import simplicert as sc
from simplicert import figures, simplex
from simplicert.figures import frame, maps, style
from simplicert.figures.maps import bulk_limits, colour_limits, format_level, round_ratios
from simplicert.simplex import regions

VALUES = np.array([0.5, 1.0, 3.0])


def new_axes():
    return Figure(figsize=style.SIZE, layout="constrained").add_subplot()


@pytest.fixture(scope="module")
def paper_figure(tmp_path_factory):
    """The axes as `save_figure` draws them, its fonts and size included."""
    drawn = []
    path = tmp_path_factory.mktemp("paper") / "cohen_minus_li.png"
    figures.save_figure(lambda axes: drawn.append(figures.cohen_minus_li(axes)), path)
    return drawn[0]


def small_map(axes, left="cohen", right="li", **options):
    known = simplex.make_grid(20)
    values = simplex.radius_difference(left, right, known)
    return figures.simplex_map(known, values, axes, label="difference", **options)


def colours(axes):
    return axes.collections[0]


def lines(axes):
    return [drawn for drawn in axes.collections if isinstance(drawn, TriContourSet)]


def bar(axes):
    return axes.child_axes[0]


def pointed(axes):
    return colours(axes).colorbar.extend


@pytest.mark.slow
def test_cohen_minus_li_draws_on_the_axes_it_was_given():
    axes = new_axes()
    assert figures.cohen_minus_li(axes) is axes


@pytest.mark.slow
def test_colours_are_the_difference_itself(paper_figure):
    known = simplex.make_grid(maps.STEPS)
    np.testing.assert_array_equal(
        colours(paper_figure).get_array(), simplex.radius_difference("cohen", "li", known)
    )
    assert colours(paper_figure).get_clim() == (-1.2, 0.4)
    assert pointed(paper_figure) == "neither"  # nothing is cut off
    assert colours(paper_figure).get_cmap().name == style.DIVERGING


@pytest.mark.slow
def test_the_heavy_line_is_the_exact_one(paper_figure):
    (heavy,) = paper_figure.lines
    (curve,) = regions.trace_boundary("cohen", "li")
    np.testing.assert_array_equal(heavy.get_xdata(), curve.e0)
    np.testing.assert_array_equal(heavy.get_ydata(), curve.e1)
    assert heavy.get_linewidth() > lines(paper_figure)[0].get_linewidths()[0]
    e0, e1 = curve.e0, curve.e1
    ordinary = (e0 > 0.51) & (e0 < 0.99)
    cohen, li = (sc.radius(name, e0[ordinary], e1[ordinary]) for name in ("cohen", "li"))
    np.testing.assert_allclose(cohen, li, rtol=1e-9)
    assert e0.min() < 0.501 and e0.max() > 0.999  # from corner to corner


@pytest.mark.slow
def test_names_stand_where_they_are_true(paper_figure):
    """The leader of each name ends at a point where that mechanism is the larger."""
    ends = {text.get_text(): text.xy for text in paper_figure.texts if isinstance(text, Annotation)}
    for name, sign in (("Cohen larger", 1), ("Li larger", -1)):
        e0, e1 = ends[name]
        assert 0 < e1 < e0 < 1 - e1
        assert sign * (sc.radius("cohen", e0, e1) - sc.radius("li", e0, e1)) > 0


@pytest.mark.slow
def test_axes_and_colour_bar_are_labelled(paper_figure):
    assert (paper_figure.get_xlabel(), paper_figure.get_ylabel()) == ("$E_0$", "$E_1$")
    assert (paper_figure.get_xlim(), paper_figure.get_ylim()) == ((0, 1), (0, 0.5))
    assert r"L_{\mathrm{Cohen}} - L_{\mathrm{Li}}" in bar(paper_figure).get_ylabel()
    (outline,) = paper_figure.patches
    np.testing.assert_array_equal(outline.get_xy()[:3], frame.CORNERS)


@pytest.mark.slow
def test_no_text_is_cut_or_covers_another(paper_figure):
    assert_readable(paper_figure, 16)


def test_a_centre_makes_colours_diverge_evenly_about_it():
    axes = small_map(new_axes(), centre=0.0)
    values, shown = colours(axes).get_array(), colours(axes).get_cmap()
    assert colours(axes).get_clim() == (values.min(), values.max())
    assert pointed(axes) == "neither"
    whole = colormaps[style.DIVERGING]
    reach = -values.min()  # Li's lead is the larger one
    for value in (values.min(), -0.3, 0.0, 0.15):
        place = (value - values.min()) / (values.max() - values.min())
        np.testing.assert_allclose(shown(place), whole((value + reach) / (2 * reach)), atol=0.02)


@pytest.mark.slow
def test_limits_beside_the_centre_are_widened():
    axes = small_map(new_axes(), centre=0.3, limits=(-0.1, 0.2))
    np.testing.assert_allclose(colours(axes).get_clim(), (-0.1, 0.7))


def test_without_a_centre_colours_run_one_way_and_no_line_is_drawn():
    axes = small_map(new_axes())
    values = colours(axes).get_array()
    assert colours(axes).get_cmap().name == style.SEQUENTIAL
    assert colours(axes).get_clim() == (values.min(), values.max())
    assert lines(axes) == []


@pytest.mark.parametrize(
    ("limits", "ends"),
    [((-2, 2), "neither"), ((-0.1, 2), "min"), ((-2, 0.1), "max"), ((-0.1, 0.1), "both")],
)
def test_the_bar_points_where_colours_hide_values(limits, ends):
    assert pointed(small_map(new_axes(), limits=limits)) == ends


def test_contours_carry_their_values_and_those_outside_are_left_out():
    axes = small_map(new_axes(), contours=(0.1, -0.4, 7.0))
    (thin,) = lines(axes)
    assert thin.levels.tolist() == [-0.4, 0.1]
    assert {text.get_text() for text in axes.texts} == {"\N{MINUS SIGN}0.4", "0.1"}


def test_a_contour_carries_its_value_where_there_is_room():
    """At the point of the line that is farthest from the sides; none where that is too near."""
    axes = small_map(new_axes(), contours=(-0.2,))
    (text,) = axes.texts
    e0, e1 = text.get_position()
    assert min(e1, e0 - e1, 1 - e0 - e1) > maps.FRAME
    known = simplex.make_grid(20)
    sliver = figures.simplex_map(known, known.e1, new_axes(), label="E1", contours=(0.02,))
    assert len(lines(sliver)) == 1 and not sliver.texts


def test_values_of_contours_keep_apart():
    axes = small_map(new_axes(), contours=(-0.2, -0.201, -0.202))
    assert len(lines(axes)[0].levels) == 3
    assert len(axes.texts) == 1


def test_zero_of_a_ratio_takes_the_first_colour():
    known = simplex.make_grid(20)
    values = simplex.radius_ratio("cohen", "li", known)
    assert (values == 0).any()
    axes = figures.simplex_map(
        known, values, new_axes(), label="ratio", centre=1.0, limits=(0.5, 1.2), logarithmic=True
    )
    shown = colours(axes).get_array()
    assert not np.ma.is_masked(colours(axes).norm(shown))
    assert colours(axes).get_clim() == (0.5, 1.2)
    assert shown.min() == 0.5
    assert pointed(axes) == "min"


@pytest.mark.slow
def test_a_difference_that_changes_sign_diverges_and_one_that_does_not_runs_one_way():
    axes = maps.difference_map("improved_dp", "li", "multinomial", new_axes())
    assert colours(axes).get_cmap().name == style.DIVERGING
    assert len(axes.lines) == 1
    axes = maps.difference_map("two_sided", "li", "multinomial", new_axes())
    assert colours(axes).get_cmap().name == style.SEQUENTIAL
    assert len(axes.lines) == 0


@pytest.mark.slow
def test_a_ratio_is_the_ratio_on_a_scale_of_factors():
    axes = maps.ratio_map("improved_dp", ("cohen", "li"), "multinomial", new_axes())
    known = simplex.make_grid(maps.STEPS)
    low, high = colours(axes).get_clim()
    assert low < 1 < high
    values = simplex.radius_ratio("improved_dp", ("cohen", "li"), known)
    np.testing.assert_array_equal(colours(axes).get_array(), np.maximum(values, low))
    assert len(axes.lines) == 1
    assert axes.get_title(loc="left") == "improved DP  /  largest of Cohen, Li"
    ticks = [text.get_text() for text in bar(axes).get_yticklabels()]
    assert "1" in ticks and len(ticks) <= 7


@pytest.mark.slow
def test_ones_own_mechanism_goes_by_its_name():
    def mine(e0, e1):
        return sc.MECHANISMS["li"].radius(e0, e1) / 2

    axes = maps.ratio_map(mine, "li", "multinomial", new_axes())
    assert axes.get_title(loc="left") == "mine  /  Li"
    assert colours(axes).get_clim() == (0.5, 1.5)  # though the same everywhere


@pytest.mark.slow
def test_a_long_list_is_broken_into_lines():
    axes = maps.difference_map(
        "two_sided",
        {f"some_module:mechanism_{i}": "li" for i in range(4)},
        "multinomial",
        new_axes(),
    )
    text = axes.get_title(loc="left").split("\n")
    assert len(text) > 1 and all(len(line) <= maps.WIDEST for line in text)


def test_infinite_ratios_take_the_last_colour():
    known = simplex.make_grid(20)
    values = simplex.radius_ratio("li", "cohen", known)
    assert np.isinf(values).any()
    axes = figures.simplex_map(known, values, new_axes(), label="ratio", limits=(0.0, 2.0))
    shown = colours(axes).get_array()
    assert not np.ma.is_masked(shown)  # a masked point would leave a hole
    assert (shown[np.isinf(values)] > 2).all()
    assert colours(axes).get_clim() == (0, 2)
    assert pointed(axes) == "max"


@pytest.mark.parametrize("values", [np.ones(3), np.full(400, np.nan), np.full(400, np.inf)])
def test_values_that_cannot_be_drawn_are_refused(values):
    with pytest.raises(sc.InvalidInput, match="values must be a number for each of 400 points"):
        figures.simplex_map(simplex.make_grid(20), values, new_axes(), label="broken")


def test_equal_values_need_limits():
    known = simplex.make_grid(20)
    with pytest.raises(sc.InvalidInput, match="limits must rise"):
        figures.simplex_map(known, np.ones(400), new_axes(), label="flat")
    figures.simplex_map(known, np.ones(400), new_axes(), label="flat", limits=(0, 2))


def test_limits_are_the_values_or_what_is_asked():
    assert colour_limits(VALUES, None, None) == (0.5, 3.0)
    assert colour_limits(VALUES, None, (0.0, 1.0)) == (0.0, 1.0)
    assert colour_limits(VALUES, 1.0, None) == (-1.0, 3.0)
    with pytest.raises(sc.InvalidInput, match="limits must rise"):
        colour_limits(VALUES, None, (1.0, 1.0))


def test_limits_of_ratios_are_even_in_factors():
    low, high = colour_limits(VALUES, 1.0, None, logarithmic=True)
    assert (low, high) == (pytest.approx(1 / 3), 3.0)


@pytest.mark.parametrize("limits", [(0.0, 500.0), (1e-9, 0.01), (30.0, 90.0), (0.2, 2.0)])
def test_ratios_beyond_ten_share_a_colour(limits):
    low, high = colour_limits(VALUES, None, limits, logarithmic=True)
    assert 0.1 <= low < high <= 10


def test_a_few_extreme_places_do_not_stretch_the_colours():
    values = np.concatenate([np.linspace(1, 2, 1000), [1e6, np.inf, 0.0]])
    low, high = bulk_limits(values, 1.0)
    assert 0.9 < low < 1.1 and 1.9 < high < 2.1
    assert bulk_limits(np.ones(10), 1.0) == (0.5, 1.5)
    assert bulk_limits(np.full(3, np.inf), 1.0) == (0.5, 1.5)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.5, 2.0, [0.5, 1.0, 1.5, 2.0]),
        (1.4, 6.0, [2, 3, 4, 5, 6]),
        (0.1, 10.0, [0.1, 0.2, 0.5, 1, 2, 5, 10]),
        (1.0, 1.22, [1.0, 1.05, 1.1, 1.15, 1.2]),
    ],
)
def test_levels_are_round_and_few(low, high, expected):
    assert round_ratios(low, high) == pytest.approx(expected)


def test_numbers_have_a_minus_sign():
    assert format_level(-0.4) == "\N{MINUS SIGN}0.4" and format_level(2.0) == "2"
