"""The page as a reader meets it, in a real browser: what it shows, and that it requests nothing."""

import numpy as np
import pytest

import simplicert as sc
from simplicert.figures.style import mechanism_style
from simplicert.metrics.averages import certified_accuracy
from simplicert.metrics.numbers import format_share_down
from simplicert.report import report_page
from simplicert.types.certificates import format_radius_down

EVIL = ("<img src=x onerror='window.hacked=1'>", "<script>window.hacked=2</script>", "&amp;")

NAMES = "return document.getElementById('curves').plot.curves.map((curve) => curve.name)"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def study(make_study):
    return make_study()


@pytest.fixture(scope="module")
def text(study):
    return report_page([study], images=False)


@pytest.fixture
def report(page, text, tmp_path):
    return page.open(text, tmp_path)


def test_nothing_complains_and_nothing_is_asked_for(report):
    for element, value in (("map", "ratio"), ("map", "winner"), ("kind", "softmax")):
        report.choose(element, value)
    for name in ("curves", "simplex"):
        report.element(f".png[data-plot={name}]").click()
        assert report.downloaded(f"run-softmax-{name}.png")[:4] == b"\x89PNG"
    assert report.logs() == ([], [])


def test_that_test_would_see_a_request(page, tmp_path):
    """The same look at a page that does call out, and does complain."""
    page.open(
        "<html data-ready=yes><img src='http://127.0.0.1:9/x.png'><script>nobody()</script>",
        tmp_path,
    )
    page.until("return document.images[0].complete")
    told, asked = page.logs()
    assert asked == ["http://127.0.0.1:9/x.png"]
    assert any("nobody" in message for message in told)


def test_the_page_may_not_call_out_even_if_it_would(report):
    """The policy in the page stops an image, a request and a script that were never ours."""
    blocked = report.driver.execute_async_script("""
        const [done, seen] = [arguments[0], new Set()];
        document.addEventListener("securitypolicyviolation", (event) => {
            seen.add(event.effectiveDirective);
            if (seen.size === 3) done([...seen].sort());
        });
        fetch("http://127.0.0.1:9/").catch(() => 0);
        new Image().src = "http://127.0.0.1:9/x.png";
        const script = document.createElement("script");
        script.textContent = "window.hacked = 3";
        document.body.append(script);
    """)
    assert blocked == ["connect-src", "img-src", "script-src-elem"]
    assert report.run("return window.hacked") is None


def test_switching_a_mechanism_changes_the_curves(report, study):
    assert report.run(NAMES) == ["best radius", "Cohen"]  # bold and thin
    lines = report.driver.find_elements("css selector", "#curves [data-curve]")
    assert [line.get_attribute("stroke-width") for line in lines] == ["3", "1"]
    labels = [mechanism_style(name).name for name in study.certificates().columns]
    assert report.texts("#mechanisms label") == ["best radius", *labels]
    box = report.element("#mechanisms input[value=li]")
    box.click()
    assert report.run(NAMES) == ["best radius", "Cohen", "Li"]
    assert {"best radius", "Cohen", "Li"} == {*report.texts("#curves .direct")}  # beside the lines
    box.send_keys(" ")  # by keyboard
    assert not any("Li" in text for text in report.texts("#at-radius-table th"))


def test_the_curves_are_certified_accuracy(report, study):
    """At random radii, at 0 and at the radii of inputs themselves, where the step is."""
    certificates = study.certificates()
    random = np.random.default_rng(0)
    radii = [0.0, *random.uniform(0, 1.2, 3), *random.choice(certificates.column("cohen"), 2)]
    for radius in radii:
        report.type("at-radius", repr(float(radius)))
        lines = report.run("""
            const rows = document.querySelectorAll("#at-radius-table tr");
            return [...rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
        """)
        for name, (_, value, counted) in zip(("radius", "cohen"), lines, strict=True):
            rate = certified_accuracy(certificates, float(radius), name)
            assert counted == f"{rate.hits} of {rate.total}"
            assert value == format_share_down(rate.hits, rate.total)
    drawn = report.run("return document.getElementById('curves').plot.curves[1].steps")
    for radius, share in drawn[::7]:
        later = [s for r, s in drawn if r == radius][-1]
        assert later == certified_accuracy(certificates, radius, "cohen").value <= share


