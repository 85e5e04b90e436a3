"""The simplex explorer in a browser: every reading is a radius that is true at the pointer."""

import numpy as np
import pytest

import simplicert as sc
from simplicert.figures.style import mechanism_style
from simplicert.mechanisms.naming import describe_threat, example_threats
from simplicert.report import report_page
from simplicert.report.payload import STEPS

PAIR = [name for name, row in sc.MECHANISMS.items() if row.needs == "pair"]


@pytest.fixture(scope="module")
def text():
    return report_page()


@pytest.fixture
def explorer(page, text, tmp_path):
    return page.open(text, tmp_path)


def read(explorer, e0, e1):
    """The card at a point: mechanism's label -> radius as shown."""
    rows = explorer.run(
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


@pytest.mark.slow
def test_readings_are_true_and_not_far_below(explorer):
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
        shown = read(explorer, e0, e1)
        if not shown:
            assert e0 - e1 < 2 / STEPS
            continue
        close += 1
        for label, name in names.items():
            below = max(e1, 1e-12)  # at 0 the tight radius is infinite
            assert shown[label] <= sc.radius(name, min(e0, 1 - 1e-12), below)
            safe = sc.radius(name, e0 - 1 / STEPS, min(e1 + 1 / STEPS, 1 - e0 + 1 / STEPS))
            assert shown[label] > safe - 1.1e-4
        assert shown["ensemble"] == max(shown[n] for n in ("Cohen", "Li", "improved DP"))
    assert close > 10


@pytest.mark.slow
def test_softmax_has_no_cohen(explorer):
    explorer.choose("kind", "softmax")
    shown = read(explorer, 0.8, 0.1)
    labels = [mechanism_style(name).name for name in PAIR if "softmax" in sc.MECHANISMS[name].kinds]
    assert set(shown) == {*labels, "ensemble"} and "Cohen" not in labels
    assert explorer.texts("#first option") == labels


@pytest.mark.slow
def test_sigma_scales_the_reading_and_never_above(explorer):
    one = read(explorer, 0.9, 0.05)
    explorer.type("sigma", "0.25")
    quarter = read(explorer, 0.9, 0.05)
    for name, value in one.items():
        assert 0.25 * value - 1e-4 < quarter[name] <= 0.25 * (value + 1e-4)


@pytest.mark.slow
def test_the_pointer_reads_where_it_is(explorer):
    explorer.point_at("simplex", 0.6, 0.2)
    explorer.until(
        """return document.querySelector("#card p").textContent.startsWith("E0 = 0.59")"""
    )
    said = explorer.texts("#card p")[0]
    e0, e1 = (float(part.split("=")[1]) for part in said.split(",")[:2])
    assert abs(e0 - 0.6) < 2 / STEPS
    assert abs(e1 - 0.2) < 2 / STEPS


@pytest.mark.slow
def test_a_map_of_any_two(explorer):
    """Cells of the map against the package's own radii, all over the triangle."""
    explorer.choose("map", "difference")
    explorer.choose("first", "cohen")
    explorer.choose("second", "li")
    trace = explorer.run(
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
    assert explorer.logs() == ([], [])


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(example_threats())))
def test_every_threat_has_its_maps_and_true_readings(explorer, number):
    threat = example_threats()[number]
    assert explorer.texts("#threat option")[number] == describe_threat(threat)
    explorer.choose("threat", str(number))
    labels = [
        mechanism_style(name, threat).name
        for name, row in threat.mechanisms.items()
        if row.needs == "pair" and "multinomial" in row.kinds
    ]
    assert explorer.texts("#first option") == labels
    about = {"noise": threat.noise, "norm": threat.norm, **threat.numbers}
    for e0, e1 in ((0.93, 0.04), (0.7, 0.2), (0.4, 0.1)):
        shown = read(explorer, e0, e1)
        for name in threat.mechanisms:
            label = mechanism_style(name, threat).name
            if label in shown:
                assert shown[label] <= sc.radius(name, e0, e1, **about)
                safe = sc.radius(name, e0 - 1 / STEPS, e1 + 1 / STEPS, **about)
                assert shown[label] > safe - 1.1e-4
                assert not threat.whole or shown[label] == int(shown[label])
    hidden = explorer.run("return document.getElementById('sigma').closest('label').hidden")
    assert hidden == threat.whole
    for kind in ("multinomial", "softmax"):
        explorer.choose("kind", kind)
        proved = any(kind in row.kinds for row in threat.mechanisms.values())
        shown = explorer.element("#kind").get_attribute("value")
        assert shown == (kind if proved else "multinomial")
        explorer.choose("map", "winner")
        assert explorer.run(
            "return document.querySelectorAll('#simplex .region, #simplex image').length"
        )
        for chosen in ("ratio", "difference", "radius"):
            explorer.choose("map", chosen)
            drawn = explorer.run("return document.getElementById('simplex').plot.map.z.flat()")
            kinds = {type(value) for value in drawn if value is not None}
            assert kinds and kinds <= {int, float}
    assert explorer.logs() == ([], [])
