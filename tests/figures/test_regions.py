"""Region lines and the paper's ratios, read from matplotlib's own objects."""

from functools import partial

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from readable import assert_readable

import simplicert as sc
from simplicert import figures, simplex
from simplicert.figures import maps, regions, style

KINDS = ("multinomial", "softmax")


def new_axes():
    return Figure(figsize=style.SIZE, layout="constrained").add_subplot()


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Each figure's axes as `save` draws them, its fonts and size included."""
    drawn = {}
    folder = tmp_path_factory.mktemp("maps")

    def lines_alone(axes):
        figures.region_lines(axes)
        maps.draw_frame(axes)
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


def test_each_draws_on_the_axes_it_was_given():
    for panel in (
        figures.ratio_softmax,
        figures.region_lines,
        partial(figures.winner_map, "softmax"),
    ):
        axes = new_axes()
        assert panel(axes) is axes


# Region lines


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
    assert set(ends) == {"Cohen largest", "Li largest"}
    for text, name in (("Cohen largest", "cohen"), ("Li largest", "li")):
        e0, e1 = ends[text]
        assert any(
            (np.hypot(line.get_xdata() - e0, line.get_ydata() - e1) < 1e-12).any()
            for line in drawn_lines(saved["lines"], name)
        )


def test_softmax_has_no_region_line():
    axes = regions.region_lines(new_axes(), "softmax")
    assert not axes.lines and not axes.texts


def test_lines_are_computed_once():
    assert regions.paper_borders("multinomial") is regions.paper_borders("multinomial")


# The paper's ratios


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
    assert axes.collections[0].get_clim() == (0.5, 2.0)
    assert axes.collections[0].get_cmap().name == style.DIVERGING
    assert drawn_lines(axes, "cohen") and drawn_lines(axes, "li")
    assert set(leaders(axes)) == {"Cohen largest", "Li largest", "above 2"}
    assert simplex.radius_ratio("improved_dp", others, at(*leaders(axes)["above 2"])) > 2


def at(e0, e1, kind="multinomial"):
    return simplex.make_points(np.array([e0]), np.array([e1]), kind)
