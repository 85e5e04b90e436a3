// Certified accuracy against the radius.

const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"];
const FEW = ["cohen", "ensemble", "two_sided", "cdf", "radius"]; // of several runs all are a thicket

const switchedOn = (id) => [...document.querySelectorAll(`#${id} input:checked`)].map((box) => box.value);

function addSwitch(fieldset, value, text, colour, checked) {
  const box = make("input", { type: "checkbox", value, checked, onchange: drawCurves });
  fieldset.append(make("label", {}, box, ...(colour ? [swatch(colour)] : []), text));
}

function setSwitches() {
  const fieldset = byId("mechanisms");
  const boxes = [...fieldset.querySelectorAll("input")];
  const before = new Map(boxes.map((box) => [box.value, box.checked]));
  fieldset.replaceChildren(fieldset.firstElementChild); // the legend
  for (const name of state.view.columns) {
    const checked = before.get(name) ?? (!several() || FEW.includes(name));
    addSwitch(fieldset, name, lookOf(name).label, lookOf(name).colour, checked);
  }
}

// The radii that count, ascending: certified accuracy at r is the share of inputs with one above r,
// or of at least r where radii cover changes of exactly their size.
function reached(view, column) {
  view.reached ??= {};
  view.reached[column] ??= Float64Array.from(
    rowsOf(view)
      .filter((row) => ["correct", "certified"].includes(row.outcome) && (view.closed || row[column] > 0))
      .map((row) => row[column]),
  ).sort();
  return view.reached[column];
}

function shownCurves() {
  const runs = several() ? switchedOn("shown-runs") : ["0"];
  const names = switchedOn("mechanisms");
  return page.views
    .filter((view) => view.kind === state.view.kind && runs.includes(String(view.run)))
    .flatMap((view) => names.filter((n) => view.columns.includes(n)).map((column) => ({ view, column })));
}

const curveName = ({ view, column }) => lookOf(column).label + (several() ? ` · ${view.name}` : "");

// Where a closed curve ends, at 0: beyond its largest radius.
const beyond = (values) => (values.length ? values[values.length - 1] : 0) + (state.view.whole ? 1 : 0.001);

function curveTrace(curve) {
  const { view, column } = curve;
  const values = reached(view, column);
  const total = rowsOf(view).length;
  const dash = DASHES[view.run % DASHES.length];
  return {
    x: [0, ...values, ...(view.closed ? [beyond(values)] : [])],
    y: [values.length, ...Array.from(values, (_, k) => values.length - (view.closed ? k : k + 1)), ...(view.closed ? [0] : [])].map((n) => n / total),
    name: plain(curveName(curve)),
    mode: "lines",
    line: { shape: view.closed ? "vh" : "hv", color: lookOf(column).colour, width: 2, dash },
  };
}

function drawCurves() {
  const words = state.view.labelled ? "certified accuracy" : "share of inputs certified";
  const of = state.view.labelled ? "are certified as their label" : "are certified";
  byId("curves-title").textContent = `How far: ${words}`;
  byId("curves-caption").textContent = `Share of all inputs that ${of} with a radius ${state.view.closed ? "of at least" : "above"} r.`;
  const traces = shownCurves().map(curveTrace);
  const axis = { gridcolor: LINES, zeroline: false };
  const below = { orientation: "h", y: -0.18, yanchor: "top", font: { size: 12 } };
  const inside = { x: 1, xanchor: "right", y: 1, bgcolor: "#fffffcc0" };
  Plotly.react("curves", traces, {
    font: FONT,
    width: byId("curves").clientWidth,
    height: narrow() ? 360 + 22 * traces.length : 440,
    margin: { l: 52, r: 12, t: 12, b: 48 },
    paper_bgcolor: PAPER,
    plot_bgcolor: PAPER,
    hovermode: false,
    dragmode: false,
    showlegend: true,
    legend: narrow() ? below : inside,
    xaxis: { ...axis, title: { text: plain(state.view.axis) }, rangemode: "tozero" },
    yaxis: { ...axis, title: { text: words }, range: [0, 1.02] },
    shapes: [{ type: "line", x0: 0, x1: 0, y0: 0, y1: 1, yref: "paper", line: { width: 1, dash: "dot" } }],
  }, PLOTLY);
  readCurves();
}

function readCurves() {
  const at = Math.max(0, Number(byId("at-radius").value) || 0);
  const lines = shownCurves().map((curve) => {
    const total = rowsOf(curve.view).length;
    const hits = reached(curve.view, curve.column).reduce((n, radius) => n + (curve.view.closed ? radius >= at : radius > at), 0);
    const name = make("th", { scope: "row" }, swatch(lookOf(curve.column).colour), ` ${curveName(curve)}`);
    const cells = [shareDown(hits, total), `${hits} of ${total}`].map((text) => make("td", {}, text));
    return make("tr", {}, name, ...cells);
  });
  byId("at-radius-table").tBodies[0].replaceChildren(...lines);
  Plotly.relayout("curves", { "shapes[0].x0": at, "shapes[0].x1": at });
}

function followPointer(event) {
  const at = pointed(byId("curves"), event);
  if (!at) return;
  byId("at-radius").value = Math.max(0, at[0]).toFixed(4);
  readCurves();
}