def test_hovering_shows_the_right_input_and_a_click_keeps_it(report, study):
    certificates = study.certificates()
    frame = certificates.to_frame().set_index("index")
    live = frame[~frame["abstained"]]
    far = live[[  # from every other point, so that only one can be meant
        np.hypot(live["e0"] - row.e0, live["e1"] - row.e1).nsmallest(2).iloc[1] > 0.03
        for row in live.itertuples()
    ]].head(3)  # fmt: skip
    assert len(far) == 3
    for index, row in far.iterrows():
        report.point_at("simplex", row["e0"], row["e1"])
        report.until(
            "return document.getElementById('card').dataset.input === arguments[0]", str(index)
        )
        said = report.element("#card").text
        assert f"Input {index}" in said
        assert f"label {row['label']}" in said
        assert f"predicted {row['predicted']}" in said
        assert format_radius_down(row["e0"], 5) in said
        for name in (*certificates.radii, "ensemble"):
            assert format_radius_down(row[name]) in said
    report.point_at("simplex", row["e0"], row["e1"], click=True)
    ring = "const c = document.querySelector('#simplex .ring'); return c && c.getAttribute('r')"
    assert report.until(ring) == "9"
    report.element("#card-open").click()
    assert f"input {index}" in report.element("#inputs .detail").text


def test_the_table_opens_with_the_riskiest(report, study):
    outcomes = report.column("outcome")
    radii = [float(text) for text in report.column("radius")]
    order = [("wrong", "abstained", "correct").index(word) for word in outcomes]
    assert order == sorted(order)
    wrong, right = outcomes.count("wrong"), outcomes.count("correct")
    assert wrong > 1 and right > 1
    assert radii[:wrong] == sorted(radii[:wrong], reverse=True)
    assert radii[-right:] == sorted(radii[-right:])


def test_sorting_sorts_by_mouse_and_by_keyboard(report):
    find = "#inputs th[data-key=cohen]"
    report.element(f"{find} button").click()
    values = [float(text) for text in report.column("cohen")]
    assert values == sorted(values)
    assert report.element(find).get_attribute("aria-sort") == "ascending"
    report.element(f"{find} button").send_keys("\n")
    falling = [float(text) for text in report.column("cohen")]
    assert falling == sorted(values, reverse=True) != values
    assert report.element(find).get_attribute("aria-sort") == "descending"
    report.element("#inputs th[data-key=e0] button").click()
    cells = report.column("e0")
    there = [float(text) for text in cells if text]
    assert there == sorted(there)
    assert cells[len(there) :] == [""] * (len(cells) - len(there))  # abstentions stand last


def test_filters_and_pages(page, make_study, tmp_path):
    study = make_study(inputs=120)
    report = page.open(report_page([study], images=False), tmp_path)
    everyone = []
    while True:
        everyone += report.column("index")
        if not report.element("#next").is_enabled():
            break
        report.element("#next").click()
    assert sorted(everyone, key=int) == [str(i) for i in range(120)]
    report.choose("outcome", "wrong")
    correct = study.certificates().correct
    live = ~study.certificates().abstained
    assert sorted(report.column("index"), key=int) == [
        str(i) for i in np.flatnonzero(live & ~correct)
    ]
    report.choose("outcome", "")
    report.type("find", "17")
    assert report.column("index") == ["17"]
    report.type("find", "no such class")
    assert report.column("index") == []
    assert report.element("#page").text == "no input matches"


def test_the_csv_is_the_certificates_file(report, study, tmp_path):
    for kind in ("multinomial", "softmax"):
        report.choose("kind", kind)
        report.element("#csv").click()
        file = tmp_path / f"{kind}.csv"
        sc.write_certificates(study.certificates(kind), file)
        assert report.downloaded(f"run-{kind}.csv") == file.read_bytes()


def test_numbers_are_written_as_the_package_writes_them(report):
    random = np.random.default_rng(0)
    values = [*(10.0 ** random.uniform(-320, 25, 300)), 0.0, 1.0, 1e-4, 9e-5, 1e16, 123456789.0]
    found = report.run("return arguments[0].map(pythonText)", [float(x) for x in values])
    assert found == [repr(float(x)) for x in values]


def test_names_with_markup_are_shown_and_not_run(page, make_study, tmp_path):
    study = make_study(
        "<b onclick='window.hacked=4'>run</b>",
        made={"class_names": [*EVIL, "d"], "data": "<i>file</i>.npz", "model": EVIL[0]},
    )
    other = make_study("plain")
    report = page.open(report_page([study, other]), tmp_path)
    for name in EVIL:
        assert any(name in text for text in report.texts("#inputs tbody td"))
        assert any(name in text for text in report.texts("table.grid th"))
    report.element("#inputs tbody button").click()
    assert any(name in report.element("#card").text for name in EVIL)
    assert any(name in report.element("#inputs .detail").text for name in EVIL)
    assert study.name in report.element("h1").text
    assert any(text.startswith("<b onclick='window") for text in report.texts("#curves .direct"))
    assert "<i>file</i>.npz" in report.texts("table.words td")
    assert report.run("return window.hacked") is None
    assert report.run("return document.querySelectorAll('img, b[onclick], i').length") == 0
    assert report.logs() == ([], [])


