// Certified accuracy against the radius: a colour and a marker for each run, the best radius bold.

const DASHES = { lecuyer: "2 3", li: "1 3", improved_dp: "9 3", ensemble: "5 3", two_sided: "14 2 2 2", cdf: "7 2 1 2" };
const MOST_STEPS = 1500; // of a drawn curve; beyond, two for each pixel

const switchedOn = (id) => [...document.querySelectorAll(`#${id} input:checked`)].map((box) => box.value);

function addSwitch(fieldset, value, text, colour, checked) {
  const box = make("input", { type: "checkbox", value, checked, onchange: () => { colourSwitches(); drawCurves(); } });
  fieldset.append(make("label", {}, box, ...(colour ? [swatch(colour)] : []), text));
}

// Of many runs the colours go to those that are switched on, in their order.
function colourSwitches() {
  if (!crowded()) return;
  for (const box of document.querySelectorAll("#shown-runs input")) {
    const mark = box.parentElement.querySelector(".swatch");
    mark.style.background = box.checked ? runColour(Number(box.value)) : "var(--pale)";
  }
}

const curveColumns = (view) => ["radius", ...view.columns.filter((name) => name !== "radius")];

function setSwitches() {
  const fieldset = byId("mechanisms");
  const boxes = [...fieldset.querySelectorAll("input")];
  const before = new Map(boxes.map((box) => [box.value, box.checked]));
  fieldset.replaceChildren(fieldset.firstElementChild); // the legend
  for (const name of curveColumns(state.view)) {
    const usual = name === "radius" || name === state.view.base;
    const colour = several() ? null : curveColour({ view: state.view, column: name });
    addSwitch(fieldset, name, labelOf(name), colour, before.get(name) ?? usual);
  }
}

// The radii that count, ascending: certified accuracy at r is the share of inputs with one above r,
// or of at least r where radii cover changes of exactly their size.
function reached(view, column) {
  view.reached ??= {};
  const counts = (outcome) => outcome === "correct" || outcome === "certified";
  const outcomes = outcomesOf(view);
  view.reached[column] ??= Float64Array.from(
    view.values[column].filter((radius, at) => counts(outcomes[at]) && (view.closed || radius > 0)),
  ).sort();
  return view.reached[column];
}

// How many of rising numbers are above x, or at least x.
function countBeyond(values, x, closed) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (closed ? values[middle] >= x : values[middle] > x) high = middle;
    else low = middle + 1;
  }
  return values.length - low;
}

function shownCurves() {
  const runs = several() ? switchedOn("shown-runs") : ["0"];
  const names = switchedOn("mechanisms");
  return page.views
    .filter((view) => view.kind === state.view.kind && runs.includes(String(view.run)))
    .flatMap((view) => names.filter((n) => curveColumns(view).includes(n)).map((column) => ({ view, column })));
}

// The runs of a crowd: by their best radius, behind the others.
function crowdCurves() {
  const bold = boldRuns();
  return crowded() ? page.views
    .filter((view) => view.kind === state.view.kind && !bold.includes(view.run))
    .map((view) => ({ view, column: "radius" })) : [];
}

const curveName = ({ view, column }) => labelOf(column) + (several() ? ` · ${view.name}` : "");
const curveColour = ({ view, column }) => (several() || column === "radius" ? runColour(view.run) : inkOf(lookOf(column).colour));

// Where a closed curve ends, at 0: beyond its largest radius.
const beyond = (values) => (values.length ? values[values.length - 1] : 0) + (state.view.whole ? 1 : 0.001);

// The corners of the step curve, as [radius, share].
function curveSteps({ view, column }, pixels) {
  const values = reached(view, column);
  const total = view.size;
  const share = (n) => n / total;
  const most = values.length ? values[values.length - 1] : 0;
  const radii = values.length <= MOST_STEPS
    ? [...new Set(values)]
    : [...Array.from({ length: 2 * pixels }, (_, k) => (k * most) / (2 * pixels)).slice(1), most];
  const steps = [[0, share(countBeyond(values, 0, view.closed))]];
  for (const radius of radii) {
    if (view.closed) {
      const here = share(countBeyond(values, radius, true));
      steps.push([steps.at(-1)[0], here], [radius, here]);
    } else {
      steps.push([radius, steps.at(-1)[1]], [radius, share(countBeyond(values, radius, false))]);
    }
  }
  if (view.closed) steps.push([beyond(values), steps.at(-1)[1]], [beyond(values), 0]);
  return steps;
}

