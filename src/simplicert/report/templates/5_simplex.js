// The simplex with every certified input as a point, and the card beside it.

const OUTCOMES = {
  correct: { colour: INK, symbol: "circle", size: 7 },
  certified: { colour: INK, symbol: "circle", size: 7 },
  wrong: { colour: "#d4005a", symbol: "x", size: 9 },
};
const QUIET = { mode: "lines", hoverinfo: "skip", showlegend: false };
const MASK = { // hides the cells of the map that stick out of the triangle
  ...QUIET, x: [0, 0.5, 1, 1.2, 1.2, -0.2, -0.2, 0], y: [0, 0.5, 0, 0, 0.7, 0.7, 0, 0],
  fill: "toself", fillcolor: PAPER, line: { width: 0 },
};
const EDGE = { ...QUIET, x: [0, 1, 0.5, 0], y: [0, 0, 0.5, 0], line: { color: INK, width: 1 } };

const placed = (row) => row.e0 != null && row.outcome !== "abstained";

function pointTraces() {
  if (!state.view) return [];
  const by = state.view.compares ? byId("points").value : "outcome";
  const groups = by === "outcome" ? Object.keys(OUTCOMES) : Object.keys(page.looks);
  const rows = rowsOf(state.view).filter(placed);
  return groups.map((name) => pointTrace(by, name, rows.filter((row) => row[by] === name)))
    .filter((trace) => trace.x.length > 0);
}

function pointTrace(by, name, rows) {
  const many = rows.length > 3000; // smaller, and without a rim, they are drawn faster
  const other = { colour: lookOf(name)?.colour, symbol: "circle", size: 7 };
  const { colour, symbol, size } = by === "outcome" ? OUTCOMES[name] : other;
  return {
    x: rows.map((row) => row.e0),
    y: rows.map((row) => row.e1),
    customdata: rows.map((row) => row.at),
    name: by === "outcome" ? name : lookOf(name).label,
    mode: "markers",
    hoverinfo: "none", // the card shows it
    marker: {
      size: many ? 5 : size, symbol, color: colour, opacity: 0.8, line: { color: PAPER, width: many ? 0 : 1 },
    },
  };
}

function drawSimplex() {
  const map = byId("map").value;
  byId("first").closest("label").hidden = ["none", "winner"].includes(map);
  byId("second").closest("label").hidden = !["ratio", "difference"].includes(map);
  const points = pointTraces();
  const under = mapTraces();
  const corner = byId("window").value === "corner";
  const width = byId("simplex").clientWidth;
  const high = Math.min(width * 0.47, 420);
  const bottom = under.length ? 112 : 46;
  const axis = { zeroline: false, showgrid: false, constrain: "domain" };
  Plotly.react("simplex", [...under, MASK, EDGE, ...points], {
    font: FONT,
    width,
    height: Math.round(high) + bottom + 34,
    margin: { l: 52, r: 12, t: 34, b: bottom },
    paper_bgcolor: PAPER,
    plot_bgcolor: PAPER,
    hovermode: "closest",
    hoverdistance: 8,
    dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
    showlegend: points.length > 0,
    legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom" },
    xaxis: { ...axis, title: { text: "E0", standoff: 4 }, range: corner ? [0.9, 1.002] : [-0.01, 1.01] },
    yaxis: {
      ...axis, title: { text: "E1", standoff: 4 }, range: corner ? [-0.001, 0.05] : [-0.005, 0.505],
      scaleanchor: "x",
    },
    shapes: ring(),
  }, PLOTLY);
  byId("simplex-caption").textContent = state.view ? placedWords(rowsOf(state.view)) : "";
}

function placedWords(rows) {
  const abstained = rows.filter((row) => row.outcome === "abstained").length;
  const shown = rows.filter(placed).length;
  const more = rows.length - shown - abstained;
  const others = more ? ` ${more} are certified without such bounds.` : "";
  return `${shown} inputs are shown; ${abstained} abstentions have no bounds E0 and E1, so no place.${others}`;
}

// Around the pinned input; a shape, because another trace would redraw all points.
function ring() {
  if (!state.pinned || !placed(state.pinned)) return [];
  const size = { xsizemode: "pixel", ysizemode: "pixel", x0: -9, x1: 9, y0: -9, y1: 9 };
  const at = { xanchor: state.pinned.e0, yanchor: state.pinned.e1 };
  return [{ type: "circle", ...size, ...at, line: { color: "#0072b2", width: 3 } }];
}

