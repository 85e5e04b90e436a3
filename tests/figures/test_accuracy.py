"""The steps that are drawn, against certified accuracy counted by hand."""

import numpy as np
import pytest
from certified import drawn as certified
from certified import stated
from figured import lines, new_axes, step_at

import simplicert as sc
from simplicert.figures import accuracy_of_runs, certified_accuracy, style
from simplicert.figures.accuracy import accuracy_steps

RADII = np.linspace(0, 2, 57)


def by_hand(certificates, column, radii=RADII):
    values, right = certificates.column(column), certificates.correct
    return [np.mean([r and v > at for r, v in zip(right, values, strict=True)]) for at in radii]


def test_every_technique_is_drawn_and_is_its_certified_accuracy():
    certificates = certified()
    found = lines(certified_accuracy(certificates, new_axes()))
    columns = (*certificates.radii, "ensemble")
    assert list(found) == [style.mechanism_style(name).name for name in columns]
    for name in columns:
        line = found[style.mechanism_style(name).name]
        np.testing.assert_allclose(step_at(line, RADII), by_hand(certificates, name))


def test_it_drops_exactly_at_a_radius_and_not_before():
    """Two inputs at 0.5: at r = 0.5 neither has a radius > r."""
    certificates = stated([True, True, True, False], cohen=[0.5, 0.5, 0.25, 1.0])
    line = accuracy_steps(certificates, "cohen")
    np.testing.assert_array_equal(
        step_at(line, [0.0, 0.2499, 0.25, 0.4999, 0.5, 0.9]), [0.75, 0.75, 0.5, 0.5, 0, 0]
    )


def test_each_technique_keeps_its_look():
    axes = certified_accuracy(certified(), new_axes())
    drawn = {line.get_label(): line for line in axes.get_lines()}
    for name in ("cohen", "li", "ensemble"):
        look = style.MECHANISM_STYLES[name]
        assert drawn[look.name].get_color() == look.colour
        assert drawn[look.name].get_marker() == look.marker
        assert drawn[look.name].get_drawstyle() == "steps-post"


def test_reach_is_where_the_axis_ends():
    assert certified_accuracy(certified(), new_axes(), reach=3.0).get_xlim() == (0, 3)
    assert certified_accuracy(certified(), new_axes()).get_xlim()[0] == 0


def test_the_legend_says_what_the_numbers_are_over():
    axes = certified_accuracy(certified(inputs=60), new_axes())
    title = axes.get_legend().get_title().get_text()
    assert title.startswith("multinomial\n")
    for text in ("= 0.5", "= 1,000", "= 0.05", "all 60 inputs"):
        assert text in title


def test_nothing_certified_is_a_line_at_zero():
    tally = sc.Tally([[5, 5, 5], [5, 6, 5]], sigma=0.5, labels=[0, 1])
    nothing = sc.certify(sc.bound(tally))
    for x, y in lines(certified_accuracy(nothing, new_axes())).values():
        assert list(x) == [0] and list(y) == [0]


def test_without_labels_it_is_refused():
    unknown = sc.certify(sc.bound(sc.Tally([[90, 5, 5]], sigma=0.5)))
    with pytest.raises(sc.InvalidInput, match="labels are needed"):
        certified_accuracy(unknown, new_axes())


def test_several_runs_two_lines_each_solid_and_dashed():
    several = {"first": certified(seed=1), "second": certified(seed=2), "third": certified(seed=3)}
    axes = accuracy_of_runs(several, new_axes())
    drawn = [line for line in axes.get_lines() if len(line.get_xdata())]
    assert len(drawn) == 6
    for place, (name, certificates) in enumerate(several.items()):
        ours, papers = drawn[place], drawn[place + 3]
        assert ours.get_label() == name and ours.get_color() == papers.get_color()
        assert (ours.get_linestyle(), papers.get_linestyle()) == ("-", "--")
        np.testing.assert_allclose(
            step_at(ours.get_data(), RADII), by_hand(certificates, "two_sided")
        )
        np.testing.assert_allclose(
            step_at(papers.get_data(), RADII), by_hand(certificates, "ensemble")
        )
    assert len({line.get_color() for line in drawn}) == 3
    shown = [text.get_text() for text in axes.get_legend().get_texts()]
    assert shown == ["two-sided", "ensemble", "first", "second", "third"]


def test_low_curves_with_a_long_tail_fill_the_axes():
    """One input in 200 reaches far; the axes end where fewer than 1 % are left, and say so."""
    counts = [[9999, 1]] + [[7000, 3000]] * 59 + [[3000, 7000]] * 140
    tally = sc.Tally(counts, sigma=1.0, labels=[0] * 200)
    axes = accuracy_of_runs({"run": sc.certify(sc.bound(tally))}, new_axes())
    (far,) = np.unique(axes.lines[-1].get_xdata())[-1:]
    near = axes.get_xlim()[1]
    assert 0.45 < near < 0.7 * far and axes.get_ylim() == (0, 0.4)
    note = axes.get_legend().get_title().get_text()
    assert note.endswith(f"beyond {near:g}: less than 1 % of inputs")


def test_high_curves_have_the_whole_frame():
    axes = accuracy_of_runs({"run": certified()}, new_axes())
    assert axes.get_ylim() == (0, 1) and "beyond" not in axes.get_legend().get_title().get_text()
    assert axes.get_xlim()[1] >= axes.lines[-1].get_xdata()[-1]
