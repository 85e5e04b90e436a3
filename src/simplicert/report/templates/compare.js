// Two runs of the same inputs. Radii, shares, bands and p-values are the package's; this script
// compares radii with the one that is chosen, counts inputs, and draws.
if (page.extras.compare) {
  const KINDS = page.extras.compare;
  const GROUPS = ["gained", "lost", "flipped", "same"];
  const SHAPES = { gained: "triangle", lost: "down", flipped: "diamond", same: "circle" };
  const CARDS = narrow() ? 12 : 24; // of the gallery at a time
  const ARROWS = narrow() ? 100 : 300; // more are a thicket
  const GRAB = 14; // pixels from the pointer to a point that is meant
  const chosen = { kind: "", place: 0, filter: "changed", input: null, cards: CARDS };
  let both; // the comparison of the chosen kind
  let order = []; // the inputs that the filters leave, as they stand in the gallery

  const unpack = (text) => new Float64Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
  const nameOf = (number) => (number < 0 ? "abstained" : className(number));
  const radiusText = (x) => down(x, both.whole ? 0 : 4).replace(/\.$/, "");

  function openKind(kind) {
    both = KINDS[kind];
    if (!both) return false;
    if (!both.inputs) {
      const [radii, pairs] = [both.radii.map(unpack), both.pairs.map(unpack)];
      both.inputs = both.index.map((index, at) => ({
        index,
        at,
        label: both.label?.[at] ?? null,
        classes: both.classes.map((list) => list[at]),
        radii: radii.map((list) => list[at]),
        pairs: pairs.map((list) => (Number.isNaN(list[2 * at]) ? null : [list[2 * at], list[2 * at + 1]])),
      }));
      both.most = Math.max(...both.at, 0);
    }
    return true;
  }

  const radiusNow = () => both.at[chosen.place];
  const countsAt = (input, side, r) =>
    input.classes[side] >= 0 && (input.label === null || input.classes[side] === input.label)
    && (both.closed ? input.radii[side] >= r : input.radii[side] > r);
  const isFlipped = ({ classes: [a, b] }) => a >= 0 && b >= 0 && a !== b;
  const isAlone = ({ classes: [a, b] }) => (a < 0) !== (b < 0);

  function groupOf(input) {
    const [a, b] = [0, 1].map((side) => countsAt(input, side, radiusNow()));
    if (a !== b) return b ? "gained" : "lost";
    return isFlipped(input) ? "flipped" : "same";
  }

  const FILTERS = [
    ["changed", "all that change", (input) => input.group !== "same" || isFlipped(input)],
    ["gained", "gained", (input) => input.group === "gained"],
    ["lost", "lost", (input) => input.group === "lost"],
    ["flipped", "flipped", isFlipped],
    ["alone", "abstained in one", isAlone],
    ["all", "all", () => true],
  ];

  function orderInputs() {
    for (const input of both.inputs) input.group = groupOf(input);
    const passes = FILTERS.find(([key]) => key === chosen.filter)[2];
    const label = byId("compare-label").value;
    const wanted = byId("compare-find").value.trim().toLowerCase();
    const has = (number) => number !== null && nameOf(number).toLowerCase().includes(wanted);
    const change = ({ radii: [a, b] }) => b - a;
    const by = {
      change: (one, two) => Math.abs(change(two)) - Math.abs(change(one)),
      rise: (one, two) => change(two) - change(one),
      fall: (one, two) => change(one) - change(two),
      index: () => 0,
    }[byId("compare-order").value];
    order = both.inputs
      .filter((input) => passes(input) && (label === "" || String(input.label) === label)
        && (wanted === "" || String(input.index) === wanted || has(input.label) || input.classes.some(has)))
      .sort((one, two) => by(one, two) || one.index - two.index);
  }

  // A small picture of a line or marker, for the legend.
  function sample(draw) {
    const picture = svg("svg", { width: 26, height: 12, viewBox: "0 0 26 12" });
    picture.append(...draw);
    return picture;
  }

  function drawLegend() {
    const line = (side) => sample([svg("path", { class: `compare-line ${side}`, d: "M1 6H25" })]);
    const mark = (group) => sample([svg("path", { class: `compare-points mark-${group}`, d: `M13 6${MARKERS[SHAPES[group]](4.5)}` })]);
    const how = both.labelled ? "certified as its label at r" : "certified at r";
    const words = {
      gained: `gained: ${how} by ${both.names[1]} alone`,
      lost: `lost: ${how} by ${both.names[0]} alone`,
      flipped: "flipped: certified as different classes",
      same: "neither",
    };
    const entries = [
      [line("run-a"), both.names[0]], [line("run-b"), both.names[1]],
      ...GROUPS.map((group) => [mark(group), words[group]]),
    ];
    document.querySelector(".compare-legend").replaceChildren(...entries.map(([picture, text]) => make("span", {}, picture, text)));
  }

  // Whole numbers go in steps: what holds at r holds for all that is more than r - 1.
  const curvePoints = (values) => both.at.flatMap((r, k) => (both.whole && k ? [[both.at[k - 1], values[k]], [r, values[k]]] : [[r, values[k]]]));
  const curvePath = (plot, values) => linePath(plot, curvePoints(values));

  function drawCurves() {
    const what = both.labelled ? "certified accuracy" : "share of inputs certified";
    byId("compare-curves-title").textContent = what[0].toUpperCase() + what.slice(1);
    const x = [0, both.most || 1];
    const top = Math.min(1, Math.ceil(10 * Math.max(...both.first, ...both.second) + 0.5) / 10);
    const margin = { l: 58, r: 14, t: 8 };
    const plot = openPlot("compare-curves", { x, y: [0, top], height: narrow() ? 250 : 300, yTitle: what, margin: { ...margin, b: 24 } });
    plot.area.append(
      svg("path", { class: "compare-line run-a", d: curvePath(plot, both.first) }),
      svg("path", { class: "compare-line run-b", d: curvePath(plot, both.second) }),
    );
    const [lowest, highest] = [1.1 * Math.min(...both.low, -0.02), 1.1 * Math.max(...both.high, 0.02)];
    const y = [Math.min(lowest, -0.3 * highest), Math.max(highest, -0.3 * lowest)]; // room for both names
    const strip = openPlot("compare-strip", { x, y, height: 200, xTitle: axisTitle(), yTitle: "difference", yTicks: ticksOf(...y, 4), margin: { ...margin, b: 46 } });
    const ends = [...curvePoints(both.high), ...curvePoints(both.low).reverse()];
    strip.area.append(
      svg("path", { class: "compare-band", d: `${linePath(strip, ends)}Z` }),
      svg("path", { class: "compare-zero", d: linePath(strip, [[x[0], 0], [x[1], 0]]) }),
      svg("path", { class: "compare-change", d: curvePath(strip, both.difference) }),
    );
    const above = (name, y, base) => svg("text", { class: "small", x: strip.x(x[1]) - 4, y, "text-anchor": "end", "dominant-baseline": base }, name);
    strip.over.append(
      above(`${both.names[1]} ahead`, strip.y(y[1]) + 3, "hanging"),
      above(`${both.names[0]} ahead`, strip.y(y[0]) - 4, "auto"),
    );
    byId("compare-curves-caption").textContent = `Above: the share of all ${both.index.length} inputs that are certified${both.labelled ? " as their label" : ""} with a radius ${both.closed ? "of at least" : "above"} r. Below: ${both.names[1]} less ${both.names[0]}; the grey band holds at all ${both.at.length} radii together.`;
    markRadius();
  }

  const axisTitle = () => page.views.find((view) => view.kind === chosen.kind)?.axis ?? "radius r";

  // The chosen radius as a dotted line in every plot that has an axis of radii.
  function markRadius() {
    const r = radiusNow();
    for (const id of ["compare-curves", "compare-strip"]) {
      const { plot } = byId(id);
      const line = { class: "compare-mark", x1: plot.x(r), x2: plot.x(r), y1: plot.box.top, y2: plot.box.top + plot.box.high };
      plot.mark?.remove();
      plot.mark = plot.area.appendChild(svg("line", line));
    }
  }

  function drawScatter() {
    const most = both.most || 1;
    const ends = [-0.03 * most, 1.03 * most];
    const [a, b] = both.names;
    const ticks = ticksOf(0, most, byId("compare-scatter").clientWidth / 90);
    const plot = openPlot("compare-scatter", { x: ends, y: ends, xTicks: ticks, yTicks: ticks, xTitle: `radius by ${shorten(a)}`, yTitle: `radius by ${shorten(b)}`, margin: { l: 58, r: 14, t: 8, b: 46 } });
    const r = radiusNow();
    plot.area.append(
      svg("path", { class: "compare-identity", d: linePath(plot, [[0, 0], [most, most]]) }),
      svg("path", { class: "compare-mark", d: linePath(plot, [[r, ends[0]], [r, ends[1]]]) + linePath(plot, [[ends[0], r], [ends[1], r]]) }),
    );
    for (const group of [...GROUPS].reverse()) {
      const points = both.inputs.filter((input) => input.group === group).map((input) => input.radii);
      plot.area.append(svg("path", { class: `compare-points mark-${group}`, "data-group": group, d: pointsPath(plot, points, SHAPES[group], group === "same" ? 2.6 : 3.6) }));
    }
    const sure = { class: "small", "text-anchor": "middle", transform: `translate(${plot.x(0.86 * most)} ${plot.y(0.86 * most) - 6}) rotate(-45)` };
    plot.over.append(svg("text", sure, "equal"));
    byId("compare-scatter-caption").textContent = `One mark per input, above the line where ${b} reaches farther; an abstention has radius 0. The dotted lines are at the chosen radius. Click a mark, or use the arrow keys.`;
    ringChosen();
  }

  const shorten = (name) => (name.length > 28 ? `${name.slice(0, 27)}…` : name);

  function arrowPath(plot, from, to, head) {
    const [x0, y0, x1, y1] = [plot.x(from[0]), plot.y(from[1]), plot.x(to[0]), plot.y(to[1])];
    const far = Math.hypot(x1 - x0, y1 - y0);
    const line = `M${x0.toFixed(1)} ${y0.toFixed(1)}L${x1.toFixed(1)} ${y1.toFixed(1)}`;
    if (far < 1) return line;
    const [u, v, size] = [(x1 - x0) / far, (y1 - y0) / far, Math.min(head, far / 2)];
    const wing = (sign) => `${(x1 - size * (u - sign * 0.5 * v)).toFixed(1)} ${(y1 - size * (v + sign * 0.5 * u)).toFixed(1)}`;
    return `${line}M${wing(1)}L${x1.toFixed(1)} ${y1.toFixed(1)}L${wing(-1)}`;
  }

  function drawArrows() {
    const corner = byId("compare-window").value === "corner";
    const [x, y] = corner ? [[0.8, 1], [0, 0.1]] : [[0, 1], [0, 0.5]];
    const plot = openPlot("compare-arrows", { x, y, xTitle: "E0", yTitle: "E1", margin: { l: 58, r: 14, t: 8, b: 46 } });
    plot.area.append(svg("path", { class: "compare-side", d: linePath(plot, [[0, 0], [0.5, 0.5], [1, 0]]) }));
    const known = order.filter(({ pairs }) => pairs[0] || pairs[1]);
    const step = Math.max(1, known.length / ARROWS);
    const shown = Array.from({ length: Math.min(known.length, ARROWS) }, (_, k) => known[Math.floor(k * step)]);
    for (const group of [...GROUPS].reverse()) {
      const mine = shown.filter((input) => input.group === group);
      const moves = mine.filter(({ pairs }) => pairs[0] && pairs[1]);
      const ends = (side) => mine.filter(({ pairs }) => pairs[side] && !pairs[1 - side]).map(({ pairs }) => pairs[side]);
      plot.area.append(
        svg("path", { class: `compare-arrow mark-${group}`, "data-group": group, d: moves.map(({ pairs }) => arrowPath(plot, ...pairs, 8)).join("") }),
        svg("path", { class: `compare-end mark-${group}`, d: pointsPath(plot, ends(1), "circle", 4) + pointsPath(plot, ends(0), "cross", 3.5) }),
      );
    }
    drawMeanArrow(plot);
    const some = shown.length < known.length ? `${shown.length} of the ${known.length}` : `the ${known.length}`;
    byId("compare-arrows-caption").textContent = known.length || both.inputs.some(({ pairs }) => pairs[0])
      ? `Arrows from ${both.names[0]} to ${both.names[1]} for ${some} inputs of the gallery below; a ring is certified by ${both.names[1]} alone, a cross by ${both.names[0]} alone. The thick arrow is the mean of all inputs that both certify.`
      : "";
    ringChosen();
  }

  function drawMeanArrow(plot) {
    const moves = both.inputs.filter(({ pairs }) => pairs[0] && pairs[1]);
    if (!moves.length) return;
    const mean = (side, part) => moves.reduce((sum, { pairs }) => sum + pairs[side][part], 0) / moves.length;
    const [from, to] = [0, 1].map((side) => [mean(side, 0), mean(side, 1)]);
    plot.area.append(svg("path", { class: "compare-mean", d: arrowPath(plot, from, to, 12) }));
  }

  // The chosen input, ringed in both plots.
  function ringChosen() {
    const input = chosen.input;
    for (const id of ["compare-scatter", "compare-arrows"]) {
      const plot = byId(id).plot;
      plot?.ring?.remove();
      if (!plot || !input) continue;
      plot.ring = plot.over.appendChild(svg("g", { class: "compare-ring" }));
      if (id === "compare-scatter") {
        plot.ring.append(svg("circle", { class: "compare-chosen", cx: plot.x(input.radii[0]), cy: plot.y(input.radii[1]), r: 8 }));
      } else if (input.pairs[0] && input.pairs[1]) {
        plot.ring.append(svg("path", { class: "compare-chosen", d: arrowPath(plot, ...input.pairs, 10) }));
      } else {
        const at = input.pairs[0] ?? input.pairs[1];
        if (at) plot.ring.append(svg("circle", { class: "compare-chosen", cx: plot.x(at[0]), cy: plot.y(at[1]), r: 8 }));
      }
    }
  }

  const wordOf = (input) => {
    const words = [];
    if (input.group !== "same" && input.group !== "flipped") words.push(`${input.group} at r = ${radiusNow()}`);
    if (isFlipped(input)) words.push("flipped");
    if (isAlone(input)) words.push(`abstained in ${both.names[input.classes[0] < 0 ? 0 : 1]}`);
    return words.join(", ") || "no change of class";
  };

  function sideRow(input, side) {
    const bar = make("span", { className: "compare-bar" }, make("span", {}));
    bar.firstChild.style.width = `${both.most ? (100 * input.radii[side]) / both.most : 0}%`;
    const right = input.label === null || input.classes[side] < 0 ? "" : input.classes[side] === input.label ? " ✓" : " ✗";
    const row = make("span", { className: `compare-side-row ${side ? "run-b" : "run-a"}` },
      make("span", {}, nameOf(input.classes[side]) + right), make("span", {}, radiusText(input.radii[side])), bar);
    row.title = both.names[side];
    return row;
  }

  function makeCard(input) {
    const title = `Input ${input.index}${input.label === null ? "" : ` · ${nameOf(input.label)}`}`;
    const text = make("span", { className: "compare-about" }, make("strong", {}, title), sideRow(input, 0), sideRow(input, 1));
    const picture = page.sprites ? thumb(input.index, 48) : [];
    const button = make("button", { type: "button", className: `mark-${input.group}`, onclick: () => choose(input) },
      ...picture, text, make("span", { className: "words note" }, wordOf(input)));
    button.dataset.index = input.index;
    button.setAttribute("aria-pressed", String(input === chosen.input));
    return make("li", {}, button);
  }

  function drawGallery() {
    byId("compare-gallery").replaceChildren(...order.slice(0, chosen.cards).map(makeCard));
    const shown = Math.min(chosen.cards, order.length);
    byId("compare-count").textContent = order.length ? `${shown} of ${order.length} inputs; bars are radii, ${both.names[0]} above ${both.names[1]}.` : "No input matches.";
    byId("compare-more").hidden = shown >= order.length;
    for (const button of byId("compare-filter").children) {
      const [key, text, passes] = FILTERS.find(([name]) => name === button.value);
      button.textContent = `${text} ${both.inputs.reduce((n, input) => n + passes(input), 0)}`;
      button.setAttribute("aria-pressed", String(key === chosen.filter));
    }
  }

  function showCard() {
    const input = chosen.input;
    if (!input) {
      byId("compare-card").replaceChildren(make("p", { className: "note" }, "Choose an input by a click on a mark or a picture, or by the arrow keys, to see it in both runs."));
      return;
    }
    const bounds = (pair) => (pair ? `${down(pair[0], 5)}, ${up(pair[1])}` : "–");
    const cells = [
      ["", ...both.names],
      ["class", ...input.classes.map(nameOf)],
      ["radius", ...input.radii.map(radiusText)],
      ["E0, E1", ...input.pairs.map(bounds)],
    ];
    const rows = cells.map(([head, ...texts]) => make("tr", {}, make("th", { scope: "row" }, head), ...texts.map((text) => make("td", {}, text))));
    const label = input.label === null ? [] : [make("p", {}, `Label: ${nameOf(input.label)}`)];
    const picture = page.sprites ? thumb(input.index, 96) : [];
    byId("compare-card").replaceChildren(make("h4", {}, `Input ${input.index}`), ...picture, ...label, make("p", {}, wordOf(input)), make("table", {}, make("tbody", {}, ...rows)));
  }

  function choose(input) {
    chosen.input = input;
    byId("compare-card").dataset.input = input ? input.index : "";
    for (const button of document.querySelectorAll("#compare-gallery button")) {
      button.setAttribute("aria-pressed", String(Boolean(input) && Number(button.dataset.index) === input.index));
    }
    showCard();
    ringChosen();
  }

  // To the next input of the gallery, or the one before it.
  function step(by) {
    if (!order.length) return;
    const at = order.indexOf(chosen.input);
    choose(order[at < 0 ? (by > 0 ? 0 : order.length - 1) : (at + by + order.length) % order.length]);
  }

  function readRadius() {
    const [first, second, change, low, high, p] = both.texts[chosen.place];
    const r = radiusNow();
    const counts = (group) => both.inputs.reduce((n, input) => n + (input.group === group), 0);
    byId("compare-r").textContent = String(r);
    byId("compare-at").setAttribute("aria-valuetext", `r = ${r}`);
    byId("compare-reading").textContent =
      `At r = ${r}: ${both.names[0]} ${first}, ${both.names[1]} ${second}; a difference of ${change} points (band ${low} to ${high}). `
      + `${counts("gained")} gained, ${counts("lost")} lost; p = ${p} by McNemar's exact test at this radius by itself.`;
    for (const button of byId("compare-round").children) button.setAttribute("aria-pressed", String(Number(button.value) === r));
  }

  function setRadius(place) {
    chosen.place = Math.max(0, Math.min(both.at.length - 1, place));
    byId("compare-at").value = chosen.place;
    filterInputs();
    markRadius();
    drawScatter();
    readRadius();
  }

  function filterInputs() {
    chosen.cards = CARDS;
    orderInputs();
    drawGallery();
    drawArrows();
    showCard();
  }

  const nearestPlace = (r) => both.at.reduce((best, value, k) => (Math.abs(value - r) < Math.abs(both.at[best] - r) ? k : best), 0);

  function followCurve(event) {
    const at = pointerAt(byId(event.currentTarget.id).plot, event);
    if (at) setRadius(nearestPlace(at[0]));
  }

  function pickPoint(event) {
    const { plot } = byId("compare-scatter");
    const frame = plot.root.getBoundingClientRect();
    const [x, y] = [(event.clientX - frame.left) * plot.width / frame.width, (event.clientY - frame.top) * plot.height / frame.height];
    const far = ({ radii: [a, b] }) => Math.hypot(plot.x(a) - x, plot.y(b) - y);
    const near = both.inputs.reduce((best, input) => (best && far(best) <= far(input) ? best : input), null);
    choose(near && far(near) <= GRAB ? near : null);
  }

  function pressKey(event) {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (by) step(by);
    else if (event.key === "Escape") choose(null);
    else return;
    event.preventDefault();
  }

  function showKindAnew() {
    for (const block of document.querySelectorAll(".compare-kind")) block.hidden = block.dataset.kind !== chosen.kind;
    Object.assign(chosen, { place: 0, input: null });
    byId("compare-at").max = both.at.length - 1;
    byId("compare-round").replaceChildren(...both.round.map((r) => make("button", { type: "button", value: r, onclick: () => setRadius(both.at.indexOf(r)) }, String(r))));
    const labels = both.label ? [...new Set(both.label)].sort((a, b) => a - b) : [];
    fillSelect(byId("compare-label"), [["", "all"], ...labels.map((n) => [String(n), className(n)])]);
    byId("compare-label").closest("label").hidden = !both.label;
    drawLegend();
  }

  function drawComparison() {
    const kind = state.view?.kind ?? Object.keys(KINDS)[0];
    byId("compare-section").hidden = !openKind(kind);
    if (!both) return;
    if (kind !== chosen.kind) {
      chosen.kind = kind;
      showKindAnew();
    }
    drawCurves();
    setRadius(chosen.place);
  }

  byId("compare-filter").replaceChildren(...FILTERS.map(([value]) => make("button", { type: "button", value, onclick: () => { chosen.filter = value; filterInputs(); } })));
  on("compare-at", "input", () => setRadius(Number(byId("compare-at").value)));
  for (const id of ["compare-label", "compare-order"]) on(id, "change", filterInputs);
  on("compare-find", "input", filterInputs);
  on("compare-window", "change", drawArrows);
  on("compare-more", "click", () => { chosen.cards += CARDS; drawGallery(); });
  for (const id of ["compare-curves", "compare-strip"]) on(id, "click", followCurve);
  on("compare-scatter", "click", pickPoint);
  on("compare-scatter", "keydown", pressKey);
  on("compare-gallery", "keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const cards = [...document.querySelectorAll("#compare-gallery button")];
    const at = cards.indexOf(document.activeElement);
    if (!by || at < 0) return;
    cards[(at + by + cards.length) % cards.length].focus();
    event.preventDefault();
  });
  onRedraw(drawComparison);
}
