// An input opened in place: its picture, its scores, its place on the simplex, every radius, the attack.

function detailRow(row, across) {
  const facts = make("div", { className: "facts" }, ...thumb(row.index, 112), ...factLines(row).map(line));
  const parts = [
    ["Scores under noise", "detail-scores", drawScores],
    ["On the simplex", "detail-simplex", drawPlace],
    ["Radius by mechanism", "detail-bars", drawBars],
  ];
  const figures = parts.map(([title, id]) => make("figure", {}, make("figcaption", {}, title), make("div", { id, className: "plot" })));
  const cell = make("td", { colSpan: across }, make("div", { className: "opened" }, facts, ...figures));
  const found = make("tr", { className: "detail" }, cell);
  found.addEventListener("placed", () => parts.forEach(([, id, draw]) => draw(byId(id), row))); // now it has a width
  return found;
}

function factLines(row) {
  const { view } = state;
  const promised = row.outcome === "abstained"
    ? "abstained: nothing is promised"
    : `certified as ${className(row.predicted)} within ${radiusText(row.radius)}${view.labelled ? ` (${row.outcome})` : ""}`;
  const attack = attackOf(view, row);
  const found = attack?.found != null && `attack: ${className(attack.rival)} at ${up(attack.found, 4)}`;
  return [
    `input ${row.index}${view.labelled ? `, label ${className(row.label)}` : ""}`,
    promised,
    row.e0 != null && `E0 ≥ ${down(row.e0, 5)}, E1 ≤ ${up(row.e1)}`,
    row.draws != null && `${counted(row.draws)} draws`,
    attack ? found || "attack: nothing was found" : view.attack.length > 0 && "not attacked",
  ].filter(Boolean);
}

function attackOf(view, row) {
  view.attacked ??= new Map(view.attack.map(([index, radius, found, rival]) => [index, { radius, found, rival }]));
  return view.attacked.get(row.index);
}

const noFigure = (element, text) => element.replaceChildren(make("p", { className: "note" }, text));

// Histograms of the top class's score and of its nearest rival's, over all draws of the input.
function drawScores(element, row) {
  const { scores } = state.view;
  const at = scores ? scores.inputs.indexOf(row.index) : -1;
  if (at < 0) return drawCounts(element, row, scores ? "The histograms of this input were left out: the page holds those of 2,000 inputs." : "");
  const { bins, heights, first, second } = scores;
  const named = (number, words) => (number < 0 ? words : className(number));
  const plot = openPlot(element, {
    height: 170, margin: { l: 14, r: 10, t: 22, b: 40 }, x: [0, 1], y: [0, 268], yTicks: [], xTicks: [0, 0.25, 0.5, 0.75, 1],
    xTitle: "score", grid: false,
  });
  const looks = [
    { name: named(first[at], "top class"), className: "score-top" },
    { name: named(second[at], "largest other"), className: "score-rival" },
  ];
  looks.forEach((look, k) => {
    const high = heights.subarray((2 * at + k) * bins, (2 * at + k + 1) * bins);
    const corners = [[0, 0], ...Array.from(high).flatMap((height, b) => [[b / bins, height], [(b + 1) / bins, height]]), [1, 0]];
    plot.area.append(svg("path", { class: look.className, d: `${linePath(plot, corners)}Z` }));
    plot.over.append(
      svg("rect", { class: look.className, x: 14 + 120 * k, y: 5, width: 11, height: 9 }),
      svg("text", { class: "small", x: 30 + 120 * k, y: 14 }, look.name.length > 15 ? `${look.name.slice(0, 14)}…` : look.name),
    );
  });
  return plot;
}

// Without scores: how the draws were counted.
function drawCounts(element, row, note) {
  if (row.count_top == null || !row.draws) return noFigure(element, note || "This run keeps no scores and no counts.");
  const parts = [["top class", row.count_top], ["second", row.count_second ?? 0]];
  parts.push(["all others", Math.max(0, row.draws - parts[0][1] - parts[1][1])]);
  const plot = openPlot(element, { height: 130, margin: { l: 78, r: 66, t: 6, b: 6 }, x: [0, row.draws], y: [0, 3], axes: false });
  parts.forEach(([name, count], k) => {
    const y = plot.y(3 - k) + 8;
    plot.over.append(
      svg("text", { class: "small", x: 72, y: y + 14, "text-anchor": "end" }, name),
      svg("rect", { class: k ? "score-rival" : "score-top", x: 78, y, width: Math.max(plot.x(count) - 78, 0.5), height: 20 }),
      svg("text", { class: "small", x: plot.x(count) + 5, y: y + 14 }, counted(count)),
    );
  });
  if (note) element.append(make("p", { className: "note" }, note));
  return plot;
}

