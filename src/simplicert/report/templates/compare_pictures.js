// The pictures of two runs of the same inputs: the legend, curves with a strip of their difference,
// radius against radius, and arrows on the simplex. `now` is what compare.js shows: the comparison
// (`both`), the chosen place of a radius, the inputs that the filters leave (`order`) and the chosen one.
function comparisonPictures(now) {
  const GROUPS = ["gained", "lost", "flipped", "same"];
  const SHAPES = { gained: "triangle", lost: "down", flipped: "diamond", same: "circle" };
  const ARROWS = narrow() ? 100 : 300; // more are a thicket
  const radiusNow = () => now.both.at[now.place];

  // A small picture of a line or marker, for the legend.
  function sample(draw) {
    const picture = svg("svg", { width: 26, height: 12, viewBox: "0 0 26 12" });
    picture.append(...draw);
    return picture;
  }

  function drawLegend() {
    const line = (side) => sample([svg("path", { class: `compare-line ${side}`, d: "M1 6H25" })]);
    const mark = (group) => sample([svg("path", { class: `compare-points mark-${group}`, d: `M13 6${MARKERS[SHAPES[group]](4.5)}` })]);
    const how = now.both.labelled ? "certified as its label at r" : "certified at r";
    const words = {
      gained: `gained: ${how} by ${now.both.names[1]} alone`,
      lost: `lost: ${how} by ${now.both.names[0]} alone`,
      flipped: "flipped: certified as different classes",
      same: "neither",
    };
    const entries = [
      [line("run-a"), now.both.names[0]], [line("run-b"), now.both.names[1]],
      ...GROUPS.map((group) => [mark(group), words[group]]),
    ];
    document.querySelector(".compare-legend").replaceChildren(...entries.map(([picture, text]) => make("span", {}, picture, text)));
  }

  // Whole numbers go in steps: what holds at r holds for all that is more than r - 1.
  const curvePoints = (values) => now.both.at.flatMap((r, k) => (now.both.whole && k ? [[now.both.at[k - 1], values[k]], [r, values[k]]] : [[r, values[k]]]));
  const curvePath = (plot, values) => linePath(plot, curvePoints(values));

  function drawCurves() {
    const what = now.both.labelled ? "certified accuracy" : "share of inputs certified";
    byId("compare-curves-title").textContent = what[0].toUpperCase() + what.slice(1);
    const x = [0, now.both.most || 1];
    const top = Math.min(1, Math.ceil(10 * Math.max(...now.both.first, ...now.both.second) + 0.5) / 10);
    const margin = { l: 58, r: 14, t: 8 };
    const plot = openPlot("compare-curves", { x, y: [0, top], height: narrow() ? 250 : 300, yTitle: what, margin: { ...margin, b: 24 } });
    plot.area.append(
      svg("path", { class: "compare-line run-a", d: curvePath(plot, now.both.first) }),
      svg("path", { class: "compare-line run-b", d: curvePath(plot, now.both.second) }),
    );
    const [lowest, highest] = [1.1 * Math.min(...now.both.low, -0.02), 1.1 * Math.max(...now.both.high, 0.02)];
    const y = [Math.min(lowest, -0.3 * highest), Math.max(highest, -0.3 * lowest)]; // room for both names
    const strip = openPlot("compare-strip", { x, y, height: 200, xTitle: axisTitle(), yTitle: "difference", yTicks: ticksOf(...y, 4), margin: { ...margin, b: 46 } });
    const ends = [...curvePoints(now.both.high), ...curvePoints(now.both.low).reverse()];
    strip.area.append(
      svg("path", { class: "compare-band", d: `${linePath(strip, ends)}Z` }),
      svg("path", { class: "compare-zero", d: linePath(strip, [[x[0], 0], [x[1], 0]]) }),
      svg("path", { class: "compare-change", d: curvePath(strip, now.both.difference) }),
    );
    const above = (name, y, base) => svg("text", { class: "small", x: strip.x(x[1]) - 4, y, "text-anchor": "end", "dominant-baseline": base }, name);
    strip.over.append(
      above(`${now.both.names[1]} ahead`, strip.y(y[1]) + 3, "hanging"),
      above(`${now.both.names[0]} ahead`, strip.y(y[0]) - 4, "auto"),
    );
    byId("compare-curves-caption").textContent = `Above: the share of all ${now.both.index.length} inputs that are certified${now.both.labelled ? " as their label" : ""} with a radius ${now.both.closed ? "of at least" : "above"} r. Below: ${now.both.names[1]} less ${now.both.names[0]}; the grey band holds at all ${now.both.at.length} radii together.`;
    markRadius();
  }

  const axisTitle = () => page.views.find((view) => view.kind === now.kind)?.axis ?? "radius r";

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
    const most = now.both.most || 1;
    const ends = [-0.03 * most, 1.03 * most];
    const [a, b] = now.both.names;
    const ticks = ticksOf(0, most, byId("compare-scatter").clientWidth / 90);
    const plot = openPlot("compare-scatter", { x: ends, y: ends, xTicks: ticks, yTicks: ticks, xTitle: `radius by ${shorten(a)}`, yTitle: `radius by ${shorten(b)}`, margin: { l: 58, r: 14, t: 8, b: 46 } });
    const r = radiusNow();
    plot.area.append(
      svg("path", { class: "compare-identity", d: linePath(plot, [[0, 0], [most, most]]) }),
      svg("path", { class: "compare-mark", d: linePath(plot, [[r, ends[0]], [r, ends[1]]]) + linePath(plot, [[ends[0], r], [ends[1], r]]) }),
    );
    for (const group of [...GROUPS].reverse()) {
      const points = now.both.inputs.filter((input) => input.group === group).map((input) => input.radii);
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
    const known = now.order.filter(({ pairs }) => pairs[0] || pairs[1]);
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
    byId("compare-arrows-caption").textContent = known.length || now.both.inputs.some(({ pairs }) => pairs[0])
      ? `Arrows from ${now.both.names[0]} to ${now.both.names[1]} for ${some} inputs of the gallery below; a ring is certified by ${now.both.names[1]} alone, a cross by ${now.both.names[0]} alone. The thick arrow is the mean of all inputs that both certify.`
      : "";
    ringChosen();
  }

  function drawMeanArrow(plot) {
    const moves = now.both.inputs.filter(({ pairs }) => pairs[0] && pairs[1]);
    if (!moves.length) return;
    const mean = (side, part) => moves.reduce((sum, { pairs }) => sum + pairs[side][part], 0) / moves.length;
    const [from, to] = [0, 1].map((side) => [mean(side, 0), mean(side, 1)]);
    plot.area.append(svg("path", { class: "compare-mean", d: arrowPath(plot, from, to, 12) }));
  }

  // The chosen input, ringed in both plots.
  function ringChosen() {
    const input = now.input;
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

  return { drawLegend, drawCurves, markRadius, drawScatter, drawArrows, ringChosen, radiusNow };
}