function drawCurves() {
  const words = state.view.labelled ? "certified accuracy" : "share of inputs certified";
  const of = state.view.labelled ? "are certified as their label" : "are certified";
  byId("curves-title").textContent = `How far: ${words}`;
  const bold = `Bold: the best radius.${state.view.base ? ` Thin: ${labelOf(state.view.base)}.` : ""}`;
  byId("curves-caption").textContent = `Share of all inputs that ${of} with a radius ${state.view.closed ? "of at least" : "above"} r. ${bold}`;
  const curves = shownCurves();
  const crowd = crowdCurves();
  if (crowd.length) byId("curves-caption").textContent += ` Grey: the other ${crowd.length} runs.`;
  const everything = [...curves, ...crowd];
  const largest = Math.max(0, ...everything.map((curve) => (curve.view.closed ? beyond : (v) => v.at(-1) ?? 0)(reached(curve.view, curve.column))));
  const highest = Math.max(0.1, ...everything.map((curve) => reached(curve.view, curve.column).length / curve.view.size));
  const top = Math.ceil(highest / 0.2 - 1e-9) / 5;
  const plot = openPlot("curves", {
    height: narrow() ? 330 : 430,
    margin: { l: 52, r: 18, t: 16 },
    x: [0, (largest || 1) * 1.04],
    y: [0, 1.02 * top],
    xTitle: state.view.axis,
    yTitle: words,
    yTicks: ticksOf(0, top, 5),
  });
  plot.curves = curves.map((curve) => ({ ...curve, name: curveName(curve), steps: curveSteps(curve, plot.box.wide) }));
  crowd.forEach((curve) => drawFaintCurve(plot, curve));
  plot.curves.forEach((curve) => drawCurve(plot, curve));
  labelCurves(plot);
  plot.cursor = svg("line", { class: "cursor", y1: plot.box.top, y2: plot.box.top + plot.box.high });
  plot.over.append(plot.cursor);
  readCurves();
}

function drawFaintCurve(plot, curve) {
  const line = svg("path", { class: "crowd", d: linePath(plot, curveSteps(curve, plot.box.wide)), fill: "none", "stroke-width": 1 });
  line.append(svg("title", {}, curve.view.name));
  plot.area.append(line);
}

function drawCurve(plot, curve) {
  const { view, column, steps, name } = curve;
  const colour = curveColour(curve);
  const best = column === "radius";
  const thin = column === view.base;
  const dash = best || thin ? null : DASHES[column] ?? "4 2 1 2";
  const line = svg("path", { d: linePath(plot, steps), fill: "none", "stroke-width": best ? 3 : thin ? 1 : 1.6, "stroke-dasharray": dash });
  line.style.stroke = colour;
  line.dataset.curve = name;
  plot.area.append(line);
  if (!several() || !best) return;
  const most = steps.at(-1)[0];
  const places = [0.08, 0.26, 0.44, 0.62, 0.8].map((part) => (part + 0.013 * runPlace(view.run)) * most).map((at) => [at, shareAt(steps, at)]);
  const marks = svg("path", { class: "mark", d: pointsPath(plot, places, MARKER_NAMES[runPlace(view.run) % MARKER_NAMES.length], 5), "stroke-width": 1.5 });
  marks.style.fill = colour;
  plot.area.append(marks);
}

function readCurves() {
  const plot = byId("curves").plot;
  const at = Math.max(0, Number(byId("at-radius").value) || 0);
  const lines = shownCurves().map((curve) => {
    const total = curve.view.size;
    const hits = countBeyond(reached(curve.view, curve.column), at, curve.view.closed);
    const name = make("th", { scope: "row" }, swatch(curveColour(curve)), ` ${curveName(curve)}`);
    const cells = [shareDown(hits, total), `${hits} of ${total}`].map((text) => make("td", {}, text));
    return make("tr", {}, name, ...cells);
  });
  byId("at-radius-table").tBodies[0].replaceChildren(...lines);
  const x = Math.min(plot.x(at), plot.box.left + plot.box.wide);
  plot.cursor.setAttribute("x1", x);
  plot.cursor.setAttribute("x2", x);
}

function followPointer(event) {
  const at = pointerAt(byId("curves").plot, event);
  if (!at) return;
  byId("at-radius").value = Math.max(0, at[0]).toFixed(4);
  readCurves();
}
