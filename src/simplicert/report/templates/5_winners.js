// The map of winners: each mechanism's region as an exact polygon, with its name in it.

const topOf = (e0) => Math.min(e0, 1 - e0);

// The columns of the winner map in stretches of the same leaders, each reaching half-way to the next.
function winnerStretches({ e0, borders, between }) {
  const columns = e0.map((at, k) => ({ at, edges: [0, ...borders[k], topOf(at)], leaders: between[k] }));
  columns.unshift({ at: 0, edges: columns[0].edges.map(() => 0), leaders: columns[0].leaders });
  columns.push({ at: 1, edges: columns.at(-1).edges.map(() => 0), leaders: columns.at(-1).leaders });
  const stretches = [];
  for (const column of columns) {
    const last = stretches.at(-1);
    if (last && String(last.at(-1).leaders) === String(column.leaders)) last.push(column);
    else stretches.push([column]);
  }
  stretches.forEach((stretch, k) => {
    if (k === 0) return;
    const before = stretches[k - 1];
    const middle = (before.at(-1).at + stretch[0].at) / 2;
    before.push({ ...before.at(-1), at: middle });
    stretch.unshift({ ...stretch[0], at: middle });
  });
  return stretches;
}

function drawWinners(plot, group) {
  const { looks, at } = state.threat.winners[state.kind];
  const shade = (k) => looks[k]?.colour ?? "#ffffff";
  if (at !== undefined) { // whole numbers: cells
    const best = bytesOf(at);
    group.append(cellsPicture(plot, (i, j) => {
      const k = best[placeOf(i, j)];
      return [...channels(shade(k)), k === NOBODY ? 0 : 110];
    }, true));
    return { looks };
  }
  const regions = looks.map(() => []);
  const lines = [];
  for (const stretch of winnerStretches(state.threat.winners[state.kind])) {
    stretch[0].leaders.forEach((k, m) => {
      const low = stretch.map((column) => [column.at, column.edges[m]]);
      const high = stretch.map((column) => [column.at, column.edges[m + 1]]);
      if (k !== NOBODY) regions[k].push([...low, ...high.reverse()]);
      if (m > 0) lines.push(low);
    });
  }
  regions.forEach((polygons, k) => {
    const region = svg("path", { class: "region", d: polygons.map((points) => `${linePath(plot, points)}Z`).join("") });
    region.style.fill = inkOf(shade(k));
    region.dataset.region = looks[k].label;
    group.append(region);
  });
  group.append(svg("path", { class: "border", d: lines.map((points) => linePath(plot, points)).join("") }));
  return { looks, regions };
}

// The name of each region where it is highest; beside the triangle where it is too thin for it.
function labelRegions(plot, { looks, regions }) {
  if (!regions) return;
  const { left, top, wide, high } = plot.box;
  const { e0, borders, between } = state.threat.winners[state.kind];
  looks.forEach(({ label }, k) => {
    let best = { room: 0 };
    e0.forEach((at, c) => {
      const x = plot.x(at);
      if (x < left + 30 || x > left + wide - 20) return;
      [0, ...borders[c], topOf(at)].forEach((low, m, edges) => {
        if (between[c][m] !== k) return;
        const [y0, y1] = [Math.min(plot.y(low), top + high), Math.max(plot.y(edges[m + 1]), top)];
        if (y0 - y1 > best.room) best = { room: y0 - y1, x, y: (y0 + y1) / 2 };
      });
    });
    if (best.room < 3) return;
    const inside = best.room > 18;
    const x = inside ? best.x : Math.min(best.x + 40, left + wide - 8 * label.length);
    const y = inside ? best.y + 4 : Math.max(best.y - 30, top + 12);
    if (!inside) plot.over.append(svg("line", { class: "leader", x1: best.x, y1: best.y, x2: x, y2: y + 3 }));
    plot.over.append(svg("text", { class: "direct strong", x, y, "text-anchor": inside ? "middle" : "start" }, label));
  });
}
