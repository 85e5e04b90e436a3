"""The simplex of a report: readings are radii that are true there, and so are maps."""

import numpy as np
import pytest

import simplicert as sc
from simplicert.figures.style import mechanism_style
from simplicert.report import report_page
from simplicert.report.payload import STEPS

PAIR = [name for name, row in sc.MECHANISMS.items() if row.needs == "pair"]
SIGMA = 0.5

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def text(make_study):
    return report_page([make_study(inputs=6, sigma=SIGMA)], images=False)


@pytest.fixture
def report(page, text, tmp_path):
    return page.open(text, tmp_path)


def read(report, e0, e1):
    """The card at a point: mechanism's label -> radius as shown."""
    rows = report.run(
        """
        for (const [name, value] of [["e0", arguments[0]], ["e1", arguments[1]]]) {
            document.getElementById(`read-${name}`).value = value;
            document.getElementById(`read-${name}`).dispatchEvent(new Event("input"));
        }
        const rows = [...document.querySelectorAll("#card tr")];
        return rows.map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
        """,
        repr(float(e0)),
        repr(float(e1)),
    )
    return {name: float(value) for name, value in rows}


def test_readings_are_true_and_not_far_below(report):
    random = np.random.default_rng(0)
    names = {
        mechanism_style(name).name: name
        for name in PAIR
        if "multinomial" in sc.MECHANISMS[name].kinds
    }
    points = [(0.7, 0.3), (0.999, 0.001), (0.5, 0.0), (1.0, 0.0)]  # on the sides too
    points += [sorted(random.dirichlet([1, 1, 1]))[:0:-1] for _ in range(12)]
    close = 0
    for e0, e1 in points:
        shown = read(report, e0, e1)
        if not shown:
            assert e0 - e1 < 2 / STEPS
            continue
        close += 1
        for label, name in names.items():
            below = max(e1, 1e-12)  # at 0 the tight radius is infinite
            assert shown[label] <= sc.radius(name, min(e0, 1 - 1e-12), below, sigma=SIGMA)
            least = (e0 - 1 / STEPS, min(e1 + 1 / STEPS, 1 - e0 + 1 / STEPS))
            assert shown[label] > sc.radius(name, *least, sigma=SIGMA) - 1.1e-4
        assert shown["ensemble"] == max(shown[n] for n in ("Cohen", "Li", "improved DP"))
    assert close > 10
    report.choose("kind", "softmax")
    labels = [mechanism_style(name).name for name in PAIR if "softmax" in sc.MECHANISMS[name].kinds]
    assert set(read(report, 0.8, 0.1)) == {*labels, "ensemble"} and "Cohen" not in labels
    assert report.texts("#first option") == labels


def test_the_pointer_reads_where_it_is(report):
    report.point_at("simplex", 0.6, 0.2)
    report.until("""return document.querySelector("#card p").textContent.startsWith("E0 = 0.59")""")
    said = report.texts("#card p")[0]
    e0, e1 = (float(part.split("=")[1]) for part in said.split(",")[:2])
    assert abs(e0 - 0.6) < 2 / STEPS
    assert abs(e1 - 0.2) < 2 / STEPS


def test_a_map_of_any_two(report):
    """Cells of the map against the package's own radii, all over the triangle."""
    report.choose("map", "difference")
    report.choose("first", "cohen")
    report.choose("second", "li")
    trace = report.run(
        "const t = document.getElementById('simplex').plot.map; return [t.z, t.zmin, t.zmax]"
    )
    z, low, high = trace
    checked = 0
    for j in range(0, STEPS // 2, 17):
        for i in range(0, STEPS, 13):
            if not j < i < STEPS - j:
                outside = i < j or i > STEPS - j
                assert not outside or z[j][i] is None
                continue
            e0, e1 = (i + 0.5) / STEPS, (j + 0.5) / STEPS
            exact = sc.radius("cohen", e0, e1) - sc.radius("li", e0, e1)
            assert z[j][i] == pytest.approx(exact, abs=1e-6) and low < 0 < high
            checked += 1
    assert checked > 80
    assert report.logs() == ([], [])
