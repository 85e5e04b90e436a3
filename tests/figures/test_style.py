"""One look for each mechanism, told apart by every sort of eye; panels in order; sound files."""

import subprocess
import sys

import numpy as np
import pytest
from figured import new_axes

import simplicert as sc
from simplicert import figures, simplex
from simplicert.figures import saving, style
from simplicert.mechanisms.naming import example_threats
from simplicert.mechanisms.threats import find_threat

# Viénot, Brettel and Mollon 1999: how a screen's colours look without red, or green, cones.
BLIND = {
    "protan": [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
    "deutan": [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]],
}


def seen(colours, eye=None):
    """Colours as a kind of eye sees them, in a space where distance is difference (CIE Lab)."""
    from matplotlib.colors import to_rgb

    rgb = np.array([to_rgb(colour) for colour in colours])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    if eye:
        linear = np.clip(linear @ np.array(BLIND[eye]).T, 0, 1)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = linear @ np.array(to_xyz).T / [0.9505, 1.0, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.column_stack(
        [116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])]
    )


def nearest(colours, eye):
    """The smallest difference between two of the colours."""
    lab = seen(colours, eye)
    return min(float(np.linalg.norm(one - two)) for i, one in enumerate(lab) for two in lab[:i])


@pytest.mark.parametrize("eye", [None, "protan", "deutan"])
def test_mechanisms_are_told_apart_by_colour(eye):
    """A difference of 2.3 is just seen; these are four times that and more."""
    assert nearest([look.colour for look in style.MECHANISM_STYLES.values()], eye) > 10


@pytest.mark.parametrize("threat", example_threats(), ids=lambda threat: threat.noise)
@pytest.mark.parametrize("eye", [None, "protan", "deutan"])
def test_the_mechanisms_of_every_threat_are_told_apart(threat, eye):
    looks = [style.mechanism_style(name, threat) for name in threat.mechanisms]
    assert nearest([look.colour for look in looks], eye) > 10
    for field in ("name", "colour", "line", "marker"):
        assert len({getattr(look, field) for look in looks}) == len(looks)
    assert style.GREY not in {look.colour for look in looks}
    assert not any("_" in look.name for look in looks)


def test_a_threat_names_a_formula_in_its_own_way():
    assert style.mechanism_style("lecuyer").name == "Lecuyer"
    assert style.mechanism_style("lecuyer", find_threat("laplace")).name == "pure DP"
    assert style.mechanism_style("one_sided").name == "one_sided"  # no threat, no label


@pytest.mark.parametrize("eye", [None, "protan", "deutan"])
def test_runs_are_told_apart_by_colour_up_to_the_papers_seven_sigmas(eye):
    assert nearest(style.run_colours(7), eye) > 7


def test_runs_grow_lighter_so_that_grey_print_keeps_their_order():
    lightness = seen(style.run_colours(7))[:, 0]
    assert (np.diff(lightness) > 3).all()
    assert lightness[-1] < 80  # and still show on white


def test_every_mechanism_has_a_look_of_its_own():
    assert set(sc.MECHANISMS) | {"ensemble"} == set(style.MECHANISM_STYLES)
    for field in ("name", "colour", "line", "marker"):
        assert len({getattr(look, field) for look in style.MECHANISM_STYLES.values()}) == len(
            style.MECHANISM_STYLES
        )


def test_the_tight_radius_is_solid_and_the_papers_ensemble_dashed():
    axes = new_axes()
    for name in ("two_sided", "ensemble"):
        axes.plot([0, 1], [0, 1], **style.line_keywords(name))
    assert [line.get_linestyle() for line in axes.get_lines()] == ["-", "--"]


def test_a_mechanism_of_the_callers_own_goes_by_its_name():
    assert style.mechanism_style("mine").name == "mine"
    assert style.mechanism_style("mine").colour not in {
        look.colour for look in style.MECHANISM_STYLES.values()
    }


def test_one_run_has_a_colour_too():
    assert len(style.run_colours(1)) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("stacked", "wider"), [(False, True), (True, False)])