def test_switching_run_and_kind_switches_everything(page, make_study, tmp_path):
    studies = [make_study("first", seed=1), make_study("second", seed=1, sigma=1.0, soft=False)]
    report = page.open(report_page(studies, images=False), tmp_path)
    assert "Opened on second: of 2 runs" in report.element("#opening").text
    assert report.element("#run").get_attribute("value") == "1"
    assert "best radius · second" in report.run(NAMES)
    report.choose("run", "0")
    report.choose("kind", "softmax")
    assert [t for t in report.run(NAMES) if "second" in t] == []  # it has no scores
    report.choose("run", "1")
    assert report.element("#kind").get_attribute("value") == "multinomial"
    shown = report.run("""
        return [...document.querySelectorAll(".view:not([hidden])")].map((e) => e.dataset);
    """)
    assert {(block["run"], block["kind"]) for block in shown} == {("1", "multinomial")}
    radii = sorted(float(text) for text in report.column("radius"))
    exact = sorted(float(format_radius_down(r)) for r in studies[1].certificates().radius)
    assert radii == exact


def test_a_run_that_did_not_declare_the_kind_is_marked_wherever_it_is_named(
    page, make_study, tmp_path
):
    studies = [make_study("hard", seed=1), make_study("soft", seed=1, kind="softmax")]
    report = page.open(report_page(studies, images=False), tmp_path)
    for kind, marked in (("multinomial", "soft"), ("softmax", "hard"), ("multinomial", "soft")):
        report.choose("kind", kind)
        expected = [f"{n} (exploratory)" if n == marked else n for n in ("hard", "soft")]
        assert report.texts("#run option") == expected
        assert report.texts("#shown-runs label") == expected
        assert {name.partition(" · ")[2] for name in report.run(NAMES)} == set(expected)


def test_a_share_at_a_radius_is_floored_from_whole_numbers(report):
    """Every share of 300 and of 1,000: 87 / 300 as a float is below 0.29."""
    for total in (300, 1000):
        found = report.run(
            f"return [...Array({total + 1}).keys()].map((n) => shareDown(n, {total}))"
        )
        assert found == [format_share_down(hits, total) for hits in range(total + 1)]


def test_radii_without_bounds_have_no_place_on_the_simplex(page, make_study, tmp_path):
    """Scheme joint of earlier runs proves a radius and no E0; the page says so."""
    study = make_study(soft=False, scheme="joint", method="buehler", draws=300)
    report = page.open(report_page([study], images=False), tmp_path)
    certified = int((study.certificates().radius > 0).sum())
    assert certified > 5
    said = report.element("#simplex-caption").text
    assert said.startswith("0 inputs are shown")
    assert f"{certified} are certified without such bounds" in said
    report.element("#inputs tbody button").click()
    assert "no bounds E0 and E1" in report.element("#card").text
    assert report.texts("#mechanisms label") == ["best radius", "two-sided"]
    assert report.logs() == ([], [])


def test_without_labels_the_page_says_what_is_left(page, make_study, tmp_path):
    study = make_study(labelled=False, soft=False)
    report = page.open(report_page([study], images=False), tmp_path)
    assert set(report.column("outcome")) == {"certified", "abstained"}
    assert "share of inputs certified" in report.element("#curves-title").text
    assert report.logs() == ([], [])


def test_of_many_runs_the_chosen_stand_out_of_a_faint_crowd(page, make_study, tmp_path):
    """Ten runs on two sets of inputs: one is bold as asked; a switch or the list adds others."""
    studies = [
        make_study(f"m{k}", 6, soft=False, seed=k, index=np.arange(6) * (1 + k % 2))
        for k in range(10)
    ]
    report = page.open(report_page(studies, images=False, highlight=["m3"]), tmp_path)
    first = report.run("return state.view.run")
    bold = sorted({3, first})
    faint = "return document.querySelectorAll('#curves path.crowd').length"
    checked = "return switchedOn('shown-runs').map(Number)"
    assert report.run(checked) == bold and report.run(faint) == 10 - len(bold)
    assert report.texts("h1") == ["Certificates of 10 runs"]
    assert report.texts("#inputs-of-runs li")[0].startswith("unpaired: ")
    one, two = [run for run in range(10) if run not in bold][:2]
    report.element(f"#shown-runs input[value='{one}']").click()
    assert report.run(faint) == 9 - len(bold)
    report.choose("run", str(two))
    assert two in report.run(checked) and report.run(faint) == 8 - len(bold)
    assert report.logs() == ([], [])
