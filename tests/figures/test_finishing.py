"""Names beside their lines, headings at one height or left out, text that stays text."""

import numpy as np
import pytest

from simplicert.figures import finishing, saving, style
from simplicert.figures.finishing import find_name_place

AREA = (200.0, 200.0)


def straight(*ends):
    """Places along a line from one end to the other, in points."""
    return np.column_stack([np.linspace(*pair, 200) for pair in zip(*ends, strict=True)])


def test_a_name_touches_no_line_and_its_own_is_the_nearest():
    own, other = straight((0, 100), (200, 100)), straight((0, 110), (200, 190))
    box = find_name_place(own, [other], (30.0, 8.0), AREA, [])
    assert finishing._distance(box, own) < finishing._distance(box, other)
    assert finishing._distance(box, own) >= finishing.PAD
    again = find_name_place(own, [other], (30.0, 8.0), AREA, [box])
    assert not finishing._overlap(box, again)


def test_a_line_between_two_others_has_no_room_for_a_name():
    others = [straight((0, y), (200, y)) for y in (97, 103)]
    assert find_name_place(straight((0, 100), (200, 100)), others, (30.0, 8.0), AREA, []) is None


def save(tmp_path, *panels, name="figure.svg", **options):
    """Save panels and return their axes and the text of the file."""
    drawn = []

    def draw(panel):
        return lambda axes: drawn.append(panel(axes))

    path = saving.save_figure([draw(panel) for panel in panels], tmp_path / name, **options)
    return drawn, path.read_text()


def crossing(axes):
    axes.plot([0, 1], [0, 1], label="rising", color="#0072B2")
    axes.plot([0, 1], [1, 0], label="falling", color="#D55E00")
    style.draw_legend(axes, "a note\nof two lines")
    return axes


def crowded(axes):
    for place in range(5):
        axes.plot([0, 1], [0, 1 + place / 100], label=f"line {place}", color=f"C{place}")
    style.draw_legend(axes, "another note\nof two lines")
    return axes


@pytest.mark.slow
def test_all_lines_are_named_directly_or_the_legend_is_whole(tmp_path):
    (left, right), text = save(tmp_path, crossing, crowded)
    assert [word.get_text() for word in left.texts] == ["rising", "falling"]
    assert not left.get_legend().get_texts()
    assert len(right.get_legend().get_texts()) == 5
    assert ">rising</text>" in text and ">a note</text>" in text  # to be edited as text
    heights = [axes.get_legend().get_window_extent().y1 for axes in (left, right)]
    assert heights[0] == pytest.approx(heights[1], abs=1)


@pytest.mark.slow
def test_without_a_heading_panels_keep_what_tells_them_apart(tmp_path):
    _, text = save(tmp_path, crossing, crowded, heading=False)
    assert ">a note</text>" in text and "of two lines" not in text
    _, text = save(tmp_path, crossing, heading=False)
    assert "a note" not in text
    _, text = save(tmp_path, crossing, crossing, heading=False)
    assert "a note" not in text

    def marked(axes):
        crossing(axes).get_legend().get_title().set_text("softmax (exploratory)\nof two lines")
        return axes

    _, text = save(tmp_path, marked, heading=False)
    assert "softmax (exploratory)" in text and "of two lines" not in text