function thumb(index, size) {
  const sheet = page.sprites;
  const slot = sheet?.slots[index];
  if (slot === undefined) return [];
  const grow = size / Math.max(sheet.width, sheet.height);
  const [wide, high] = [sheet.width * grow, sheet.height * grow];
  const element = make("span", { className: "thumb" });
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", `thumbnail of input ${index}`);
  Object.assign(element.style, {
    width: `${wide}px`,
    height: `${high}px`,
    backgroundSize: `${wide * sheet.across}px ${high * sheet.down}px`,
    backgroundPosition: `-${(slot % sheet.across) * wide}px -${Math.floor(slot / sheet.across) * high}px`,
    imageRendering: grow > 1 ? "pixelated" : "auto",
  });
  return [element];
}

function fillCard(input, title, ...content) {
  byId("card").dataset.input = input;
  byId("card").replaceChildren(make("h3", {}, title), ...content);
}

const line = (text) => make("p", {}, text);

function radiiTable(pairs) {
  const name = (key) => make("th", { scope: "row" }, swatch(lookOf(key).colour), ` ${lookOf(key).label}`);
  const shown = (value) => (state.threat.scale ? down(value) : String(Math.floor(value)));
  const lines = pairs.map(([key, value]) => make("tr", {}, name(key), make("td", {}, shown(value))));
  return make("table", {}, make("tbody", {}, ...lines));
}

function showInput(row) {
  const same = (other) => other.e0 === row.e0 && other.e1 === row.e1;
  const together = placed(row) ? rowsOf(state.view).filter(same).length - 1 : 0;
  const promised = `predicted ${className(row.predicted)} (${row.outcome})`;
  const texts = [
    state.view.labelled && `label ${className(row.label)}`,
    row.outcome === "abstained" ? "abstained: nothing is promised" : promised,
    row.e0 != null ? `E0 ≥ ${down(row.e0, 5)}, E1 ≤ ${up(row.e1)}` : "no bounds E0 and E1",
    state.view.compares && row.winner && `largest of the ensemble: ${lookOf(row.winner).label}`,
    together > 0 && `${together} more at this very point`,
  ];
  const table = radiiTable(state.view.columns.map((name) => [name, row[name]]));
  fillCard(row.index, `Input ${row.index}`, ...thumb(row.index, 96), ...texts.filter(Boolean).map(line), table);
}

// The grid point with E0 no larger and E1 no smaller: it promises less, so its radii hold here too.
function showPoint(e0, e1) {
  const [i, j] = [Math.floor(e0 * steps - 0.5), Math.max(0, Math.ceil(e1 * steps - 0.5))];
  if (!(e0 > e1 && e1 >= 0 && e0 + e1 <= 1 + 1e-9)) {
    return fillCard("", "Outside the simplex", line("E0 must exceed E1, and both together are at most 1."));
  }
  if (i <= j) {
    return fillCard("", "No certificate on the grid", line("E0 and E1 are too close for this page's grid."));
  }
  const { scale: name, unit, kinds, ensembles } = state.threat;
  const sigma = state.view ? state.view.sigma : Math.max(0, Number(byId("sigma").value) || 0);
  const sensitivity = state.view ? state.view.sensitivity : 1;
  // A run's sigma is a little smaller where it was rounded to single precision.
  const scale = (sigma / sensitivity) * (state.view ? 1 - 1e-7 : 1 - 1e-12);
  const at = (mechanism) => gridRadius(mechanism, i, j) * (name ? scale : 1); // whole numbers have no scale
  const largest = Math.max(...ensembles[state.kind].map(at));
  const scaled = name ? `, ${name} = ${sigma}` : "";
  const where = `E0 = ${down((i + 0.5) / steps, 5)}, E1 = ${up((j + 0.5) / steps)}${scaled}${sensitivity === 1 ? "" : `, sensitivity = ${sensitivity}`}`;
  const words = unit && `radii in ${unit.replace(/ \/ .*/, "")}, `;
  const note = make("p", { className: "note" }, `${words}read from a nearby grid point, rounded to the safe side`);
  const pairs = [...kinds[state.kind].map((key) => [key, at(key)]), ["ensemble", largest]];
  return fillCard("", "Radii at a point", line(where), radiiTable(pairs), note);
}

function showCard() {
  const row = state.hovered ?? state.pinned;
  if (row) showInput(row);
  else showPoint(Number(byId("read-e0").value), Number(byId("read-e1").value));
}

function pin(row) {
  Object.assign(state, { pinned: row, hovered: null });
  Plotly.relayout("simplex", { shapes: ring() });
  showCard();
  for (const shown of document.querySelectorAll("#inputs tbody tr")) {
    shown.classList.toggle("pinned", shown.dataset.at === String(row?.at));
  }
}