def test_panels_stand_side_by_side_or_stacked(tmp_path, stacked, wider):
    drawn = []

    def panel(axes):
        drawn.append(axes)

    path = saving.save_figure([panel, panel], tmp_path / "two.png", (4, 4), stacked=stacked)
    assert path.read_bytes().startswith(b"\x89PNG")
    first, second = (axes.get_position() for axes in drawn)
    if wider:
        assert first.x1 < second.x0 and first.y0 == second.y0
    else:
        assert second.y1 < first.y0 and first.x0 == second.x0


@pytest.mark.slow
def test_the_size_and_the_dots_are_as_asked(tmp_path):
    from matplotlib.image import imread

    def panel(axes):
        axes.plot([0, 1])

    for dpi in (60, 120):
        height, width, _ = imread(saving.save_figure(panel, tmp_path / "p.png", (4, 2), dpi)).shape
        assert abs(width - 4 * dpi) < 0.1 * 4 * dpi and abs(height - 2 * dpi) < 0.15 * 2 * dpi


@pytest.mark.parametrize("dpi", [0, 49, 1201])
def test_dots_that_make_no_picture_are_refused(tmp_path, dpi):
    with pytest.raises(sc.InvalidInput, match=rf"dpi must lie in 50\.\.1200, got {dpi}"):
        saving.save_figure(lambda axes: None, tmp_path / "p.png", dpi=dpi)


def test_the_legend_stands_above_the_axes():
    axes = new_axes()
    axes.plot([0, 1], [0, 1], **style.line_keywords("cohen"))
    style.draw_legend(axes, "a note")
    axes.figure.draw_without_rendering()
    assert axes.get_legend().get_window_extent().y0 >= axes.get_window_extent().y1
    assert axes.get_legend().get_title().get_text() == "a note"


def small_map(axes):
    known = simplex.make_grid(20)
    values = simplex.radius_difference("cohen", "li", known)
    options = {"centre": 0.0, "contours": (-0.2,)}
    return figures.simplex_map(known, values, axes, label="difference", **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suffix", "start"),
    [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml"), ("PNG", b"\x89")],
)
def test_the_same_figure_gives_the_same_bytes(tmp_path, monkeypatch, suffix, start):
    first = figures.save_figure(small_map, tmp_path / f"first.{suffix}").read_bytes()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")  # another day, to matplotlib
    second = figures.save_figure(small_map, str(tmp_path / f"second.{suffix}")).read_bytes()
    assert first == second
    assert first.startswith(start)


@pytest.mark.slow
def test_a_saved_picture_has_200_dots_an_inch(tmp_path):
    from matplotlib.image import imread

    height, width, _ = imread(figures.save_figure(small_map, tmp_path / "map.png")).shape
    assert 4.5 * 200 < width <= 5.2 * 200
    assert 2.0 * 200 < height <= 3.1 * 200


@pytest.mark.slow
def test_fonts_in_a_pdf_are_not_type_3(tmp_path):
    assert b"/Type3" not in figures.save_figure(small_map, tmp_path / "map.pdf").read_bytes()


@pytest.mark.slow
def test_saving_leaves_the_settings_of_matplotlib_alone(tmp_path):
    import matplotlib

    before = {name: matplotlib.rcParams[name] for name in saving.SETTINGS}
    figures.save_figure(small_map, tmp_path / "map.svg")
    assert before == {name: matplotlib.rcParams[name] for name in saving.SETTINGS}


@pytest.mark.parametrize("name", ["map.gif", "map"])
def test_an_unknown_format_is_refused(tmp_path, name):
    with pytest.raises(sc.InvalidInput, match=r"must be one of \.png, \.pdf, \.svg"):
        figures.save_figure(small_map, tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_matplotlib_waits_until_it_draws_and_pyplot_is_never_imported(tmp_path):
    script = f"""
import sys
from simplicert import figures, simplex
from simplicert.figures import maps, regions, style
assert "matplotlib" not in sys.modules
known = simplex.make_grid(5)
def draw(axes):
    figures.simplex_map(known, known.e0, axes, label="E0", centre=0.5, contours=(0.4,))
for suffix in ("png", "pdf", "svg"):
    figures.save_figure(draw, {str(tmp_path / "map.")!r} + suffix)
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True)