function drawPlace(element, row) {
  if (!placed(row)) return noFigure(element, "No bounds E0 and E1, so no place.");
  const plot = openPlot(element, { margin: { l: 34, r: 8, t: 6, b: 38 }, x: [0, 1], y: [0, 0.5], xTitle: "E0", xTicks: [0, 0.5, 1], yTicks: [0, 0.25, 0.5], grid: false });
  drawMap(plot, "winner")();
  const [x, y] = [plot.x(row.e0), plot.y(row.e1)];
  const { left, top, high } = plot.box;
  plot.over.append(
    svg("path", { class: "cursor", d: `M${left} ${y}H${x}V${top + high}` }),
    svg("circle", { class: "ring", cx: x, cy: y, r: 7 }),
    svg("circle", { class: "dot", cx: x, cy: y, r: 2.5 }),
  );
  return plot;
}

// A bar for each mechanism, the limit of E0 and E1 as a line, and the attack's distance.
function drawBars(element, row) {
  const { view } = state;
  const names = view.columns;
  const limit = view.limit && placed(row) ? row.two_sided : null;
  const found = attackOf(view, row)?.found;
  const largest = Math.max(row.radius, limit ?? 0, ...names.map((name) => row[name]));
  const far = found != null && found <= 2.2 * largest;
  const high = 20;
  const plot = openPlot(element, {
    height: 22 + high * names.length + 20, margin: { l: 92, r: 54, t: 20, b: 20 },
    x: [0, (far ? Math.max(found, largest) : largest) || 1], y: [0, names.length], axes: false,
  });
  names.forEach((name, k) => {
    const y = 20 + high * k;
    const bar = svg("rect", { x: 92, y: y + 4, width: Math.max(plot.x(row[name]) - 92, 0), height: high - 7 });
    bar.style.fill = inkOf(lookOf(name).colour);
    bar.dataset.bar = name;
    const [end, line] = [plot.x(row[name]) + 4, limit ? plot.x(limit) : -1];
    plot.over.append(
      svg("text", { class: "small", x: 87, y: y + 15, "text-anchor": "end" }, lookOf(name).label),
      bar,
      svg("text", { class: "small", x: end < line + 5 && end + 46 > line ? line + 5 : end, y: y + 15 }, radiusText(row[name])),
    );
  });
  const bottom = 20 + high * names.length;
  const mark = (value, kind, text, y) => plot.over.append(
    svg("line", { class: kind, x1: plot.x(value), x2: plot.x(value), y1: 16, y2: bottom + 2 }),
    svg("text", { class: "small", x: plot.x(value), y, "text-anchor": "middle" }, text),
  );
  if (limit) mark(limit, "limit", "limit", 12);
  if (far) mark(found, "attack-line", `attack ${up(found, 4)}`, bottom + 14);
  else if (found != null) plot.over.append(svg("text", { class: "small", x: 92, y: bottom + 14 }, `attack: beyond, at ${up(found, 4)}`));
  return plot;
}

// Every attacked input: its certified radius against the distance where another class was confirmed.
function drawAttack() {
  const element = byId("attack-plot");
  if (!element) return;
  const rows = state.view.attack.filter(([, , found]) => found != null);
  element.hidden = rows.length === 0;
  if (!rows.length) return;
  const most = 1.05 * Math.max(...rows.flatMap(([, radius, found]) => [radius, found]));
  const wide = Math.min(element.clientWidth, 460);
  const plot = openPlot(element, {
    width: wide, height: wide, x: [0, most], y: [0, most], xTitle: "certified radius", yTitle: "attack distance",
  });
  const broken = ([, radius, found]) => (state.view.closed ? found <= radius : found < radius);
  const points = (which) => rows.filter(which).map(([, radius, found]) => [radius, found]);
  plot.area.append(
    svg("path", { class: "cursor", d: linePath(plot, [[0, 0], [most, most]]) }),
    svg("path", { class: "mark attacked", d: pointsPath(plot, points((row) => !broken(row)), "circle", 3.5) }),
    svg("path", { class: "broken", d: pointsPath(plot, points(broken), "cross", 5) }),
  );
  const words = svg("text", { class: "small", x: plot.x(0.62 * most), y: plot.y(0.5 * most) }, "below: broken");
  plot.over.append(words);
}
