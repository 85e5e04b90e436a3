"""The triangle, exact lines, and names beside it."""

import numpy as np
from matplotlib.figure import Figure

from simplicert.figures.frame import CORNERS, annotate_place, draw_curves, draw_frame
from simplicert.simplex.regions import BoundaryCurve


def new_axes():
    return Figure().add_subplot()


def test_the_frame_is_the_permissible_triangle():
    axes = new_axes()
    draw_frame(axes)
    (outline,) = axes.patches
    np.testing.assert_array_equal(outline.get_xy()[:3], CORNERS)
    assert (axes.get_xlim(), axes.get_ylim()) == ((0, 1), (0, 0.5))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("$E_0$", "$E_1$")


def test_a_closed_line_is_closed_and_an_open_one_is_not():
    e0, e1 = np.array([0.4, 0.5, 0.5]), np.array([0.1, 0.1, 0.2])
    axes = new_axes()
    draw_curves(axes, [BoundaryCurve(e0, e1, True), BoundaryCurve(e0, e1, False)], color="#123456")
    closed, left_open = axes.lines
    assert closed.get_xdata().tolist() == [0.4, 0.5, 0.5, 0.4]
    assert closed.get_ydata().tolist() == [0.1, 0.1, 0.2, 0.1]
    assert left_open.get_xdata().tolist() == [0.4, 0.5, 0.5]
    assert closed.get_color() == "#123456"


def test_a_name_points_at_its_place():
    axes = new_axes()
    annotate_place(axes, "here", (0.3, 0.1), (0.9, 0.4))
    (text,) = axes.texts
    assert text.xy == (0.3, 0.1) and text.get_position() == (0.9, 0.4)
    assert text.arrow_patch is not None
