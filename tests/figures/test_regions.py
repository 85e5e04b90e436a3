"""Region maps, region lines and the paper's ratios, read from matplotlib's own objects."""

from functools import partial

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from readable import assert_readable

import simplicert as sc
from simplicert import figures, simplex
from simplicert.figures import frame, maps, regions, style

pytestmark = pytest.mark.slow

KINDS = ("multinomial", "softmax")

ENSEMBLE = sc.PAPER_ENSEMBLE["multinomial"]

two_sided = sc.MECHANISMS["two_sided"].radius


def new_axes():
    return Figure(figsize=style.SIZE, layout="constrained").add_subplot()


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Each figure's axes as `save_figure` draws them, its fonts and size included."""
    drawn = {}
    folder = tmp_path_factory.mktemp("maps")

    def lines_alone(axes):
        figures.region_lines(axes)
        frame.draw_frame(axes)
        return axes

    panels = {
        "ratio_softmax": figures.ratio_softmax,
        "ratio_multinomial": figures.ratio_multinomial,
        "lines": lines_alone,
        **{f"winner_{kind}": partial(figures.winner_map, kind) for kind in KINDS},
    }
    for name, panel in panels.items():
        figures.save_figure(
            lambda axes, n=name, p=panel: drawn.update({n: p(axes)}), folder / f"{name}.png"
        )
    return drawn


def colour_of(name):
    return style.mechanism_style(name).colour


def drawn_lines(axes, name):
    return [line for line in axes.lines if line.get_color() == colour_of(name)]


def leaders(axes):
    return {text.get_text(): text.xy for text in axes.texts if isinstance(text, Annotation)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "fewest"),
    [
        ("ratio_softmax", 15),
        ("ratio_multinomial", 18),
        ("lines", 15),
        ("winner_multinomial", 19),
        ("winner_softmax", 16),
    ],
)
def test_no_text_is_cut_or_covers_another(saved, name, fewest):
    assert_readable(saved[name], fewest)


@pytest.mark.slow
def test_each_draws_on_the_axes_it_was_given():
    for panel in (
        figures.ratio_softmax,
        figures.region_lines,
        partial(figures.winner_map, "softmax"),
    ):
        axes = new_axes()
        assert panel(axes) is axes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "others"), [("cohen", ["li", "improved_dp"]), ("li", ["improved_dp"])]
)
def test_on_a_region_line_its_mechanism_takes_over(saved, name, others):
    found = drawn_lines(saved["lines"], name)
    assert found
    e0 = np.concatenate([line.get_xdata()[2:-2] for line in found])
    e1 = np.concatenate([line.get_ydata()[2:-2] for line in found])
    ordinary = (e0 > 0.51) & (1 - e0 > 1e-6)
    e0, e1 = e0[ordinary], e1[ordinary]
    best = np.max([sc.radius(other, e0, e1) for other in others], axis=0)
    np.testing.assert_allclose(sc.radius(name, e0, e1), best, rtol=1e-8, atol=1e-11)
    assert len(e0) > 100


def test_right_of_a_line_its_mechanism_is_the_largest():
    known = simplex.make_points(np.array([0.72, 0.8, 0.9]), np.array([0.279, 0.06, 0.03]))
    left = simplex.make_points(np.array([0.68, 0.52, 0.54]), np.array([0.279, 0.06, 0.03]))
    ensemble = sc.PAPER_ENSEMBLE["multinomial"]
    assert simplex.winning_mechanism(ensemble, known).tolist() == ["cohen", "li", "li"]
    assert simplex.winning_mechanism(ensemble, left).tolist() == ["improved_dp"] * 3


def test_names_point_at_their_lines(saved):
    ends = leaders(saved["lines"])
    assert set(ends) == {"Cohen largest"}
    e0, e1 = ends["Cohen largest"]
    assert any(
        (np.hypot(line.get_xdata() - e0, line.get_ydata() - e1) < 1e-12).any()
        for line in drawn_lines(saved["lines"], "cohen")
    )


def test_li_has_its_name_inside_its_region(saved):
    (text,) = [text for text in saved["lines"].texts if text.get_text() == "Li largest"]
    assert simplex.winning_mechanism(ENSEMBLE, at(*text.get_position())).tolist() == ["li"]
    saved["lines"].get_figure().draw_without_rendering()  # letters have the size they were saved at
    inverse = saved["lines"].transData.inverted()
    for corner in text.get_window_extent().corners():
        assert simplex.winning_mechanism(ENSEMBLE, at(*inverse.transform(corner))) == ["li"]


def test_softmax_has_no_region_line():
    axes = regions.region_lines(new_axes(), "softmax")
    assert not axes.lines and not axes.texts


def test_lines_are_computed_once():
    assert regions.paper_borders("multinomial") is regions.paper_borders("multinomial")


@pytest.mark.slow
def test_ratio_of_softmax_is_above_one_and_five_at_the_corner(saved):
    axes = saved["ratio_softmax"]
    values = axes.collections[0].get_array()
    known = simplex.make_grid(maps.STEPS, "softmax")
    np.testing.assert_array_equal(values, simplex.radius_ratio("improved_dp", "lecuyer", known))
    assert values.min() > 1 and values.max() > 5
    assert not axes.lines
    assert (
        simplex.radius_ratio("improved_dp", "lecuyer", at(*leaders(axes)["above 5"], "softmax")) > 5
    )


