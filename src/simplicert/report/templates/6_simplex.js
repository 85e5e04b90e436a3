// The simplex with certified inputs as points, and the card beside it.

const OUTCOMES = {
  correct: { colour: "var(--ink)", marker: "circle", size: 3.5 },
  certified: { colour: "var(--ink)", marker: "circle", size: 3.5 },
  wrong: { colour: "var(--wrong)", marker: "cross", size: 4 },
};
const WINDOWS = { whole: [[-0.01, 1.01], [-0.005, 0.505]], corner: [[0.9, 1.002], [-0.001, 0.05]] };
const MOST_POINTS = 3000; // drawn; every input stays in the table

const placed = (row) => row.e0 != null && row.outcome !== "abstained";

// Of many inputs every k-th is drawn.
function drawnRows() {
  const rows = rowsOf(state.view).filter(placed);
  const every = Math.ceil(rows.length / MOST_POINTS);
  return every > 1 ? rows.filter((_, k) => k % every === 0) : rows;
}

function pointGroups(rows) {
  const by = state.view.compares ? byId("points").value : "outcome";
  const names = by === "outcome" ? Object.keys(OUTCOMES) : [...new Set(rows.map((row) => row.winner))].filter(Boolean);
  const look = (name, k) => (by === "outcome" ? OUTCOMES[name] : { colour: inkOf(lookOf(name).colour), marker: MARKER_NAMES[k % MARKER_NAMES.length], size: 3.5 });
  return names
    .map((name, k) => ({ name: by === "outcome" ? name : lookOf(name).label, ...look(name, k), rows: rows.filter((row) => row[by] === name) }))
    .filter((group) => group.rows.length > 0);
}

function drawPoints(plot, groups, many) {
  for (const { rows, marker, size, colour, name } of groups) {
    const d = pointsPath(plot, rows.map((row) => [row.e0, row.e1]), marker, size * (many ? 0.75 : 1) * (narrow() ? 0.65 : 1));
    const open = marker === "cross";
    const path = svg("path", { d, class: open ? "" : "mark", fill: open ? "none" : null, "stroke-width": open ? 2.2 : many ? 0.4 : 1 });
    path.style[open ? "stroke" : "fill"] = colour;
    path.dataset.points = name;
    plot.area.append(path);
  }
  let x = plot.box.left;
  for (const { name, marker, size, colour, rows } of groups) { // what the markers mean
    const open = marker === "cross";
    const mark = svg("path", { d: `M${x + 6} 12${MARKERS[marker](size)}`, fill: open ? "none" : null, "stroke-width": open ? 2.2 : 0 });
    mark.style[open ? "stroke" : "fill"] = colour;
    const text = `${name} (${counted(rows.length)})`;
    plot.over.append(mark, svg("text", { class: "small", x: x + 15, y: 16 }, text));
    x += 30 + 7 * text.length;
  }
}

function drawSimplex() {
  const map = byId("map").value;
  byId("first").closest("label").hidden = ["none", "winner"].includes(map);
  byId("second").closest("label").hidden = !["ratio", "difference"].includes(map);
  const [x, y] = state.zoom ?? WINDOWS[byId("window").value];
  const shown = drawnRows();
  const groups = pointGroups(shown);
  const plot = openPlot("simplex", {
    x, y, xTitle: "E0", yTitle: "E1", grid: false,
    margin: { t: groups.length ? 30 : 14, b: MAPS[map] ? 104 : 46 },
  });
  const then = drawMap(plot, map);
  drawPoints(plot, groups, shown.length > 1200);
  then();
  plot.points = shown;
  plot.ring = svg("g");
  plot.over.append(plot.ring);
  drawRing();
  byId("simplex-caption").textContent = placedWords(shown.length);
}

function placedWords(drawn) {
  const rows = rowsOf(state.view);
  const abstained = rows.filter((row) => row.outcome === "abstained").length;
  const there = rows.filter(placed).length;
  const more = rows.length - there - abstained;
  const others = more ? ` ${counted(more)} are certified without such bounds.` : "";
  const shown = drawn < there
    ? `A sample of ${counted(drawn)} of ${counted(there)} inputs is drawn, evenly spread over the run; the table holds all of them`
    : `${counted(there)} inputs are shown`;
  return `${shown}; ${counted(abstained)} abstentions have no bounds E0 and E1, so no place.${others}${finePointer() ? " Drag to look closer, double-click to go back." : ""}`;
}

// Around the pinned input, also where it is not in the sample that is drawn.
function drawRing() {
  const plot = byId("simplex").plot;
  const row = state.pinned;
  if (!row || !placed(row)) return plot.ring.replaceChildren();
  const at = { cx: plot.x(row.e0), cy: plot.y(row.e1) };
  return plot.ring.replaceChildren(svg("circle", { class: "ring", ...at, r: 9 }), svg("circle", { class: "dot", ...at, r: 2.5 }));
}

// The drawn input nearest to the pointer, if it is near.
function rowNear(event) {
  const plot = byId("simplex").plot;
  const at = pointerAt(plot, event);
  if (!at) return null;
  const [x, y] = [plot.x(at[0]), plot.y(at[1])];
  let [best, least] = [null, 9];
  for (const row of plot.points) {
    const far = Math.hypot(plot.x(row.e0) - x, plot.y(row.e1) - y);
    if (far < least) [best, least] = [row, far];
  }
  return best;
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
  const name = (key) => make("th", { scope: "row" }, swatch(inkOf(lookOf(key).colour)), ` ${lookOf(key).label}`);
  const lines = pairs.map(([key, value]) => make("tr", {}, name(key), make("td", {}, radiusText(value))));
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
  const more = make("button", { type: "button", id: "card-open", onclick: () => openRow(row) }, "Open its row");
  fillCard(row.index, `Input ${row.index}`, ...thumb(row.index, 96), ...texts.filter(Boolean).map(line), table, more);
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
  const { sigma, sensitivity } = state.view;
  // A run's sigma is a little smaller where it was rounded to single precision.
  const scale = (sigma / sensitivity) * (1 - 1e-7);
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
  drawRing();
  showCard();
  for (const shown of document.querySelectorAll("#inputs tbody tr[data-at]")) {
    shown.classList.toggle("pinned", shown.dataset.at === String(row?.at));
  }
}
