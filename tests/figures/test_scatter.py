"""Every certified input once, at its own place, in the mark of its winner."""

import numpy as np
import pytest
from certified import drawn as certified
from figured import new_axes, write_run
from matplotlib.colors import to_hex

import simplicert as sc
from simplicert.figures import region_lines, scatter, scatter_on_simplex, style
from simplicert.metrics.study import read_studies


def marks(axes):
    """Name of each group of points -> (colour, points)."""
    return {
        drawn.get_label().split(":")[0]: (to_hex(drawn.get_facecolor()[0]), drawn.get_offsets())
        for drawn in axes.collections
        if len(drawn.get_offsets()) and not drawn.get_label().startswith("_")
    }


@pytest.fixture
def without_lines(monkeypatch):
    """The points alone: tracing the lines takes seconds."""
    monkeypatch.setattr(scatter, "region_lines", lambda axes, kind: axes)


@pytest.mark.usefixtures("without_lines")
def test_each_input_is_where_its_expectations_are():
    certificates = certified()
    found = marks(scatter_on_simplex(certificates, new_axes()))
    known = certificates.known
    for name in sc.PAPER_ENSEMBLE["multinomial"]:
        look = style.MECHANISM_STYLES[name]
        colour, points = found.pop(look.name)
        here = certificates.winner == name
        assert colour == look.colour.lower() and here.any()
        np.testing.assert_array_equal(points, np.column_stack([known.e0[here], known.e1[here]]))
    assert not found


@pytest.mark.usefixtures("without_lines")
def test_the_legend_counts_them_and_those_abstained_on():
    certificates = certified()
    texts = [
        text.get_text()
        for text in scatter_on_simplex(certificates, new_axes()).get_legend().get_texts()
    ]
    counted = dict(text.split(": ") for text in texts)
    assert counted["abstained"] == str((certificates.winner == "").sum()) != "0"
    assert counted["Li"] == str((certificates.winner == "li").sum())
    assert sum(map(int, counted.values())) == len(certificates)


@pytest.mark.slow
def test_the_region_lines_are_there():
    alone = region_lines(new_axes(), "multinomial").get_lines()
    drawn = scatter_on_simplex(certified(), new_axes()).get_lines()
    assert len(alone) == len(drawn) > 0
    for one, two in zip(alone, drawn, strict=True):
        np.testing.assert_array_equal(one.get_data(), two.get_data())


@pytest.mark.slow
def test_softmax_needs_no_line_and_every_point_is_improved_dp(tmp_path):
    (study,) = read_studies([write_run(tmp_path / "run")])
    certificates = study.certificates("softmax")
    axes = scatter_on_simplex(certificates, new_axes())
    assert list(marks(axes)) == ["improved DP"]
    assert len(marks(axes)["improved DP"][1]) == (~certificates.abstained).sum() > 0
    assert "softmax (exploratory)" in axes.get_legend().get_title().get_text()


@pytest.mark.usefixtures("without_lines")
def test_the_triangle_is_framed():
    axes = scatter_on_simplex(certified(), new_axes())
    assert (axes.get_xlim(), axes.get_ylim()) == ((0, 1), (0, 0.5))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("$E_0$", "$E_1$")


def test_without_a_certified_input_it_is_refused():
    nothing = sc.certify(sc.bound(sc.Tally([[5, 5, 5], [4, 5, 6]], sigma=0.5)))
    with pytest.raises(sc.InvalidInput, match="none of 2 has them"):
        scatter_on_simplex(nothing, new_axes())
