"""The diagram says what the package does."""

from figured import new_axes
from matplotlib.patches import FancyBboxPatch

import simplicert as sc
from simplicert.figures import process_diagram, style
from simplicert.figures.process import REPEATED


def texts_of(axes):
    return [text.get_text() for text in axes.texts if text.get_text()]


def boxes(axes):
    return [patch for patch in axes.patches if isinstance(patch, FancyBboxPatch)]


def test_every_stage_of_the_papers_caption_is_there():
    words = texts_of(process_diagram(new_axes()))
    for stage in ("one input", "$n$ independent draws", "expectations", "mechanisms", "ensemble"):
        assert stage in words
    assert sum(text.startswith("multinomial") for text in words) == 1
    assert sum(text.startswith("softmax") for text in words) == 1


def test_the_mechanisms_are_those_of_both_ensembles():
    axes = process_diagram(new_axes())
    for name in sc.MECHANISMS:
        times = sum(name in members for members in sc.PAPER_ENSEMBLE.values())
        assert texts_of(axes).count(style.mechanism_style(name).name) == times


def test_what_is_repeated_is_blue_and_nothing_else_is():
    from matplotlib.colors import to_rgba

    axes = process_diagram(new_axes())
    blue = [box for box in boxes(axes) if box.get_facecolor() == to_rgba(REPEATED)]
    repeated = [text for text in texts_of(axes) if text == "$f$" or "varepsilon" in text]
    assert len(blue) == len(repeated) == 6


def test_no_box_covers_another_and_each_holds_its_words():
    figure = process_diagram(new_axes()).figure
    figure.set_size_inches(7.16, 2.9)
    figure.draw_without_rendering()
    (axes,) = figure.axes
    edges = [box.get_window_extent() for box in boxes(axes)]
    for place, edge in enumerate(edges):
        assert not edge.count_overlaps(edges[:place])
    words = [text for text in axes.texts if text.get_text() and text.get_text() != "⋮"]
    inside = 0
    for text in words:
        extent = text.get_window_extent()
        holding = [edge for edge in edges if edge.count_overlaps([extent])]
        inside += len(holding)
        for edge in holding:
            assert edge.x0 < extent.x0 and extent.x1 < edge.x1, text
            assert edge.y0 < extent.y0 and extent.y1 < edge.y1, text
    assert inside == len(edges)
