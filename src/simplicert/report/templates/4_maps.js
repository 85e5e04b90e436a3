// Maps over the simplex, from the package's radii on a grid; row j holds i = j + 1 .. steps - 1 - j.

const { steps, packed } = page.simplex;
const HUGE = 3; // log2 of a ratio: the colours stop at 8
const NOBODY = 255; // no mechanism certifies

const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const unpacked = {};
function gridOf(name) {
  const at = state.threat.radii[name];
  unpacked[at] ??= new Float32Array(bytesOf(packed[at]).buffer);
  return unpacked[at];
}

function placeOf(i, j) {
  const inside = Math.min(Math.max(i, j + 1), steps - 1 - j); // a cell on the edge is its neighbour
  return j * (steps - j) + inside - j - 1;
}

const gridRadius = (name, i, j) => gridOf(name)[placeOf(i, j)];

function cells(value) {
  const row = (j) => Array.from({ length: steps }, (_, i) => (i < j || i > steps - j ? null : value(i, j)));
  return Array.from({ length: steps / 2 }, (_, j) => row(j));
}

// The size that all but 2 % of the values stay below: the colours end there.
function reach(rows) {
  const sizes = rows.flat().filter((z) => z !== null && Number.isFinite(z)).map(Math.abs);
  return sizes.sort((a, b) => a - b)[Math.floor(0.98 * (sizes.length - 1))] || 1;
}

const diverging = () => page.diverging.map((colour, k) => [k / (page.diverging.length - 1), colour]);

const MAPS = {
  winner() {
    const { names, at } = state.threat.winners[state.kind];
    const best = bytesOf(at);
    const z = cells((i, j) => {
      const place = best[placeOf(i, j)];
      return place === NOBODY ? null : place;
    });
    const share = (k) => k / names.length;
    const bands = names.map(({ colour }, k) => [share(k), share(k + 1)].map((end) => [end, colour]));
    return {
      trace: { z, zmin: -0.5, zmax: names.length - 0.5, colorscale: bands.flat() },
      words: state.threat.unit ? `largest radius, ${state.threat.title}` : "largest of the paper's ensemble",
      ticks: names.map(({ label }, k) => [k, label]),
    };
  },
  ratio(first, second) {
    const z = cells((i, j) => {
      const [one, two] = [gridRadius(first, i, j), gridRadius(second, i, j)];
      return one === two ? 0 : Math.log2(one / two); // infinite where only one certifies
    });
    const most = Math.min(Math.max(reach(z), Math.log2(1.1)), HUGE);
    const fine = [0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.4];
    const coarse = [0.125, 0.25, 0.5, 1, 2, 4, 8];
    return {
      trace: { z, zmin: -most, zmax: most, colorscale: diverging() },
      words: `${lookOf(first).label} / ${lookOf(second).label}`,
      ticks: (most > 1 ? coarse : fine).map((mark) => [Math.log2(mark), String(mark)]),
    };
  },
  difference(first, second) {
    const z = cells((i, j) => gridRadius(first, i, j) - gridRadius(second, i, j));
    const most = reach(z);
    return {
      trace: { z, zmin: -most, zmax: most, colorscale: diverging() },
      words: `${lookOf(first).label} − ${lookOf(second).label}, ${state.threat.at}`,
    };
  },
  radius(first) {
    const z = cells((i, j) => gridRadius(first, i, j));
    return {
      trace: { z, zmin: 0, zmax: reach(z), colorscale: "Cividis" },
      words: `${lookOf(first).label}, ${state.threat.at}`,
    };
  },
};

function mapTraces() {
  const draw = MAPS[byId("map").value];
  if (!draw) return [];
  const { trace, words, ticks } = draw(byId("first").value, byId("second").value);
  const within = (z) => Math.min(Math.max(z, trace.zmin), trace.zmax);
  const z = trace.z.map((row) => row.map((value) => (value === null ? null : within(value))));
  const bar = { orientation: "h", y: -0.12, yanchor: "top", thickness: 12, len: 0.9 };
  bar.title = { text: words, side: "top" };
  if (ticks) {
    const shown = ticks.filter(([at]) => at >= trace.zmin - 1e-9 && at <= trace.zmax + 1e-9);
    Object.assign(bar, { tickvals: shown.map(([at]) => at), ticktext: shown.map(([, text]) => text) });
  }
  const step = 1 / steps;
  const place = { x0: step / 2, dx: step, y0: step / 2, dy: step };
  return [{ type: "heatmap", ...trace, z, ...place, hoverinfo: "skip", colorbar: bar }];
}