def test_ratio_of_multinomial_has_both_region_lines(saved):
    axes = saved["ratio_multinomial"]
    others = ("cohen", "li", "lecuyer")
    values = simplex.radius_ratio("improved_dp", others, simplex.make_grid(maps.STEPS))
    np.testing.assert_array_equal(axes.collections[0].get_array(), values)
    assert axes.collections[0].get_clim() == regions.RATIOS
    assert saved["ratio_softmax"].collections[0].get_clim() == regions.RATIOS  # one scale
    assert axes.collections[0].get_cmap().name == style.DIVERGING
    assert drawn_lines(axes, "cohen") and drawn_lines(axes, "li")
    assert set(leaders(axes)) == {"Cohen largest", "above 2"}
    assert simplex.radius_ratio("improved_dp", others, at(*leaders(axes)["above 2"])) > 2


def at(e0, e1, kind="multinomial"):
    return simplex.make_points(np.array([e0]), np.array([e1]), kind)


def left_half(e0, e1):
    return np.where(e0 < 0.4, two_sided(e0, e1), 0.0)


def strip(e0, e1):
    return np.where(np.abs(e0 - 0.6) < 0.01, two_sided(e0, e1), 0.0)


@pytest.fixture(scope="module")
def paper():
    return regions.region_map(ENSEMBLE, "multinomial", new_axes())


def image(axes):
    return axes.images[0]


@pytest.mark.slow
def test_each_pixel_has_its_winner(paper):
    best = image(paper).get_array()
    assert best.shape == (regions.HIGH, 2 * regions.HIGH)
    known = simplex.make_grid(40)
    row, column = ((values * 2 * regions.HIGH).astype(int) for values in (known.e1, known.e0))
    shown = np.array(ENSEMBLE)[best[row, column]]
    # A point and the middle of its pixel may lie on two sides of a line.
    assert (shown == simplex.winning_mechanism(ENSEMBLE, known)).mean() > 0.99


def test_nothing_is_coloured_outside_the_triangle(paper):
    best = image(paper).get_array()
    assert best.mask[-1, 0] and best.mask[-1, -1]
    assert not best.mask[: regions.HIGH // 2, regions.HIGH].any()
    assert image(paper).get_clip_path() is not None


def test_the_legend_names_colours_and_shares(paper):
    texts = [text.get_text() for text in paper.get_legend().get_texts()]
    assert texts == ["Cohen 5.2 %", "Li 10.7 %", "improved DP 84.1 %"]
    shown = [patch.get_facecolor()[:3] for patch in paper.get_legend().get_patches()]
    np.testing.assert_allclose(shown, image(paper).get_cmap().colors)


def test_names_stand_in_their_regions_or_point_at_them(paper):
    inside = {text.get_text(): text for text in paper.texts}
    assert set(inside) == {"Cohen", "Li", "improved DP"}
    for name, text in (("cohen", "Cohen"), ("li", "Li"), ("improved_dp", "improved DP")):
        place = getattr(inside[text], "xy", None) or inside[text].get_position()
        e0, e1 = (np.array([value]) for value in place)
        assert simplex.winning_mechanism(ENSEMBLE, simplex.make_points(e0, e1)) == name


def test_exact_lines_are_drawn_between(paper):
    assert len(paper.lines) == 3


@pytest.mark.slow
def test_one_winner_everywhere():
    axes = regions.region_map(("lecuyer", "improved_dp"), "softmax", new_axes())
    assert not axes.lines
    assert [text.get_text() for text in axes.texts] == ["improved DP is the largest everywhere"]


@pytest.mark.slow
def test_own_mechanisms_have_their_own_colours_and_white_is_where_none_certifies():
    table = {"left": left_half, "strip": strip, "cohen": "cohen"}
    axes = regions.region_map(table, "multinomial", new_axes())
    colours = image(axes).get_cmap().colors
    assert len({tuple(colour) for colour in colours}) == 4  # one where two are equal
    best = image(axes).get_array()
    assert best.mask[20, int(0.45 * 2 * regions.HIGH)]  # neither certifies there
    assert best[20, int(0.2 * 2 * regions.HIGH)] == 0
    names = {text.get_text() for text in axes.texts}
    assert (
        "left" in names and "strip" not in names
    )  # no room, and no place beside: the legend has it
    figure = axes.get_figure()
    figure.draw_without_rendering()
    assert_readable(axes, 15)


def test_colours_differ_in_lightness_from_the_largest():
    """Blue and green of one lightness are one colour to tritanopes."""
    pale = regions.region_colours({"cohen": 0.1, "li": 0.2, "improved_dp": 0.7})
    light = [np.dot(colour, (0.2126, 0.7152, 0.0722)) for colour in pale]
    assert light[2] > max(light[:2]) + 0.15
    full = np.array([to_rgb(style.mechanism_style(name).colour) for name in ("cohen", "li")])
    np.testing.assert_allclose(pale[:2], full * 0.65 + 0.35)


def test_room_for_a_box():
    region = np.zeros((50, 100), dtype=bool)
    region[10:20, 5:65] = True
    region[30:45, 70:90] = True
    wide, tall = (
        regions.find_label_place(region, (5, 40)),
        regions.find_label_place(region, (13, 15)),
    )
    across, up = (np.array(place) * 2 * regions.HIGH for place in (wide, tall))
    assert 25 <= across[0] <= 45 and 12 <= across[1] <= 18
    assert 77 <= up[0] <= 83 and 36 <= up[1] <= 39
    assert regions.find_label_place(region, (20, 20)) is None
    assert regions.find_label_place(np.zeros((5, 5), dtype=bool), (1, 1)) is None


@pytest.mark.slow
@pytest.mark.long
def test_a_map_of_a_page_fits_too(tmp_path):
    """Two panels on a page are narrower, and so names need more of a region."""
    panels = [lambda axes: figures.winner_map("multinomial", axes)] * 2
    drawn = []
    figures.save_figure(
        [lambda axes, p=panel: drawn.append(p(axes)) for panel in panels],
        tmp_path / "two.png",
        style.PAGE,
    )
    for axes in drawn:
        assert_readable(axes, 17)
